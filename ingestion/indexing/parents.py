"""The parents of one document of an index, linked and summarised, whether it has files or comes along."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from articulado.config.profile import Profile
from articulado.legal.laws.registry import known_laws
from articulado.store.records.chunks import lay_phrasings
from articulado.store.records.schema import LawRecord
from articulado.values.chunks import Chunk
from articulado.values.documents import StaleRecord, Unresolved
from ingestion.bundled import BundledDocument, bundled_documents, legal_basis
from ingestion.incremental.catalog import FILE
from ingestion.incremental.draft import Draft, Links, Row
from ingestion.incremental.workspace import Workspace
from ingestion.links.references import UnresolvedCitation, current_chunk_ids, resolve_refs
from ingestion.plain_language.attach import Attached, attach_records

MAX_EXAMPLES = 20
"""Citations that lead nowhere and are named in the report; the rest is counted."""


@dataclass(frozen=True)
class Parents:
    """The parents of a document, and how people ask about them, by id."""

    chunks: list[Chunk]
    lay_phrasings: dict[int, str]


class DocumentReader:
    """Reads the documents of a draft one by one, from what was staged or what comes along, and links them."""

    def __init__(self, draft: Draft, workspace: Workspace, profile: Profile, *, packaged: bool) -> None:
        self._workspace = workspace
        self._profile = profile
        self._packaged = packaged
        self._today = date.today()
        self._index = draft.index

    @cached_property
    def bundled(self) -> Mapping[tuple[str, str], BundledDocument]:
        """What comes along, by collection and identifier.

        Raises:
            ConfigurationError: it breaks its schema.
        """
        documents = bundled_documents(self._profile, packaged=self._packaged)
        return {(document.collection, document.id): document for document in documents}

    def link(self, row: Row) -> Links:
        """Return what a document leads to: its citations, what a decision interprets or an article rests on.

        Citations are read where the profile is of Spanish law, and lead to the packaged records of a law where its text
        is not there.

        Raises:
            StoreUnavailable: what was staged of it has vanished.
        """
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
        """Return the parents of a document with their references; how people ask is for a profile with records.

        Raises:
            StoreUnavailable: what was staged of it has vanished.
        """
        refs = {int(id): cited for id, cited in json.loads(row.refs).items()}
        if row.kind != FILE:
            document = self.bundled[row.collection, row.law_id]
            return Parents(_with_refs(document.chunks, refs), document.lay_phrasings)
        staged = self._workspace.document(row.staged)
        chunks = self._attached(_with_refs(staged.parents, refs)).chunks
        of_records: dict[int, str] = {}
        if self._profile.features.records:
            # Every part of a provision gets them: measured, that finds more than giving them to the first alone.
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
