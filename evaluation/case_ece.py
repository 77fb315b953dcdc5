"""How sure an ECE is: of few inquiries, that of an exact confidence is far from 0, too."""

from collections.abc import Sequence

import numpy as np

from evaluation.bootstrap import SEED, Interval, interval_of
from evaluation.reliability import Judged, reliability

RESAMPLES = 1_000
"""Each one is sorted and binned anew."""


def ece_difference(before: Sequence[Judged], after: Sequence[Judged]) -> Interval:
    """Return the bootstrap percentile interval of ECE after - ECE before: the same inquiries are drawn for both."""

    def difference(rows: Sequence[int]) -> float:
        first, second = (reliability([judged[int(row)] for row in rows]).ece for judged in (before, after))
        return second - first

    return interval_of(difference, range(len(before)), RESAMPLES)


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
