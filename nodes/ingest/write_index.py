"""Write what has changed into a new generation of the index, and serve it."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.chunking.children import children_of
from ingestion.context.request import ContextPrompt
from ingestion.incremental.base import IndexBase, context_cache
from ingestion.incremental.catalog import Catalog, read_catalog
from ingestion.incremental.digests import profile_digest
from ingestion.incremental.workspace import Workspace
from ingestion.indexing.build import describe, write_entries
from ingestion.indexing.entries import Entry, entries_of
from ingestion.indexing.parents import Parents, parents_of
from ingestion.sources import BOE
from legal.laws.registry import known_laws
from nodes.stage import progress_of
from services.container import IngestServices
from services.corpus.chunks import RECORD
from services.corpus.schema import LawRecord
from services.factory import check_models
from services.profile.profile import Profile
from services.settings import Settings
from services.store.agreements import agreements_of, save_agreements
from services.store.builder import IndexBuilder, digest
from services.store.manifest import Index
from services.store.points import Points
from state.chunks import Chunk
from state.ingest import IngestState, Source, StaleRecord

MAX_CHANGED = 0.2
"""Share of the points that may change, in one run or in several, before the models are fitted to the new texts."""


class WriteIndexUpdate(TypedDict, total=False):
    """Whether the documents must be looked at again, or else what was written."""

    stale: bool
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]


async def write_index(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, services: IngestServices
) -> WriteIndexUpdate:
    """Compare all points with those of the index, write the difference, and serve the result.

    Raises:
        ConfigurationError, StoreUnavailable, ModelError: it could not be written; the old index is still served.
    """
    settings, profile, progress = services.settings, services.profile, progress_of(runtime)
    check_models(settings)
    progress("Preparando fragmentos", 0, 0)
    parents = await asyncio.to_thread(parents_of, state, base.workspace, profile)
    entries = await asyncio.to_thread(_entries, parents, settings, profile)
    async with IndexBuilder(settings.index_folder, services.writer) as builder:
        served = await asyncio.to_thread(base.generation)
        if (served.name if served else "") != state["base"]:
            return {"stale": True}
        continued, drift = await asyncio.to_thread(_continued, state, entries, base)
        counts = await write_entries(builder, entries, services, base=continued, progress=progress)
        catalog = Catalog(
            made_with=await asyncio.to_thread(base.made_with),
            profile=await asyncio.to_thread(profile_digest, profile),
            sources=state["sources"],
            drift=drift,
            resolved=state["resolved"],
            unresolved=state["unresolved"],
            summaries=parents.summaries,
            stale=[_stale(record) for record in parents.stale],
            packaged=state["with_packaged"],
            record_laws=_record_laws(parents.chunks),
        )
        await asyncio.to_thread(catalog.save, builder.folder)
        await asyncio.to_thread(save_agreements, builder.folder, agreements_of(parents.chunks))
        ids = {(chunk["collection"], chunk["law_id"]) for chunk in parents.chunks}
        documents = Counter(collection for collection, _ in ids)
        origin = _origin(state["sources"], catalog.record_laws)
        description = describe(settings, profile, source=origin, documents=dict(documents))
        index = await builder.commit(description)
        await asyncio.to_thread(_clean, state, base.workspace)
    return {
        "stale": False,
        "generation": index.folder.name,
        "counts": {"written": counts.written, "deleted": counts.deleted},
        "documents": dict(documents),
    }


def _entries(parents: Parents, settings: Settings, profile: Profile) -> list[Entry]:
    sentences: dict[int, str] = {}
    if settings.chunk_context == "reader":
        pairs = [(parent, child) for parent in parents.chunks for child in children_of(parent)]
        keys = ContextPrompt.of(profile).keyed(pairs, settings.reader.name)
        with context_cache(settings) as cache:
            cached = cache.get_many([key for key, _ in keys])
        sentences = {child["id"]: cached.get(key, "") for key, (_, child) in keys}
    offline = settings.embedder.provider == "offline"
    return list(entries_of(parents.chunks, parents.lay_phrasings, settings.chunk_context, sentences, in_whole=offline))


def _record_laws(chunks: Sequence[Chunk]) -> list[str]:
    """Return the laws that are there as packaged records alone."""
    records = (chunk for chunk in chunks if chunk["strategy"] == RECORD and chunk["chunk_type"] == "provision")
    return list(dict.fromkeys(chunk["law_id"] for chunk in records))


def _stale(record: LawRecord) -> StaleRecord:
    law = known_laws()[record.law_id]
    day = record.written_against.date.isoformat()
    return {"law_id": law.id, "law": law.short, "provision": record.provision, "written_against": day}


def _continued(state: IngestState, entries: Sequence[Entry], base: IndexBase) -> tuple[Index | None, int]:
    """Return the index to continue, and how many of its points will have changed since its models were fitted.

    It is begun anew where its points are of no use, where too many have changed, or where that is asked for.
    """
    served = None if state["request"].get("rebuild") else base.open()
    if served is None:
        return None, 0
    indexed = {point.id: point.digest for point in Points.load(served.folder)}
    new = {entry.chunk["id"]: digest(entry.chunk) for entry in entries}
    changed = sum(indexed.get(point) != value for point, value in new.items()) + len(indexed.keys() - new.keys())
    drift = read_catalog(served.folder).drift + changed
    return (served, drift) if drift <= MAX_CHANGED * len(new) else (None, 0)


def _origin(sources: Sequence[Source], record_laws: Sequence[str]) -> str:
    """Return in Spanish where the documents came from, and that some laws are packaged records."""
    roots = dict.fromkeys(file["root"] for source in sources for file in source["files"])
    folders = [root for root in roots if not root.startswith(f"{BOE}:")]
    downloaded = len(roots) - len(folders)
    gazette = [f"BOE ({downloaded} normas)"] if downloaded else []
    records = [f"resúmenes incluidos en articulado ({len(record_laws)} normas)"] if record_laws else []
    return ", ".join([*folders, *gazette, *records])


def _clean(state: IngestState, workspace: Workspace) -> None:
    """Remove what neither this generation nor an ingest of the last day has use for."""
    workspace.clean({state["links"], *(source["staged"] for source in state["sources"])})
