"""Load the chunks on which the last answer was based.

They come from the caller's ``previous_chunk_ids``, or else from the memory of the thread. Each is scored by
its rank, on the scale of the fused scores (``articulado.store.rrf``).
"""

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

CARRYOVER_SHARE = 0.5
"""What the last answer counts for as a ranking, beside those of a search, which count 1 together.

What it rests on first has the score of what one of two equal rankings puts first and the other has not found.
"""


class LoadCarryoverUpdate(TypedDict):
    """The carried-over candidates, and the ids that the index no longer has."""

    carried: list[Candidate]
    missing_carried: list[int]


async def load_carryover(
    state: RagState, runtime: Runtime[ResolvedContext], *, stores: Mapping[StoreName, ChunkStore], fusion: Fusion
) -> LoadCarryoverUpdate:
    """Fetch the caller's ``previous_chunk_ids``, or else the thread's own, scored as the ranking that they are.

    They are in the order of what the last answer rests on. With the constant ``k`` of the ``fusion``, at the zero-based
    place r a chunk has the score 0.5 · k / (k + r), on the scale of the fused scores (``articulado.store.rrf``).
    The store is that of the run's options: this stage runs beside the one that writes it into the state.

    Raises:
        InvalidInput: an id is not one that articulado gives out.
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
