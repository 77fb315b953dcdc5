"""Table of rerankers by strategy, and the resolution of ``auto``.

``rerankers`` builds the table; it loads no model and sends no request. ``UnavailableReranker`` stands for a
strategy with incomplete settings and raises ``ConfigurationError`` on use. ``resolve_auto`` returns the
strategy for this machine and the reason.
"""

import logging
from collections.abc import Sequence
from functools import cache

from articulado.config.profile import Profile
from articulado.config.settings import ModelStrategy, Settings, endpoint_of
from articulado.language.translation import translate
from articulado.models.tokens import token_counter
from articulado.retrieval.ranking.cross_encoder import CrossEncoder, ModelFiles
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.model_reranker import ModelReranker, PassageScorer
from articulado.retrieval.ranking.reader import ReaderScorer
from articulado.values.answers import RerankStrategy, TurnQuestion
from articulado.values.chunks import Candidate
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import ChatModel, Reranked, Reranker, RerankerTable

_log = logging.getLogger(__name__)

ASK_A_PROVIDER: tuple[RerankStrategy, ...] = ("llm", "api")
"""Strategies whose model is on another machine."""

NO_READER = "rerank.needs_reader"


class UnavailableReranker:
    """Stands in the table for a strategy whose settings are incomplete; choosing it raises ``error``."""

    limit = 0

    def __init__(self, error: str) -> None:
        self.error = error

    async def score(
        self,
        question: TurnQuestion,
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
    reader: ChatModel | None,
    heuristic: HeuristicReranker,
    profile: Profile,
    learnt: Reranker | None = None,
) -> RerankerTable:
    """Return the rerankers by strategy; "none" has none, and "auto" one where it is not ``learnt``.

    In a domain without a ``learnt`` ranking the heuristic stands in its place. What "auto" stands for is resolved here,
    and logged once in a process; nothing is loaded, and the network is not asked.

    Raises:
        ConfigurationError: the settings name a strategy whose own settings are incomplete, or a prompt of the profile
            cannot be read.
    """
    # Only the settings allow a download; the caller of one question does not decide over it.
    encoder = CrossEncoder(ModelFiles.of(settings), download=settings.rerank_strategy == "cross_encoder")
    table: dict[str, Reranker] = {
        "learnt": learnt or heuristic,
        "heuristic": heuristic,
        "cross_encoder": _with_model(encoder, "cross_encoder", settings),
        "llm": _reader_reranker(settings, reader, profile),
        "api": _api_reranker(settings),
    }
    configured = table.get(settings.rerank_strategy)
    if isinstance(configured, UnavailableReranker):
        raise ConfigurationError(configured.error)
    strategy, explanation = resolve_auto(settings)
    if strategy != "learnt":
        table["auto"] = table[strategy]
    if settings.rerank_strategy == "auto":
        _log_once(explanation)
    return table


def reranker_for(strategy: RerankStrategy, table: RerankerTable) -> Reranker | None:
    """Return the reranker of a strategy; ``None`` for "none"."""
    return table.get("learnt" if strategy == "auto" and "auto" not in table else strategy)


def effective_strategy(strategy: RerankStrategy, table: RerankerTable) -> RerankStrategy:
    """Return the strategy that scores: for "auto" what it stands for, else the strategy itself."""
    if strategy == "auto":
        strategy = "cross_encoder" if "auto" in table else "learnt"
    return "heuristic" if strategy == "learnt" and table.get("learnt") is table.get("heuristic") else strategy


def resolve_auto(settings: Settings) -> tuple[RerankStrategy, str]:
    """Return what "auto" stands for on this machine, and a sentence for the user that says why."""
    files = ModelFiles.of(settings)
    try:
        files.find()
    except ConfigurationError as error:
        return "learnt", translate("rerank.automatic_learnt", error=error)
    return "cross_encoder", translate("rerank.automatic_model", name=files.name)


@cache
def _log_once(sentence: str) -> None:
    _log.info(sentence)


def _reader_reranker(settings: Settings, reader: ChatModel | None, profile: Profile) -> Reranker:
    if reader is None:
        return UnavailableReranker(translate(NO_READER))
    return _with_model(ReaderScorer(reader, profile, token_counter(settings.reader.model)), "llm", settings)


def _api_reranker(settings: Settings) -> Reranker:
    try:
        endpoint_of(settings.rerank)
    except ConfigurationError as error:
        return UnavailableReranker(str(error))
    # Imported here: it loads the OpenAI SDK, which an offline process does without.
    from articulado.retrieval.ranking.api import rerank_api

    return _with_model(rerank_api(settings.rerank), "api", settings)


def _with_model(scorer: PassageScorer, strategy: ModelStrategy, settings: Settings) -> ModelReranker:
    rerank = settings.rerank
    return ModelReranker(
        scorer, tokens=rerank.tokens_of(strategy), timeout=rerank.timeout, candidates=rerank.candidates
    )
