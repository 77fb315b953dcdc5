"""Compute the dense vectors of all searches in one request, into the cache of the search."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.search import HybridSearch
from articulado.values.errors import Cost, ModelError, cost_of_failure
from nodes.turn import language_of_turn
from state.context import ResolvedContext
from state.run import RetrievalState


class EmbedQueriesUpdate(TypedDict):
    """Set ``lexical_only`` if the embedder failed."""

    lexical_only: bool
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def embed_queries(
    state: RetrievalState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EmbedQueriesUpdate:
    """Embed the searches into the cache. Reads ``searches``."""
    try:
        _, cost = await search.embed(state["searches"], state.get("deadline"))
    except ModelError as error:
        spoken = language_of_turn(state, search.domain.language)
        return {
            "lexical_only": True,
            "warnings": [spoken.translate("rag_searched_by_words", problem=error)],
            "cost": cost_of_failure(error),
        }
    return {"lexical_only": False, "cost": cost}
