"""Protocols of the services that the stages call, with their values.

Deadlines are Unix times in seconds; dense vectors float32; rankings descending in score, ties by ascending id.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from articulado.values.answers import Message, TurnQuestion
from articulado.values.chunks import Candidate, Chunk, ProvisionRef


class Closable(Protocol):
    """Service that holds files, threads or connections."""

    async def close(self) -> None: ...


Vector = NDArray[np.float32]  # (dim,) float32, L2-normalised


@dataclass(frozen=True)
class SparseVector:
    """Term ids (ascending, unique, below 2**31) and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Embedded:
    """Vectors of texts, in order, and their cost."""

    vectors: list[Vector]
    requests: int = 0
    tokens: int = 0


Keep = Callable[[Sequence[str], Sequence[Vector]], Awaitable[None]]  # Stores vectors of texts once they are computed


async def keep_nothing(texts: Sequence[str], vectors: Sequence[Vector]) -> None: ...


class Embedder(Closable, Protocol):
    """Converts texts to dense vectors."""

    @property
    def fingerprint(self) -> str:
        """Identity of the vectors: an index needs the same one."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed search queries, if possible in one request; raise ``ModelError`` if the provider fails."""
        ...

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        """Embed texts of the corpus; ``keep`` stores each batch at once. Raises ``ModelError``."""
        ...


class SparseEncoder(Protocol):
    """Converts texts to BM25 weights without IDF, which the store applies."""

    @property
    def fingerprint(self) -> str: ...

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]: ...

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]: ...


RankConstant = Annotated[int, Field(ge=1, le=1000)]
SideWeight = Annotated[float, Field(gt=0, le=100)]


class Fusion(BaseModel):
    """Constant and weights of the reciprocal rank fusion of a query's two rankings: weight / (k + r), r from 0.

    The larger ``k``, the less the first ranks stand out. (Papers: 60 with ranks from 1; Qdrant: 2 with ranks from 0.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: RankConstant = 60
    dense: SideWeight = 1.0
    sparse: SideWeight = 1.0


PLAIN = Fusion()  # equal weights, the default

MAX_SELECTED = 10_000  # default limit of `ChunkStore.select`


@dataclass(frozen=True)
class HybridQuery:
    """Query in both spaces; an empty sparse or ``None`` dense vector omits its side."""

    dense: Vector | None
    sparse: SparseVector
    fusion: Fusion = PLAIN


@dataclass(frozen=True)
class SearchFilter:
    """Conditions on search results; empty ones allow everything.

    ``as_of``: in force on that day; without it, today, and with ``upcoming`` also later. State law always passes;
    regional or city law only for ``territory``. ``communities``: only regional law, of any community. ``fields``: pairs
    of a field path (``topic``, ``attributes.record_keeper``) and allowed values, all required; "" is the value of
    chunks that apply to all; chunks without the field fail.
    """

    as_of: date | None = None
    territory: str | None = None
    upcoming: bool = False
    communities: bool = False
    excluded_laws: tuple[str, ...] = ()
    chunk_types: tuple[str, ...] = ()
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    provisions: tuple[ProvisionRef, ...] = ()


class SearchScope(TypedDict):
    """Limits of a case search: chunk types, and allowed values by field path."""

    chunk_types: list[str]
    fields: dict[str, list[str]]


@dataclass(frozen=True)
class Hit:
    """Search result; ``score`` in [0, 1]: RRF divided by its maximum (first in both rankings = 1).

    ``similarity``: best cosine of the query with the chunk or its children, [-1, 1] up to rounding of 1e-6; ``None``:
    not found by the dense search.
    """

    chunk: Chunk
    score: float
    similarity: float | None = None


class ChunkStore(Closable, Protocol):
    """Stores and searches chunks; a hit on a child returns its parent once, at the rank of its best child."""

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection; return one ranking a query, empty for an unknown collection.

        ``prefetch`` parents of each side are fused by RRF; the best ``limit`` are returned.
        """
        ...

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks of any collection in the order of the ids; unknown ids are left out."""
        ...

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return all parts of a provision without children, in order; valid wordings first."""
        ...

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks that refer to one of these, by ascending id."""
        ...

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Return ``limit`` matching chunks without children, by ascending ``law_id``, ``part`` and ``id``."""
        ...

    async def counts(self) -> dict[str, int]: ...


@dataclass(frozen=True)
class Completion:
    """Whole reply of a chat model with its cost; ``cut``: hit a length limit; ``warnings``: for the user."""

    text: str
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False
    warnings: tuple[str, ...] = ()


S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True)
class Structured(Generic[S]):
    """Reply that satisfies a schema, with its cost including a repair."""

    value: S
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    repaired: bool = False


class ChatModel(Closable, Protocol):
    """Chat role (reader, principal or checker), with its own retries and deadline."""

    @property
    def name(self) -> str: ...

    @property
    def takes_limit(self) -> bool:
        """True if the provider accepts a limit on the length of a reply."""
        ...

    async def complete(
        self, system: str, messages: Sequence[Message], *, deadline: float | None = None
    ) -> Completion: ...

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Pass on the reply while it is written, then return it; an endless one is stopped and ``cut``.

        ``on_restart``: the stream broke and starts again, all text so far is void. Raises ``ModelError``.
        """
        ...

    async def structured(
        self,
        system: str,
        messages: Sequence[Message],
        schema: type[S],
        *,
        max_tokens: int | None = None,
        deadline: float | None = None,
    ) -> Structured[S]:
        """Return a reply that satisfies a schema; a malformed one is sent back once with its errors.

        ``max_tokens`` is omitted if ``takes_limit`` is false; ``deadline`` covers all requests. Raises ``ModelError``,
        or ``ConfigurationError`` if the model cannot produce structured replies.
        """
        ...


@dataclass(frozen=True)
class Reranked:
    """Relevance in [0, 1] of candidates (``None``: not judged), and cost; ``squashed``: a sigmoid of logits."""

    scores: Sequence[float | None]
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    squashed: bool = False


class Reranker(Closable, Protocol):
    """Scores candidates for a question, with its own retries and deadline."""

    @property
    def limit(self) -> int | None:
        """Number of scored candidates, the heuristic's first; ``None``: all."""
        ...

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate; raise ``ModelError``, or ``ConfigurationError`` if settings exclude the strategy."""
        ...


RerankerTable = Mapping[str, Reranker]


class TokenCounter(Protocol):
    """Counts tokens, or returns an upper bound."""

    def count(self, text: str) -> int: ...


AsyncClose = Callable[[], Awaitable[None]]

Progress = Callable[[str, int, int], None]  # receives step ("vectores"), items done, and total (0: unknown)
