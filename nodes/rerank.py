"""Score the best candidates by what they say of the question."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.profile.profile import Profile
from services.protocols import Reranker, RerankerTable
from services.rerank.table import reranker_for
from services.search.relevance import rerank_limit, with_final_scores
from state.candidates import NAMED_SCORE, in_order
from state.chunks import Candidate
from state.context import ResolvedContext
from state.errors import ModelError
from state.rag import RagState, days_of
from state.values import Cost, cost_of, cost_of_failure


class RerankUpdate(TypedDict):
    """The candidates with their scores; nothing where no reranker is at work."""

    candidates: NotRequired[list[Candidate]]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def rerank(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    rerankers: RerankerTable,
    profile: Profile,
    language: Language,
) -> RerankUpdate:
    """Score the best candidates that have no score yet, as many as time allows; after a refetch only the new.

    A provision that was named is beyond doubt: 1.0. Beside relevance, the legal signals decide the order. The strategy
    ``none`` has neither, and leaves it to the search scores. A model that is down costs quality, never the answer: the
    heuristic scores in its place.
    """
    reranker = reranker_for(runtime.context.rerank_strategy, rerankers)
    if reranker is None:
        return {}
    named = [candidate for candidate in state["candidates"] if "direct" in candidate["origins"]]
    scores: dict[int, float | None] = {candidate["chunk"]["id"]: NAMED_SCORE for candidate in named}
    unscored = [
        candidate
        for candidate in in_order(state["candidates"])
        if "rerank_score" not in candidate
        and candidate["chunk"]["id"] not in scores
        and (not state["refetched"] or "need" in candidate["origins"])
    ]
    limit = rerank_limit(reranker, len(unscored), state.get("usage"))
    to_score = unscored if limit >= len(unscored) else await _promising(state, unscored, rerankers["heuristic"], limit)
    update: RerankUpdate = {}
    try:
        scored = await reranker.score(
            question_to_score(state), state["queries"], to_score, deadline=state.get("deadline")
        )
        update["cost"] = cost_of(scored)
    except ModelError as error:
        to_score = unscored
        scored = await rerankers["heuristic"].score(question_to_score(state), state["queries"], to_score)
        warning = language.say("rag_ordered_without_model", problem=error)
        update["warnings"] = [*state["warnings"], warning]
        update["cost"] = cost_of_failure(error)
    scores |= {candidate["chunk"]["id"]: score for candidate, score in zip(to_score, scored.scores, strict=True)}
    with_rerank_scores = [_with_score(candidate, scores) for candidate in state["candidates"]]
    return {**update, "candidates": with_final_scores(with_rerank_scores, profile.signals, *days_of(state))}


async def _promising(state: RagState, unscored: list[Candidate], heuristic: Reranker, limit: int) -> list[Candidate]:
    """Return the candidates that the formula puts first: a model's time goes to those (docs/retrieval.md)."""
    scored = await heuristic.score(question_to_score(state), state["queries"], unscored)
    by_score = sorted(zip(unscored, scored.scores, strict=True), key=lambda pair: -(pair[1] or 0.0))
    return [candidate for candidate, _ in by_score[:limit]]


def question_to_score(state: RagState) -> str:
    """Return the question; one that brings nothing to search for ("explícamelo mejor") is about the one before it."""
    earlier = [message["content"] for message in state["conversation"] if message["role"] == "user"]
    question = state.get("contextualized_question") or state["question"]
    return question if state["queries"] or not earlier else f"{earlier[-1]} {question}"


def _with_score(candidate: Candidate, scores: dict[int, float | None]) -> Candidate:
    score = scores.get(candidate["chunk"]["id"])
    return candidate if score is None else {**candidate, "rerank_score": score}
