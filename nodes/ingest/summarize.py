"""Report what was done."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from ingestion.incremental.base import IndexBase
from services.store.manifest import Index
from services.store.points import Points
from state.ingest import IngestReport, IngestState

LAWS = "normativa"
"""The collection of laws."""


class SummarizeUpdate(TypedDict):
    """The report."""

    report: IngestReport


async def summarize(state: IngestState, runtime: Runtime[None], *, base: IndexBase) -> SummarizeUpdate:
    """Report what the index has now, what has changed, which citations lead nowhere and what was left out."""
    served = await asyncio.to_thread(base.open)
    catalog = await asyncio.to_thread(base.catalog, {})
    parents, children = await asyncio.to_thread(_counted, served)
    counts = state["counts"]
    documents = state["documents"] or (served.manifest.documents if served else {})
    return {
        "report": {
            "index": str(base.settings.index_folder),
            "generation": state["generation"] or (served.folder.name if served else ""),
            "documents": documents,
            "official_laws": documents.get(LAWS, 0) - len(catalog.record_laws),
            "record_laws": len(catalog.record_laws),
            "provisions": sum(source["provisions"] for source in state["sources"]),
            "parents": parents,
            "children": children,
            "added": state["added"],
            "updated": state["updated"],
            "removed": state["removed"],
            "unchanged": len(state["sources"]) - len(state["added"]) - len(state["updated"]),
            "replaced": state["replaced"],
            "copies": state["copies"],
            "written": counts.get("written", 0),
            "deleted": counts.get("deleted", 0),
            "resolved": catalog.resolved,
            "unresolved": catalog.unresolved,
            "examples": state["examples"],
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
    }


def _counted(served: Index | None) -> tuple[int, int]:
    """Return how many parents and how many children an index has."""
    points = list(Points.load(served.folder)) if served else []
    parents = sum(point.id == point.parent for point in points)
    return parents, len(points) - parents
