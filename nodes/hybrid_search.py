"""Search dense and sparse, every query in every collection at once."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.search import CAPS, Caps, HybridSearch, searches_of
from nodes.stage import Cost
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState


class HybridSearchUpdate(TypedDict):
    """What the search found."""

    found: list[Candidate]
    cost: NotRequired[Cost]


async def hybrid_search(
    state: RagState, runtime: Runtime[ResolvedContext], *, search: HybridSearch, caps: Caps = CAPS
) -> HybridSearchUpdate:
    """Search with the vectors that the two encoding stages left in the cache."""
    found, cost = await search.run(
        searches_of(state, search.field),
        state["dense_keys"],
        state["sparse_keys"],
        context=runtime.context,
        analysis=state["analysis"],
        deadline=state.get("deadline"),
        caps=caps,
    )
    return {"found": found, "cost": cost}
