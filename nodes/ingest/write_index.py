"""Write the changes into a new generation of the index, and publish it."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.guides.known_questions import prepare
from articulado.ingestion.incremental.base import IndexBase, Workspace, context_cache
from articulado.ingestion.incremental.catalog import read_catalog
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.index_models import IndexModels, check_models
from articulado.ingestion.indexing.build import WriteCounts, describe, fit, is_fitted, save_words, write_changes
from articulado.ingestion.indexing.changes import (
    DocumentEntries,
    Entry,
    WordStatistics,
    changes,
    leave_unread,
    mark_owners,
    without_owner,
)
from articulado.ingestion.indexing.parents import DocumentReader
from articulado.ingestion.sources import BOE
from articulado.language.known_words import words_of_index
from articulado.language.translation import translate
from articulado.legal.domain.base import Lexicon, WordCount
from articulado.store.builder import IndexBuilder
from articulado.store.files import move_durably
from articulado.store.generations import CATALOG
from articulado.store.layout import save_agreements
from articulado.store.opening import open_index
from articulado.store.writer import WriterFactory
from articulado.values.errors import ConfigurationError, ModelError
from articulado.values.protocols import Progress
from nodes.stage import progress_of
from state.ingest import IngestState

REFIT_DUE = 0.2
"""Share of changed points since the encoder was fitted from which a refit is due."""

CHARACTERS_PER_POINT = 160
"""Characters of text per point (parents and children), a low estimate."""


class WriteIndexUpdate(TypedDict, total=False):
    """``stale`` if another ingest has published meanwhile, else the counts of written points."""

    stale: bool
    generation: str
    counts: dict[str, int]
    documents: dict[str, int]
    warnings: list[str]


async def write_index(
    state: IngestState, runtime: Runtime[None], *, base: IndexBase, models: IndexModels, writer: WriterFactory
) -> WriteIndexUpdate:
    """Compare the changed documents with the points of the index, write the difference, and publish it.

    An index has one writer at a time: if another ingest has published meanwhile, ``stale`` is set. If writing fails,
    the old index stays in use. Reads ``base``, ``draft``, ``request``, ``with_packaged`` and ``warnings``.
    """
    settings, profile, progress = base.settings, base.profile, progress_of(runtime)
    check_models(settings)
    progress("Preparando fragmentos", 0, 0)
    async with AsyncExitStack() as stack:
        builder = await stack.enter_async_context(IndexBuilder(settings.index_folder, writer))
        await base.bring_up_to_date(rebuild=bool(state["request"].get("rebuild")))
        served = await asyncio.to_thread(base.generation)
        if (served.name if served else "") != state["base"]:
            await asyncio.to_thread(base.discard_draft, state["draft"])
            return {"stale": True}
        async with base.draft(state["draft"]) as draft:
            counts = await _write(state, draft, builder, base, models, progress)
            refit = await asyncio.to_thread(_note_drift, draft, counts, builder.points, profile)
            left = await asyncio.to_thread(draft.left)
            contents = await asyncio.to_thread(_finish, draft, builder.folder)
        await asyncio.to_thread(move_durably, base.drafts / state["draft"], builder.folder / CATALOG)
        await asyncio.to_thread(base.discard_draft, state["draft"])
        documents = contents.documents
        index = await builder.commit(describe(settings, profile, source=contents.origin, documents=documents))
        await asyncio.to_thread(_clean, index.folder, base.workspace)
    unprepared = await asyncio.to_thread(_encode_known_questions, base, progress)
    return {
        "stale": False,
        "generation": index.folder.name,
        "counts": {"written": counts.written, "deleted": counts.deleted},
        "documents": documents,
        "warnings": [
            *state["warnings"],
            *refit,
            *unprepared,
            *([translate("ingest.left_to_others", count=left)] if left else []),
        ],
    }


def _encode_known_questions(base: IndexBase, progress: Progress) -> list[str]:
    if not base.profile.features.spanish_law:
        return []
    try:
        prepare(base.settings, progress)
    except (ConfigurationError, ModelError) as error:
        return [str(error)]
    return []


async def _write(
    state: IngestState,
    draft: Draft,
    builder: IndexBuilder,
    base: IndexBase,
    models: IndexModels,
    progress: Progress,
) -> WriteCounts:
    settings, profile = models.settings, models.profile
    stored, count = None, WordCount()
    if await asyncio.to_thread(draft.fact, "continues"):
        index = await asyncio.to_thread(open_index, settings.index_folder)
        stored = await builder.continue_from(index)
        await asyncio.to_thread(mark_owners, draft, stored.foreign)
        await asyncio.to_thread(leave_unread, draft, base.workspace)
        lexicon = await asyncio.to_thread(Lexicon.load, builder.models)
        words = await asyncio.to_thread(words_of_index, builder.models)
        count = WordCount(lexicon.texts, lexicon.frequencies, words)
    reader = DocumentReader(draft, base.workspace, profile, packaged=state["with_packaged"])
    async with AsyncExitStack() as stack:
        cache = None
        if settings.chunk_context == "reader":
            cache = await asyncio.to_thread(context_cache, settings)
            stack.push_async_callback(asyncio.to_thread, cache.close)
        documents = DocumentEntries(reader, settings, profile, cache)
        if stored is None:
            await fit(builder, lambda: _all_entries(draft, documents), models, progress=progress)
        statistics = WordStatistics(profile, models.domain, count)
        expected = await asyncio.to_thread(draft.characters_to_write) // CHARACTERS_PER_POINT
        counts = await write_changes(
            builder,
            changes(draft, documents, statistics, stored),
            models,
            # Of a document that is compared, mostly little is written.
            expected=expected if stored is None else 0,
            progress=progress,
        )
    strays = await asyncio.to_thread(without_owner, draft, stored.foreign) if stored is not None else []
    await builder.remove(strays)
    await asyncio.to_thread(save_words, statistics.count, profile, builder.models)
    await asyncio.to_thread(draft.forget_gone)
    return replace(counts, deleted=counts.deleted + len(strays))


def _all_entries(draft: Draft, documents: DocumentEntries) -> Iterator[Entry]:
    for row in draft.to_write():
        yield from documents.of(row)


def _note_drift(draft: Draft, counts: WriteCounts, points: int, profile: Profile) -> list[str]:
    """Add up the changes since the encoder was fitted; return a warning if a refit is due."""
    continues = bool(draft.fact("continues"))
    drift = draft.drift + counts.written + counts.deleted if continues else 0
    draft.note(drift=str(drift))
    if not is_fitted(profile) or drift <= REFIT_DUE * points:
        return []
    return [translate("ingest.refit_due", share=round(100 * drift / points))]


class _Contents(NamedTuple):
    documents: dict[str, int]
    origin: str


def _finish(draft: Draft, generation: Path) -> _Contents:
    save_agreements(generation, draft.agreements())
    contents = _Contents(draft.documents(), _origin(draft.roots(), draft.record_laws))
    draft.finish()
    return contents


def _origin(roots: Iterable[str], record_laws: Sequence[str]) -> str:
    folders: list[str] = []
    downloaded = 0
    for root in roots:
        if root.startswith(f"{BOE}:"):
            downloaded += 1
        else:
            folders.append(root)
    gazette = [f"BOE ({downloaded} normas)"] if downloaded else []
    records = [f"resúmenes incluidos en articulado ({len(record_laws)} normas)"] if record_laws else []
    return ", ".join([*folders, *gazette, *records])


def _clean(generation: Path, workspace: Workspace) -> None:
    """Remove staged files that neither this generation nor an ingest of the last day uses."""
    with read_catalog(generation) as catalog:
        workspace.clean(catalog.is_staged)
