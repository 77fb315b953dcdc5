"""How sure an ECE is: of few inquiries, that of an exact confidence is far from 0, too."""

from collections.abc import Sequence

import numpy as np

from evaluation.bootstrap import LEVEL, SEED, Interval
from evaluation.reliability import Judged, reliability

RESAMPLES = 1_000
"""Each one is sorted and binned anew."""


def ece_difference(before: Sequence[Judged], after: Sequence[Judged]) -> Interval:
    """Return the bootstrap percentile interval of ECE after - ECE before: the same inquiries are drawn for both."""
    source = np.random.default_rng(SEED)
    differences = []
    for _ in range(RESAMPLES):
        rows = source.integers(len(before), size=len(before))
        first, second = (reliability([one[row] for row in rows]).ece for one in (before, after))
        differences.append(second - first)
    low, high = np.quantile(differences, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def exact_ece(judged: Sequence[Judged]) -> float:
    """Return the mean ECE in [0, 1] if these confidences were exact: their outcomes are drawn by them.

    What an ECE has beyond it is error; what it has up to it is the chance of few inquiries (Bröcker and Smith,
    "Increasing the reliability of reliability diagrams", 2007).
    """
    source = np.random.default_rng(SEED)
    confidences = np.array([one.confidence for one in judged])
    drawn = source.random((RESAMPLES, len(confidences))) < confidences
    found = [reliability(list(map(Judged, confidences, row.astype(float)))).ece for row in drawn]
    return float(np.mean(found))
