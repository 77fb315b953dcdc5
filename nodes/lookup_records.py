"""Look the question up in the packaged records: the way that needs neither index nor embedder."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.candidates import candidate
from services.records import PackagedRecords
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState

MAX_RECORDS = 10


class LookupRecordsUpdate(TypedDict):
    """The records found."""

    found: list[Candidate]


async def lookup_records(
    state: RagState, runtime: Runtime[ResolvedContext], *, records: PackagedRecords
) -> LookupRecordsUpdate:
    """Find records by the provisions and the words of the question."""
    hits = records.lookup(state["question"], state["analysis"]["provisions"], MAX_RECORDS)
    return {"found": [candidate(hit.chunk, hit.score, "records", state["question"]) for hit in hits]}
