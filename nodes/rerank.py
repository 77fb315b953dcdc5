"""Score the best candidates by what they say of the question."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.candidates import NAMED_SCORE, in_order
from services.protocols import RerankerTable
from services.rerank.table import resolve_strategy
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState

MAX_RERANKED = 20


class RerankUpdate(TypedDict):
    """The candidates with their scores; nothing where no reranker is at work."""

    candidates: NotRequired[list[Candidate]]


async def rerank(state: RagState, runtime: Runtime[ResolvedContext], *, rerankers: RerankerTable) -> RerankUpdate:
    """Score the best candidates that have no score yet, 20 where each costs a model's time; later only the new.

    A provision that was named is beyond doubt: 1.0. The strategy ``none`` has no reranker and leaves the search scores
    to decide.
    """
    reranker = rerankers.get(resolve_strategy(runtime.context.rerank_strategy))
    if reranker is None:
        return {}
    scores = {found["chunk"]["id"]: NAMED_SCORE for found in state["candidates"] if "direct" in found["origins"]}
    unscored = [
        found
        for found in in_order(state["candidates"])
        if "rerank_score" not in found
        and found["chunk"]["id"] not in scores
        and (not state["refetched"] or "need" in found["origins"])
    ][: None if reranker.is_cheap else MAX_RERANKED]
    for found, score in zip(unscored, await reranker.score(asked(state), state["queries"], unscored), strict=True):
        scores[found["chunk"]["id"]] = score
    return {"candidates": [_with_score(found, scores) for found in state["candidates"]]}


def asked(state: RagState) -> str:
    """Return the question; one that brings nothing to search for ("explícamelo mejor") is about the one before it."""
    earlier = [message["content"] for message in state["conversation"] if message["role"] == "user"]
    return state["question"] if state["queries"] or not earlier else f"{earlier[-1]} {state['question']}"


def _with_score(found: Candidate, scores: dict[int, float]) -> Candidate:
    score = scores.get(found["chunk"]["id"])
    return found if score is None else {**found, "rerank_score": score}
