"""The conditional edges: pure functions of the state."""

from collections.abc import Callable
from typing import Literal

from state.chunks import relevance
from state.rag import RagState


def after_analysis(state: RagState) -> Literal["decompose", "lookup_records"]:
    """Search the index, or with retrieval switched off the packaged records."""
    return "decompose" if state["store"] == "index" else "lookup_records"


def after_decompose(state: RagState) -> list[Literal["embed_queries", "encode_sparse", "merge_candidates"]]:
    """Encode the searches in both spaces at once, or skip the search where there is nothing new to search for."""
    return ["embed_queries", "encode_sparse"] if state["searches"] else ["merge_candidates"]


def after_merge(state: RagState) -> Literal["expand_references", "abstain"]:
    """Abstain where nothing was found, or only others than the provisions that were asked for and nothing else."""
    missed = state["analysis"]["is_lookup"] and not state["direct"] and state["store"] == "index"
    return "expand_references" if state["candidates"] and not missed else "abstain"


def after_rerank(floor: float) -> Callable[[RagState], Literal["select_context", "abstain"]]:
    """Make the router that abstains where nothing reaches the relevance floor.

    It decides on reranked scores alone: search scores say who is first, not how well it fits. A follow-up rests on
    what it carried over, and a refetch on an answer that exists.
    """

    def route(state: RagState) -> Literal["select_context", "abstain"]:
        scores = [relevance(candidate) for candidate in state["candidates"] if "rerank_score" in candidate]
        if scores and max(scores) < floor and not state.get("carried") and not state["retried"]:
            return "abstain"
        return "select_context"

    return route


def after_verify(state: RagState) -> Literal["refetch", "finalize"]:
    """Fetch what the model lacks, the first time that it says so."""
    return "refetch" if state["needs"] and not state["retried"] else "finalize"


def after_refetch(state: RagState) -> Literal["rerank", "finalize"]:
    """Answer again where there is something new to read."""
    return "rerank" if state["refetched"] else "finalize"
