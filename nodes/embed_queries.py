"""Make the dense vector of each query, all in one request."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.search import HybridSearch, searches_of
from nodes.stage import Cost, failed
from services.errors import ModelError
from state.context import ResolvedContext
from state.rag import RagState


class EmbedQueriesUpdate(TypedDict):
    """Cache keys of the dense vectors; none where the embedder failed."""

    dense_keys: list[str]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def embed_queries(
    state: RagState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EmbedQueriesUpdate:
    """Embed the queries into the cache; the state keeps their keys. Without the embedder, words alone must do."""
    try:
        keys, cost = await search.embed(searches_of(state, search.field), state.get("deadline"))
    except ModelError as error:
        return {
            "dense_keys": [],
            "warnings": [*state["warnings"], search.field.language.say("rag_searched_by_words", problem=error)],
            "cost": failed(error),
        }
    return {"dense_keys": keys, "cost": cost}
