"""The rerankers by strategy, and what "auto" stands for."""

import logging
from collections.abc import Callable, Sequence
from functools import cache

from services.domain.base import Domain
from services.domain.lexicon import StemWeights
from services.models.tokens import token_counter
from services.protocols import ChatModel, Reranked, Reranker, RerankerTable
from services.rerank.cross_encoder import CrossEncoder
from services.rerank.endpoint import endpoint_of
from services.rerank.heuristic import HeuristicReranker, Similarity
from services.rerank.model_files import ModelFiles
from services.rerank.model_reranker import ModelReranker
from services.rerank.reader import ReaderScorer
from services.settings import Settings
from state.chunks import Candidate, Chunk
from state.context import RerankStrategy
from state.errors import ConfigurationError

_log = logging.getLogger(__name__)

NO_READER = (
    "La reordenación «llm» necesita un modelo lector: configure ARTICULADO_READER_PROVIDER y ARTICULADO_READER_MODEL, "
    "o use otro modo de reordenación."
)


class UnavailableReranker:
    """Stands in the table for a strategy that lacks something, and says so to whoever chooses it."""

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
    domain: Domain,
    weights: StemWeights | None = None,
    spoken: Callable[[Chunk], str] = lambda chunk: "",
    likeness: Similarity | None = None,
) -> RerankerTable:
    """Return the rerankers by strategy; "none" has none, and "auto" one where it is not the heuristic.

    ``domain`` is what the heuristic knows; ``spoken`` tells how people ask about the provision of a chunk, ``likeness``
    how near it is to a question. What "auto" stands for is looked up here, once, and logged once in a process; nothing
    is loaded, and the network is not asked.

    Raises:
        ConfigurationError: the settings name a strategy that lacks something.
    """
    # Who names it in the settings wants its files; a caller of one question does not decide over a download.
    encoder = CrossEncoder(ModelFiles.of(settings), download=settings.rerank_strategy == "cross_encoder")
    table: dict[str, Reranker] = {
        "heuristic": HeuristicReranker(domain, weights, spoken, likeness),
        "cross_encoder": ModelReranker(encoder, tokens=settings.rerank.tokens),
        "llm": _of_reader(settings, reader),
        "api": _of_api(settings),
    }
    named = table.get(settings.rerank_strategy)
    if isinstance(named, UnavailableReranker):
        raise ConfigurationError(named.error)
    strategy, why = automatic(settings)
    if strategy != "heuristic":
        table["auto"] = table[strategy]
    if settings.rerank_strategy == "auto":
        _say_once(why)
    return table


def reranker_for(strategy: RerankStrategy, table: RerankerTable) -> Reranker | None:
    """Return the reranker of a strategy; ``None`` for "none"."""
    return table.get("heuristic" if strategy == "auto" and "auto" not in table else strategy)


def strategy_at_work(strategy: RerankStrategy, table: RerankerTable) -> RerankStrategy:
    """Return the strategy that scores: what "auto" stands for, or the one that was named."""
    if strategy != "auto":
        return strategy
    return "cross_encoder" if "auto" in table else "heuristic"


def automatic(settings: Settings) -> tuple[RerankStrategy, str]:
    """Return what "auto" stands for on this machine, and a sentence for the user that says why."""
    files = ModelFiles.of(settings)
    try:
        files.find()
    except ConfigurationError as error:
        return "heuristic", f"Reordenación automática: heurística. {error}"
    return "cross_encoder", f"Reordenación automática: cross_encoder, con el modelo {files.name}."


@cache
def _say_once(sentence: str) -> None:
    _log.info(sentence)


def _of_reader(settings: Settings, reader: ChatModel) -> Reranker:
    if settings.reader.provider == "offline":
        return UnavailableReranker(NO_READER)
    scorer = ReaderScorer(reader, token_counter(settings.reader.model))
    return ModelReranker(scorer, tokens=settings.rerank.tokens)


def _of_api(settings: Settings) -> Reranker:
    try:
        endpoint_of(settings.rerank)
    except ConfigurationError as error:
        return UnavailableReranker(str(error))
    # Imported here: it loads the OpenAI SDK, which an offline process does without.
    from services.rerank.api import rerank_api

    return ModelReranker(rerank_api(settings.rerank), tokens=settings.rerank.tokens)
