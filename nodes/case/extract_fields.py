"""Have the author say which data the case needs."""

from typing import Any

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from nodes.case.result import case_material
from services.case.author import CaseAuthor
from services.profile.profile import Profile
from services.prompting.outgoing_links import source_addresses, texts_without_foreign_links
from state.case import CaseState
from state.context import ResolvedContext
from state.values import Cost, cost_of


class DraftUpdate(TypedDict):
    """What the author wrote, as it wrote it, and what that cost."""

    drafted: dict[str, Any]
    cost: Cost


async def extract_fields(
    state: CaseState, runtime: Runtime[ResolvedContext], *, author: CaseAuthor, profile: Profile, language: Language
) -> DraftUpdate:
    """Ask once, within the tokens that the profile allows for it; links lead to sources of the context alone.

    Raises:
        ModelError: the model failed for good, or its reply breaks the schema even after a repair.
    """
    tokens = profile.case.required_data.answer_tokens
    reply = await author.required_data(case_material(state, tokens), deadline=state.get("deadline"))
    return {
        "drafted": texts_without_foreign_links(
            reply.value.model_dump(), source_addresses(state["context"]), language.say("rag_link_left_out")
        ),
        "cost": cost_of(reply),
    }
