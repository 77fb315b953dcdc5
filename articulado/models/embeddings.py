"""Embedder for servers with OpenAI's embeddings API, two stand-ins for it, and a vector cache.

Vectors are float32 and L2-normalised. ``VectorCache`` is bounded and in memory, and drops the entry used
least recently. Its key is a hash of text and encoder, so a stage can look up a vector that another one
computed without storing it in the state.
"""

import asyncio
import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, Generic, Literal, Protocol, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from articulado.language.translation import translate
from articulado.models.failures import MalformedReplyError
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import AsyncClose, Embedded, Embedder, TokenCounter, Vector

MAX_TEXTS = 256
"""Texts of one request."""

MAX_TOKENS = 250_000
"""Tokens of one request; OpenAI refuses more than 300,000."""

SECONDS_PER_MINUTE = 60.0


class EmbeddingsClient(Protocol):
    """The part of ``openai.AsyncOpenAI().embeddings`` that is used."""

    async def create(self, **request: Any) -> Any:
        """Post one request and return the typed response."""
        ...


class OpenAIEmbedder:
    """Satisfies ``Embedder``; vectors are float32 and L2-normalised.

    ``request`` goes into every request beside the texts (``model``, ``dimensions``). ``tpm`` is what the provider
    grants in tokens a minute: documents are sent no faster.
    """

    def __init__(
        self,
        client: EmbeddingsClient,
        request: dict[str, Any],
        *,
        fingerprint: str,
        dimensions: int,
        retrier: Retrier,
        counter: TokenCounter,
        tpm: int | None = None,
        close: AsyncClose | None = None,
    ) -> None:
        self._client = client
        self._request = request
        self._fingerprint = fingerprint
        self._dimensions = dimensions
        self._retrier = retrier
        self._counter = counter
        self._tpm = tpm
        self._close = close
        # A lock serves the event loop on which it was first waited for; there may be one loop after another.
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._free_at = -math.inf

    @property
    def fingerprint(self) -> str:
        """What decides the vectors, wherever they are computed."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed search queries in one request; none for no texts.

        Raises:
            ModelError: the provider failed for good, or its vectors are none to search with.
        """
        embedded = await self._embed(texts, deadline) if texts else Embedded([])
        if not all(vector.any() for vector in embedded.vectors):
            name, dimensions = self._retrier.endpoint.title, self._dimensions
            error = ModelError(translate("models.unusable_vectors", name=name, dimensions=dimensions))
            error.attempts = embedded.requests
            raise error
        return embedded

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of the corpus in batches, each with a deadline of its own, at the pace that ``tpm`` allows.

        Raises:
            ModelError: the provider failed for good.
        """
        vectors: list[Vector] = []
        requests = tokens = 0
        for batch, size in self._batches(texts):
            embedded = await self._paced(batch, size)
            vectors += embedded.vectors
            requests += embedded.requests
            tokens += embedded.tokens
        return Embedded(vectors, requests, tokens)

    async def _paced(self, batch: Sequence[str], size: int) -> Embedded:
        """Embed one batch of documents, of ``size`` tokens; with ``tpm``, once those sent before leave room for it."""
        if not self._tpm:
            return await self._embed(batch, None)
        async with self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            pause = self._free_at - self._retrier.clock()
            if pause > 0:
                await self._retrier.sleep(pause)
            started = self._retrier.clock()
            embedded = await self._embed(batch, None)
            self._free_at = started + SECONDS_PER_MINUTE * (embedded.tokens or size) / self._tpm
            return embedded

    async def close(self) -> None:
        """Close the connections."""
        if self._close:
            await self._close()

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[str], int]]:
        """Yield the texts in batches of one request, with the tokens of each."""
        token_limit = min(MAX_TOKENS, self._tpm or MAX_TOKENS)
        batch: list[str] = []
        size = 0
        for text in texts:
            tokens = self._counter.count(text)
            if batch and (len(batch) == MAX_TEXTS or size + tokens > token_limit):
                yield batch, size
                batch, size = [], 0
            batch.append(text)
            size += tokens
        if batch:
            yield batch, size

    async def _embed(self, texts: Sequence[str], deadline: float | None) -> Embedded:
        """Embed the texts of one request, with retries."""

        async def attempt() -> Embedded:
            try:
                response = await self._client.create(input=list(texts), **self._request)
                rows = [item.embedding for item in sorted(response.data, key=lambda item: int(item.index))]
                matrix = np.asarray(rows, dtype=np.float32)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise MalformedReplyError(type(error).__name__) from error
            if matrix.ndim != 2 or len(matrix) != len(texts):
                raise MalformedReplyError(translate("models.vector_count", vectors=len(rows), texts=len(texts)))
            if not np.isfinite(matrix).all():
                raise MalformedReplyError(translate("models.not_finite"))
            return Embedded(self._normalised(matrix), tokens=getattr(response.usage, "prompt_tokens", None) or 0)

        embedded, attempts = await self._retrier.run(attempt, deadline)
        return Embedded(embedded.vectors, attempts, embedded.tokens)

    def _normalised(self, matrix: Vector) -> list[Vector]:
        """Return the rows of a (texts, dim) matrix, L2-normalised (a zero vector stays zero).

        Raises:
            ModelError: the dimensions are not those that are configured.
        """
        if matrix.shape[1] != self._dimensions:
            raise ModelError(
                translate(
                    "models.wrong_dimensions",
                    name=self._retrier.endpoint.title,
                    given=matrix.shape[1],
                    expected=self._dimensions,
                    variable=self._retrier.endpoint.variable("DIMENSIONS"),
                )
            )
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        return list(matrix / np.where(norms > 0, norms, 1))


class DisabledEmbedder:
    """Satisfies ``Embedder`` and refuses to embed: a run that asks for retrieval all the same is told why not."""

    fingerprint = "none"
    dimensions = 0

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Raise ``ConfigurationError``."""
        raise ConfigurationError(translate("models.retrieval_off"))

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Raise ``ConfigurationError``."""
        return await self.embed_queries(texts)

    async def close(self) -> None:
        """Do nothing: there are no connections."""


class SameVector:
    """Stands in for an embedder and asks nobody: every text has one vector, which is no nearer to this than to that."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Return a vector of length 1 for each text."""
        vector = np.full(self.dimensions, self.dimensions**-0.5, dtype=np.float32)
        return Embedded([vector] * len(texts))

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return a vector of length 1 for each text."""
        return await self.embed_queries(texts)

    async def close(self) -> None:
        """Do nothing: there are no connections."""


V = TypeVar("V")

Space = Literal["dense", "sparse"]

DEFAULT_CAPACITY = 4096
"""Entries; of 1,536 float32 each, about 25 MB."""


class VectorCache(Generic[V]):
    """A bounded cache in memory that forgets what was used longest ago.

    The key is a hash of what was encoded and how, so an entry can never be stale and a miss can always be recomputed.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, V] = OrderedDict()
        # Stages may run in threads; a lookup moves the entry, so reading is a change too.
        self._lock = Lock()

    @staticmethod
    def key(space: Space, fingerprint: str, text: str) -> str:
        """Return the key of a text in one space, as the encoder with this fingerprint sees it."""
        content = "\0".join((space, fingerprint, text)).encode("utf-8", "surrogatepass")
        return f"{space}:{hashlib.blake2b(content, digest_size=16).hexdigest()}"

    def get(self, key: str) -> V | None:
        """Return the entry, or ``None`` if it was never put or has been forgotten."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: V) -> None:
        """Keep an entry; the one used longest ago goes where there is no room."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
