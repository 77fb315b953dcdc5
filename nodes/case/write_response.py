"""Write the response to a case, with one call to the author."""

import asyncio

from langgraph.runtime import Runtime

from articulado.cases.author import CaseAuthor
from articulado.cases.budget import budget_shares
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import WorkedCalculation
from nodes.case.result import DraftUpdate, case_calculations, case_material, draft_update, read_case
from state.case import CaseState
from state.context import ResolvedContext


class WriteResponseUpdate(DraftUpdate):
    """The draft, and the calculations that it was written with."""

    worked: list[WorkedCalculation]


async def write_response(
    state: CaseState, runtime: Runtime[ResolvedContext], *, author: CaseAuthor, profile: Profile, language: Language
) -> WriteResponseUpdate:
    """Ask the author once, with worked calculations. Reads ``budget`` and the keys of ``case_material``."""
    _, tokens = budget_shares(state["budget"])
    read = read_case(state, profile, language)
    # Off the event loop: the calendars are read from files.
    calculations = await asyncio.to_thread(case_calculations, state, read)
    reply = await author.respond(case_material(state, tokens, read, calculations), deadline=state.get("deadline"))
    return {**draft_update(reply, state, language), "worked": calculations}
