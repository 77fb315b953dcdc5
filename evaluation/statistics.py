"""Evaluation statistics: bootstrap intervals (level 0.95, fixed seed), paired tests, calibration, risk-coverage."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20_240_601
LEVEL = 0.95
_BATCH = 1_000

_DECIMALS = 9  # values that agree to this precision are equal: the rest is rounding


class Interval(NamedTuple):
    """Percentile interval of level 0.95."""

    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """A second run against a first one; ``p`` is the share of random signs with a mean as far from 0."""

    first: float
    second: float
    difference: float
    interval: Interval
    p: float
    wins: int
    ties: int
    losses: int


def interval(values: Sequence[float]) -> Interval:
    """Return the bootstrap percentile interval of the mean of at least one value, with 10,000 resamples.

    >>> interval([0.0, 1.0])  # a quarter of the draws are twice the 0, another quarter twice the 1
    Interval(low=0.0, high=1.0)
    """
    return interval_of(np.mean, values)


def interval_of(
    statistic: Callable[..., Any], values: Sequence[float] | Sequence[int], resamples: int = RESAMPLES
) -> Interval:
    """Return the bootstrap percentile interval of a statistic of one sample (``scipy.stats.bootstrap``).

    Efron, "Bootstrap methods: another look at the jackknife", 1979; Efron and Tibshirani, "An introduction to the
    bootstrap", 1993, chapter 13. A single value is its own interval.
    """
    # Imported here: the command that measures says what is missing before it begins.
    from scipy.stats import bootstrap

    if not len(values):
        raise ValueError("no values")
    if len(values) == 1:
        value = float(statistic(np.asarray(values)))
        return Interval(value, value)
    drawn = bootstrap(
        (values,),
        statistic,
        n_resamples=resamples,
        batch=_BATCH,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return Interval(float(drawn.confidence_interval.low), float(drawn.confidence_interval.high))


def intervals(values: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    names = next(iter(values.values()), {})
    return {name: interval([metrics[name] for metrics in values.values()]) for name in names}


def compare(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two runs question by question: interval of the mean difference, sign-flip test, wins.

    Two-sided ``scipy.stats.permutation_test`` with random signs: Fisher's randomisation (Smucker, Allan and Carterette,
    CIKM 2007). The p is exact for up to 10,000 sign patterns, else (1 + draws as far from 0) / (1 + draws) of 10,000
    draws (Phipson and Smyth, 2010).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values against {len(second)}")
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    differences = after - before
    differences[differences.round(_DECIMALS) == 0] = 0.0
    return Paired(
        first=float(before.mean()),
        second=float(after.mean()),
        difference=float(differences.mean()),
        interval=interval(list(differences)),
        p=_sign_flip(differences),
        wins=int(np.count_nonzero(differences > 0)),
        ties=int(np.count_nonzero(differences == 0)),
        losses=int(np.count_nonzero(differences < 0)),
    )


def _sign_flip(differences: NDArray[np.float64]) -> float:
    from scipy.stats import permutation_test

    if len(differences) == 1:  # either sign is as far from 0
        return 1.0
    return float(
        permutation_test(
            (differences,),
            lambda signed, axis: abs(signed.mean(axis=axis)).round(_DECIMALS),
            permutation_type="samples",
            n_resamples=RESAMPLES,
            batch=_BATCH,
            alternative="greater",
            rng=np.random.default_rng(SEED),
        ).pvalue
    )


MAX_BINS = 10
MIN_IN_BIN = 5
_Z = 1.959964


class Prediction(NamedTuple):
    """Confidence in [0, 1] shown with a question, and 1 for a right answer, else 0."""

    confidence: float
    outcome: float


@dataclass(frozen=True)
class Bin:
    """Questions of similar confidence: its mean, the right share with its 95 % interval, their number."""

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
    """Sort questions into at most 10 bins of 5 or more: ECE = Σ n_b / n · |confidence_b - right_b|.

    Questions of equal confidence get the mean of their outcomes, so that their order does not matter.

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
    """Return the mean of (confidence - outcome)², in [0, 1], less is better (Brier, 1950)."""
    if not predictions:
        raise ValueError("no questions")
    return sum(squared_errors(predictions)) / len(predictions)


def squared_errors(predictions: Sequence[Prediction]) -> list[float]:
    return [(prediction.confidence - prediction.outcome) ** 2 for prediction in predictions]


def _levelled(predictions: Sequence[Prediction]) -> list[Prediction]:
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
    """Return the interval of a share (Wilson, 1927), which contains it despite rounding."""
    square = _Z**2 / count
    middle, spread = share + square / 2, _Z * math.sqrt(share * (1 - share) / count + square / (4 * count))
    low, high = (middle - spread) / (1 + square), (middle + spread) / (1 + square)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


@dataclass(frozen=True)
class Point:
    """Result of answering only questions of a confidence of ``threshold`` or more."""

    threshold: float
    coverage: float
    risk: float
    questions: int
    wrong: int


@dataclass(frozen=True)
class RiskCoverage:
    """Point for each confidence, descending, and the area under them in [0, 1], less is better."""

    points: tuple[Point, ...]
    area: float
    total: int


def risk_coverage(predictions: Sequence[Prediction], total: int) -> RiskCoverage:
    """Return the risk and the coverage of answering by descending confidence, equal ones together; outcomes are 1 or 0.

    ``total`` counts all questions: those without a confidence are never answered, and coverage ends below 1.
    area = Σ risk_i · (coverage_i - coverage_i-1). If all confidences differ, it is the mean of the risks (Geifman,
    Uziel and El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers", ICLR 2019).
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
