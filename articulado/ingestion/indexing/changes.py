"""Index entries of each document, their differences from the stored points, and the vectors of entries.

An ``Entry`` is one point: a parent or a child, with its text for dense and for sparse encoding. Children
are embedded, and the words of whole parents are counted. ``changes`` streams one document at a time.
``mark_owners`` and ``without_owner`` serve to repair what an interrupted update has left.

Offline encoding uses worker processes from 30 batches of 1,024 entries on. The offline vector of a child is
unit(own + 2 · parent), after Günther et al., "Late Chunking", 2024. ``VectorJournal`` keeps the vectors of
a provider on disk (float32).
"""

import asyncio
import json
import multiprocessing
import signal
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np

from articulado.config.profile import Profile, domain_named
from articulado.config.settings import ChunkContext, Settings
from articulado.encoders.bm25 import Bm25Encoder
from articulado.encoders.dual import DualEncoder
from articulado.ingestion.chunking.chunks import STRATEGY, child, children_of
from articulado.ingestion.context.paid_cache import ContextCache, ContextPrompt, PaidCache, context_of
from articulado.ingestion.incremental.base import Workspace, key_of
from articulado.ingestion.incremental.catalog import GONE, Row
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.indexing.parents import DocumentReader, Parents
from articulado.ingestion.worker import in_order
from articulado.language.known_words import forms
from articulado.language.translation import translate
from articulado.legal.domain.base import Domain, WordCount
from articulado.store.builder import digest
from articulado.store.writer import Digests
from articulado.values.chunks import Chunk, indexed_text, is_card
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import Embedded, Embedder, SparseVector, Vector


@dataclass(frozen=True)
class Entry:
    """A point of the index.

    ``dense`` is the text to embed and ``within`` the larger one in which it stands; ``sparse`` is the text whose words
    count. What is empty is not encoded. ``lay_phrasings`` is how people ask about a parent, a line each.
    """

    chunk: Chunk
    dense: str = ""
    sparse: str = ""
    within: str = ""
    lay_phrasings: str = ""


def entries_of(
    parents: Iterable[Chunk],
    lay_phrasings: Mapping[int, str],
    kind: ChunkContext,
    sentences: Mapping[int, str],
    *,
    in_whole: bool = True,
) -> Iterator[Entry]:
    """Yield each parent, and after it its children.

    Meaning is matched with small texts, words with large ones (docs/retrieval.md has the figures): the children are
    embedded, each with its context, and the words of the whole parent are counted. ``lay_phrasings`` is how people ask
    about a parent, by its id: never shown, and a child of its own. ``sentences`` are the reader's context sentences by
    the id of the child. ``in_whole``: the embedder reads a child within its parent.
    """
    for parent in parents:
        phrasings = lay_phrasings.get(parent["id"], "")
        whole = f"{indexed_text(parent)}\n{phrasings}"
        yield replace(_entry({**parent, "strategy": STRATEGY}, sparse=whole), lay_phrasings=phrasings)
        # A card is as short as a few children.
        children = [child(parent, 1, parent["text"])] if is_card(parent) else list(children_of(parent))
        within = whole if in_whole else ""
        for piece in children:
            yield _entry(piece, dense=_joined(context_of(piece, kind, sentences), piece["text"]), within=within)
        if phrasings:
            asked: Chunk = {**child(parent, len(children) + 1, phrasings), "source": "lay_phrasings"}
            yield _entry(asked, dense=_joined(context_of(piece, kind, {}), phrasings), within=within)


def _joined(context: str, text: str) -> str:
    return f"{context}\n{text}" if context else text


def _entry(chunk: Chunk, dense: str = "", sparse: str = "", within: str = "") -> Entry:
    """Return an entry whose chunk has a hash of all that it is and is found by."""
    payload = {name: value for name, value in chunk.items() if name not in ("content_hash", "parent_content")}
    # Texts that the children of a parent share are hashed once.
    whole = [_hash_of(text) for text in (chunk["parent_content"], within)]
    content = json.dumps([payload, dense, sparse, *whole], ensure_ascii=False, sort_keys=True)
    digest = blake2b(content.encode(), digest_size=16).hexdigest()
    return Entry({**chunk, "content_hash": digest}, dense, sparse, within)


@lru_cache(maxsize=8)
def _hash_of(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Change:
    """What is to be written of a document, and the ids of the points that it has no more."""

    new: list[Entry]
    gone: list[int]


class DocumentEntries:
    """Makes the entries of the documents of a draft; ``sentences`` are the reader's, where they are wanted."""

    def __init__(
        self, reader: DocumentReader, settings: Settings, profile: Profile, sentences: ContextCache | None
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._prompt = ContextPrompt.of(profile) if sentences else None
        self._sentences = sentences

    def of(self, row: Row) -> list[Entry]:
        """Return the entries of a document."""
        parents = self._reader.parents(row)
        offline = self._settings.embedder.provider == "offline"
        sentences = self._sentences_of(parents)
        kind = self._settings.chunk_context
        return list(entries_of(parents.chunks, parents.lay_phrasings, kind, sentences, in_whole=offline))

    def _sentences_of(self, parents: Parents) -> dict[int, str]:
        if self._sentences is None or self._prompt is None:
            return {}
        pairs = [(parent, child) for parent in parents.chunks for child in children_of(parent)]
        keys = self._prompt.keyed(pairs, self._settings.reader.name)
        cached = self._sentences.get_many([key for key, _ in keys])
        return {child["id"]: cached.get(key, "") for key, (_, child) in keys}


class WordStatistics:
    """Counts words document by document: those of the texts that questions are answered from."""

    def __init__(self, profile: Profile, domain: Domain, count: WordCount | None = None) -> None:
        # What is searched for cases alone does not tell how rare a word is in what questions are answered from.
        self._left_out = set(profile.names) - set(profile.for_questions or profile.names)
        self._stems = domain.stems
        self.count = count or WordCount()

    def of(self, entries: Iterable[Entry]) -> WordCount:
        """Count the words of some entries, and nothing else."""
        counted = [entry for entry in entries if entry.sparse and entry.chunk["collection"] not in self._left_out]
        count = WordCount.of((entry.sparse for entry in counted), self._stems)
        # People who ask misspell; the texts themselves tell how a word is spelt.
        texts = (entry.sparse.removesuffix(entry.lay_phrasings) for entry in counted)
        count.words.update(form for text in texts for form in set(forms(text)))
        return count


def changes(
    draft: Draft, documents: DocumentEntries, statistics: WordStatistics, stored: Digests | None
) -> Iterator[Change]:
    """Yield what is to be written and removed of each document that is to be looked at; ``stored`` is what there is.

    The draft and the statistics are brought up to date as the documents go by.
    """
    for row in draft.to_write():
        entries = documents.of(row) if row.kind != GONE else []
        digests = {entry.chunk["id"]: digest(entry.chunk) for entry in entries}
        before = np.frombuffer(row.points, dtype=np.int64).tolist()
        known = stored.of([*digests, *before]) if stored is not None else {}
        words = statistics.of(entries)
        statistics.count.subtract(WordCount.loads(row.words))
        statistics.count.add(words)
        draft.put_points(row.number, np.array(list(digests), dtype=np.int64).tobytes(), words.dumps())
        yield Change(
            [entry for entry in entries if known.get(entry.chunk["id"]) != digests[entry.chunk["id"]]],
            [point for point in before if point in known and point not in digests],
        )


def mark_owners(draft: Draft, points: Collection[int]) -> None:
    """Mark the documents of some points to be looked at again."""
    for number, own in _owned(draft, points):
        if own:
            draft.disturb_number(number)


def without_owner(draft: Draft, points: Collection[int]) -> list[int]:
    """Return those of some points that no document has."""
    return sorted(set(points).difference(*(own for _, own in _owned(draft, points))))


def _owned(draft: Draft, points: Collection[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield the number of each document with those of some points that it has."""
    ids = np.fromiter(points, np.int64, len(points))
    for number, stored in draft.all_points() if points else ():
        yield number, np.intersect1d(np.frombuffer(stored, dtype=np.int64), ids).tolist()


def leave_unread(draft: Draft, workspace: Workspace) -> None:
    """Leave to another ingest what is to be linked again and was read on another machine: its text is not here."""
    draft.leave(number for number, _, staged in draft.disturbed() if not workspace.has(staged))


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
        by_text = await vectors_kept(embedder, journal, [entry.dense for entry in entries if entry.dense])
        dense = [by_text.get(entry.dense) for entry in entries]
        sparse = await asyncio.to_thread(_sparse_vectors, [entry.sparse for entry in entries], bm25)
        return Encoded(entries, dense, sparse)

    return encode


async def vectors_kept(embedder: Embedder, journal: VectorJournal, texts: Sequence[str]) -> dict[str, Vector | None]:
    """Return the vectors of texts at length 1, by text; those that the journal lacks are made and kept there."""
    keys = {text: key_of(embedder.fingerprint, text) for text in texts}
    kept = await asyncio.to_thread(journal.get_many, list(keys.values()))
    vectors: dict[str, Vector] = {text: kept[key] for text, key in keys.items() if key in kept}

    async def keep(batch: Sequence[str], made: Sequence[Vector]) -> None:
        await asyncio.to_thread(journal.put_many, {keys[text]: new for text, new in zip(batch, made, strict=True)})

    missing = [text for text in keys if text not in vectors]
    embedded = await embedder.embed_documents(missing, keep=keep) if missing else Embedded([])
    vectors |= zip(missing, embedded.vectors, strict=True)
    return {text: _normalized(vector) for text, vector in vectors.items()}


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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
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
