"""The live services of the graphs, bound to their nodes when a graph is built."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from language.languages import Language
from legal.laws.indexed import NO_LAWS, IndexedLaws
from services.case.matching.matcher import ArticleMatcher
from services.conversation.leaning import LeaningJudge
from services.corpus.lookup import PackagedRecords
from services.domain.base import Domain
from services.domain.lexicon import EqualWeights, StemWeights
from services.profile.profile import Profile
from services.protocols import ChatModel, ChunkStore, Closable, Embedder, RerankerTable, SparseEncoder, TokenCounter
from services.relevance.judge import RelevanceJudge
from services.settings import Settings
from services.store.agreements import IndexedAgreement
from services.store.writer import WriterFactory

if TYPE_CHECKING:
    from services.boe.client import BoeClient


C = TypeVar("C", bound=Closable)


class OnDemand(Generic[C]):
    """A client that is built once, when first called for: building it may take a key that most runs do without."""

    def __init__(self, build: Callable[[], C]) -> None:
        self._build = build
        self._client: C | None = None
        self._lock = Lock()

    def __call__(self) -> C:
        """Return the client.

        Raises:
            ConfigurationError: a setting that it needs is missing.
        """
        with self._lock:
            if self._client is None:
                self._client = self._build()
            return self._client

    async def close(self) -> None:
        """Close the client, if it was ever built."""
        if self._client is not None:
            await self._client.close()


@dataclass(frozen=True)
class Services:
    """Everything by which the answering graphs reach outside their state; built once by ``services.factory``.

    ``weights``, ``agreements`` and ``laws`` are those of the index, which was built on ``index_day`` (UTC), and
    ``last_changes`` reads the last change of each of its laws (ISO 8601). ``calendar`` says which day a question is
    asked on.
    """

    settings: Settings
    profile: Profile
    store: ChunkStore
    reader: ChatModel
    principal: ChatModel
    embedder: Embedder
    sparse: SparseEncoder
    rerankers: RerankerTable
    judge: RelevanceJudge
    leaning: LeaningJudge
    matcher: ArticleMatcher
    records: PackagedRecords
    counter: TokenCounter
    domain: Domain
    weights: StemWeights = field(default_factory=EqualWeights)
    agreements: tuple[IndexedAgreement, ...] = ()
    laws: IndexedLaws = NO_LAWS
    index_day: date | None = None
    last_changes: Callable[[], Mapping[str, str]] = dict
    calendar: Callable[[], date] = date.today

    @property
    def language(self) -> Language:
        """The language of the profile: the program speaks it and reads text by its rules."""
        return self.domain.language

    @property
    def model_names(self) -> dict[str, str]:
        """The names of the models by role; they contain neither keys nor addresses."""
        return {
            "reader": self.reader.name,
            "principal": self.principal.name,
            "embedder": self.embedder.fingerprint,
        }

    async def close(self) -> None:
        """Let go of files and connections; a service that fails to close does not keep the others open.

        Raises:
            Exception: what the last service to fail has raised.
        """
        await _close(self.store, self.reader, self.principal, self.embedder, *self.rerankers.values())


@dataclass(frozen=True)
class IngestServices:
    """Everything by which ingestion reaches outside its state; built once by ``services.factory``, without any key.

    ``embedder`` is ``None`` offline, where vectors are fitted to the texts themselves. ``counter`` counts the tokens of
    the reader. ``boe`` opens a session with the official gazette, ``writer`` a generation of the index; whoever opens
    one closes it.
    """

    settings: Settings
    profile: Profile
    domain: Domain
    reader: OnDemand[ChatModel]
    embedder: OnDemand[Embedder] | None
    counter: Callable[[], TokenCounter]
    boe: "Callable[[], BoeClient]"
    writer: WriterFactory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of connections, on the event loop that they were used on.

        Raises:
            Exception: what the last service to fail has raised.
        """
        await _close(self.reader, *([self.embedder] if self.embedder else []))


async def _close(*services: Closable) -> None:
    async with AsyncExitStack() as stack:
        for service in services:
            stack.push_async_callback(service.close)
