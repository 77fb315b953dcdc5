"""Have the author answer the case."""

from langgraph.runtime import Runtime

from language.languages import Language
from nodes.case.extract_fields import DraftUpdate
from nodes.case.result import case_material, read_case
from services.case.author import CaseAuthor
from services.case.budget import budget_shares
from services.profile.profile import Profile
from services.prompting.outgoing_links import source_addresses, texts_without_foreign_links
from state.case import CaseState
from state.context import ResolvedContext
from state.values import cost_of


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
    return {
        "drafted": texts_without_foreign_links(
            reply.value.model_dump(), source_addresses(state["context"]), language.say("rag_link_left_out")
        ),
        "cost": cost_of(reply),
    }
