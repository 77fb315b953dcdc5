"""Embedder for servers with OpenAI's embeddings API, two stand-ins for it, and a vector cache.

Vectors are float32 and L2-normalised. ``VectorCache`` is bounded and in memory, and drops the entry used
least recently. Its key is a hash of text and encoder, so a stage can look up a vector that another one
computed without storing it in the state.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from threading import Lock
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np

from articulado.language.translation import translate
from articulado.models.document_batches import DocumentBatches
from articulado.models.failures import MalformedReplyError
from articulado.models.habits import TextKinds
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import AsyncClose, Embedded, Embedder, Keep, Vector, keep_nothing

Send = Callable[[Sequence[str]], Awaitable[Embedded]]
"""Makes one request for the vectors of some documents."""


class EmbeddingsClient(Protocol):
    """The part of ``openai.AsyncOpenAI().embeddings`` that is used."""

    async def create(self, **request: Any) -> Any:
        """Post one request and return the typed response."""
        ...


class OpenAIEmbedder:
    """Satisfies ``Embedder``; vectors are float32 and L2-normalised.

    ``request`` goes into every request beside the texts (``model``, ``dimensions``). ``kinds`` tells the model queries
    from passages, ``batches`` makes the requests for documents over a function that sends one.
    """

    def __init__(
        self,
        client: EmbeddingsClient,
        request: dict[str, Any],
        *,
        fingerprint: str,
        dimensions: int,
        retrier: Retrier,
        batches: Callable[[Send], DocumentBatches],
        kinds: TextKinds,
        close: AsyncClose | None = None,
    ) -> None:
        self._client = client
        self._request = request
        self._fingerprint = fingerprint
        self._dimensions = dimensions
        self._retrier = retrier
        self._kinds = kinds
        self._close = close
        self._batches = batches(self._passages)

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
        embedded = await self._embed_queries(texts, deadline) if texts else Embedded([])
        if not all(vector.any() for vector in embedded.vectors):
            name, dimensions = self._retrier.endpoint.title, self._dimensions
            error = ModelError(translate("models.unusable_vectors", name=name, dimensions=dimensions))
            error.attempts = embedded.requests
            raise error
        return embedded

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        """Embed texts of the corpus in batches that the server answers in good time.

        Raises:
            ModelError: the provider failed for good.
        """
        return await self._batches.embed(texts, keep)

    async def _passages(self, texts: Sequence[str]) -> Embedded:
        return await self._post(texts, self._kinds.passage, self._kinds.passage_type)

    async def close(self) -> None:
        """Close the connections."""
        if self._close:
            await self._close()

    async def _embed_queries(self, texts: Sequence[str], deadline: float | None) -> Embedded:
        """Embed the queries of one request, with retries."""
        kinds = self._kinds
        embedded, attempts = await self._retrier.run(lambda: self._post(texts, kinds.query, kinds.query_type), deadline)
        return Embedded(embedded.vectors, attempts, embedded.tokens)

    async def _post(self, texts: Sequence[str], prefix: str, input_type: str) -> Embedded:
        """Send one request; a text that has its prefix already does not get it twice."""
        prefixed = [text if text.startswith(prefix) else prefix + text for text in texts]
        request = dict(self._request)
        if input_type:
            request["extra_body"] = {"input_type": input_type, **request.get("extra_body", {})}
        try:
            response = await self._client.create(input=prefixed, **request)
            rows = [item.embedding for item in sorted(response.data, key=lambda item: int(item.index))]
            matrix = np.asarray(rows, dtype=np.float32)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise MalformedReplyError(type(error).__name__) from error
        if matrix.ndim != 2 or len(matrix) != len(texts):
            raise MalformedReplyError(translate("models.vector_count", vectors=len(rows), texts=len(texts)))
        if not np.isfinite(matrix).all():
            raise MalformedReplyError(translate("models.not_finite"))
        return Embedded(self._normalised(matrix), 1, getattr(response.usage, "prompt_tokens", None) or 0)

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

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
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

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
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
