"""Read the documents that are new or changed, and cut them into parents."""

import asyncio
from pathlib import Path

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.incremental.base import IndexBase
from ingestion.incremental.catalog import Catalog
from ingestion.incremental.workspace import Staged, Workspace
from ingestion.reading import read_source
from language.current import say
from nodes.stage import progress_of
from services.container import IngestServices
from state.errors import InvalidInput
from state.ingest import Failure, IngestState, Source

STEP = "Leyendo documentos"


class ReadUpdate(TypedDict):
    """The documents that can be read, with what they are."""

    sources: list[Source]
    added: list[str]
    updated: list[str]
    changed: bool
    failures: list[Failure]


async def read(state: IngestState, runtime: Runtime[None], *, base: IndexBase, services: IngestServices) -> ReadUpdate:
    """Stage every document that is not staged yet; what an earlier run has staged is not read again.

    A document that cannot be read keeps what the index has of it. Of two sources of the same document the first counts.

    Raises:
        InvalidInput: nothing at all can be read, and nothing is left of the index.
        ConfigurationError: the folder of the index cannot be used.
        ModelError: a provider's embedder, which finds where running text may be cut, has failed.
    """
    progress, workspace = progress_of(runtime), base.workspace
    catalog = await asyncio.to_thread(base.catalog, state["request"])
    before = {source["identity"]: source for source in catalog.sources}
    failures = list(state["failures"])
    documents: dict[tuple[str, str], Source] = {}
    for done, source in enumerate(state["sources"], start=1):
        try:
            document: Source | None = await _staged(source, workspace, services)
        except InvalidInput as error:
            failures.append({"source": source["files"][0]["path"], "reason": str(error)})
            document = await _as_indexed(before.get(source["identity"]), workspace)
        if document is not None:
            key = document["collection"], document["law_id"]
            if key in documents and not await asyncio.to_thread(_moved, documents[key]):
                failures.append(_duplicate(document, documents[key]))
            else:
                documents[key] = document
                failures += document["skipped"]
        progress(STEP, done, len(state["sources"]))
    if state["sources"] and not documents and not state["removed"]:
        reasons = "; ".join(f"{failure['source']}: {failure['reason']}" for failure in failures)
        raise InvalidInput(say("ingest.nothing_read", reasons=reasons))
    sources = list(documents.values())
    added = [source["title"] for source in sources if source["identity"] not in before]
    updated = [
        source["title"] for source in sources if before.get(source["identity"], source)["staged"] != source["staged"]
    ]
    changed = bool(added or updated or state["removed"] or state["request"].get("rebuild"))
    changed = changed or not await asyncio.to_thread(_is_current, catalog, base)
    return {"sources": sources, "added": added, "updated": updated, "changed": changed, "failures": failures}


async def _staged(source: Source, workspace: Workspace, services: IngestServices) -> Source:
    """Return a document with what was read of it, now or before."""
    staged = await asyncio.to_thread(workspace.staged, source["staged"])
    if staged is None:
        staged = await read_source(source, services)
        await asyncio.to_thread(workspace.stage, source["staged"], staged)
    return _described(source, staged)


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


def _moved(source: Source) -> bool:
    """Tell whether a document has left the place where it was found."""
    return not any(Path(file["path"]).exists() for file in source["files"])


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
    }


def _duplicate(source: Source, kept: Source) -> Failure:
    reason = say("ingest.same_document", law_id=kept["law_id"], path=kept["files"][0]["path"])
    return {"source": source["files"][0]["path"], "reason": reason}
