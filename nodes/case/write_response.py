"""Have the author answer the case."""

from langgraph.runtime import Runtime

from nodes.case.extract_fields import DraftUpdate
from services.case.author import CaseAuthor
from services.case.budget import budget_shares
from services.case.result import case_material
from state.case import CaseState
from state.context import ResolvedContext
from state.values import cost_of


async def write_response(state: CaseState, runtime: Runtime[ResolvedContext], *, author: CaseAuthor) -> DraftUpdate:
    """Ask once, within the tokens that are left for the answer.

    Raises:
        ModelError: the model failed for good, or its reply breaks the schema even after a repair.
    """
    _, tokens = budget_shares(state["budget"])
    reply = await author.respond(case_material(state, tokens, state["wanted"]), deadline=state.get("deadline"))
    return {
        "drafted": reply.value.model_dump(),
        "cost": cost_of(reply),
    }
