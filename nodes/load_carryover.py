"""Load the chunks that the last answer rests on."""

from collections.abc import Mapping

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.fusion import candidate
from articulado.values.answers import StoreName
from articulado.values.chunks import Candidate
from articulado.values.protocols import ChunkStore, Fusion
from nodes.validation import checked_ids
from state.context import ResolvedContext
from state.rag import RagState

CARRYOVER_SHARE = 0.5  # Weight of the last answer as a ranking, if those of a search weigh 1 together


class LoadCarryoverUpdate(TypedDict):
    """The carried-over candidates, and ids that the index no longer has."""

    carried: list[Candidate]
    missing_carried: list[int]


async def load_carryover(
    state: RagState, runtime: Runtime[ResolvedContext], *, stores: Mapping[StoreName, ChunkStore], fusion: Fusion
) -> LoadCarryoverUpdate:
    """Fetch ``previous_chunk_ids`` of the caller, else ``context_chunk_ids`` of the thread.

    The chunk at zero-based rank r scores 0.5 · k / (k + r), with ``k`` of the ``fusion`` (``articulado.store.rrf``).
    The store follows from the options: the stage that writes ``store`` runs at the same time.
    """
    previous = state.get("previous_chunk_ids")
    ids = checked_ids(previous if previous is not None else state.get("context_chunk_ids", []))
    chunks = await stores[runtime.context.store].fetch(ids) if ids else []
    indexed = {chunk["id"] for chunk in chunks}
    return {
        "carried": [
            candidate(chunk, CARRYOVER_SHARE * fusion.k / (fusion.k + place), "carryover")
            for place, chunk in enumerate(chunks)
        ],
        "missing_carried": [chunk_id for chunk_id in ids if chunk_id not in indexed],
    }
