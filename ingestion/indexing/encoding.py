"""Encode the entries of an index, several batches at once."""

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingestion.context.paid_cache import PaidCache
from ingestion.incremental.workspace import key_of
from ingestion.indexing.entries import Entry
from services.domain.base import Domain
from services.domain.registry import domain_named
from services.models.embeddings import MAX_TEXTS
from services.models.sparse import Bm25Encoder
from services.offline.encoder.encoder import DualEncoder
from services.protocols import Embedder, SparseVector, Vector
from state.errors import ConfigurationError


class VectorJournal(PaidCache):
    """Vectors by key; float32, as they came."""

    contents = "vectores ya calculados"

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


BATCH = 1_024
"""Entries that are encoded and written together."""

WORTH_PROCESSES = 100 * BATCH
"""Entries from which more processes are worth the memory that each takes (0.4 GB) and the seconds to start them."""

WHOLE_WEIGHT = np.float32(2)
"""What the text in which a child stands counts for in its offline vector, beside the child's own."""

NO_WORDS = SparseVector((), ())
NOTHING = np.float32(0)


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


async def offline_encoder(models: Path, domain: Domain, count: int, workers: int, stack: AsyncExitStack) -> Encode:
    """Return what encodes with the axes of the index, in processes of its own where there is much to do."""
    if workers == 1 or count < WORTH_PROCESSES:
        local = await asyncio.to_thread(_Offline, models, domain)
        return lambda entries: asyncio.to_thread(local.encode, entries)
    # Not forked: this process has threads.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(models, domain.name))
    stack.push_async_callback(asyncio.to_thread, pool.shutdown, cancel_futures=True)

    async def encode(entries: Sequence[Entry]) -> Encoded:
        loop = asyncio.get_running_loop()
        try:
            dense, sparse = await loop.run_in_executor(pool, _encode, [_texts(entry) for entry in entries])
        except BrokenProcessPool as error:
            raise ConfigurationError(
                "El sistema ha terminado un proceso que calculaba vectores, quizá por falta de memoria. Repita la "
                "orden con ARTICULADO_INGEST_WORKERS=1; el índice anterior sigue en uso."
            ) from error
        return Encoded(entries, dense, sparse)

    return encode


def provider_encoder(embedder: Embedder, domain: Domain, journal: VectorJournal) -> Encode:
    """Return what encodes with the embedder of a provider, noting in the journal what was paid for."""
    sparse = Bm25Encoder.of(domain)

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


Texts = tuple[str, str, str]
"""What to embed, what that stands in, and whose words count."""


def _texts(entry: Entry) -> Texts:
    return entry.dense, entry.within, entry.sparse


class _Offline:
    """The encoders of one process."""

    def __init__(self, models: Path, domain: Domain) -> None:
        self._embedder = DualEncoder.load(models)
        self._sparse = Bm25Encoder.of(domain)

    def encode(self, entries: Sequence[Entry]) -> Encoded:
        return Encoded(entries, *self.vectors([_texts(entry) for entry in entries]))

    def vectors(self, texts: Sequence[Texts]) -> tuple[list[Vector | None], list[SparseVector]]:
        """Encode texts; the vector of one that stands in another is unit(own + 2 · the other's).

        A few words say too little for word statistics: read in the whole that they are of, they are found again
        (docs/ingestion.md). After Günther et al., "Late Chunking: Contextual Chunk Embeddings", 2024.
        """
        wholes = list(dict.fromkeys(within for dense, within, _ in texts if dense and within))
        around = dict(zip(wholes, self._embedder.embed_all(wholes), strict=True))
        own = iter(self._embedder.embed_all([dense for dense, _, _ in texts if dense]))
        vectors = [
            _direction(next(own) + WHOLE_WEIGHT * around.get(within, NOTHING)) if dense else None
            for dense, within, _ in texts
        ]
        return vectors, _words([words for _, _, words in texts], self._sparse)


_here: _Offline | None = None
"""The encoders of a worker process."""


def _begin(models: Path, domain: str) -> None:
    global _here
    _here = _Offline(models, domain_named(domain))


def _encode(texts: Sequence[Texts]) -> tuple[list[Vector | None], list[SparseVector]]:
    assert _here is not None
    return _here.vectors(texts)


def _words(texts: Sequence[str], encoder: Bm25Encoder) -> list[SparseVector]:
    weights = iter(encoder.encode_documents([text for text in texts if text]))
    return [next(weights) if text else NO_WORDS for text in texts]


def _direction(vector: Vector | None) -> Vector | None:
    """Return a vector at length 1, or ``None`` for one of length zero (no word known), which has no neighbours."""
    length = float(np.linalg.norm(vector)) if vector is not None else 0.0
    return vector / np.float32(length) if vector is not None and length else None
