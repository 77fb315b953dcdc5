"""Select the context for the extraction of required data."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.budget import check_enough, fit_chunks, tokens_up_to
from articulado.cases.choice import found_by, is_critical, of_article, order_for_required_data, with_article
from articulado.cases.confidence import raw_confidence
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import CaseFailure, LeftOut
from articulado.values.chunks import Candidate
from articulado.values.errors import InsufficientContext
from articulado.values.protocols import TokenCounter
from nodes.case.result import left_out_of, titles_of
from state.case import CaseState
from state.context import ResolvedContext


class SelectRequiredUpdate(TypedDict, total=False):
    """The context with its raw confidence, or the failure that leaves it empty."""

    context: list[Candidate]
    context_tokens: int
    left_out: list[LeftOut]
    warnings: list[str]
    raw_confidence: float
    failure: CaseFailure | None


async def select_required(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    counter: TokenCounter,
    language: Language,
) -> SelectRequiredUpdate:
    """Keep the required data of the article whole, and other chunks within the budget.

    Reads ``candidates``, ``of_article``, ``found``, ``inquiry``, ``article_id`` and ``failure``.
    """
    settings, article = profile.case.required_data, state["article_id"]
    candidates = with_article(state["candidates"], state["of_article"])
    always, others = order_for_required_data(candidates, settings, article)
    raw = raw_confidence(
        of_article(found_by(state["found"], state["inquiry"]), state["article_id"]),
        of_article(state["candidates"], state["article_id"]),
        sum(is_critical(chunk, settings) for chunk in always),
    )
    if state["failure"]:
        return {"raw_confidence": raw, "context": []}
    try:
        chunks, tokens = fit_chunks(always, others, settings.context_tokens, counter)
        check_enough(tokens, profile.case.min_context_tokens, language)
    except InsufficientContext as error:
        failure: CaseFailure = {"error": "InsufficientContext", "message": str(error)}
        return {"raw_confidence": raw, "context": [], "failure": failure}
    left_out = [chunk for chunk in others if chunk["law_id"] == article and chunk not in chunks]
    warnings = []
    if left_out:
        least = tokens_up_to(always, others, left_out, counter)
        warnings.append(language.translate("case_left_out_of_fields", parts=titles_of(left_out), least=least))
    by_id = {candidate["chunk"]["id"]: candidate for candidate in candidates}
    return {
        "context": [by_id[chunk["id"]] for chunk in chunks],
        "context_tokens": tokens,
        "left_out": left_out_of(left_out),
        "warnings": warnings,
        "raw_confidence": raw,
    }
