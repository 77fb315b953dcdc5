"""Ablation of retrieval: configurations that each change one technique against the one before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from articulado.answering.reader import Reader, Searches
from articulado.encoders.bm25 import Bm25Encoder
from articulado.language.languages import Language
from articulado.retrieval.ranking.cross_encoder import ModelFiles
from articulado.retrieval.ranking.table import UnavailableReranker, reranker_for, resolve_auto
from articulado.values.answers import Message, RerankStrategy, TurnQuestion, whole_text
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import ChunkStore, Embedded, Keep, Reranked, Reranker, SparseVector, keep_nothing
from evaluation.gold.questions import GoldSet
from evaluation.retrieval.evaluate import Configuration, Retriever, evaluate
from graph.services import Services
from state.context import RunContext


@dataclass(frozen=True)
class ZeroEmbedder:
    """Embedder of zero vectors, which have no neighbours, for a search by words alone."""

    dimensions: int
    fingerprint: str = "none"

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        return Embedded([np.zeros(self.dimensions, dtype=np.float32) for _ in texts])

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        return await self.embed_queries(texts)

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class EmptySparseEncoder:
    """Sparse encoder without terms, for a search by vectors alone."""

    fingerprint: str = "none"

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        return [SparseVector((), ()) for _ in texts]

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        return self.encode_queries(texts)


@dataclass(frozen=True)
class NarrowedStore:
    """Store without look-up of named provisions, without references, or without both."""

    store: ChunkStore
    lookup: bool
    references: bool

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        return await self.store.fetch(ids) if self.references else []

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        return await self.store.find(law_id, provision_key) if self.lookup else []

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        return await self.store.citing(ids) if self.references else []


class QuestionWordsReader:
    """Reader whose searches keep only words of the question."""

    def __init__(self, reader: Reader, language: Language) -> None:
        self._reader, self._language = reader, language

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def searches(self, question: TurnQuestion, conversation: Sequence[Message], **options: Any) -> Searches:
        """Return the reader's searches, without those contained in an earlier one."""
        said = await self._reader.searches(question, conversation, **options)
        question_stems = set(self._language.stems(whole_text(question)))
        kept: list[list[str]] = []
        for search in said.queries:
            words = [word for word in search.split() if self._language.stem_word(word) in question_stems]
            if words and not any(set(words) <= set(earlier) for earlier in kept):
                kept.append(words)
        return replace(said, queries=[" ".join(words) for words in kept])


def without_synonyms(services: Services) -> Services:
    offline = services.settings.reader.provider == "offline"
    return replace(
        services,
        sparse=Bm25Encoder(services.language) if isinstance(services.sparse, Bm25Encoder) else services.sparse,
        offline_reader=cast(Reader, QuestionWordsReader(services.offline_reader, services.language))
        if offline
        else services.offline_reader,
    )


STRATEGIES: tuple[RerankStrategy, ...] = ("learnt", "heuristic", "llm", "api", "cross_encoder")
NO_FILES = "no hay ficheros del modelo"


def reason_unavailable(strategy: RerankStrategy, services: Services) -> str:
    """Return in Spanish the reason why a strategy cannot be measured here; empty without one."""
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
    chosen, _ = resolve_auto(services.settings)
    others = [strategy for strategy in STRATEGIES if strategy in services.rerankers and strategy != chosen]
    return [*(strategy for strategy in others if not reason_unavailable(strategy, services)), chosen]


@dataclass
class WatchedReranker:
    """Reranker that forwards to another one and keeps its errors by question; after an error the heuristic reranks."""

    reranker: Reranker
    failures: dict[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reranker, name)

    async def score(self, question: TurnQuestion, *args: Any, **options: Any) -> Reranked:
        """Score every candidate (``Reranker.score``)."""
        try:
            return await self.reranker.score(question, *args, **options)
        except ModelError as error:
            self.failures[whole_text(question)] = str(error)
            raise


def watch_reranker(strategy: RerankStrategy, services: Services) -> tuple[Services, Mapping[str, str]]:
    """Return the services with a watched reranker of a strategy, and the mapping of its failures."""
    reranker = reranker_for(strategy, services.rerankers)
    if reranker is None:
        return services, {}
    watched = WatchedReranker(reranker)
    return replace(services, rerankers={**services.rerankers, strategy: cast(Reranker, watched)}), watched.failures


@dataclass(frozen=True)
class Setup:
    """Configuration by its techniques; ``name`` is for the reader of a report."""

    name: str
    lexical: bool = True
    dense: bool = True
    synonyms: bool = True
    lookup: bool = True
    strategy: RerankStrategy = "none"
    references: bool = False


def setups(strategies: Sequence[RerankStrategy]) -> list[Setup]:
    bare = Setup("solo palabras (BM25)", dense=False, synonyms=False, lookup=False)
    steps = [
        bare,
        replace(bare, name="solo vectores densos", lexical=False, dense=True),
        replace(bare, name="híbrida", dense=True),
        replace(bare, name="+ sinónimos", dense=True, synonyms=True),
        Setup("+ preceptos citados"),
        *(Setup(f"+ reordenar: {strategy}", strategy=strategy) for strategy in strategies),
    ]
    return [*steps, replace(steps[-1], name="+ remisiones", references=True)]


def services_of(setup: Setup, services: Services) -> Services:
    base = services if setup.synonyms else without_synonyms(services)
    return replace(
        base,
        embedder=base.embedder if setup.dense else ZeroEmbedder(base.embedder.dimensions),
        sparse=base.sparse if setup.lexical else EmptySparseEncoder(),
        store=cast(ChunkStore, NarrowedStore(base.store, lookup=setup.lookup, references=setup.references)),
    )


async def ablation(
    gold: GoldSet,
    services: Services,
    context: RunContext | None = None,
    on_setup: Callable[[str], None] = lambda name: None,
) -> list[Configuration]:
    """Measure every configuration on a gold set, in order; the rerank strategy of ``context`` is ignored."""
    shared = context or RunContext()
    measured = []
    for setup in setups(available_strategies(services)):
        on_setup(setup.name)
        with_strategy = shared.model_copy(update={"rerank_strategy": setup.strategy})
        outcome = await evaluate(gold, Retriever(services_of(setup, services), with_strategy))
        measured.append(replace(outcome.measured, name=setup.name))
    return measured
