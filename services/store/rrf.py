"""Reciprocal rank fusion: one ranking out of several.

Fused here and not by the engine, because an engine breaks ties as its hash tables fall: the two adapters (and two
runs of one) would rank tied chunks differently. Constant, ranks and so the order of everything that is not tied are
those of Qdrant's own RRF, which is what ``QdrantVectorStore`` asks for.
"""

from collections.abc import Mapping, Sequence

K = 2
"""Qdrant's default ranking constant (the paper uses 60 with one-based ranks)."""

Scored = tuple[int, float]
"""A point id and its score."""


def fuse(sides: Sequence[Sequence[Scored]], *, limit: int) -> list[Scored]:
    """Return the best ``limit`` points by RRF, scores in [0, 1], descending; ties by ascending id.

    A point at the zero-based rank r of a side gets 1 / (K + r) from it; the sum is divided by what a point that is
    first in every side gets. Within a side, equal scores are ranked by ascending id.

    Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR 2009.
    """
    scores: dict[int, float] = {}
    for side in sides:
        for rank, (point, _) in enumerate(sorted(side, key=_best_first)):
            scores[point] = scores.get(point, 0.0) + 1 / (K + rank)
    highest = len(sides) / K
    # Rounded, because sums that are equal on paper (1/6 + 1/3 and 1/2) may differ in their last bit.
    fused = [(point, round(score / highest, 9)) for point, score in scores.items()]
    return sorted(fused, key=_best_first)[:limit]


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
