"""Index entries of each document, their differences from the stored points, and the vectors of entries."""

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
    """Point of the index: a parent or a child, and its texts to encode; empty ones are not encoded."""

    chunk: Chunk
    dense: str = ""  # text to embed
    sparse: str = ""  # text whose words are counted
    within: str = ""  # larger text around ``dense``
    lay_phrasings: str = ""  # user phrasings of a parent, one per line


def entries_of(
    parents: Iterable[Chunk],
    lay_phrasings: Mapping[int, str],
    kind: ChunkContext,
    sentences: Mapping[int, str],
    *,
    in_whole: bool = True,
) -> Iterator[Entry]:
    """Yield each parent, whose words are counted, and its children, which are embedded (docs/decisions/0006).

    ``sentences`` are the reader's contexts by id of child; ``lay_phrasings`` of a parent become a hidden child;
    ``in_whole``: embed a child within its parent.
    """
    for parent in parents:
        phrasings = lay_phrasings.get(parent["id"], "")
        whole = f"{indexed_text(parent)}\n{phrasings}"
        yield replace(_entry({**parent, "strategy": STRATEGY}, sparse=whole), lay_phrasings=phrasings)
        # A card is short enough for one child.
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
    payload = {name: value for name, value in chunk.items() if name not in ("content_hash", "parent_content")}
    # Texts shared by the children of a parent are hashed once.
    whole = [_hash_of(text) for text in (chunk["parent_content"], within)]
    content = json.dumps([payload, dense, sparse, *whole], ensure_ascii=False, sort_keys=True)
    digest = blake2b(content.encode(), digest_size=16).hexdigest()
    return Entry({**chunk, "content_hash": digest}, dense, sparse, within)


@lru_cache(maxsize=8)
def _hash_of(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Change:
    """Entries to write of a document, and ids of points to remove."""

    new: list[Entry]
    gone: list[int]


class DocumentEntries:
    """Makes the entries of the documents of a draft, with the reader's ``sentences`` if configured."""

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
    """Document frequencies of words in the texts that answer questions."""

    def __init__(self, profile: Profile, domain: Domain, count: WordCount | None = None) -> None:
        # Collections searched only for cases say nothing about word rarity in answers.
        self._left_out = set(profile.names) - set(profile.for_questions or profile.names)
        self._stems = domain.stems
        self.count = count or WordCount()

    def of(self, entries: Iterable[Entry]) -> WordCount:
        """Count the words of these entries alone."""
        counted = [entry for entry in entries if entry.sparse and entry.chunk["collection"] not in self._left_out]
        count = WordCount.of((entry.sparse for entry in counted), self._stems)
        # Spelling is learnt from texts without the lay phrasings, which have misspellings.
        texts = (entry.sparse.removesuffix(entry.lay_phrasings) for entry in counted)
        count.words.update(form for text in texts for form in set(forms(text)))
        return count


def changes(
    draft: Draft, documents: DocumentEntries, statistics: WordStatistics, stored: Digests | None
) -> Iterator[Change]:
    """Yield the changes of each marked document against the ``stored`` points; update draft and statistics."""
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
    """Mark the documents that own these points for relinking."""
    for number, own in _owned(draft, points):
        if own:
            draft.mark_document_for_relinking(number)


def without_owner(draft: Draft, points: Collection[int]) -> list[int]:
    """Return the ids of points that belong to no document of the draft, ascending."""
    return sorted(set(points).difference(*(own for _, own in _owned(draft, points))))


def _owned(draft: Draft, points: Collection[int]) -> Iterator[tuple[int, list[int]]]:
    ids = np.fromiter(points, np.int64, len(points))
    for number, stored in draft.all_points() if points else ():
        yield number, np.intersect1d(np.frombuffer(stored, dtype=np.int64), ids).tolist()


def leave_unread(draft: Draft, workspace: Workspace) -> None:
    """Postpone the relinking of documents whose staged text is on another machine, which read them."""
    draft.leave(number for number, _, staged in draft.to_relink() if not workspace.has(staged))


BATCH = 1_024  # entries encoded and written together

WORTH_PROCESSES = 30 * BATCH
"""Entries from which worker processes are worth their memory (0.4 GB each) and start-up time."""

WHOLE_WEIGHT = np.float32(2)  # weight of the surrounding text in a child's offline vector, relative to its own
NO_TERMS = SparseVector((), ())


class VectorJournal(PaidCache):
    """Vectors of a provider's embedder by key, as float32."""

    contents = "ingest.kind_vectors"

    def get_many(self, keys: Sequence[str]) -> dict[str, Vector]:
        return {key: np.frombuffer(raw, dtype=np.float32) for key, raw in self._get_many(keys).items()}

    def put_many(self, vectors: Mapping[str, Vector]) -> None:
        self._put_many({key: np.asarray(vector, dtype=np.float32).tobytes() for key, vector in vectors.items()})


@dataclass(frozen=True)
class Encoded:
    """Entries with their vectors; ``None`` or no terms for an empty text."""

    entries: Sequence[Entry]
    dense: list[Vector | None]
    sparse: list[SparseVector]


Encode = Callable[[Sequence[Entry]], Awaitable[Encoded]]  # encodes a batch of entries
EntryTexts = tuple[str, str, str]  # ``dense``, ``within`` and ``sparse`` text of an entry, as sent to a worker


async def encode_batches(entries: AsyncIterable[Entry], encode: Encode, ahead: int) -> AsyncIterator[Encoded]:
    """Yield encoded batches in order; ``ahead`` further batches are encoded concurrently."""
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
    """Return the encoder with the models of the index, in worker processes from ``WORTH_PROCESSES`` entries."""
    if workers == 1 or count < WORTH_PROCESSES:
        local = await asyncio.to_thread(_OfflineEncoders, models, domain)
        return lambda entries: asyncio.to_thread(local.encode, entries)
    # spawn, not fork: this process has threads.
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
    """Return the encoder with a provider's embedder; the journal keeps paid vectors."""
    bm25 = Bm25Encoder.of(domain)

    async def encode(entries: Sequence[Entry]) -> Encoded:
        by_text = await vectors_kept(embedder, journal, [entry.dense for entry in entries if entry.dense])
        dense = [by_text.get(entry.dense) for entry in entries]
        sparse = await asyncio.to_thread(_sparse_vectors, [entry.sparse for entry in entries], bm25)
        return Encoded(entries, dense, sparse)

    return encode


async def vectors_kept(embedder: Embedder, journal: VectorJournal, texts: Sequence[str]) -> dict[str, Vector | None]:
    """Return unit vectors by text, from the journal or newly made and kept there."""
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
    def __init__(self, models: Path, domain: Domain) -> None:
        self._embedder = DualEncoder.load(models)
        self._bm25 = Bm25Encoder.of(domain)

    def encode(self, entries: Sequence[Entry]) -> Encoded:
        return Encoded(entries, *self.vectors([_texts_of(entry) for entry in entries]))

    def vectors(self, texts: Sequence[EntryTexts]) -> tuple[list[Vector | None], list[SparseVector]]:
        """Encode texts; the dense vector of a child is unit(own + ``WHOLE_WEIGHT`` · surrounding text).

        After Günther et al., "Late Chunking: Contextual Chunk Embeddings", 2024; figures in docs/decisions.
        """
        within_texts = list(dict.fromkeys(within for dense, within, _ in texts if dense and within))
        wholes = dict(zip(within_texts, self._embedder.embed_all(within_texts), strict=True))
        own = iter(self._embedder.embed_all([dense for dense, _, _ in texts if dense]))
        vectors = [
            _normalized(next(own) + WHOLE_WEIGHT * wholes.get(within, np.float32(0))) if dense else None
            for dense, within, _ in texts
        ]
        return vectors, _sparse_vectors([sparse for _, _, sparse in texts], self._bm25)


_worker: _OfflineEncoders | None = None  # encoders of this process if it is a worker


def _init_worker(models: Path, domain: str) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    _worker = _OfflineEncoders(models, domain_named(domain))


def _encode_in_worker(texts: Sequence[EntryTexts]) -> tuple[list[Vector | None], list[SparseVector]]:
    assert _worker is not None
    return _worker.vectors(texts)


def _sparse_vectors(texts: Sequence[str], encoder: Bm25Encoder) -> list[SparseVector]:
    vectors = iter(encoder.encode_documents([text for text in texts if text]))
    return [next(vectors) if text else NO_TERMS for text in texts]


def _normalized(vector: Vector | None) -> Vector | None:
    """Return a vector at length 1, or ``None`` for one of length zero (no known word), which has no neighbours."""
    length = float(np.linalg.norm(vector)) if vector is not None else 0.0
    return vector / np.float32(length) if vector is not None and length else None
