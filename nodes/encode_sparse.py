"""Make the BM25 weights of each query."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.search import HybridSearch, searches_of
from state.context import ResolvedContext
from state.rag import RagState


class EncodeSparseUpdate(TypedDict):
    """Cache keys of the sparse vectors."""

    sparse_keys: list[str]


async def encode_sparse(
    state: RagState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EncodeSparseUpdate:
    """Encode the queries into the cache; the state keeps their keys."""
    return {"sparse_keys": await search.encode(searches_of(state, search.field))}
