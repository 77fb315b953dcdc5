"""Choose what an answer is written from: every critical chunk, then tier by tier what the budget bears."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.case.budget import budget_shares, check_critical, check_enough, fit_chunks
from services.case.confidence import ConfidenceEstimator
from services.case.ranking import order_by_tier
from services.profile.profile import Profile
from services.protocols import RerankerTable, TokenCounter
from services.rerank.table import effective_strategy
from state.candidates import candidate
from state.case import CaseFailure, CaseState
from state.chunks import Candidate
from state.context import ResolvedContext
from state.errors import InsufficientContext, NoResultsFound

CRITICAL_SCORE = 1.0
"""Of what is read whatever the search says."""


class SelectTiersUpdate(TypedDict, total=False):
    """The context and what it is worth, or why there is none."""

    context: list[Candidate]
    context_tokens: int
    confidence: float
    raw_confidence: float
    failure: CaseFailure | None


async def select_tiers(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    counter: TokenCounter,
    rerankers: RerankerTable,
    estimator: ConfidenceEstimator,
    language: Language,
) -> SelectTiersUpdate:
    """Keep all critical chunks, in the order of their articles, and after them the others by tier and score."""
    order = {name: position for position, name in enumerate(profile.case.tiers.critical)}
    critical = sorted(
        state["critical"],
        key=lambda chunk: (chunk["law_id"], order.get(chunk["chunk_type"], len(order)), chunk["part"]),
    )
    failure: CaseFailure | None = None
    context: list[Candidate] = []
    tokens = 0
    try:
        if not state["found"]:
            raise NoResultsFound(language.say("case_nothing_found"))
        check_critical(critical, state["budget"], counter, language)
        chunks, tokens = fit_chunks(
            critical, order_by_tier(state["candidates"]), budget_shares(state["budget"])[0], counter
        )
        check_enough(tokens, profile.case.min_context_tokens, language)
        by_id = {candidate["chunk"]["id"]: candidate for candidate in state["candidates"]}
        context = [by_id.get(chunk["id"]) or candidate(chunk, CRITICAL_SCORE, "direct") for chunk in chunks]
    except NoResultsFound as error:
        failure = {"error": "NoResultsFound", "message": str(error)}
    except InsufficientContext as error:
        failure = {"error": "InsufficientContext", "message": str(error)}
        tokens = 0
    confidence, raw = estimator.estimate(
        state["found"],
        state["candidates"],
        len(critical),
        effective_strategy(runtime.context.rerank_strategy, rerankers),
    )
    return {
        "context": context,
        "context_tokens": tokens,
        "confidence": confidence,
        "raw_confidence": raw,
        "failure": failure,
    }
