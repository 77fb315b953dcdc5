"""How sure a mean over questions is, and whether one run is better than another on the same questions.

Everything that is drawn is drawn by SciPy from a fixed seed: the same values give the same report.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, permutation_test

RESAMPLES = 10_000
SEED = 20_240_601
LEVEL = 0.95
_BATCH = 1_000
"""Resamples that are in memory at once."""

_DECIMALS = 9
"""Values that agree up to here are equal: what parts them is rounding."""


class Interval(NamedTuple):
    """A percentile interval of level 0.95."""

    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """A second run against a first one on the same questions.

    ``difference`` is the mean of second - first; ``p`` says how often random signs give a mean as far from 0.
    """

    first: float
    second: float
    difference: float
    interval: Interval
    p: float
    wins: int
    ties: int
    losses: int


def interval(values: Sequence[float]) -> Interval:
    """Return the bootstrap percentile interval of the mean: 10,000 times, questions are drawn again with replacement.

    Raises:
        ValueError: there are no values.

    >>> interval([0.5, 0.5, 0.5])
    Interval(low=0.5, high=0.5)
    >>> interval([0.0, 1.0])  # a quarter of the draws are twice the 0, another quarter twice the 1
    Interval(low=0.0, high=1.0)
    """
    return interval_of(np.mean, values)


def interval_of(
    statistic: Callable[..., Any], values: Sequence[float] | Sequence[int], resamples: int = RESAMPLES
) -> Interval:
    """Return the bootstrap percentile interval of a statistic of one sample (``scipy.stats.bootstrap``).

    Efron, "Bootstrap methods: another look at the jackknife", 1979; Efron and Tibshirani, "An introduction to the
    bootstrap", 1993, chapter 13. A single value, which can only be drawn as itself, is its own interval.

    Raises:
        ValueError: there are no values.
    """
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
    """Return the interval of each metric, from the metrics of each question; none without questions."""
    names = next(iter(values.values()), {})
    return {name: interval([metrics[name] for metrics in values.values()]) for name in names}


def compare(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two runs question by question: interval of the mean difference, sign-flip test, wins.

    The test (``scipy.stats.permutation_test``) gives each difference a sign at random: Fisher's randomisation; Smucker,
    Allan and Carterette, CIKM 2007. Two-sided: p is the share of means at least as far from 0, of all signs where there
    are 10,000 ways or fewer, else (1 + such draws) / (1 + draws) of 10,000 draws (Phipson and Smyth, 2010).

    Raises:
        ValueError: there are no values, or not as many of one as of the other.
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
