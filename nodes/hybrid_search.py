"""Search dense and sparse, every search in every collection at once."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.profile.search import Caps
from services.search.hybrid import HybridSearch, search_filter
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Cost


class HybridSearchUpdate(TypedDict):
    """What the search found, and a warning where words alone had to do."""

    found: list[Candidate]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def hybrid_search(
    state: RagState, runtime: Runtime[ResolvedContext], *, search: HybridSearch, caps: Caps | None = None
) -> HybridSearchUpdate:
    """Search with the vectors that the two encoding stages left in the cache; ``caps`` unset: those of the profile.

    Vectors that are there no longer are made again, or the search is by words.
    """
    found, cost, warnings = await search.run_or_by_words(
        state["searches"],
        search_filter(state, runtime.context),
        collections=runtime.context.collections,
        lexical_only=state["lexical_only"],
        deadline=state.get("deadline"),
        caps=caps,
    )
    update: HybridSearchUpdate = {"found": found, "cost": cost}
    if warnings:
        update["warnings"] = [*state["warnings"], *warnings]
    return update
