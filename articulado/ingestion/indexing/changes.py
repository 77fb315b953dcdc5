"""Index entries of each document, and their differences from the stored points.

An ``Entry`` is one point: a parent or a child, with its text for dense and for sparse encoding. Children
are embedded, and the words of whole parents are counted. ``changes`` streams one document at a time.
``disturb_touched`` marks the documents of an interrupted update.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from articulado.config.profile import Profile
from articulado.config.settings import ChunkContext, Settings
from articulado.ingestion.chunking.chunks import STRATEGY, child, children_of
from articulado.ingestion.context.paid_cache import ContextCache, ContextPrompt, context_of
from articulado.ingestion.incremental.catalog import GONE, Row
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.incremental.workspace import Workspace
from articulado.ingestion.indexing.parents import DocumentReader, Parents
from articulado.legal.domain.base import Domain, WordCount
from articulado.store.builder import digest
from articulado.store.point_changes import Digests
from articulado.values.chunks import Chunk, indexed_text


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
        children, within = list(children_of(parent)), whole if in_whole else ""
        for piece in children:
            yield _entry(piece, dense=_joined(context_of(piece, kind, sentences), piece["text"]), within=within)
        if phrasings:
            piece = child(parent, len(children) + 1, phrasings)
            yield _entry(piece, dense=_joined(context_of(piece, kind, {}), phrasings), within=within)


def _joined(context: str, text: str) -> str:
    return f"{context}\n{text}" if context else text


def _entry(chunk: Chunk, dense: str = "", sparse: str = "", within: str = "") -> Entry:
    """Return an entry whose chunk has a hash of all that it is and is found by."""
    payload = {name: value for name, value in chunk.items() if name != "content_hash"}
    content = json.dumps([payload, dense, sparse, within], ensure_ascii=False, sort_keys=True)
    digest = blake2b(content.encode(), digest_size=16).hexdigest()
    return Entry({**chunk, "content_hash": digest}, dense, sparse, within)


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
        counted = (entry for entry in entries if entry.sparse and entry.chunk["collection"] not in self._left_out)
        return WordCount.of((entry.sparse for entry in counted), self._stems)


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


def disturb_touched(draft: Draft, touched: Collection[int]) -> None:
    """Have the documents looked at again whose points an update that did not end may have changed."""
    for number, _ in _owned(draft, touched):
        draft.disturb_number(number)


def of_no_document(draft: Draft, touched: Collection[int]) -> list[int]:
    """Return those of the points that no document has."""
    owned = {point for _, points in _owned(draft, touched) for point in points}
    return [point for point in touched if point not in owned]


def _owned(draft: Draft, touched: Collection[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield the documents that have some of the points, each with those."""
    if not touched:
        return
    ids = np.fromiter(touched, np.int64, len(touched))
    for number, points in draft.all_points():
        own = np.intersect1d(np.frombuffer(points, dtype=np.int64), ids)
        if len(own):
            yield number, own.tolist()


def leave_unread(draft: Draft, workspace: Workspace) -> None:
    """Leave to another ingest what is to be linked again and was read on another machine: its text is not here."""
    draft.leave(number for number, _, staged in draft.disturbed() if not workspace.has(staged))
