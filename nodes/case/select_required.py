"""Choose what is read to tell which data a case needs."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.case.budget import check_enough, fit_chunks
from services.case.confidence import ConfidenceEstimator
from services.case.filters import APPLIES_TO_ALL, is_known_value
from services.case.ranking import is_critical, main_article, order_for_required_data
from services.profile.profile import Profile
from services.protocols import RerankerTable, TokenCounter
from services.rerank.table import effective_strategy
from state.case import CaseFailure, CaseState
from state.chunks import Candidate
from state.context import ResolvedContext
from state.errors import InsufficientContext, NoResultsFound


class SelectRequiredUpdate(TypedDict, total=False):
    """The context and what it is worth, or why there is none."""

    article_id: str
    context: list[Candidate]
    context_tokens: int
    confidence: float
    raw_confidence: float
    failure: CaseFailure | None


async def select_required(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    counter: TokenCounter,
    rerankers: RerankerTable,
    estimator: ConfidenceEstimator,
    language: Language,
) -> SelectRequiredUpdate:
    """Keep the required data of the best article whole, and of the rest what the budget bears."""
    candidates, settings = state["candidates"], profile.case.required_data
    article = main_article(candidates, state["filters"].get("topic", ""))
    always, others = order_for_required_data(candidates, settings, article)
    failure: CaseFailure | None = None
    try:
        if not candidates:
            raise NoResultsFound(language.say("case_nothing_found"))
        chunks, tokens = fit_chunks(always, others, settings.context_tokens, counter)
        check_enough(tokens, profile.case.min_context_tokens, language)
    except NoResultsFound as error:
        return {"failure": {"error": "NoResultsFound", "message": str(error)}, "confidence": 0.0, "raw_confidence": 0.0}
    except InsufficientContext as error:
        chunks, tokens = [], 0
        failure = {"error": "InsufficientContext", "message": str(error)}
    critical = sum(is_critical(chunk, settings) for chunk in chunks)
    strategy = effective_strategy(runtime.context.rerank_strategy, rerankers)
    # A caller that names a topic is not helped by what fits another one, however well.
    topics = [field for field in profile.filter_fields if field.path == "topic"]
    topic = next(
        (value for field in topics if is_known_value(field, value := state["filters"].get(field.name, ""))), ""
    )
    on_topic = [
        candidate for candidate in candidates if not topic or candidate["chunk"]["topic"] in (topic, APPLIES_TO_ALL)
    ]
    confidence, raw = estimator.estimate(on_topic, on_topic, critical, strategy)
    by_id = {candidate["chunk"]["id"]: candidate for candidate in candidates}
    return {
        "article_id": article,
        "context": [by_id[chunk["id"]] for chunk in chunks],
        "context_tokens": tokens,
        "confidence": confidence,
        "raw_confidence": raw,
        "failure": failure,
    }
