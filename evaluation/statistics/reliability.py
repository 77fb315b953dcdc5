"""Whether confidence means anything: of the questions with confidence 0.8, 80 % should have the right provision first.

Guo et al., "On calibration of modern neural networks", ICML 2017.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

MAX_BINS = 10
MIN_IN_BIN = 5
_Z = 1.959964
"""Of a 95 % interval."""


class Prediction(NamedTuple):
    """The confidence in [0, 1] that was shown with a question, and whether the answer was right (1) or not (0)."""

    confidence: float
    outcome: float


@dataclass(frozen=True)
class Bin:
    """Questions of similar confidence: its mean, the share that was right with its 95 % interval, their number."""

    confidence: float
    right: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Reliability:
    """Bins of equal count by ascending confidence, and ``ece`` in [0, 1]: 0 is perfectly calibrated."""

    bins: tuple[Bin, ...]
    ece: float


def reliability(predictions: Sequence[Prediction]) -> Reliability:
    """Sort questions into at most 10 bins, of 5 questions or more, and compare confidence with outcome.

    ECE = Σ n_b / n · |confidence_b - right_b|. Where a bin ends among equal confidences, each of these counts with the
    mean of their outcomes, so that the order of the questions does not matter.

    Raises:
        ValueError: there are no questions.

    >>> half_right = [Prediction(0.9, 1.0), Prediction(0.7, 0.0)]
    >>> [(round(bin.confidence, 2), bin.right, bin.count) for bin in reliability(half_right).bins]
    [(0.8, 0.5, 2)]
    >>> round(reliability(half_right).ece, 2)  # |0.8 - 0.5|
    0.3
    """
    if not predictions:
        raise ValueError("no questions")
    ranked = _levelled(predictions)
    number = max(1, min(MAX_BINS, len(ranked) // MIN_IN_BIN))
    edges = [round(len(ranked) * index / number) for index in range(number + 1)]
    bins = tuple(_bin(ranked[start:end]) for start, end in pairwise(edges))
    gaps = (bin_.count * abs(bin_.confidence - bin_.right) for bin_ in bins)
    return Reliability(bins, sum(gaps) / len(ranked))


def brier(predictions: Sequence[Prediction]) -> float:
    """Return the mean of (confidence - outcome)², in [0, 1], less is better (Brier, 1950).

    Raises:
        ValueError: there are no questions.

    >>> round(brier([Prediction(0.9, 1.0), Prediction(0.7, 0.0)]), 2)  # (0.01 + 0.49) / 2
    0.25
    """
    if not predictions:
        raise ValueError("no questions")
    return sum(squared_errors(predictions)) / len(predictions)


def squared_errors(predictions: Sequence[Prediction]) -> list[float]:
    """Return (confidence - outcome)² of each question, in [0, 1]."""
    return [(prediction.confidence - prediction.outcome) ** 2 for prediction in predictions]


def _levelled(predictions: Sequence[Prediction]) -> list[Prediction]:
    """Sort by confidence, and give questions of the same confidence the same outcome."""
    outcomes: dict[float, list[float]] = {}
    for prediction in sorted(predictions):
        outcomes.setdefault(prediction.confidence, []).append(prediction.outcome)
    return [Prediction(level, sum(values) / len(values)) for level, values in outcomes.items() for _ in values]


def _bin(predictions: Sequence[Prediction]) -> Bin:
    count = len(predictions)
    right = sum(prediction.outcome for prediction in predictions) / count
    low, high = _wilson(right, count)
    return Bin(sum(prediction.confidence for prediction in predictions) / count, right, low, high, count)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return the interval of a share (Wilson, 1927): within [0, 1], also where all or none were right.

    The share is never outside of it. Rounding can put a bound that equals the share, as the upper one does where all
    were right, a last digit to its other side: the share itself is the bound then.
    """
    square = _Z**2 / count
    middle, spread = share + square / 2, _Z * math.sqrt(share * (1 - share) / count + square / (4 * count))
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return max(0.0, min(low, share)), min(1.0, max(high, share))
