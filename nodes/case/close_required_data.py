"""Close the search for required data: what it found, how sure that is, and the final event."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from nodes.stage import final_event
from services.case.confidence import MIN_CONFIDENCE
from services.case.context import article_title
from services.case.fields import fields_json
from services.case.ranking import TIERS, is_critical
from services.case.result import case_metadata, case_sources
from services.case.schema import RequiredData
from services.profile.profile import Profile
from services.protocols import TokenCounter
from state.case import ArticleReference, CaseMetadata, CaseState, RequiredDataOutput, Source
from state.context import ResolvedContext
from state.values import DataOutcome

OUTCOME_OF: dict[str, DataOutcome] = {"NoResultsFound": "out_of_scope", "InsufficientContext": "uncertain"}
"""What becomes of a case that was not handed to the author."""


class CloseRequiredDataUpdate(TypedDict):
    """The result."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]


async def close_required_data(
    state: CaseState, runtime: Runtime[ResolvedContext], *, profile: Profile, counter: TokenCounter, language: Language
) -> CloseRequiredDataUpdate:
    """Say what was found and how sure that is; article and confidence are what the search measured."""
    failure = state["failure"]
    outcome, message = _outcome(state, language)
    dropped = state["dropped_items"]
    dropped_warnings = [language.say("case_dropped_fields", fields=", ".join(dropped))] if dropped else []
    update: CloseRequiredDataUpdate = {
        "outcome": outcome,
        "article_reference": None if failure else _reference(state),
        "message": message,
        "sources": case_sources(
            state, lambda chunk: TIERS[0] if is_critical(chunk, profile.case.required_data) else chunk["tier"]
        ),
        "metadata": case_metadata(state, 0 if failure else counter.count(fields_json(state["required_fields"]))),
        "warnings": [*state["warnings"], *dropped_warnings],
    }
    result = {**state, **update}
    runtime.stream_writer(final_event(RequiredDataOutput, result))
    return update


def _reference(state: CaseState) -> ArticleReference:
    article = state["article_id"]
    title = next(
        article_title(candidate["chunk"]) for candidate in state["context"] if candidate["chunk"]["law_id"] == article
    )
    return {"article_id": article, "title": title, "confidence": state["confidence"]}


def _outcome(state: CaseState, language: Language) -> tuple[DataOutcome, str]:
    if failure := state["failure"]:
        return OUTCOME_OF[failure["error"]], failure["message"]
    if state["confidence"] < MIN_CONFIDENCE:
        return "uncertain", language.say("case_low_confidence", confidence=f"{state['confidence']:.2f}")
    if not any(state["required_fields"].values()):
        return "uncertain", language.say("case_no_fields")
    author_article = RequiredData.model_validate(state["drafted"]).article_reference.article_id
    context_articles = {candidate["chunk"]["law_id"] for candidate in state["context"]}
    if author_article in context_articles - {state["article_id"]}:
        return "uncertain", language.say("case_other_article", article=author_article)
    return "found", ""
