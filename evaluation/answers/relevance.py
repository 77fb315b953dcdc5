"""Whether the relevance of a question means anything: what it risks to go by it, and how often it is borne out.

Relevance is the probability that a question can be answered, as the graph estimates it before anything is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.answers.answers import AnswerResult
from evaluation.answers.tally import Share
from evaluation.statistics.reliability import Prediction, Reliability, brier, reliability
from evaluation.statistics.risk_coverage import RiskCoverage, risk_coverage


@dataclass(frozen=True)
class Calibration:
    """The relevance of some questions beside the share of them that are answerable: in all, in bins, and as errors.

    ``mean`` relevance and both errors, ``brier`` and that of the bins, are in [0, 1].
    """

    mean: float
    answerable: Share
    reliability: Reliability
    brier: float


@dataclass(frozen=True)
class RelevanceReport:
    """The curves of the questions with a relevance.

    In ``risk`` a question is a mistake where it has no answer in the law, or where no provision that answers is cited
    (of what was refused none is; the nearest provisions that are shown are cited). ``by_category`` is in the order of
    the gold set.
    """

    risk: RiskCoverage
    calibration: Calibration
    by_category: Mapping[str, Calibration]


def report_relevance(results: Sequence[AnswerResult]) -> RelevanceReport | None:
    """Draw the curves; ``None`` where no question has a relevance. Those without one count as never answered."""
    right: list[Prediction] = []
    answerable: list[Prediction] = []
    by_category: dict[str, list[Prediction]] = {}
    for result in results:
        if result.relevance is None:
            continue
        right.append(Prediction(result.relevance, float(result.cites_answer())))
        answerable.append(Prediction(result.relevance, float(not result.question.is_negative)))
        if result.question.category:
            by_category.setdefault(result.question.category, []).append(answerable[-1])
    if not right:
        return None
    return RelevanceReport(
        risk_coverage(right, len(results)),
        _calibration(answerable),
        {name: _calibration(predictions) for name, predictions in by_category.items()},
    )


def _calibration(predictions: Sequence[Prediction]) -> Calibration:
    return Calibration(
        mean=sum(prediction.confidence for prediction in predictions) / len(predictions),
        answerable=Share(sum(bool(prediction.outcome) for prediction in predictions), len(predictions)),
        reliability=reliability(predictions),
        brier=brier(predictions),
    )
