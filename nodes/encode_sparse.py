"""Compute the sparse BM25 vectors of all searches, into the cache of the search."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.search import HybridSearch
from state.context import ResolvedContext
from state.run import RetrievalState


class EncodeSparseUpdate(TypedDict):
    """Empty: vectors stay out of the state."""


async def encode_sparse(
    state: RetrievalState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EncodeSparseUpdate:
    """Encode the searches into the cache. Reads ``searches``."""
    await search.encode(state["searches"])
    return {}
