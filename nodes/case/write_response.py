"""Write the response to a case, with one call to the author."""

from langgraph.runtime import Runtime

from articulado.cases.author import CaseAuthor
from articulado.cases.budget import budget_shares
from articulado.config.profile import Profile
from articulado.language.languages import Language
from nodes.case.result import DraftUpdate, case_material, draft_update, read_case
from state.case import CaseState
from state.context import ResolvedContext


async def write_response(
    state: CaseState, runtime: Runtime[ResolvedContext], *, author: CaseAuthor, profile: Profile, language: Language
) -> DraftUpdate:
    """Ask once, within the tokens that are left for the answer; links lead to sources of the context alone.

    Raises:
        ModelError: the model failed for good, or its reply breaks the schema even after a repair.
    """
    _, tokens = budget_shares(state["budget"])
    material = case_material(state, tokens, read_case(state, profile, language))
    reply = await author.respond(material, deadline=state.get("deadline"))
    return draft_update(reply, state, language)
