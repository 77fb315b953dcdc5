"""Reciprocal rank fusion (RRF), done here because engines break ties in the order of their hash tables."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from articulado.values.protocols import HybridQuery

Scored = tuple[int, float]  # point id and score


class Ranked(NamedTuple):
    """Point id, fused score, and cosine with the question if the dense search has it."""

    point: int
    score: float
    similarity: float | None


def weights_of(query: HybridQuery) -> list[float]:
    """Return the weights of a query's rankings, the dense one first."""
    fusion = query.fusion
    return [fusion.dense] * (query.dense is not None) + [fusion.sparse] * bool(query.sparse.indices)


def fuse(rankings: Sequence[Sequence[Scored]], weights: Sequence[float], *, k: int, limit: int) -> list[Scored]:
    """Return the best ``limit`` points by weighted RRF, scores in [0, 1], descending; ties by ascending id.

    A point at the zero-based rank r of a ranking gets weight / (k + r); the sum is divided by that of a point which is
    first in every ranking.

    >>> dense, sparse = [(1, 0.9), (2, 0.8)], [(2, 7.5), (3, 4.0)]
    >>> fuse([dense, sparse], [3.0, 1.0], k=20, limit=3)  # of 2: (3 / 21 + 1 / 20) / (4 / 20)
    [(2, 0.964285714), (1, 0.75), (3, 0.238095238)]

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet", SIGIR 2009.
    """
    scores: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for position, (point, _) in enumerate(sorted(ranking, key=_best_first)):
            scores[point] = scores.get(point, 0.0) + weight / (k + position)
    highest = sum(weights) / k
    # Rounded, because sums that are equal on paper may differ in their last bit.
    fused = [(point, round(score / highest, 9)) for point, score in scores.items()]
    return sorted(fused, key=_best_first)[:limit]


def rank(query: HybridQuery, rankings: Sequence[Sequence[Scored]], *, limit: int) -> list[Ranked]:
    """Return the best ``limit`` points of a query's rankings, the dense one first, in the order of ``fuse``."""
    similarities = dict(rankings[0]) if query.dense is not None else {}
    fused = fuse(rankings, weights_of(query), k=query.fusion.k, limit=limit)
    return [Ranked(point, score, similarities.get(point)) for point, score in fused]


def collapse_to_parents(ranking: Sequence[Scored], parents: Mapping[int, int], limit: int) -> list[Scored]:
    """Replace each point by its parent (its own if unlisted), with its best score; return the best ``limit``.

    >>> collapse_to_parents([(11, 0.9), (12, 0.8), (2, 0.7)], {11: 1, 12: 1}, limit=5)
    [(1, 0.9), (2, 0.7)]
    """
    best: dict[int, float] = {}
    for point, score in ranking:
        parent = parents.get(point, point)
        best[parent] = max(score, best.get(parent, score))
    return sorted(best.items(), key=_best_first)[:limit]


def _best_first(scored: Scored) -> tuple[float, int]:
    point, score = scored
    return -score, point
