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


class Judged(NamedTuple):
    """A question: the confidence in [0, 1] that was shown, and whether it was right (1) or not (0)."""

    confidence: float
    outcome: float


@dataclass(frozen=True)
class Bin:
    """Questions of like confidence: its mean, the share that was right with its 95 % interval, their number."""

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


def reliability(judged: Sequence[Judged]) -> Reliability:
    """Sort questions into at most 10 bins, of 5 questions or more, and compare confidence with outcome.

    ECE = Σ n_b / n · |confidence_b - right_b|. Where a bin ends among equal confidences, each of these counts with the
    mean of their outcomes, so that the order of the questions does not matter.

    Raises:
        ValueError: there are no questions.
    """
    if not judged:
        raise ValueError("no questions")
    ranked = _levelled(judged)
    number = max(1, min(MAX_BINS, len(ranked) // MIN_IN_BIN))
    edges = [round(len(ranked) * index / number) for index in range(number + 1)]
    bins = tuple(_bin(ranked[start:end]) for start, end in pairwise(edges))
    gaps = (one.count * abs(one.confidence - one.right) for one in bins)
    return Reliability(bins, sum(gaps) / len(ranked))


def _levelled(judged: Sequence[Judged]) -> list[Judged]:
    """Sort by confidence, and give questions of the same confidence the same outcome."""
    outcomes: dict[float, list[float]] = {}
    for one in sorted(judged):
        outcomes.setdefault(one.confidence, []).append(one.outcome)
    return [Judged(level, sum(found) / len(found)) for level, found in outcomes.items() for _ in found]


def _bin(judged: Sequence[Judged]) -> Bin:
    count = len(judged)
    right = sum(one.outcome for one in judged) / count
    low, high = _wilson(right, count)
    return Bin(sum(one.confidence for one in judged) / count, right, low, high, count)


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return the interval of a share (Wilson, 1927): within [0, 1], also where all or none were right."""
    square = _Z**2 / count
    middle, spread = share + square / 2, _Z * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(0.0, (middle - spread) / (1 + square)), min(1.0, (middle + spread) / (1 + square))
