"""What is risked by answering more: the share of mistakes among the questions that some confidence lets through.

El-Yaniv and Wiener, "On the foundations of noise-free selective classification", JMLR 2010.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.statistics.reliability import Prediction


@dataclass(frozen=True)
class Point:
    """What happens if only questions of a confidence of ``threshold`` or more are answered.

    ``questions`` are those let through, ``coverage`` in (0, 1] their share of all; ``wrong`` those of them whose answer
    is a mistake, ``risk`` in [0, 1] their share of those let through.
    """

    threshold: float
    coverage: float
    risk: float
    questions: int
    wrong: int


@dataclass(frozen=True)
class RiskCoverage:
    """A point for each confidence that occurs, by descending confidence, and the area under them.

    ``area`` in [0, 1], less is better; ``total`` counts all questions.
    """

    points: tuple[Point, ...]
    area: float
    total: int


def risk_coverage(predictions: Sequence[Prediction], total: int) -> RiskCoverage:
    """Let questions through by descending confidence, equal ones together; their outcome is 1 (right) or 0.

    ``total`` counts all questions: those without a confidence are never let through, and coverage ends below 1.

    area = Σ risk_i · (coverage_i - coverage_i-1), from a coverage of 0 to the last one. Where no two confidences are
    the same, it is the mean of the risks (Geifman, Uziel and El-Yaniv, "Bias-reduced uncertainty estimation for deep
    neural classifiers", ICLR 2019).

    Raises:
        ValueError: there are no questions, or fewer in all than there are confidences.

    >>> curve = risk_coverage([Prediction(0.9, 1.0), Prediction(0.6, 0.0), Prediction(0.3, 1.0)], 4)
    >>> [(point.coverage, point.risk) for point in curve.points][:2]
    [(0.25, 0.0), (0.5, 0.5)]
    """
    if not predictions or total < len(predictions):
        raise ValueError(f"{len(predictions)} confidences of {total} questions")
    outcomes: defaultdict[float, list[float]] = defaultdict(list)
    for prediction in predictions:
        outcomes[prediction.confidence].append(prediction.outcome)
    points: list[Point] = []
    questions = wrong = 0
    for threshold in sorted(outcomes, reverse=True):
        questions += len(outcomes[threshold])
        wrong += outcomes[threshold].count(0.0)
        points.append(Point(threshold, questions / total, wrong / questions, questions, wrong))
    starts = [0.0, *(point.coverage for point in points)]
    widths = [end - start for start, end in pairwise(starts)]
    area = sum(point.risk * width for point, width in zip(points, widths, strict=True))
    return RiskCoverage(tuple(points), area, total)
