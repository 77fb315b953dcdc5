"""Close the response graph: decision, message, metadata and the final event."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.author import Answer
from articulado.cases.budget import answer_json
from articulado.cases.confidence import MIN_CONFIDENCE
from articulado.cases.rules import apply_rules
from articulado.cases.typed_data import ReadData
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import CaseMetadata, Decision, Guardrails, RejectedDatum, Response, Shortfall, Source
from articulado.values.protocols import TokenCounter
from nodes.case.result import DECISION_OF, case_metadata, case_rules, case_sources, low_confidence, read_case
from nodes.stage import final_event
from state.case import CaseState, ResponseOutput
from state.context import ResolvedContext

MAX_QUOTED = 80
"""Characters quoted of a rejected datum; the metadata have all of it."""


class CloseResponseUpdate(TypedDict):
    """Result of the graph."""

    decision: Decision
    response: Response
    confidence: float
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]


async def close_response(
    state: CaseState, runtime: Runtime[ResolvedContext], *, profile: Profile, counter: TokenCounter, language: Language
) -> CloseResponseUpdate:
    """Decide the case, explain the decision, and write the metadata.

    A matching rule of the decision guide overrides the author's decision. A case proceeds with a confidence of at
    least 0.70, valid required data, no contradictions and a non-empty answer. Reads ``failure``, ``confidence``,
    ``response``, ``drafted``, ``reason``, ``guardrails``, ``shortfall``, ``dropped_items`` and the keys of
    ``case_metadata``.
    """
    failure = state["failure"]
    read = read_case(state, profile, language)
    decision: Decision
    if failure:
        decision, message = DECISION_OF[failure["error"]], failure["message"]
    else:
        decision, message = _decision(state, read, language)
    # What is no case of the article is not answered by its procedure.
    response: Response = {"sections": []} if decision == "out_of_scope" else state["response"]
    tokens = counter.count(answer_json(Answer.model_validate(response))) if response["sections"] else 0
    update: CloseResponseUpdate = {
        "decision": decision,
        "response": response,
        "confidence": state["confidence"],
        "guardrails": {"checked": 0, "violated": []} if failure else state["guardrails"],
        "message": message,
        "sources": case_sources(state),
        "metadata": case_metadata(state, read, tokens),
        "warnings": _warnings(state, read, language),
    }
    runtime.stream_writer(final_event(ResponseOutput, state, update))
    return update


def _decision(state: CaseState, read: ReadData, language: Language) -> tuple[Decision, str]:
    ruled = apply_rules(case_rules(state), read)
    decision, reason = ruled or _drafted_decision(state, language)
    doubts = _doubts(state, read, language)
    if state["confidence"] < MIN_CONFIDENCE:
        return "uncertain", _joined([low_confidence(state, language), reason, *doubts])
    if decision == "out_of_scope":
        return decision, _joined([reason])
    return ("uncertain" if doubts else decision), _joined([reason, *doubts])


def _drafted_decision(state: CaseState, language: Language) -> tuple[Decision, str]:
    decision: Decision = state["drafted"]["decision"]
    if decision == "can_proceed":
        return decision, ""
    if state["reason"]:
        return decision, language.translate("case_model_reason", reason=state["reason"])
    return decision, language.translate("case_reason_removed" if state["drafted"]["reason"] else "case_no_reason")


def _doubts(state: CaseState, read: ReadData, language: Language) -> list[str]:
    """Return the reasons that stop a case whatever was decided."""
    data = (("case_missing_data", read.without_value), ("case_conflicting_data", read.conflicting))
    doubts = [language.translate(key, fields=", ".join(names)) for key, names in data if names]
    doubts += [_explained(datum, language) for datum in read.rejected if datum["field"] in read.blocking]
    if any(not violation["removed"] for violation in state["guardrails"]["violated"]):
        doubts.append(language.translate("case_guardrail_reported"))
    if not state["response"]["sections"]:
        doubts.append(language.translate("case_nothing_left"))
    return [*doubts, *_lacking(state["shortfall"], language)]


def _lacking(shortfall: Shortfall, language: Language) -> list[str]:
    if not shortfall["parts"]:
        return []
    lacking = [language.translate(f"case_lacks_{part}") for part in shortfall["parts"]]
    least = shortfall["max_tokens"]
    return [
        *lacking,
        language.translate("case_ask_for_more", least=least) if least else language.translate("case_see_article"),
    ]


def _joined(reasons: Sequence[str]) -> str:
    return ". ".join(reason.rstrip(".") for reason in reasons if reason)


def _explained(datum: RejectedDatum, language: Language) -> str:
    given = datum["given"]
    return language.translate(
        "case_rejected_datum",
        field=language.quoted(datum["field"]),
        given=language.quoted(given if len(given) <= MAX_QUOTED else f"{given[: MAX_QUOTED - 1]}…"),
        problem=datum["problem"],
        accepted=datum["accepted"],
    )


def _warnings(state: CaseState, read: ReadData, language: Language) -> list[str]:
    warnings = [_explained(datum, language) for datum in read.rejected if datum["field"] not in read.blocking]
    if read.conflicting:
        warnings.append(language.translate("case_conflicting_data", fields=", ".join(read.conflicting)))
    if state["dropped_items"]:
        warnings.append(language.translate("case_dropped_items", number=len(state["dropped_items"])))
    return warnings
