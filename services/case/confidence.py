"""How sure a case may be: from what the search measured, never from what a model says of itself."""

from collections.abc import Iterable

TOP = 3
CRITICAL_BONUS = 1.1
CRITICAL_CHUNKS = 2
LEAST = 0.70
"""Below it, the decision is ``uncertain``."""


def confidence_of(similarities: Iterable[float], reranked: Iterable[float] | None, critical: int) -> float:
    """Return the confidence in [0, 1] before calibration, not rounded; 0 where nothing was found.

    similarity = mean of the 3 best dense cosines, each clipped to [0, 1] (of fewer, of those there are);
    confidence = similarity, or (similarity + mean of the 3 best rerank scores) / 2 where there are any,
    × 1.1 with 2 or more critical chunks, at most 1.
    """
    base = _mean_of_best(similarities)
    scores = list(reranked or ())
    if scores:
        base = (base + _mean_of_best(scores)) / 2
    return min(1.0, base * CRITICAL_BONUS if critical >= CRITICAL_CHUNKS else base)


def _mean_of_best(scores: Iterable[float]) -> float:
    best = sorted((min(1.0, max(0.0, score)) for score in scores), reverse=True)[:TOP]
    return sum(best) / len(best) if best else 0.0
