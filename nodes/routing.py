"""The conditional edges: pure functions of the state."""

from typing import Literal

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


def after_judgement(state: RagState) -> Literal["add_companions", "abstain"]:
    """Go on to the answer, or say what there is instead of one."""
    return "add_companions" if state["outcome"] == "answer" else "abstain"


def after_verify(state: RagState) -> Literal["refetch", "repair_marks", "finalize"]:
    """Fetch what the model lacks, the first time that it says so; have an answer marked that is to stay.

    No answer is written a third time.
    """
    if state["needs"] and not state["retried"] and not state["rewritten"]:
        return "refetch"
    return _with_marks(state)


def after_refetch(state: RagState) -> Literal["rerank", "repair_marks", "finalize"]:
    """Answer again where there is something new to read."""
    return "rerank" if state["refetched"] else _with_marks(state)


def _with_marks(state: RagState) -> Literal["repair_marks", "finalize"]:
    """Ask for the markers of an answer that has none, once."""
    return "repair_marks" if state["unpinned"] and not state["rewritten"] else "finalize"
