"""Reciprocal rank fusion: one ranking out of several.

Fused here and not by the engine, because an engine breaks ties as its hash tables fall: the two adapters (and two
runs of one) would rank tied chunks differently, and because its constant and weights are fixed. Both were measured
(docs/retrieval.md).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.protocols import HybridQuery

K = 20
"""Ranking constant (zero-based ranks; the paper has 60 with one-based ones, Qdrant 2)."""

DENSE, SPARSE = 3.0, 1.0
"""What the place in each side counts for."""

Scored = tuple[int, float]
"""A point id and its score."""


class Ranked(NamedTuple):
    """A point id, its fused score, and what the dense side scored it, if that found it."""

    point: int
    score: float
    similarity: float | None


def weights_of(query: HybridQuery) -> list[float]:
    """Return the weights of the sides that a query has, the dense one first."""
    return [DENSE] * (query.dense is not None) + [SPARSE] * bool(query.sparse.indices)


def fuse(sides: Sequence[Sequence[Scored]], weights: Sequence[float], *, limit: int) -> list[Scored]:
    """Return the best ``limit`` points by weighted RRF, scores in [0, 1], descending; ties by ascending id.

    A point at the zero-based rank r of a side gets weight / (K + r) from it; the sum is divided by what a point that is
    first in every side gets. Within a side, equal scores are ranked by ascending id.

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR 2009.
    """
    scores: dict[int, float] = {}
    for side, weight in zip(sides, weights, strict=True):
        for rank, (point, _) in enumerate(sorted(side, key=_best_first)):
            scores[point] = scores.get(point, 0.0) + weight / (K + rank)
    highest = sum(weights) / K
    # Rounded, because sums that are equal on paper may differ in their last bit.
    fused = [(point, round(score / highest, 9)) for point, score in scores.items()]
    return sorted(fused, key=_best_first)[:limit]


def rank(query: HybridQuery, sides: Sequence[Sequence[Scored]], *, limit: int) -> list[Ranked]:
    """Return the best ``limit`` points of the sides that a query has, the dense one first, in the order of ``fuse``."""
    similarities = dict(sides[0]) if query.dense is not None else {}
    fused = fuse(sides, weights_of(query), limit=limit)
    return [Ranked(point, score, similarities.get(point)) for point, score in fused]


def of_parents(side: Sequence[Scored], parents: Mapping[int, int], limit: int) -> list[Scored]:
    """Return a side with each point replaced by its parent, each once with its best score; the best ``limit``.

    A point that is not in ``parents`` is its own.
    """
    best: dict[int, float] = {}
    for point, score in side:
        parent = parents.get(point, point)
        best[parent] = max(score, best.get(parent, score))
    return sorted(best.items(), key=_best_first)[:limit]


def _best_first(scored: Scored) -> tuple[float, int]:
    point, score = scored
    return -score, point
