"""Evaluation statistics: bootstrap intervals (level 0.95, fixed seed), paired tests, calibration, risk-coverage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    """A second run against a first one, with the interval of the difference.

    ``p`` is the share of random signs with a mean as far from 0.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    wins: int
    ties: int
    losses: int


def share(count: int, total: int) -> dict[str, Any]:
    return {"count": count, "of": total, "share": count / total if total else None}


def interval(values: Sequence[float]) -> Interval:
    """Return the bootstrap percentile interval of the mean of at least one value (``scipy.stats.bootstrap``).

    Efron, "Bootstrap methods: another look at the jackknife", 1979; Efron and Tibshirani, "An introduction to the
    bootstrap", 1993, chapter 13. A single value is its own interval.

    >>> interval([0.0, 1.0])  # a quarter of the draws are twice the 0, another quarter twice the 1
    Interval(low=0.0, high=1.0)
    """
    # Imported here: the command that measures says what is missing before it begins.
    from scipy.stats import bootstrap

    if not len(values):
        raise ValueError("no values")
    if len(values) == 1:
        return Interval(float(values[0]), float(values[0]))
    drawn = bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=_BATCH,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    return Interval(*map(float, drawn.confidence_interval))


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
    low, high = interval(list(differences))
    return Paired(
        first=float(before.mean()),
        second=float(after.mean()),
        difference=float(differences.mean()),
        low=low,
        high=high,
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


def reliability(predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Sort questions into at most 10 ``bins`` of 5 or more: ``ece`` = Σ n_b / n · |confidence_b - right_b|, in [0, 1].

    Each bin has the mean ``confidence``, the ``right`` share with its 95 % interval (``low``, ``high``) and ``count``.
    Questions of equal confidence get the mean of their outcomes, so that their order does not matter.

    >>> half_right = reliability([Prediction(0.9, 1.0), Prediction(0.7, 0.0)])
    >>> [(round(bin["confidence"], 2), bin["right"], bin["count"]) for bin in half_right["bins"]]
    [(0.8, 0.5, 2)]
    >>> round(half_right["ece"], 2)  # |0.8 - 0.5|
    0.3
    """
    confidences, outcomes = np.array(sorted(predictions)).T
    _, level = np.unique(confidences, return_inverse=True)
    right = (np.bincount(level, outcomes) / np.bincount(level))[level]
    number = max(1, min(MAX_BINS, len(predictions) // MIN_IN_BIN))
    edges = [round(len(predictions) * index / number) for index in range(1, number)]
    bins = [_bin(*sides) for sides in zip(np.split(confidences, edges), np.split(right, edges), strict=True)]
    gaps = (bin_["count"] * abs(bin_["confidence"] - bin_["right"]) for bin_ in bins)
    return {"bins": bins, "ece": sum(gaps) / len(predictions)}


def brier(predictions: Sequence[Prediction]) -> float:
    """Return the mean of (confidence - outcome)², in [0, 1], less is better (Brier, 1950)."""
    return float(np.mean([(confidence - outcome) ** 2 for confidence, outcome in predictions]))


def _bin(confidences: NDArray[np.float64], outcomes: NDArray[np.float64]) -> dict[str, Any]:
    # The interval of a share (Wilson, 1927); the share is in it, whatever the rounding.
    count, right = len(confidences), float(outcomes.mean())
    square = _Z**2 / count
    middle, spread = right + square / 2, _Z * ((right * (1 - right) + square / 4) / count) ** 0.5
    low, high = max(0.0, (middle - spread) / (1 + square)), min(1.0, (middle + spread) / (1 + square))
    confidence = float(confidences.mean())
    return {"confidence": confidence, "right": right, "low": min(low, right), "high": max(high, right), "count": count}


def risk_coverage(predictions: Sequence[Prediction], total: int) -> dict[str, Any]:
    """Return the risk and the coverage of answering by descending confidence, equal ones together; outcomes are 1 or 0.

    ``points`` has the result for each confidence as limit (``threshold``), ``area`` in [0, 1] is under them. ``total``
    counts all questions: those without a confidence are never answered, and coverage ends below 1.
    area = Σ risk_i · (coverage_i - coverage_i-1). If all confidences differ, it is the mean of the risks (Geifman,
    Uziel and El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers", ICLR 2019).
    """
    confidences, outcomes = np.array(predictions).T
    thresholds, level = np.unique(-confidences, return_inverse=True)
    questions, wrong = np.bincount(level).cumsum(), np.bincount(level, outcomes == 0).cumsum().astype(int)
    coverage, risk = questions / total, wrong / questions
    columns = zip(*map(np.ndarray.tolist, (-thresholds, coverage, risk, questions, wrong)), strict=True)
    names = ("threshold", "coverage", "risk", "questions", "wrong")
    return {
        "points": [dict(zip(names, values, strict=True)) for values in columns],
        "area": float(np.sum(risk * np.diff(coverage, prepend=0.0))),
        "total": total,
    }
