"""Extract the data fields that a case needs, with one call to the author."""

from langgraph.runtime import Runtime

from articulado.cases.author import CaseAuthor
from articulado.config.profile import Profile
from articulado.language.languages import Language
from nodes.case.result import DraftUpdate, case_material, draft_update
from state.case import CaseState
from state.context import ResolvedContext


async def extract_fields(
    state: CaseState, runtime: Runtime[ResolvedContext], *, author: CaseAuthor, profile: Profile, language: Language
) -> DraftUpdate:
    """Ask the author once. Reads the keys of ``case_material``."""
    tokens = profile.case.required_data.answer_tokens
    reply = await author.required_data(case_material(state, tokens), deadline=state.get("deadline"))
    return draft_update(reply, state, language)
