"""Look the question up in the packaged records, without index or embedder."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.fusion import candidate
from articulado.store.records.lookup import PackagedRecords
from articulado.values.answers import whole_text
from articulado.values.chunks import Candidate, provision_of
from state.context import ResolvedContext
from state.rag import RagState

MAX_RECORDS = 10


class LookupRecordsUpdate(TypedDict):
    """The matching records."""

    found: list[Candidate]


async def lookup_records(
    state: RagState, runtime: Runtime[ResolvedContext], *, records: PackagedRecords
) -> LookupRecordsUpdate:
    """Find records by the provisions and the words of the question. Reads ``question``."""
    question = state["turn_question"]
    named = [(provision["law_id"], provision["provision_key"]) for provision in question["provisions"]]
    hits = records.lookup(whole_text(question), question["provisions"], MAX_RECORDS)
    return {
        "found": [
            candidate(
                hit.chunk, hit.score, "direct" if provision_of(hit.chunk) in named else "records", state["question"]
            )
            for hit in hits
        ]
    }
