"""The rerankers by strategy, and what "auto" stands for."""

import logging
from collections.abc import Sequence
from functools import cache

from services.models.tokens import token_counter
from services.protocols import ChatModel, Reranked, Reranker, RerankerTable
from services.rerank.cross_encoder import CrossEncoder
from services.rerank.endpoint import endpoint_of
from services.rerank.heuristic import HeuristicReranker
from services.rerank.model_files import ModelFiles
from services.rerank.model_reranker import ModelReranker
from services.rerank.reader import ReaderScorer
from services.settings import Settings
from state.chunks import Candidate
from state.context import RerankStrategy
from state.errors import ConfigurationError

_log = logging.getLogger(__name__)

NO_READER = (
    "La reordenación «llm» necesita un modelo lector: configure ARTICULADO_READER_PROVIDER y ARTICULADO_READER_MODEL, "
    "o use otro modo de reordenación."
)


class UnavailableReranker:
    """Stands in the table for a strategy whose settings are incomplete; choosing it raises ``error``."""

    is_cheap = False

    def __init__(self, error: str) -> None:
        self.error = error

    def estimate(self, candidates: int) -> float:
        """Return 0: nothing will be done."""
        return 0.0

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Refuse.

        Raises:
            ConfigurationError: always.
        """
        raise ConfigurationError(self.error)

    async def close(self) -> None:
        """Do nothing."""


def rerankers(
    settings: Settings,
    reader: ChatModel,
    heuristic: HeuristicReranker,
) -> RerankerTable:
    """Return the rerankers by strategy; "none" has none, and "auto" one where it is not the heuristic.

    What "auto" stands for is
    resolved here, and logged once in a process; nothing is loaded, and the network is not asked.

    Raises:
        ConfigurationError: the settings name a strategy whose own settings are incomplete.
    """
    # Only the settings allow a download; the caller of one question does not decide over it.
    encoder = CrossEncoder(ModelFiles.of(settings), download=settings.rerank_strategy == "cross_encoder")
    table: dict[str, Reranker] = {
        "heuristic": heuristic,
        "cross_encoder": ModelReranker(encoder, tokens=settings.rerank.tokens),
        "llm": _reader_reranker(settings, reader),
        "api": _api_reranker(settings),
    }
    configured = table.get(settings.rerank_strategy)
    if isinstance(configured, UnavailableReranker):
        raise ConfigurationError(configured.error)
    strategy, explanation = resolve_auto(settings)
    if strategy != "heuristic":
        table["auto"] = table[strategy]
    if settings.rerank_strategy == "auto":
        _log_once(explanation)
    return table


def reranker_for(strategy: RerankStrategy, table: RerankerTable) -> Reranker | None:
    """Return the reranker of a strategy; ``None`` for "none"."""
    return table.get("heuristic" if strategy == "auto" and "auto" not in table else strategy)


def effective_strategy(strategy: RerankStrategy, table: RerankerTable) -> RerankStrategy:
    """Return the strategy that scores: for "auto" what it stands for, else the strategy itself."""
    if strategy != "auto":
        return strategy
    return "cross_encoder" if "auto" in table else "heuristic"


def resolve_auto(settings: Settings) -> tuple[RerankStrategy, str]:
    """Return what "auto" stands for on this machine, and a sentence for the user that says why."""
    files = ModelFiles.of(settings)
    try:
        files.find()
    except ConfigurationError as error:
        return "heuristic", f"Reordenación automática: heurística. {error}"
    return "cross_encoder", f"Reordenación automática: cross_encoder, con el modelo {files.name}."


@cache
def _log_once(sentence: str) -> None:
    _log.info(sentence)


def _reader_reranker(settings: Settings, reader: ChatModel) -> Reranker:
    if settings.reader.provider == "offline":
        return UnavailableReranker(NO_READER)
    scorer = ReaderScorer(reader, token_counter(settings.reader.model))
    return ModelReranker(scorer, tokens=settings.rerank.tokens)


def _api_reranker(settings: Settings) -> Reranker:
    try:
        endpoint_of(settings.rerank)
    except ConfigurationError as error:
        return UnavailableReranker(str(error))
    # Imported here: it loads the OpenAI SDK, which an offline process does without.
    from services.rerank.api import rerank_api

    return ModelReranker(rerank_api(settings.rerank), tokens=settings.rerank.tokens)
