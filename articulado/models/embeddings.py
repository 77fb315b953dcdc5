"""Embedder for servers with OpenAI's embeddings API, two stand-ins, and a vector cache."""

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

Send = Callable[[Sequence[str]], Awaitable[Embedded]]  # requests the vectors of documents


class EmbeddingsClient(Protocol):
    """Used part of ``openai.AsyncOpenAI().embeddings``."""

    async def create(self, **request: Any) -> Any: ...


class OpenAIEmbedder:
    """``Embedder`` with L2-normalised float32 vectors.

    ``request``: parameters of every request (``model``, ``dimensions``); ``kinds``: marks of queries and passages;
    ``batches``: makes the sender of documents.
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
        self.fingerprint = fingerprint
        self.dimensions = dimensions
        self._retrier = retrier
        self._kinds = kinds
        self._close = close
        self._batches = batches(self._passages)

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        """Embed search queries in one request; raise ``ModelError`` for a failure or a zero vector."""
        embedded = await self._embed_queries(texts, deadline) if texts else Embedded([])
        if not all(vector.any() for vector in embedded.vectors):
            name, dimensions = self._retrier.endpoint.title, self.dimensions
            error = ModelError(translate("models.unusable_vectors", name=name, dimensions=dimensions))
            error.attempts = embedded.requests
            raise error
        return embedded

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        return await self._batches.embed(texts, keep)

    async def _passages(self, texts: Sequence[str]) -> Embedded:
        return await self._post(texts, self._kinds.passage, self._kinds.passage_type)

    async def close(self) -> None:
        if self._close:
            await self._close()

    async def _embed_queries(self, texts: Sequence[str], deadline: float | None) -> Embedded:
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
        """Return the rows L2-normalised, zeros unchanged; raise ``ModelError`` for other dimensions than configured."""
        if matrix.shape[1] != self.dimensions:
            raise ModelError(
                translate(
                    "models.wrong_dimensions",
                    name=self._retrier.endpoint.title,
                    given=matrix.shape[1],
                    expected=self.dimensions,
                    variable=self._retrier.endpoint.variable("DIMENSIONS"),
                )
            )
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        return list(matrix / np.where(norms > 0, norms, 1))


class DisabledEmbedder:
    """``Embedder`` that raises ``ConfigurationError``: retrieval is off."""

    fingerprint = "none"
    dimensions = 0

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        raise ConfigurationError(translate("models.retrieval_off"))

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        return await self.embed_queries(texts)

    async def close(self) -> None: ...


class SameVector:
    """``Embedder`` that needs no model: all texts have the same vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint = embedder.fingerprint
        self.dimensions = embedder.dimensions

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> Embedded:
        vector = np.full(self.dimensions, self.dimensions**-0.5, dtype=np.float32)
        return Embedded([vector] * len(texts))

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> Embedded:
        return await self.embed_queries(texts)

    async def close(self) -> None: ...


V = TypeVar("V")

Space = Literal["dense", "sparse"]

DEFAULT_CAPACITY = 4096  # entries; of 1,536 float32 about 25 MB


class VectorCache(Generic[V]):
    """LRU cache in memory; keys are hashes of text and encoder, so entries are never stale."""

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[str, V] = OrderedDict()
        # Stages may run in threads; a lookup moves the entry, so reading is a change too.
        self._lock = Lock()

    @staticmethod
    def key(space: Space, fingerprint: str, text: str) -> str:
        content = "\0".join((space, fingerprint, text)).encode("utf-8", "surrogatepass")
        return f"{space}:{hashlib.blake2b(content, digest_size=16).hexdigest()}"

    def get(self, key: str) -> V | None:
        """Return the entry, if any, and mark it as used."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: V) -> None:
        """Store an entry; drop the least recently used one of a full cache."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            if len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)
