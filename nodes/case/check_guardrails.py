"""Take out of the answer what it may not say."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.case.context import render
from services.case.guardrails import check, guards_of
from services.case.schema import CaseResponse
from state.case import CaseState, Guardrails, Response
from state.context import ResolvedContext


class CheckGuardrailsUpdate(TypedDict):
    """The answer without what breaks a guardrail, and the account of it."""

    response: Response
    guardrails: Guardrails


async def check_guardrails(
    state: CaseState, runtime: Runtime[ResolvedContext], *, language: Language
) -> CheckGuardrailsUpdate:
    """Check every item of the answer against every guardrail of the context, and its figures against what was given."""
    drafted = CaseResponse.model_validate(state["drafted"])
    chunks = [candidate["chunk"] for candidate in state["context"]]
    case_texts = [state["inquiry"], *state["filters"].values(), *state["collected"].values()]
    material = "\n".join([render(chunks), *case_texts])
    checked = check(drafted.response, guards_of(chunks), material, drafted.guardrails_violated, language)
    return {"response": checked.answer.model_dump(), "guardrails": checked.guardrails}  # type: ignore[typeddict-item]
