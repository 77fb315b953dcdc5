"""Protocols of the services that the stages call, each after the values that it takes or returns.

The order is that of a question: vectors, chunk store, chat models, reranking, tokens. A ``deadline`` is a
Unix time in seconds. Dense vectors are float32. Rankings are descending in score, ties by ascending id.
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
    """A service that holds files, threads or connections."""

    async def close(self) -> None:
        """Let go of them."""
        ...


Vector = NDArray[np.float32]
"""(dim,) float32, L2-normalised."""


@dataclass(frozen=True)
class SparseVector:
    """Term ids (ascending, unique, below 2**31) and their weights, of the same length."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Embedded:
    """Vectors of some texts, in their order, and what they cost."""

    vectors: list[Vector]
    requests: int = 0
    tokens: int = 0


Keep = Callable[[Sequence[str], Sequence[Vector]], Awaitable[None]]
"""Stores the vectors of some texts as soon as they have been computed."""


async def keep_nothing(texts: Sequence[str], vectors: Sequence[Vector]) -> None:
    """Store nothing: the caller waits for all vectors."""


class Embedder(Closable, Protocol):
    """Turns texts into dense vectors."""

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this embedder."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        ...

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed search queries, in one request where the provider batches. ``deadline`` is a Unix time in seconds.

        Raises:
            ModelError: the provider failed for good.
        """
        ...

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        """Embed texts of the corpus; ``keep`` is given the vectors of each batch, so that an interruption loses none.

        Raises:
            ModelError: the provider failed for good.
        """
        ...


class SparseEncoder(Protocol):
    """Turns texts into BM25 weights; IDF is the store's part."""

    @property
    def fingerprint(self) -> str:
        """What an index must have been built with to be searched with this encoder."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode search queries."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        """Encode texts of the corpus."""
        ...


RankConstant = Annotated[int, Field(ge=1, le=1000)]
SideWeight = Annotated[float, Field(gt=0, le=100)]


class Fusion(BaseModel):
    """Constant and weights of the reciprocal rank fusion of a query's two rankings; unset, plain RRF.

    A chunk at the zero-based rank r of a ranking gets weight / (k + r) from it: the higher ``k``, the less the first
    ranks stand out. (Papers have 60 with ranks from 1, Qdrant 2 with ranks from 0.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: RankConstant = 60
    dense: SideWeight = 1.0
    sparse: SideWeight = 1.0


PLAIN = Fusion()
"""Both rankings alike, as where nothing was measured."""

MAX_SELECTED = 10_000
"""Chunks that ``ChunkStore.select`` returns at most unless told otherwise."""


@dataclass(frozen=True)
class HybridQuery:
    """One query in both spaces; an empty sparse vector or a ``None`` dense one leaves its side out.

    ``fusion`` says how its two rankings become one.
    """

    dense: Vector | None
    sparse: SparseVector
    fusion: Fusion = PLAIN


@dataclass(frozen=True)
class SearchFilter:
    """What may be found.

    Without ``as_of``, provisions in force today, with ``upcoming`` also those that begin later; with it, those in force
    on that date. Chunks of the whole state always pass; those of a community or a city only where ``territory`` names
    it. With ``communities``, only chunks of a community pass, of any one.

    ``excluded_laws`` are ids of laws and agreements of which nothing passes.
    ``chunk_types`` are the types that pass; none means all. ``fields`` are pairs of a chunk's field, as a path
    (``topic``, ``attributes.record_keeper``), and the values of which it must hold one; every pair must hold. A chunk
    that applies to all has an empty string there, which passes only where it is one of the values; one without the
    field does not pass. ``provisions`` are the provisions that pass; none means all.
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
    """Limits of the search for a case: types of chunks, and for fields the values of which a chunk must hold one.

    ``fields`` are paths in a chunk.
    """

    chunk_types: list[str]
    fields: dict[str, list[str]]


@dataclass(frozen=True)
class Hit:
    """A chunk found by search. ``score`` in [0, 1]: RRF over what its k allows at most (first in both = 1).

    ``similarity`` in [-1, 1]: cosine of the query and the dense vector that is nearest to it, of the chunk and its
    children, as the store computes it (rounding may lead out of the range by 1e-6). ``None`` where the dense side has
    not found the chunk, or there was none.
    """

    chunk: Chunk
    score: float
    similarity: float | None = None


class ChunkStore(Closable, Protocol):
    """Where chunks are kept and searched. Rankings are descending in score, ties by ascending id.

    A hit on a child yields its parent, once, at the rank of its best child (small to big). A chunk that is no child
    stands for itself.
    """

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection with several queries; one ranking a query, in their order.

        ``prefetch`` parents are taken from each side, fused by RRF as each query says, and the best ``limit`` returned.
        A collection that does not exist gives empty rankings.
        """
        ...

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks with these ids, from any collection, in the order asked; unknown ids are left out."""
        ...

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return every part of one provision, in order of part, without children; empty if there is none.

        Of several wordings, those still valid come first.
        """
        ...

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks that refer to one of these, by ascending id."""
        ...

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Return the chunks of these collections that a filter lets through, without children.

        They are by ascending ``law_id``, ``part`` and ``id``, whatever their collection: the chunks of an article of a
        knowledge base, of which ``part`` is the number, follow one another. The first ``limit`` are returned. A
        collection that does not exist has none.
        """
        ...

    async def counts(self) -> dict[str, int]:
        """Return the number of chunks of each collection."""
        ...


@dataclass(frozen=True)
class Completion:
    """Reply of a chat model, whole, and its cost.

    ``cut`` is set if it ran into a limit on its length; ``warnings`` tell the user of its other faults.
    """

    text: str
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False
    warnings: tuple[str, ...] = ()


S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True)
class Structured(Generic[S]):
    """A reply that satisfies a schema, and what it cost, the repair of a malformed one included."""

    value: S
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    repaired: bool = False


class ChatModel(Closable, Protocol):
    """A chat role (reader, principal or checker). Retries and the deadline are its business."""

    @property
    def name(self) -> str:
        """Provider and model, for a person."""
        ...

    @property
    def takes_limit(self) -> bool:
        """Whether the provider accepts a limit on the length of a reply."""
        ...

    async def complete(self, system: str, messages: Sequence[Message], *, deadline: float | None = None) -> Completion:
        """Return the whole reply.

        Raises:
            ModelError: the provider failed for good.
        """
        ...

    async def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        on_text: Callable[[str], None],
        on_restart: Callable[[], None],
        deadline: float | None = None,
    ) -> Completion:
        """Hand over the reply as it is written, then return it whole; one without end is stopped, and ``cut``.

        ``on_restart`` is called when the stream broke and is asked for again: all text so far is void.

        Raises:
            ModelError: the provider failed for good.
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
        """Return a reply that satisfies a schema; a malformed one is sent back once, with what is wrong with it.

        ``max_tokens`` is left out where the model does not take it (``takes_limit``): the prompt must say it there.
        ``deadline`` is a Unix time in seconds, for everything together.

        Raises:
            ModelError: the provider failed for good, the model refused, or its reply is malformed even after repair.
            ConfigurationError: the model cannot fill in a schema.
        """
        ...


@dataclass(frozen=True)
class Reranked:
    """Relevance in [0, 1] of some candidates, in their order, and what it cost; ``None`` for one left unjudged.

    ``squashed`` tells that the model gave logits, and a sigmoid made relevances of them.
    """

    scores: Sequence[float | None]
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    squashed: bool = False


class Reranker(Closable, Protocol):
    """Scores candidates for a question. Retries and the deadline are its business."""

    @property
    def limit(self) -> int | None:
        """Candidates that it scores now, those that the heuristic puts first; ``None``: every one."""
        ...

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate. ``deadline`` is a Unix time in seconds.

        Raises:
            ModelError: the model failed for good, was late or refused.
            ConfigurationError: the strategy cannot be used with these settings.
        """
        ...


RerankerTable = Mapping[str, Reranker]
"""Rerankers by the name of their strategy."""


class TokenCounter(Protocol):
    """Counts tokens, or bounds them from above."""

    def count(self, text: str) -> int:
        """Return the number of tokens of the text."""
        ...


AsyncClose = Callable[[], Awaitable[None]]
"""Closes the connections of a client."""

Progress = Callable[[str, int, int], None]
"""Told the step ("vectores"), what is done and what there is to do: 0 where a step cannot count."""
