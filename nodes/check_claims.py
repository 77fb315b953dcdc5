"""Ask the checker model once if the sources support the claims of the answer (if one is configured)."""

import asyncio
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.language.languages import Language
from articulado.models.retry import QuestionTime
from articulado.prompting.citation_markers import markers_in, one_per_mark
from articulado.prompting.prompts import Prompts
from articulado.values.errors import Cost, ModelError, cost_of, cost_of_failure
from articulado.values.findings import Finding
from articulado.values.protocols import ChatModel
from articulado.verification.checks import with_shown_marks
from articulado.verification.claims import (
    PROMPT,
    Claim,
    ClaimVerdicts,
    claim_findings,
    claims_of,
    message,
    reply_tokens,
)
from articulado.verification.reading import read_answer
from articulado.verification.sources import sources_of
from state.context import ResolvedContext
from state.rag import RagState


class CheckClaimsUpdate(TypedDict):
    """Findings with the checker's, or a warning that the checker failed."""

    findings: NotRequired[list[Finding]]
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def check_claims(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    checker: ChatModel,
    prompts: Prompts,
    language: Language,
    question_time: QuestionTime,
) -> CheckClaimsUpdate:
    """Show the checker each claim beside its sources; a failure only adds a warning.

    Reads ``answer``, ``draft``, ``context``, ``findings``, ``abstained`` and ``refusal``.
    """
    refused = state["abstained"] or bool(state["refusal"])
    if refused or state["turn_question"]["kind"] == "courtesy" or not runtime.context.grounded_prompting:
        return {}
    claims = await asyncio.to_thread(_claims, state)
    if not claims:
        return {}
    try:
        reply = await checker.structured(
            prompts[PROMPT],
            [{"role": "user", "content": message(state["turn_question"], claims, language)}],
            ClaimVerdicts,
            max_tokens=reply_tokens(claims),
            deadline=question_time.deadline_of("checker", state.get("deadline")),
        )
    except ModelError as error:
        warning = language.translate("rag_claims_not_checked", problem=error)
        return {"warnings": [warning], "cost": cost_of_failure(error)}
    new = await asyncio.to_thread(claim_findings, claims, reply.value, language)
    findings = [*state["findings"], *with_shown_marks(new, markers_in(state["answer"]))]
    return {"findings": sorted(findings, key=lambda each: (each["start"], each["end"])), "cost": cost_of(reply)}


def _claims(state: RagState) -> list[Claim]:
    sources = sources_of(one_per_mark(state["context"]))
    return claims_of(read_answer(state["draft"], state["turn_question"]["asked"], sources))
