"""Resolve the citations of all documents to the chunks that they cite."""

import asyncio
from collections import Counter

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.bundled import legal_basis, packaged_laws
from ingestion.incremental.workspace import Workspace, key_of
from ingestion.links.references import UnresolvedCitation, current_chunk_ids, resolve_refs
from legal.laws.registry import known_laws
from nodes.stage import progress_of
from services.profile.profile import Profile
from state.chunks import Chunk
from state.ingest import IngestState, Unresolved

STEP = "Enlazando citas"
MAX_EXAMPLES = 20
"""Citations that lead nowhere and are named in the report; the rest is counted."""


class LinkUpdate(TypedDict):
    """Where the references are, and how many there are."""

    links: str
    resolved: int
    unresolved: dict[str, int]
    examples: list[Unresolved]


async def link(state: IngestState, runtime: Runtime[None], *, workspace: Workspace, profile: Profile) -> LinkUpdate:
    """Link every parent to what its text cites, each decision to what it interprets, each article to what it rests on.

    Citations are read where the profile is of Spanish law, and lead to the packaged records of a law where its text is
    not there. All documents take part, the unchanged ones too: what they cite may have come, gone or been cut anew.
    """
    progress_of(runtime)(STEP, 0, 0)
    return await asyncio.to_thread(_link, state, workspace, profile)


def _link(state: IngestState, workspace: Workspace, profile: Profile) -> LinkUpdate:
    chunks: list[Chunk] = []
    interprets: dict[int, list[tuple[str, str]]] = {}
    for source in state["sources"]:
        staged = workspace.document(source["staged"])
        chunks += staged.parents
        interprets |= {chunk["id"]: [*staged.interprets, *legal_basis(chunk)] for chunk in staged.parents}
    unresolved: list[UnresolvedCitation] = []
    records = packaged_laws(chunks, profile) if state["with_packaged"] else []
    resolved = resolve_refs(chunks, unresolved, records=records, citations=profile.features.spanish_law)
    refs = {chunk["id"]: chunk["refs"] for chunk in resolved}
    ids = current_chunk_ids({ref for provisions in interprets.values() for ref in provisions}, [*chunks, *records])
    for chunk_id, provisions in interprets.items():
        refs[chunk_id] = list(dict.fromkeys([*(ids[ref] for ref in provisions if ref in ids), *refs[chunk_id]]))
    key = key_of("links", [source["staged"] for source in state["sources"]], [chunk["id"] for chunk in records])
    workspace.link(key, refs)
    by_id = {chunk["id"]: chunk for chunk in chunks}
    return {
        "links": key,
        "resolved": sum(map(len, refs.values())),
        "unresolved": dict(Counter(citation.cause for citation in unresolved)),
        "examples": [_example(citation, by_id[citation.chunk_id]) for citation in unresolved[:MAX_EXAMPLES]],
    }


def _example(unresolved: UnresolvedCitation, chunk: Chunk) -> Unresolved:
    citation = unresolved.citation
    law = known_laws().get(citation.law_id or "")
    return {
        "source": f"{chunk['law_name']}, {chunk['provision']}",
        "cited": f"{law.short if law else citation.law_id or '?'}, {citation.provision_key}",
        "cause": unresolved.cause,  # type: ignore[typeddict-item]
    }
