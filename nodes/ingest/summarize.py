"""Summarize the run in an ingestion report."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.ingestion.incremental.base import IndexBase
from articulado.ingestion.indexing.parents import MAX_EXAMPLES
from state.ingest import IngestReport, IngestState

LAWS = "normativa"


class SummarizeUpdate(TypedDict):
    """The report."""

    report: IngestReport


async def summarize(state: IngestState, runtime: Runtime[None], *, base: IndexBase) -> SummarizeUpdate:
    """Write the report. Reads all keys of the run."""
    return await asyncio.to_thread(_summary, state, base)


def _summary(state: IngestState, base: IndexBase) -> SummarizeUpdate:
    served = base.open()
    with base.catalog({}) as catalog:
        counts = state["counts"]
        documents = state["documents"] or (served.manifest.documents if served else {})
        parents, children = catalog.points()
        record_laws = len(catalog.record_laws)
        report: IngestReport = {
            "index": str(base.settings.index_folder),
            "generation": state["generation"] or (served.folder.name if served else ""),
            "documents": documents,
            "official_laws": documents.get(LAWS, 0) - record_laws,
            "record_laws": record_laws,
            "provisions": catalog.provisions(),
            "parents": parents,
            "children": children,
            "added": state["added"],
            "updated": state["updated"],
            "removed": state["removed"],
            "unchanged": catalog.count() - len(state["added"]) - len(state["updated"]),
            "replaced": state["replaced"],
            "copies": state["copies"],
            "written": counts.get("written", 0),
            "deleted": counts.get("deleted", 0),
            "resolved": catalog.resolved,
            "unresolved": catalog.unresolved,
            "examples": catalog.examples(MAX_EXAMPLES) if state["generation"] else [],
            "summaries": catalog.summaries,
            "stale": catalog.stale,
            "checked": state["checked"],
            "unchecked": state["unchecked"],
            "shrunk": state["shrunk"],
            "skipped": state["skipped"],
            "failures": state["failures"],
            "warnings": list(dict.fromkeys(state["warnings"])),
            "seconds": state["seconds"],
        }
    base.discard_draft(state["draft"])
    return {"report": report}
