"""Encode the entries of an index, several batches at once."""

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from ingestion.indexing.entries import Entry
from ingestion.indexing.vector_journal import VectorJournal
from ingestion.workspace import key_of
from services.embeddings import MAX_TEXTS
from services.lsa import LsaEmbedder
from services.protocols import Embedder, SparseVector, Vector
from services.sparse import Bm25Encoder

BATCH = 1_024
"""Entries that are encoded and written together."""

WORTH_PROCESSES = 100 * BATCH
"""Entries from which more processes are worth the memory that each takes (0.4 GB) and the seconds to start them."""

NO_WORDS = SparseVector((), ())


@dataclass(frozen=True)
class Encoded:
    """Entries with their vectors; ``None`` and no words where an entry has no text for them."""

    entries: Sequence[Entry]
    dense: list[Vector | None]
    sparse: list[SparseVector]


Encode = Callable[[Sequence[Entry]], Awaitable[Encoded]]


async def encoded(entries: Sequence[Entry], encode: Encode, ahead: int) -> AsyncIterator[Encoded]:
    """Yield the entries in batches, in order; ``ahead`` batches are worked at while one is waited for.

    The first one goes alone: where a key is wrong, one request tells.
    """
    running: deque[asyncio.Task[Encoded]] = deque()
    try:
        for start in range(0, len(entries), BATCH):
            running.append(asyncio.ensure_future(encode(entries[start : start + BATCH])))
            if len(running) > (ahead if start else 0):
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def offline_encoder(models: Path, count: int, workers: int, stack: AsyncExitStack) -> Encode:
    """Return what encodes with the axes of the index, in processes of its own where there is much to do."""
    if workers == 1 or count < WORTH_PROCESSES:
        local = await asyncio.to_thread(_Offline, models)
        return lambda entries: asyncio.to_thread(local.encode, entries)
    # Not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(models,))
    stack.push_async_callback(asyncio.to_thread, pool.shutdown, cancel_futures=True)

    async def encode(entries: Sequence[Entry]) -> Encoded:
        texts = [(entry.dense, entry.sparse) for entry in entries]
        dense, sparse = await asyncio.get_running_loop().run_in_executor(pool, _encode, texts)
        return Encoded(entries, dense, sparse)

    return encode


def provider_encoder(embedder: Embedder, journal: VectorJournal) -> Encode:
    """Return what encodes with the embedder of a provider, noting in the journal what was paid for."""
    sparse = Bm25Encoder()

    async def encode(entries: Sequence[Entry]) -> Encoded:
        keys = {key_of(embedder.fingerprint, entry.dense): entry.dense for entry in entries if entry.dense}
        known = await asyncio.to_thread(journal.get_many, list(keys))
        missing = [key for key in keys if key not in known]
        for start in range(0, len(missing), MAX_TEXTS):
            asked = missing[start : start + MAX_TEXTS]
            vectors = (await embedder.embed_documents([keys[key] for key in asked])).vectors
            new = dict(zip(asked, vectors, strict=True))
            await asyncio.to_thread(journal.put_many, new)
            known |= new
        by_text = {keys[key]: vector for key, vector in known.items()}
        words = await asyncio.to_thread(_words, [entry.sparse for entry in entries], sparse)
        return Encoded(entries, [_direction(by_text.get(entry.dense)) for entry in entries], words)

    return encode


class _Offline:
    """The encoders of one process."""

    def __init__(self, models: Path) -> None:
        self._embedder = LsaEmbedder.load(models)
        self._sparse = Bm25Encoder()

    def encode(self, entries: Sequence[Entry]) -> Encoded:
        return Encoded(entries, *self.vectors([(entry.dense, entry.sparse) for entry in entries]))

    def vectors(self, texts: Sequence[tuple[str, str]]) -> tuple[list[Vector | None], list[SparseVector]]:
        embedded = iter(self._embedder.embed_all([dense for dense, _ in texts if dense]))
        return (
            [_direction(next(embedded)) if dense else None for dense, _ in texts],
            _words([words for _, words in texts], self._sparse),
        )


_here: _Offline | None = None
"""The encoders of a worker process."""


def _begin(models: Path) -> None:
    global _here
    _here = _Offline(models)


def _encode(texts: Sequence[tuple[str, str]]) -> tuple[list[Vector | None], list[SparseVector]]:
    assert _here is not None
    return _here.vectors(texts)


def _words(texts: Sequence[str], encoder: Bm25Encoder) -> list[SparseVector]:
    weights = iter(encoder.encode_documents([text for text in texts if text]))
    return [next(weights) if text else NO_WORDS for text in texts]


def _direction(vector: Vector | None) -> Vector | None:
    """Return a vector, or ``None`` for one of length zero (no word known), which has no neighbours."""
    return vector if vector is not None and vector.any() else None
