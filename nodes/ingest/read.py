"""Read new and changed documents, and split them into parent chunks."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.ingestion.incremental.base import IndexBase, Staged, Workspace
from articulado.ingestion.incremental.draft import Draft
from articulado.ingestion.index_models import IndexModels
from articulado.ingestion.reading import read_source
from articulado.ingestion.sources import unread_files
from articulado.ingestion.worker import in_order, in_thread
from articulado.language.translation import translate
from articulado.legal.wordings import last_change_of
from articulado.values.documents import Copy, Failure, Replaced, Source
from articulado.values.errors import InvalidInput
from nodes.stage import progress_of
from state.ingest import IngestState

STEP = "Leyendo documentos"


class ReadUpdate(TypedDict):
    """New and changed documents by title; their contents are in the draft."""

    added: list[str]
    updated: list[str]
    replaced: list[Replaced]
    copies: list[Copy]
    changed: bool
    failures: list[Failure]
    warnings: list[str]


async def read(state: IngestState, runtime: Runtime[None], *, base: IndexBase, models: IndexModels) -> ReadUpdate:
    """Stage every document that no earlier run has staged; an unreadable one keeps its indexed contents.

    Of two documents with the same id, the indexed one or else the first counts; equal ones are merged. Reads
    ``draft``, ``request``, ``removed``, ``with_packaged``, ``failures`` and ``warnings``.
    """
    progress, workspace = progress_of(runtime), base.workspace
    failures, warnings = list(state["failures"]), list(state["warnings"])
    # What the points of a server were made from may be on another machine; a rebuild needs it here.
    kept = base.settings.store == "server" and not state["request"].get("rebuild")
    kept = kept and await asyncio.to_thread(base.open) is not None
    async with base.draft(state["draft"]) as draft:
        to_read = await asyncio.to_thread(_take_unchanged, draft, workspace, kept=kept)
        total = await asyncio.to_thread(draft.planned_count)
        done = total - len(to_read)
        readings = in_order(
            in_thread((position, draft.planned_at(position)) for position in to_read),
            partial(_staged, workspace=workspace, models=models),
            base.settings.ingest_workers - 1,
        )
        async with aclosing(readings):
            async for (position, source), reading in readings:
                try:
                    staged, warned = reading.result()
                    document: Source | None = staged
                    warnings += warned
                except InvalidInput as error:
                    failures.append({"source": source["files"][0]["path"], "reason": str(error)})
                    document = await asyncio.to_thread(_as_indexed, draft, source, workspace, kept=kept)
                if document is not None:
                    failures += await asyncio.to_thread(_take, position, document, draft, workspace)
                done += 1
                progress(STEP, done, total)
        news = await asyncio.to_thread(_news, draft, workspace)
        if total and not news.taken and not state["removed"]:
            reasons = "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
            raise InvalidInput(translate("ingest.nothing_read", reasons=reasons))
        changed = bool(news.fresh or state["removed"] or state["request"].get("rebuild"))
        changed = changed or not await asyncio.to_thread(_is_current, draft, base, state["with_packaged"])
        # What another ingest has left to be linked again.
        changed = changed or await asyncio.to_thread(_has_unlinked, draft, workspace)
    return {
        "added": news.added,
        "updated": news.updated,
        "replaced": news.replaced,
        "copies": news.copies,
        "changed": changed,
        "failures": failures,
        "warnings": warnings,
    }


def _has_unlinked(draft: Draft, workspace: Workspace) -> bool:
    return any(workspace.has(staged) for _, _, staged in draft.to_relink())


@dataclass
class _News:
    taken: int = 0
    fresh: int = 0
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)


def _take_unchanged(draft: Draft, workspace: Workspace, *, kept: bool) -> list[int]:
    """Take the unchanged documents (with ``kept`` also of another machine); return the positions of the others."""
    to_read: list[int] = []
    for position, source in draft.planned():
        before = draft.source_named(source["identity"]) if source["law_id"] else None
        is_same = before is not None and before["staged"] == source["staged"]
        if is_same and (workspace.has(source["staged"]) or (kept and _moved(source))):
            draft.take(position, source)
        else:
            to_read.append(position)
    return to_read


def _news(draft: Draft, workspace: Workspace) -> _News:
    news = _News()
    for _, source in draft.planned(taken=True):
        news.taken += 1
        before = draft.source_named(source["identity"])
        if before is None:
            news.added.append(source["title"])
        elif _is_same(before, source):
            continue
        elif not _reads_alike(before, source, workspace):
            news.updated.append(source["title"])
        news.fresh += 1
        replaced, copies = unread_files(source)
        news.replaced += replaced
        news.copies += copies
    return news


async def _staged(planned: tuple[int, Source], workspace: Workspace, models: IndexModels) -> tuple[Source, list[str]]:
    _, source = planned
    warnings: list[str] = []
    staged = await asyncio.to_thread(workspace.staged, source["staged"])
    if staged is None:
        staged = await read_source(source, models)
        await asyncio.to_thread(workspace.stage, source["staged"], staged)
        warnings = [f"{source['files'][0]['path']}: {warning}" for warning in staged.warnings]
    return _described(source, staged), warnings


def _as_indexed(draft: Draft, source: Source, workspace: Workspace, *, kept: bool) -> Source | None:
    """Return the indexed entry of an unreadable document; raise ``InvalidInput`` if its staged text is gone."""
    before = draft.source_named(source["identity"])
    if before is not None and not kept and workspace.staged(before["staged"]) is None:
        raise InvalidInput(
            translate(
                "ingest.source_gone", title=before["title"], path=before["files"][0]["path"], law_id=before["law_id"]
            )
        )
    return before


def _take(position: int, document: Source, draft: Draft, workspace: Workspace) -> list[Failure]:
    twin = draft.taken(document["collection"], document["law_id"])
    if twin is None:
        draft.take(position, document)
        return document["skipped"]
    place, other = twin
    if _moved(other):
        draft.untake(place)
        draft.take(position, document)
        return document["skipped"]
    if _same_text(other, document, workspace):
        draft.take(place, {**other, "files": [*other["files"], *document["files"]]})
        return []
    return [_duplicate(document, other)]


def _moved(source: Source) -> bool:
    return not any(Path(file["path"]).exists() for file in source["files"])


def _same_text(source: Source, other: Source, workspace: Workspace) -> bool:
    first, second = workspace.staged(source["staged"]), workspace.staged(other["staged"])
    if first is None or second is None:  # read on another machine
        return False
    return [chunk["text"] for chunk in first.parents] == [chunk["text"] for chunk in second.parents]


def _is_same(indexed: Source, source: Source) -> bool:
    return indexed["staged"] == source["staged"] and _paths(indexed) == _paths(source)


def _paths(source: Source) -> set[str]:
    return {file["path"] for file in source["files"]}


def _reads_alike(indexed: Source, source: Source, workspace: Workspace) -> bool:
    """Tell if a document read anew has the indexed contents, apart from skipped files and warnings."""
    old, new = workspace.staged(indexed["staged"]), workspace.staged(source["staged"])
    return (
        old is not None
        and new is not None
        and replace(old, skipped=[], warnings=[]) == replace(new, skipped=[], warnings=[])
    )


def _is_current(draft: Draft, base: IndexBase, with_packaged: bool) -> bool:
    as_made = draft.packaged == with_packaged and draft.made_with == base.made_with()
    return as_made and base.open() is not None


def _described(source: Source, staged: Staged) -> Source:
    return {
        **source,
        "collection": staged.collection,
        "law_id": staged.law_id,
        "title": staged.title,
        "provisions": staged.provisions,
        "parents": len(staged.parents),
        "skipped": staged.skipped,
        "last_change": max(filter(None, map(last_change_of, staged.parents)), default=None),
    }


def _duplicate(source: Source, kept: Source) -> Failure:
    reason = translate("ingest.same_document", law_id=kept["law_id"], path=kept["files"][0]["path"])
    return {"source": source["files"][0]["path"], "reason": reason}
