"""Remove from the answer every item that breaks a guardrail of the context."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.author import Answer, AnswerSection, CaseResponse, render
from articulado.cases.guardrails import check, guards_of
from articulado.cases.readers import text_of
from articulado.language.languages import Language
from articulado.values.cases import Guardrails, Response
from state.case import CaseState
from state.context import ResolvedContext


class CheckGuardrailsUpdate(TypedDict):
    """The remaining answer, the author's reason unless it breaks a guardrail, and the violations."""

    response: Response
    reason: str
    guardrails: Guardrails


async def check_guardrails(
    state: CaseState, runtime: Runtime[ResolvedContext], *, language: Language
) -> CheckGuardrailsUpdate:
    """Check every item, and the reason shown to users, against the guardrails, and figures against the given material.

    Reads ``drafted``, ``context``, ``inquiry``, ``filters``, ``collected`` and ``worked``.
    """
    drafted = CaseResponse.model_validate(state["drafted"])
    chunks = [candidate["chunk"] for candidate in state["context"]]
    case_texts = [state["inquiry"], *state["filters"].values(), *map(text_of, state["collected"].values())]
    worked = [line for each in state["worked"] for line in each["lines"]]
    material = "\n".join([render(chunks), *case_texts, *worked])
    guards = guards_of(chunks)
    checked = check(drafted.response, guards, material, drafted.guardrails_violated, language)
    reason = check(_as_answer(drafted.reason, language), guards, material, [], language)
    return {
        "response": checked.answer.model_dump(),  # type: ignore[typeddict-item]
        "reason": drafted.reason if reason.answer.sections else "",
        "guardrails": {
            "checked": checked.guardrails["checked"],
            "violated": [*checked.guardrails["violated"], *reason.guardrails["violated"]],
        },
    }


def _as_answer(reason: str, language: Language) -> Answer:
    components = [reason] if reason else []
    topic = language.translate("case_topic")
    return Answer(sections=[AnswerSection(topic=topic, answer_components=components, steps=[], warnings=[])])
