"""Make the dense vector of each query, all in one request."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.search import HybridSearch
from nodes.stage import Cost
from state.context import ResolvedContext
from state.rag import RagState


class EmbedQueriesUpdate(TypedDict):
    """Cache keys of the dense vectors."""

    dense_keys: list[str]
    cost: NotRequired[Cost]


async def embed_queries(
    state: RagState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EmbedQueriesUpdate:
    """Embed the queries into the cache; the state keeps their keys."""
    keys, cost = await search.embed(state["queries"], state["deadline"])
    return {"dense_keys": keys, "cost": cost}
