"""Rerank the best candidates by relevance and legal signals."""

from collections.abc import Mapping
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.models.retry import UNLIMITED, QuestionTime
from articulado.retrieval.fusion import DECIMALS, boosted, in_order, with_communities, with_final_scores
from articulado.retrieval.ranking.heuristic import WordShare
from articulado.retrieval.ranking.learnt import LEARNT_SIGNALS, LearntReranker
from articulado.retrieval.ranking.table import reranker_for
from articulado.retrieval.search import community_asked
from articulado.values.chunks import NAMED_SCORE, Candidate
from articulado.values.errors import Cost, ModelError, cost_of, cost_of_failure
from articulado.values.protocols import Reranker, RerankerTable
from nodes.turn import language_of_turn, question_to_score
from state.context import ResolvedContext
from state.run import RetrievalState, carried_over, days_of

STEP = 0.01  # Score lost per rank in the last answer, in a turn about that answer


class RerankUpdate(TypedDict):
    """The candidates with their scores; empty with the strategy ``none``."""

    candidates: NotRequired[list[Candidate]]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def rerank(
    state: RetrievalState,
    runtime: Runtime[ResolvedContext],
    *,
    rerankers: RerankerTable,
    profile: Profile,
    language: Language,
    word_share: WordShare,
    question_time: QuestionTime = UNLIMITED,
) -> RerankUpdate:
    """Score the best candidates; after a refetch only the new ones. The heuristic replaces a failing or late model.

    A named provision scores 1.0. Law of the requested community ranks first, law of other communities last. Reads
    ``candidates``, ``queries``, ``refetched`` and ``carried``.
    """
    reranker = reranker_for(runtime.context.rerank_strategy, rerankers)
    if reranker is None:
        return {}
    named = [candidate for candidate in state["candidates"] if "direct" in candidate["origins"]]
    scores: dict[int, float | None] = {candidate["chunk"]["id"]: NAMED_SCORE for candidate in named}
    in_place = _in_their_places(state)
    scores |= in_place
    unscored = [
        candidate
        for candidate in in_order(state["candidates"])
        if "rerank_score" not in candidate
        and candidate["chunk"]["id"] not in scores
        and (not state["refetched"] or "need" in candidate["origins"])
    ]
    limit = reranker.limit
    fits = limit is None or len(unscored) <= limit
    to_score = unscored if fits else await _preselected(state, unscored, rerankers["heuristic"], limit)
    update: RerankUpdate = {}
    try:
        end = question_time.deadline_of("reranker", state.get("deadline"))
        scored = await reranker.score(question_to_score(state), state["queries"], to_score, deadline=end)
        update["cost"] = cost_of(scored)
        if scored.squashed:
            update["warnings"] = [language_of_turn(state, language).translate("rag_scores_squashed")]
    except ModelError as error:
        to_score = unscored
        scored = await rerankers["heuristic"].score(question_to_score(state), state["queries"], to_score)
        warning = language_of_turn(state, language).translate("rag_ordered_without_model", problem=error)
        update["warnings"] = [warning]
        update["cost"] = cost_of_failure(error)
    named_agreements = tuple(state["turn_question"]["agreements"])
    scores |= {candidate["chunk"]["id"]: score for candidate, score in zip(to_score, scored.scores, strict=True)}
    of_named = [candidate for candidate in to_score if candidate["chunk"]["law_id"] in named_agreements]
    if of_named:
        chunks = [candidate["chunk"] for candidate in of_named]
        worth = boosted(
            of_named, [scores[chunk["id"]] for chunk in chunks], word_share(question_to_score(state), chunks)
        )
        scores |= dict(zip((chunk["id"] for chunk in chunks), worth, strict=True))
    with_rerank_scores = [_with_score(candidate, scores) for candidate in state["candidates"]]
    signals = LEARNT_SIGNALS if isinstance(reranker, LearntReranker) else profile.signals
    ranked = with_final_scores(with_rerank_scores, signals, *days_of(state), named_agreements)
    asked = community_asked(state["turn_question"]["territory"], runtime.context.territory)
    ranked = with_communities(ranked, asked)
    return {**update, "candidates": [_with_place(candidate, in_place) for candidate in ranked]}


def _in_their_places(state: RetrievalState) -> dict[int, float]:
    carried = carried_over(state) if state["turn_question"]["about_answer"] else []
    named = {candidate["chunk"]["id"] for candidate in state["candidates"] if "direct" in candidate["origins"]}
    return {
        candidate["chunk"]["id"]: NAMED_SCORE - place * STEP
        for place, candidate in enumerate(carried, start=1)
        if candidate["chunk"]["id"] not in named
    }


def _with_place(candidate: Candidate, in_place: Mapping[int, float]) -> Candidate:
    score = in_place.get(candidate["chunk"]["id"])
    return candidate if score is None else {**candidate, "final_score": score}


async def _preselected(
    state: RetrievalState, unscored: list[Candidate], heuristic: Reranker, limit: int | None
) -> list[Candidate]:
    """Return the candidates that the heuristic ranks first: those that the model has time for."""
    scored = await heuristic.score(question_to_score(state), state["queries"], unscored)
    by_score = sorted(zip(unscored, scored.scores, strict=True), key=lambda pair: -(pair[1] or 0.0))
    return [candidate for candidate, _ in by_score[:limit]]


def _with_score(candidate: Candidate, scores: dict[int, float | None]) -> Candidate:
    score = scores.get(candidate["chunk"]["id"])
    return candidate if score is None else {**candidate, "rerank_score": round(score, DECIMALS)}
