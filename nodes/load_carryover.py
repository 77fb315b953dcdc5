"""Bring back the chunks that the last answer rested on."""

from collections.abc import Mapping

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.validation import checked_ids
from services.protocols import ChunkStore
from state.candidates import candidate
from state.chunks import Candidate
from state.context import ResolvedContext, StoreName
from state.rag import RagState

CARRYOVER_SCORE = 0.5


class LoadCarryoverUpdate(TypedDict):
    """The carried-over candidates, and the ids that the index no longer has."""

    carried: list[Candidate]
    missing_carried: list[int]


async def load_carryover(
    state: RagState, runtime: Runtime[ResolvedContext], *, stores: Mapping[StoreName, ChunkStore]
) -> LoadCarryoverUpdate:
    """Fetch the caller's ``previous_chunk_ids``, or else the thread's own, with a fixed score.

    The store is that of the run's options: this stage runs beside the one that writes it into the state.

    Raises:
        InvalidInput: an id is not one that articulado gives out.
    """
    previous = state.get("previous_chunk_ids")
    ids = checked_ids(previous if previous is not None else state.get("context_chunk_ids", []))
    chunks = await stores[runtime.context.store].fetch(ids) if ids else []
    indexed = {chunk["id"] for chunk in chunks}
    return {
        "carried": [candidate(chunk, CARRYOVER_SCORE, "carryover") for chunk in chunks],
        "missing_carried": [chunk_id for chunk_id in ids if chunk_id not in indexed],
    }
