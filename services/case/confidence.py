"""The confidence of a case: estimated from the scores of its search, and calibrated by the curve of its profile."""

from collections.abc import Iterable
from dataclasses import dataclass

from services.case.calibration import Calibration, CaseGraph
from state.chunks import Candidate

BEST_SCORES = 3
CRITICAL_BONUS = 1.1
CRITICAL_CHUNKS = 2
DECIMALS = 2

MIN_CONFIDENCE = 0.70
"""Below it, the decision is ``uncertain``."""


def confidence_of(similarities: Iterable[float], reranked: Iterable[float] | None, critical: int) -> float:
    """Return the confidence in [0, 1] before calibration, not rounded; 0 where nothing was found.

    similarity = mean of the 3 best dense cosines, each clipped to [0, 1] (of fewer, of those there are);
    confidence = similarity, or (similarity + mean of the 3 best rerank scores) / 2 where there are any,
    × 1.1 with 2 or more critical chunks, at most 1.

    >>> round(confidence_of([0.5, 0.4, 0.3, 0.1], [1.0, 0.75, 0.5], critical=0), 3)  # (0.4 + 0.75) / 2
    0.575
    >>> round(confidence_of([0.6], None, critical=2), 3)  # 0.6 · 1.1
    0.66
    """
    base = _mean_of_best(similarities)
    scores = list(reranked or ())
    if scores:
        base = (base + _mean_of_best(scores)) / 2
    return min(1.0, base * CRITICAL_BONUS if critical >= CRITICAL_CHUNKS else base)


def _mean_of_best(scores: Iterable[float]) -> float:
    best = sorted((min(1.0, max(0.0, score)) for score in scores), reverse=True)[:BEST_SCORES]
    return sum(best) / len(best) if best else 0.0


@dataclass(frozen=True)
class ConfidenceEstimator:
    """Estimates the confidence of the cases of one graph; ``embedder`` is the fingerprint of the one at work."""

    graph: CaseGraph
    embedder: str
    calibration: Calibration | None

    def estimate(
        self, retrieved: Iterable[Candidate], reranked: Iterable[Candidate], critical: int, reranker: str
    ) -> tuple[float, float]:
        """Return the confidence of a case, calibrated where there is a curve for it, and the raw one.

        ``retrieved`` is what the search found, ``reranked`` what was reranked, ``critical`` how many critical chunks
        the context has, ``reranker`` the strategy at work. Both in [0, 1], two decimals; 0 stays 0.
        """
        similarities = [candidate["similarity"] for candidate in retrieved if "similarity" in candidate]
        rerank_scores = [candidate["rerank_score"] for candidate in reranked if "rerank_score" in candidate]
        raw = confidence_of(similarities, rerank_scores, critical)
        curve = self.calibration.curve(self.graph, self.embedder, reranker) if self.calibration else None
        return round(curve(raw) if curve and raw else raw, DECIMALS), round(raw, DECIMALS)
