"""Parent chunks of one document of a draft, with references and packaged summaries."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby

from articulado.config.profile import Profile
from articulado.ingestion.bundled import BundledDocument, bundled_documents, legal_basis
from articulado.ingestion.incremental.base import Workspace
from articulado.ingestion.incremental.catalog import FILE, Links, Row
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.ingestion.links.references import UnresolvedCitation, current_chunk_ids, resolve_refs
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force, is_of_day
from articulado.legal.wordings import wording_hash_of
from articulado.store.records.chunks import lay_phrasings, note_on_force, packaged_law_records, parse_refs
from articulado.store.records.schema import EmptyRecord, LawRecord
from articulado.values.chunks import Chunk, provision_of
from articulado.values.documents import StaleRecord, Unresolved

OURS = "(nota en lenguaje claro, no oficial)."  # marks an unofficial note beside an official text


@dataclass(frozen=True)
class Attached:
    """Chunks with data of their records, number of summarised provisions, and stale records."""

    chunks: list[Chunk]
    summaries: int
    stale: list[LawRecord]


def attach_records(chunks: Sequence[Chunk], today: date, index: ProvisionIndex) -> Attached:
    """Add data of packaged records to the chunks of the wordings that the records were written from.

    A provision without rules of its own gets references to their present place. A record is stale if its provision is
    indexed without such a wording in force on ``today``. ``index`` has all targets of references.
    """
    records = packaged_law_records()
    indexed = dict.fromkeys(ref for chunk in chunks if (ref := provision_of(chunk)) in records)
    successors = current_chunk_ids(_replacing([records[ref] for ref in indexed]), index)
    summarised, current = set(), set()
    attached: list[Chunk] = []
    for _, group in groupby(chunks, lambda chunk: (*provision_of(chunk), chunk["valid_from"])):
        parts = list(group)
        ref = provision_of(parts[0])
        record = records.get(ref)
        if record is None or wording_hash_of(parts) != record.written_against.content_hash:
            attached += parts
        elif isinstance(record, EmptyRecord):
            # An empty provision has no force, only a period.
            current |= {ref} if is_of_day(parts[0], today) else set()
            attached += [_redirected(part, record, successors) for part in parts]
        else:
            summarised.add(ref)
            current |= {ref} if in_force(parts[0], None, today) else set()
            summary, topic = record.summary, record.topics[0]
            attached += [{**_noted(part, record), "summary": summary, "topic": topic} for part in parts]
    return Attached(attached, len(summarised), [records[ref] for ref in indexed if ref not in current])


def _noted(chunk: Chunk, record: LawRecord) -> Chunk:
    note = note_on_force(record)
    if not note or note in chunk["status_note"]:
        return chunk
    return {**chunk, "status_note": f"{note.rstrip('.')} {OURS} {chunk['status_note']}".rstrip()}


def _redirected(chunk: Chunk, record: EmptyRecord, successors: Mapping[tuple[str, str], int]) -> Chunk:
    ids = [successors[ref] for ref in _replacing([record]) if ref in successors]
    return {**_noted(chunk, record), "refs": list(dict.fromkeys([*chunk["refs"], *ids]))}


def _replacing(records: Sequence[LawRecord]) -> list[tuple[str, str]]:
    return parse_refs(ref for record in records if isinstance(record, EmptyRecord) for ref in record.replaced_by)


MAX_EXAMPLES = 20  # maximum unresolved citations named in the report


@dataclass(frozen=True)
class Parents:
    """Parents of a document, and lay phrasings by id."""

    chunks: list[Chunk]
    lay_phrasings: dict[int, str]


class DocumentReader:
    """Reads staged and bundled documents of a draft one by one, and links them."""

    def __init__(self, draft: Draft, workspace: Workspace, profile: Profile, *, packaged: bool) -> None:
        self._workspace = workspace
        self._profile = profile
        self._packaged = packaged
        self._today = date.today()
        self._index = draft.index

    @cached_property
    def bundled(self) -> Mapping[tuple[str, str], BundledDocument]:
        documents = bundled_documents(self._profile, packaged=self._packaged)
        return {(document.collection, document.id): document for document in documents}

    def link(self, row: Row) -> Links:
        """Resolve the references of a document: citations, interpreted provisions, or an article's legal basis."""
        self._index.lookups.clear()
        unresolved: list[UnresolvedCitation] = []
        attached = Attached([], 0, [])
        if row.kind == FILE:
            chunks = self._cited(row, unresolved)
            attached = self._attached(chunks)
            linked = attached.chunks
        else:
            linked = self.bundled[row.collection, row.law_id].linked(self._index)
        by_id = {chunk["id"]: chunk for chunk in linked}
        return Links(
            {chunk["id"]: chunk["refs"] for chunk in linked},
            dict(Counter(citation.cause for citation in unresolved)),
            [_example(citation, by_id[citation.chunk_id]) for citation in unresolved[:MAX_EXAMPLES]],
            attached.summaries,
            [_stale(record) for record in attached.stale],
            [lookup for lookup in self._index.lookups if lookup[0] != row.law_id],
        )

    def parents(self, row: Row) -> Parents:
        """Return the parents of a document with their references, and lay phrasings if the profile has records."""
        refs = {int(id): cited for id, cited in json.loads(row.refs).items()}
        if row.kind != FILE:
            document = self.bundled[row.collection, row.law_id]
            return Parents(_with_refs(document.chunks, refs), document.lay_phrasings)
        staged = self._workspace.document(row.staged)
        chunks = self._attached(_with_refs(staged.parents, refs)).chunks
        of_records: dict[int, str] = {}
        if self._profile.features.records:
            # Every part of a provision gets them: measured, retrieval improves over the first part alone.
            of_records = {chunk["id"]: lay_phrasings(chunk) for chunk in chunks}
        return Parents(chunks, {**of_records, **staged.spoken})

    def _cited(self, row: Row, unresolved: list[UnresolvedCitation]) -> list[Chunk]:
        staged = self._workspace.document(row.staged)
        index = self._index
        citations = self._profile.features.spanish_law
        chunks = resolve_refs(staged.parents, index, unresolved, today=self._today, citations=citations)
        named = {chunk["id"]: [*staged.interprets, *legal_basis(chunk)] for chunk in chunks}
        ids = current_chunk_ids({ref for provisions in named.values() for ref in provisions}, index, today=self._today)
        for chunk in chunks:
            own = (ids[ref] for ref in named[chunk["id"]] if ref in ids)
            chunk["refs"] = list(dict.fromkeys([*own, *chunk["refs"]]))
        return chunks

    def _attached(self, chunks: list[Chunk]) -> Attached:
        if not self._profile.features.records:
            return Attached(chunks, 0, [])
        return attach_records(chunks, self._today, self._index)


def _with_refs(chunks: Sequence[Chunk], refs: Mapping[int, list[int]]) -> list[Chunk]:
    return [{**chunk, "refs": refs.get(chunk["id"], [])} for chunk in chunks]


def _example(unresolved: UnresolvedCitation, chunk: Chunk) -> Unresolved:
    citation = unresolved.citation
    law = known_laws().get(citation.law_id or "")
    return {
        "source": f"{chunk['law_name']}, {chunk['provision']}",
        "cited": f"{law.short if law else citation.law_id or '?'}, {citation.provision_key}",
        "cause": unresolved.cause,  # type: ignore[typeddict-item]
    }


def _stale(record: LawRecord) -> StaleRecord:
    law = known_laws()[record.law_id]
    day = record.written_against.date.isoformat()
    return {"law_id": law.id, "law": law.short, "provision": record.provision, "written_against": day}
