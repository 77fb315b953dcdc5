"""Which rerank strategies this machine can run, and how often one of them failed while it was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from articulado.retrieval.ranking.cross_encoder import ModelFiles
from articulado.retrieval.ranking.table import UnavailableReranker, reranker_for, resolve_auto
from articulado.values.answers import RerankStrategy
from articulado.values.chunks import Candidate
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import Reranked, Reranker
from graph.services import Services

STRATEGIES: tuple[RerankStrategy, ...] = ("heuristic", "llm", "api", "cross_encoder")
NO_FILES = "no hay ficheros del modelo"


def reason_unavailable(strategy: RerankStrategy, services: Services) -> str:
    """Say in Spanish why a strategy cannot be measured here; empty where it can. Nothing is downloaded for it."""
    reranker = services.rerankers.get(strategy)
    if isinstance(reranker, UnavailableReranker):
        return reranker.error
    if strategy == "cross_encoder":
        try:
            ModelFiles.of(services.settings).find()
        except ConfigurationError:
            return NO_FILES
    return ""


def available_strategies(services: Services) -> list[RerankStrategy]:
    """Return the strategies that can be measured here; last the one that "auto" stands for."""
    chosen, _ = resolve_auto(services.settings)
    others = [strategy for strategy in STRATEGIES if strategy in services.rerankers and strategy != chosen]
    return [*(strategy for strategy in others if not reason_unavailable(strategy, services)), chosen]


@dataclass
class WatchedReranker:
    """Satisfies ``Reranker`` with another one, and keeps what that fails at: the heuristic stands in for it then.

    ``failures`` has the message of the model by question.
    """

    reranker: Reranker
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def is_cheap(self) -> bool:
        """Whether it can score every candidate."""
        return self.reranker.is_cheap

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``)."""
        try:
            return await self.reranker.score(question, queries, candidates, deadline=deadline)
        except ModelError as error:
            self.failures[question] = str(error)
            raise

    async def close(self) -> None:
        """Leave the reranker open: it belongs to the services that it came from."""


def watch_reranker(strategy: RerankStrategy, services: Services) -> tuple[Services, Mapping[str, str]]:
    """Return the services with the reranker of a strategy watched, and where its failures will be."""
    reranker = reranker_for(strategy, services.rerankers)
    if reranker is None:
        return services, {}
    watched = WatchedReranker(reranker)
    return replace(services, rerankers={**services.rerankers, strategy: watched}), watched.failures
