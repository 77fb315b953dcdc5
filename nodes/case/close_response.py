"""Close a case that was answered, or could not be: decision, message, metadata, and the final event."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from nodes.stage import final_event
from services.case.collected import apply_rules
from services.case.confidence import MIN_CONFIDENCE
from services.case.items import answer_json
from services.case.result import case_data, case_metadata, case_sources
from services.case.schema import Answer
from services.protocols import TokenCounter
from state.articles import Decision, DecisionRule, details_of
from state.case import CaseMetadata, CaseState, Guardrails, Response, ResponseOutput, Source
from state.context import ResolvedContext

DECISION_OF: dict[str, Decision] = {"NoResultsFound": "out_of_scope", "InsufficientContext": "uncertain"}
"""What becomes of a case that was not handed to the author."""


class CloseResponseUpdate(TypedDict):
    """The result."""

    decision: Decision
    response: Response
    confidence: float
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]


async def close_response(
    state: CaseState, runtime: Runtime[ResolvedContext], *, counter: TokenCounter, language: Language
) -> CloseResponseUpdate:
    """Decide, say why, and account for it.

    A rule of the decision guide that holds goes before what the author decided. To go on, a case needs a confidence of
    0.70, all required data, readable and without contradiction, and something in its answer.
    """
    failure = state["failure"]
    metadata = case_metadata(state, 0)
    if failure:
        decision, message = DECISION_OF[failure["error"]], failure["message"]
    else:
        decision, message = _decision(state, metadata, language)
    # What is no case of the article is not answered by its procedure.
    response: Response = {"sections": []} if decision == "out_of_scope" else state["response"]
    if response["sections"]:
        metadata = case_metadata(state, counter.count(answer_json(Answer.model_validate(response))))
    update: CloseResponseUpdate = {
        "decision": decision,
        "response": response,
        "confidence": 0.0 if failure and failure["error"] == "NoResultsFound" else state["confidence"],
        "guardrails": {"checked": 0, "violated": []} if failure else state["guardrails"],
        "message": message,
        "sources": case_sources(state),
        "metadata": metadata,
        "warnings": [*state["warnings"], *_warnings(metadata, language)],
    }
    result = {**state, **update}
    runtime.stream_writer(final_event(ResponseOutput, result))
    return update


def _decision(state: CaseState, metadata: CaseMetadata, language: Language) -> tuple[Decision, str]:
    """Return the decision on a case that was answered, and why it is not to proceed, as far as is known."""
    ruled = apply_rules(_rules(state), state["wanted"], case_data(state), language)
    decision, reason = ruled or (state["drafted"]["decision"], "")
    doubts = _doubts(state, metadata, language)
    if state["confidence"] < MIN_CONFIDENCE:
        low = language.say("case_low_confidence", confidence=f"{state['confidence']:.2f}")
        return "uncertain", _joined([low, reason, *doubts])
    if decision == "out_of_scope":
        return decision, reason
    return ("uncertain" if doubts else decision), _joined([reason, *doubts])


def _doubts(state: CaseState, metadata: CaseMetadata, language: Language) -> list[str]:
    """Return what keeps a case from going on, whatever was decided."""
    required = {spec["field"] for spec in state["wanted"] if spec["required"]}
    data = (
        ("case_missing_data", metadata["missing_data"]),
        ("case_unreadable_data", [name for name in metadata["unreadable_data"] if name in required]),
        ("case_conflicting_data", metadata["conflicting_data"]),
    )
    doubts = [language.say(key, fields=", ".join(names)) for key, names in data if names]
    if any(not violation["removed"] for violation in state["guardrails"]["violated"]):
        doubts.append(language.say("case_guardrail_reported"))
    if not state["response"]["sections"]:
        doubts.append(language.say("case_nothing_left"))
    return doubts


def _joined(reasons: Sequence[str]) -> str:
    return ". ".join(reason.rstrip(".") for reason in reasons if reason)


def _rules(state: CaseState) -> list[DecisionRule]:
    """Return the rules of the context, those of the article that fits best first."""
    chunks = sorted(
        (candidate["chunk"] for candidate in state["context"]), key=lambda chunk: chunk["law_id"] != state["article_id"]
    )
    return [rule for chunk in chunks for rule in details_of(chunk).get("rules", [])]


def _warnings(metadata: CaseMetadata, language: Language) -> list[str]:
    warnings = [
        language.say(key, fields=", ".join(names))
        for key, names in (
            ("case_unreadable_data", metadata["unreadable_data"]),
            ("case_conflicting_data", metadata["conflicting_data"]),
        )
        if names
    ]
    if metadata["dropped_items"]:
        warnings.append(language.say("case_dropped_items", number=len(metadata["dropped_items"])))
    return warnings
