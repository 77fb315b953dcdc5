"""What of an index differs from what it is to be, document by document: each is looked at once, and forgotten."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from articulado.config.profile import Profile
from articulado.config.settings import Settings
from articulado.legal.domain.base import Domain, WordCount
from articulado.store.builder import digest
from articulado.store.point_changes import Digests
from ingestion.chunking.children import children_of
from ingestion.context.paid_cache import ContextCache
from ingestion.context.request import ContextPrompt
from ingestion.incremental.catalog import GONE
from ingestion.incremental.draft import Draft, Row
from ingestion.incremental.workspace import Workspace
from ingestion.indexing.entries import Entry, entries_of
from ingestion.indexing.parents import DocumentReader, Parents


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
