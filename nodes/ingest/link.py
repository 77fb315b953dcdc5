"""Link documents to the provisions that they cite, in the draft of the index."""

import asyncio
from collections.abc import Iterable
from datetime import date

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.ingestion.bundled import BundledDocument, comes_along
from articulado.ingestion.incremental.base import IndexBase, Staged, corpus_digest, key_of, profile_digest
from articulado.ingestion.incremental.catalog import FILE, GONE, RECORD
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.indexing.changes import leave_unread
from articulado.ingestion.indexing.parents import DocumentReader
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.store.layout import IndexedAgreement
from articulado.values.chunks import ProvisionRef
from articulado.values.documents import Source
from nodes.stage import progress_of
from state.ingest import IngestState

STEP = "Enlazando citas"


class LinkUpdate(TypedDict):
    """Empty: the result is in the draft."""


async def link(state: IngestState, runtime: Runtime[None], *, base: IndexBase) -> LinkUpdate:
    """Link new and changed documents, and those that cite a provision that came, went or changed.

    Everything is linked if the points cannot be reused, or if code or profile have changed. Reads ``draft``,
    ``request`` and ``with_packaged``.
    """
    progress_of(runtime)(STEP, 0, 0)
    try:
        await asyncio.to_thread(_link, state, base)
    except BaseException:
        await asyncio.to_thread(base.discard_draft, state["draft"])
        raise
    return {}


def _link(state: IngestState, base: IndexBase) -> None:
    profile, request = base.profile, state["request"]
    with Draft(base.drafts / state["draft"]) as draft:
        made_with, today = base.made_with(), date.today().isoformat()
        served = None if request.get("rebuild") else base.open()
        if served is None:
            draft.forget_documents()
        everything = served is None or draft.made_with != made_with
        reader = DocumentReader(draft, base.workspace, profile, packaged=state["with_packaged"])
        index = draft.index
        changed = _Changes(draft, everything)
        came_or_went = _put_planned(draft, index, base, changed, everything)
        packaged = "yes" if state["with_packaged"] else "no"
        bundle = key_of(corpus_digest(), profile_digest(profile), packaged)
        if everything or came_or_went or draft.fact("bundle") != bundle:
            _put_bundled(draft, index, reader, bundle, changed)
        if everything:
            draft.mark_all_for_relinking()
        else:
            changed.note(index.turned_between(draft.fact("linked", today), today))
        leave_unread(draft, base.workspace)
        for row in draft.to_write():
            if row.kind != GONE:
                draft.put_links(row.number, reader.link(row))
        draft.note(
            continues=served.folder.name if served else "",
            made_with=made_with,
            profile=profile_digest(profile),
            packaged=packaged,
            bundle=bundle,
            linked=today,
        )


class _Changes:
    def __init__(self, draft: Draft, everything: bool) -> None:
        self._draft = draft
        self._everything = everything

    def note(self, provisions: Iterable[ProvisionRef]) -> None:
        if not self._everything:
            self._draft.mark_for_relinking(provisions)


def _put_planned(draft: Draft, index: ProvisionIndex, base: IndexBase, changed: _Changes, everything: bool) -> bool:
    """Update the documents of files in the draft; tell if any was added or removed."""
    came_or_went = False
    for position, source in draft.planned(taken=True):
        before = draft.number_of(source["collection"], source["law_id"])
        is_same = before is not None and before[1:] == (FILE, source["staged"])
        if before is not None and is_same and (not everything or not base.workspace.has(source["staged"])):
            draft.keep_document(before[0], position, source)
            continue
        came_or_went = came_or_went or before is None or before[1] != FILE
        staged = base.workspace.document(source["staged"])
        characters = sum(len(chunk["text"]) for chunk in staged.parents)
        number = draft.put_document(position, FILE, source, characters=characters, agreement=_agreement(staged))
        changed.note(index.put(number, staged.parents))
    for number, law_id in draft.unplanned():
        came_or_went = True
        changed.note(index.remove(number, law_id))
        draft.drop_document(number)
    return came_or_went


def _put_bundled(draft: Draft, index: ProvisionIndex, reader: DocumentReader, bundle: str, changed: _Changes) -> None:
    """Add packaged documents without a counterpart among the files, and remove those with one."""
    brought = draft.brought()

    def has_document(collection: str, law_id: str) -> bool:
        stored = draft.number_of(collection, law_id)
        return stored is not None and stored[1] == FILE

    wanted = {
        key: document for key, document in reader.bundled.items() if comes_along(document, draft.has_law, has_document)
    }
    for key, (number, _, _) in brought.items():
        if key not in wanted:
            changed.note(index.remove(number, key[1]))
            draft.drop_document(number)
    for place, (key, document) in enumerate(wanted.items()):
        if key in brought and brought[key][2] == bundle:
            continue
        characters = sum(len(chunk["text"]) for chunk in document.chunks)
        source = _source(document, bundle)
        number = draft.put_document(_AFTER_FILES + place, document.kind, source, characters=characters)
        if document.kind == RECORD:
            changed.note(index.put(number, document.chunks))


_AFTER_FILES = 1 << 40
"""Position from which packaged documents are written, after those of files."""


def _source(document: BundledDocument, bundle: str) -> Source:
    return {
        "identity": f"{document.kind}:{document.id}",
        "collection": document.collection,
        "law_id": document.id,
        "title": document.title,
        "files": [],
        "staged": bundle,
        "provisions": 0,
        "parents": len(document.chunks),
        "skipped": [],
    }


def _agreement(staged: Staged) -> IndexedAgreement | None:
    first = staged.parents[0] if staged.parents else None
    if first is None or "agreement" not in first:
        return None
    return IndexedAgreement(first["law_id"], first["law_name"], first["agreement"])
