"""Batch encoding of index entries as dense and sparse vectors, offline or with a provider.

Offline encoding uses worker processes from 30 batches of 1,024 entries on. The offline vector of a child is
unit(own + 2 · parent), after Günther et al., "Late Chunking", 2024. ``VectorJournal`` keeps the vectors of
a provider on disk (float32).
"""

import asyncio
import multiprocessing
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulado.config.profile import domain_named
from articulado.encoders.bm25 import Bm25Encoder
from articulado.encoders.dual import DualEncoder
from articulado.ingestion.context.paid_cache import PaidCache
from articulado.ingestion.incremental.workspace import key_of
from articulado.ingestion.indexing.changes import Entry
from articulado.ingestion.prefetch import in_order
from articulado.language.translation import translate
from articulado.legal.domain.base import Domain
from articulado.models.embeddings import MAX_TEXTS
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Embedder, SparseVector, Vector

BATCH = 1_024
"""Entries that are encoded and written together."""

WORTH_PROCESSES = 30 * BATCH
"""Entries from which more processes are worth the memory that each takes (0.4 GB) and the seconds to start them."""

WHOLE_WEIGHT = np.float32(2)
"""What the text in which a child stands counts for in its offline vector, beside the child's own."""

NO_TERMS = SparseVector((), ())


class VectorJournal(PaidCache):
    """Vectors of a provider's embedder by key, kept as they came: float32."""

    contents = "ingest.kind_vectors"

    def get_many(self, keys: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those keys that have one.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        return {key: np.frombuffer(raw, dtype=np.float32) for key, raw in self._get_many(keys).items()}

    def put_many(self, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors.

        Raises:
            ConfigurationError: the file is damaged, or the system refuses it.
        """
        self._put_many({key: np.asarray(vector, dtype=np.float32).tobytes() for key, vector in vectors.items()})


@dataclass(frozen=True)
class Encoded:
    """Entries with their vectors; ``None`` and no terms where an entry has no text for them."""

    entries: Sequence[Entry]
    dense: list[Vector | None]
    sparse: list[SparseVector]


Encode = Callable[[Sequence[Entry]], Awaitable[Encoded]]
"""Encodes a batch of entries."""

EntryTexts = tuple[str, str, str]
"""The ``dense``, ``within`` and ``sparse`` text of an entry: all that a worker process needs of it."""


async def encode_batches(entries: AsyncIterable[Entry], encode: Encode, ahead: int) -> AsyncIterator[Encoded]:
    """Yield the entries encoded in batches, in order; ``ahead`` further batches are encoded meanwhile."""
    async with aclosing(in_order(_batches(entries), encode, ahead)) as encoded:
        async for _, batch in encoded:
            yield batch.result()


async def _batches(entries: AsyncIterable[Entry]) -> AsyncIterator[list[Entry]]:
    batch: list[Entry] = []
    async for entry in entries:
        batch.append(entry)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


async def offline_encoder(models: Path, domain: Domain, count: int, workers: int, stack: AsyncExitStack) -> Encode:
    """Return the encoder with the models of the index, in processes of its own for ``WORTH_PROCESSES`` entries."""
    if workers == 1 or count < WORTH_PROCESSES:
        local = await asyncio.to_thread(_OfflineEncoders, models, domain)
        return lambda entries: asyncio.to_thread(local.encode, entries)
    # Not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_init_worker, initargs=(models, domain.name))
    stack.push_async_callback(asyncio.to_thread, pool.shutdown, cancel_futures=True)

    async def encode(entries: Sequence[Entry]) -> Encoded:
        loop = asyncio.get_running_loop()
        try:
            dense, sparse = await loop.run_in_executor(pool, _encode_in_worker, [_texts_of(entry) for entry in entries])
        except BrokenProcessPool as error:
            raise ConfigurationError(translate("ingest.worker_killed")) from error
        return Encoded(entries, dense, sparse)

    return encode


def provider_encoder(embedder: Embedder, domain: Domain, journal: VectorJournal) -> Encode:
    """Return the encoder with the embedder of a provider; the journal keeps the vectors that were paid for."""
    bm25 = Bm25Encoder.of(domain)

    async def encode(entries: Sequence[Entry]) -> Encoded:
        keys = {key_of(embedder.fingerprint, entry.dense): entry.dense for entry in entries if entry.dense}
        vectors = await asyncio.to_thread(journal.get_many, list(keys))
        missing = [key for key in keys if key not in vectors]
        for start in range(0, len(missing), MAX_TEXTS):
            batch = missing[start : start + MAX_TEXTS]
            embedding = await embedder.embed_documents([keys[key] for key in batch])
            new = dict(zip(batch, embedding.vectors, strict=True))
            await asyncio.to_thread(journal.put_many, new)
            vectors |= new
        by_text = {keys[key]: vector for key, vector in vectors.items()}
        dense = [_normalized(by_text.get(entry.dense)) for entry in entries]
        sparse = await asyncio.to_thread(_sparse_vectors, [entry.sparse for entry in entries], bm25)
        return Encoded(entries, dense, sparse)

    return encode


def _texts_of(entry: Entry) -> EntryTexts:
    return entry.dense, entry.within, entry.sparse


class _OfflineEncoders:
    """The dense and the sparse encoder of an index, as one process has them."""

    def __init__(self, models: Path, domain: Domain) -> None:
        self._embedder = DualEncoder.load(models)
        self._bm25 = Bm25Encoder.of(domain)

    def encode(self, entries: Sequence[Entry]) -> Encoded:
        return Encoded(entries, *self.vectors([_texts_of(entry) for entry in entries]))

    def vectors(self, texts: Sequence[EntryTexts]) -> tuple[list[Vector | None], list[SparseVector]]:
        """Encode texts; the dense vector of one that stands in another is unit(own + ``WHOLE_WEIGHT`` · the other's).

        A few words say too little for word statistics: read within their whole, they are found again
        (docs/ingestion.md). After Günther et al., "Late Chunking: Contextual Chunk Embeddings", 2024.
        """
        within_texts = list(dict.fromkeys(within for dense, within, _ in texts if dense and within))
        wholes = dict(zip(within_texts, self._embedder.embed_all(within_texts), strict=True))
        own = iter(self._embedder.embed_all([dense for dense, _, _ in texts if dense]))
        vectors = [
            _normalized(next(own) + WHOLE_WEIGHT * wholes.get(within, np.float32(0))) if dense else None
            for dense, within, _ in texts
        ]
        return vectors, _sparse_vectors([sparse for _, _, sparse in texts], self._bm25)


_worker: _OfflineEncoders | None = None
"""The encoders of this process, where it is a worker."""


def _init_worker(models: Path, domain: str) -> None:
    global _worker
    _worker = _OfflineEncoders(models, domain_named(domain))


def _encode_in_worker(texts: Sequence[EntryTexts]) -> tuple[list[Vector | None], list[SparseVector]]:
    assert _worker is not None
    return _worker.vectors(texts)


def _sparse_vectors(texts: Sequence[str], encoder: Bm25Encoder) -> list[SparseVector]:
    vectors = iter(encoder.encode_documents([text for text in texts if text]))
    return [next(vectors) if text else NO_TERMS for text in texts]


def _normalized(vector: Vector | None) -> Vector | None:
    """Return a vector at length 1, or ``None`` for one of length zero (no word known), which has no neighbours."""
    length = float(np.linalg.norm(vector)) if vector is not None else 0.0
    return vector / np.float32(length) if vector is not None and length else None
