"""Rerankers that are nothing but computation, in the account that the others give."""

from collections.abc import Sequence
from typing import Protocol

from services.protocols import Reranked
from state.chunks import Candidate


class Formula(Protocol):
    """Scores candidates without a model."""

    async def score(self, question: str, queries: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
        """Return one relevance in [0, 1] for each candidate, in their order."""
        ...


class Costless:
    """Satisfies ``Reranker`` with a formula: it scores every candidate, costs nothing and never fails."""

    is_cheap = True

    def __init__(self, formula: Formula) -> None:
        self._formula = formula

    def estimate(self, candidates: int) -> float:
        """Return 0: its time does not count."""
        return 0.0

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``)."""
        return Reranked(await self._formula.score(question, queries, candidates))

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
