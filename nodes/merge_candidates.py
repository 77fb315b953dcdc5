"""Merge the candidates of search, direct lookup and carryover."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.retrieval.fusion import merged
from articulado.values.chunks import Candidate
from state.context import ResolvedContext
from state.run import RetrievalState, carried_over, may_be_cited


class MergeCandidatesUpdate(TypedDict):
    """All candidates, each once."""

    candidates: list[Candidate]


async def merge_candidates(state: RetrievalState, runtime: Runtime[ResolvedContext]) -> MergeCandidatesUpdate:
    """Keep each chunk once, with its highest score. Reads ``direct``, ``found`` and ``carried``."""
    carried = may_be_cited(carried_over(state), state["turn_question"])
    return {"candidates": merged(state["direct"] + state["found"] + carried)}
