"""Close the required-data graph: outcome, article, confidence, sources and the final event."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.author import RequiredData
from articulado.cases.choice import TIERS, is_critical
from articulado.cases.confidence import MIN_CONFIDENCE
from articulado.cases.fields import fields_json
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import ArticleReference, CaseMetadata, DataOutcome, Source
from articulado.values.protocols import TokenCounter
from nodes.case.result import DECISION_OF, case_metadata, case_sources, low_confidence, read_case
from nodes.stage import final_event
from state.case import CaseState, RequiredDataOutput
from state.context import ResolvedContext


class CloseRequiredDataUpdate(TypedDict):
    """Result of the graph."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]


async def close_required_data(
    state: CaseState, runtime: Runtime[ResolvedContext], *, profile: Profile, counter: TokenCounter, language: Language
) -> CloseRequiredDataUpdate:
    """Write the result. Reads ``failure``, ``confidence``, ``required_fields``, ``drafted``, ``context``,
    ``dropped_items``, ``article_id``, ``article_title`` and the keys of ``case_metadata``.
    """
    failure = state["failure"]
    outcome, message = _outcome(state, language)
    dropped, read = state["dropped_items"], read_case(state, profile, language)
    dropped_warnings = [language.translate("case_dropped_fields", fields=", ".join(dropped))] if dropped else []
    update: CloseRequiredDataUpdate = {
        "outcome": outcome,
        "article_reference": _reference(state) if state["article_id"] else None,
        "message": message,
        "sources": case_sources(
            state, lambda chunk: TIERS[0] if is_critical(chunk, profile.case.required_data) else chunk["tier"]
        ),
        "metadata": case_metadata(state, read, 0 if failure else counter.count(fields_json(state["required_fields"]))),
        "warnings": [*dropped_warnings, *_unknown_article(state, language)],
    }
    runtime.stream_writer(final_event(RequiredDataOutput, state, update))
    return update


def _reference(state: CaseState) -> ArticleReference:
    return {
        "article_id": state["article_id"],
        "title": state["article_title"],
        "confidence": state["confidence"],
    }


def _outcome(state: CaseState, language: Language) -> tuple[DataOutcome, str]:
    if failure := state["failure"]:
        return DECISION_OF[failure["error"]], failure["message"]
    if state["confidence"] < MIN_CONFIDENCE:
        return "uncertain", low_confidence(state, language)
    if not any(state["required_fields"].values()):
        return "uncertain", language.translate("case_no_fields")
    author_article = _author_article(state)
    if author_article in _context_articles(state) - {state["article_id"]}:
        return "uncertain", language.translate("case_other_article", article=author_article)
    return "found", ""


def _unknown_article(state: CaseState, language: Language) -> list[str]:
    if state["failure"] or (article := _author_article(state)) in _context_articles(state):
        return []
    return [language.translate("case_unknown_article", article=article)]


def _author_article(state: CaseState) -> str:
    return RequiredData.model_validate(state["drafted"]).article_reference.article_id


def _context_articles(state: CaseState) -> set[str]:
    return {candidate["chunk"]["law_id"] for candidate in state["context"]}
