"""The confidence of a case: what was measured, and what that is worth by the calibration of the profile."""

from collections.abc import Iterable
from dataclasses import dataclass

from services.case.calibration import Calibration, CaseGraph
from services.case.confidence import confidence_of
from state.chunks import Candidate

DECIMALS = 2


@dataclass(frozen=True)
class Gauge:
    """Measures the cases of one graph. ``embedder`` is the fingerprint of the one that is at work."""

    graph: CaseGraph
    embedder: str
    calibration: Calibration | None

    def measure(
        self, found: Iterable[Candidate], ranked: Iterable[Candidate], critical: int, reranker: str
    ) -> tuple[float, float]:
        """Return the confidence of a case, calibrated where there is a curve for it, and as it was measured.

        ``found`` is what the search found, ``ranked`` what was reranked, ``critical`` how many critical chunks the
        context has, ``reranker`` the strategy at work. Both in [0, 1], two decimals; 0 stays 0.
        """
        similarities = [one["similarity"] for one in found if "similarity" in one]
        reranked = [one["rerank_score"] for one in ranked if "rerank_score" in one]
        raw = confidence_of(similarities, reranked, critical)
        curve = self.calibration.curve(self.graph, self.embedder, reranker) if self.calibration else None
        return round(curve(raw) if curve and raw else raw, DECIMALS), round(raw, DECIMALS)
