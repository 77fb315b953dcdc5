"""Read the documents that are new or changed, and cut them into parents."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.ahead import in_order
from ingestion.editions import names_of, unread_files
from ingestion.incremental.base import IndexBase
from ingestion.incremental.catalog import Catalog
from ingestion.incremental.workspace import Staged, Workspace
from ingestion.source_reader import read_source
from language.current import say
from nodes.stage import progress_of
from services.container import IngestServices
from state.errors import InvalidInput
from state.ingest import Copy, Failure, IngestState, Replaced, Source

STEP = "Leyendo documentos"


class ReadUpdate(TypedDict):
    """The documents that can be read, with what they are."""

    sources: list[Source]
    added: list[str]
    updated: list[str]
    replaced: list[Replaced]
    copies: list[Copy]
    changed: bool
    failures: list[Failure]
    warnings: list[str]


async def read(state: IngestState, runtime: Runtime[None], *, base: IndexBase, services: IngestServices) -> ReadUpdate:
    """Stage every document that is not staged yet; what an earlier run has staged is not read again.

    A document that cannot be read keeps what the index has of it. Of two documents of the same id the first counts; if
    they say the same, they are one.

    Raises:
        InvalidInput: nothing at all can be read, and nothing is left of the index.
        ConfigurationError: the folder of the index cannot be used.
        ModelError: a provider's embedder, which finds where running text may be cut, has failed.
    """
    progress, workspace = progress_of(runtime), base.workspace
    catalog = await asyncio.to_thread(base.catalog, state["request"])
    before = {name: source for source in catalog.sources for name in names_of(source)}
    failures, warnings = list(state["failures"]), list(state["warnings"])
    documents: dict[tuple[str, str], Source] = {}
    done = 0
    readings = in_order(
        state["sources"],
        partial(_staged, workspace=workspace, services=services),
        services.settings.ingest_workers - 1,
    )
    async with aclosing(readings):
        async for source, reading in readings:
            try:
                staged, warned = reading.result()
                document: Source | None = staged
                warnings += warned
            except InvalidInput as error:
                failures.append({"source": source["files"][0]["path"], "reason": str(error)})
                document = await _as_indexed(before.get(source["identity"]), workspace)
            if document is not None:
                failures += await asyncio.to_thread(_take, document, documents, workspace)
            done += 1
            progress(STEP, done, len(state["sources"]))
    if state["sources"] and not documents and not state["removed"]:
        reasons = "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
        raise InvalidInput(say("ingest.nothing_read", reasons=reasons))
    sources = list(documents.values())
    added = [source["title"] for source in sources if source["identity"] not in before]
    fresh = [source for source in sources if not _is_same(before.get(source["identity"]), source)]
    updated = [
        source["title"]
        for source in fresh
        if (indexed := before.get(source["identity"]))
        and not await asyncio.to_thread(_reads_alike, indexed, source, workspace)
    ]
    unread = [await asyncio.to_thread(unread_files, source) for source in fresh]
    changed = bool(fresh or state["removed"] or state["request"].get("rebuild"))
    changed = changed or state["with_packaged"] != catalog.packaged
    changed = changed or not await asyncio.to_thread(_is_current, catalog, base)
    return {
        "sources": sources,
        "added": added,
        "updated": updated,
        "replaced": [text for replaced, _ in unread for text in replaced],
        "copies": [copy for _, copies in unread for copy in copies],
        "changed": changed,
        "failures": failures,
        "warnings": warnings,
    }


async def _staged(source: Source, workspace: Workspace, services: IngestServices) -> tuple[Source, list[str]]:
    """Return a document with what was read of it, now or before, and the warnings of what is read now."""
    warnings: list[str] = []
    staged = await asyncio.to_thread(workspace.staged, source["staged"])
    if staged is None:
        staged = await read_source(source, services)
        await asyncio.to_thread(workspace.stage, source["staged"], staged)
        warnings = [f"{source['files'][0]['path']}: {warning}" for warning in staged.warnings]
    return _described(source, staged), warnings


async def _as_indexed(source: Source | None, workspace: Workspace) -> Source | None:
    """Return a document that can no longer be read as the index has it; ``None`` where it has not.

    Raises:
        InvalidInput: what was read of it is gone, too.
    """
    if source is not None and await asyncio.to_thread(workspace.staged, source["staged"]) is None:
        raise InvalidInput(
            say("ingest.source_gone", title=source["title"], path=source["files"][0]["path"], law_id=source["law_id"])
        )
    return source


def _take(document: Source, documents: dict[tuple[str, str], Source], workspace: Workspace) -> list[Failure]:
    """Add a document to those that were read, by collection and id; return what of it is not taken."""
    key = document["collection"], document["law_id"]
    twin = documents.get(key)
    if twin is None or _moved(twin):
        documents[key] = document
        return document["skipped"]
    if _same_text(twin, document, workspace):
        documents[key] = {**twin, "files": [*twin["files"], *document["files"]]}
        return []
    return [_duplicate(document, twin)]


def _moved(source: Source) -> bool:
    """Tell whether a document has left the place where it was found."""
    return not any(Path(file["path"]).exists() for file in source["files"])


def _same_text(source: Source, other: Source, workspace: Workspace) -> bool:
    """Tell whether two documents of the same id say the same: then they are one, whatever their files are."""
    one, two = workspace.document(source["staged"]), workspace.document(other["staged"])
    return [chunk["text"] for chunk in one.parents] == [chunk["text"] for chunk in two.parents]


def _is_same(indexed: Source | None, source: Source) -> bool:
    """Tell whether the index has a document as it is, from the same files."""
    return indexed is not None and indexed["staged"] == source["staged"] and _paths(indexed) == _paths(source)


def _paths(source: Source) -> set[str]:
    return {file["path"] for file in source["files"]}


def _reads_alike(indexed: Source, source: Source, workspace: Workspace) -> bool:
    """Tell whether a document that was read anew says what the index has of it, as with an older text beside it."""
    old, new = workspace.staged(indexed["staged"]), workspace.staged(source["staged"])
    return (
        old is not None
        and new is not None
        and replace(old, skipped=[], warnings=[]) == replace(new, skipped=[], warnings=[])
    )


def _is_current(catalog: Catalog, base: IndexBase) -> bool:
    return base.open() is not None and catalog.made_with == base.made_with()


def _described(source: Source, staged: Staged) -> Source:
    return {
        **source,
        "collection": staged.collection,
        "law_id": staged.law_id,
        "title": staged.title,
        "provisions": staged.provisions,
        "parents": len(staged.parents),
        "skipped": staged.skipped,
        "last_change": max((chunk["valid_from"] or "" for chunk in staged.parents), default="") or None,
    }


def _duplicate(source: Source, kept: Source) -> Failure:
    reason = say("ingest.same_document", law_id=kept["law_id"], path=kept["files"][0]["path"])
    return {"source": source["files"][0]["path"], "reason": reason}
