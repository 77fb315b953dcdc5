"""How sure a mean over questions is, and whether one run is better than another on the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20_240_601
LEVEL = 0.95
_BATCH = 1_000
_SAME = 1e-9
"""Two values of one question that differ by less are a tie."""


class Interval(NamedTuple):
    """A percentile interval of level 0.95."""

    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """What a second run gives on the same questions against a first one.

    ``difference`` is the mean of second - first; ``p`` says how often signs drawn at random give a mean as far from 0.
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
    """Return the bootstrap percentile interval of the mean: questions drawn again with replacement.

    Efron, "Bootstrap methods: another look at the jackknife", 1979. The same values give the same interval.

    Raises:
        ValueError: there are no values.
    """
    if not len(values):
        raise ValueError("no values")
    sample = np.asarray(values, dtype=float)
    source = np.random.default_rng(SEED)
    drawn = [source.integers(len(sample), size=(_BATCH, len(sample))) for _ in range(RESAMPLES // _BATCH)]
    resampled = np.concatenate([sample[rows].mean(axis=1) for rows in drawn])
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def intervals(values: Mapping[str, Mapping[str, float]]) -> dict[str, Interval]:
    """Return the interval of each metric, from the metrics of each question; none without questions."""
    names = next(iter(values.values()), {})
    return {name: interval([found[name] for found in values.values()]) for name in names}


def compare(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two runs question by question: interval of the mean difference, sign-flip test, wins.

    The test draws the sign of each difference (Fisher's randomisation; Smucker, Allan and Carterette, CIKM 2007);
    p = (1 + draws at least as far from 0) / (1 + draws), two-sided.

    Raises:
        ValueError: there are no values, or not as many of one as of the other.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values against {len(second)}")
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    differences = other - one
    differences[np.abs(differences) < _SAME] = 0.0
    return Paired(
        first=float(one.mean()),
        second=float(other.mean()),
        difference=float(differences.mean()),
        interval=interval(list(differences)),
        p=_sign_flip(differences),
        wins=int(np.count_nonzero(differences > 0)),
        ties=int(np.count_nonzero(differences == 0)),
        losses=int(np.count_nonzero(differences < 0)),
    )


def _sign_flip(differences: NDArray[np.float64]) -> float:
    source = np.random.default_rng(SEED)
    least = abs(differences.mean()) - _SAME
    as_far = 0
    for _ in range(RESAMPLES // _BATCH):
        signs = source.choice((-1.0, 1.0), size=(_BATCH, len(differences)))
        as_far += int(np.count_nonzero(np.abs((signs * differences).mean(axis=1)) >= least))
    return (1 + as_far) / (1 + RESAMPLES)
