"""Compute the sparse BM25 vectors of all searches.

The vectors go into the cache of the search, not into the state.
"""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.search import HybridSearch
from state.context import ResolvedContext
from state.run import RetrievalState


class EncodeSparseUpdate(TypedDict):
    """Nothing: vectors stay out of the state."""


async def encode_sparse(
    state: RetrievalState, runtime: Runtime[ResolvedContext], *, search: HybridSearch
) -> EncodeSparseUpdate:
    """Encode the searches into the cache, where the search looks them up by their text."""
    await search.encode(state["searches"])
    return {}
