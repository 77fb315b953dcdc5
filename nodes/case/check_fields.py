"""Check the extracted data fields against the articles shown to the author."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.author import RequiredData, render
from articulado.cases.fields import field_specs, shorten_fields, verify_fields
from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.values.cases import RequiredFields, details_of
from articulado.values.protocols import TokenCounter
from state.case import CaseState
from state.context import ResolvedContext


class CheckFieldsUpdate(TypedDict):
    """The required fields, and the names of those dropped for lack of room."""

    required_fields: RequiredFields
    dropped_items: list[str]


async def check_fields(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    counter: TokenCounter,
    language: Language,
) -> CheckFieldsUpdate:
    """Drop unsupported fields, add those that the article requires, and fit them into the token budget.

    Reads ``drafted``, ``context`` and ``article_id``.
    """
    needed = RequiredData.model_validate(state["drafted"]).required_fields
    chunks = [candidate["chunk"] for candidate in state["context"]]
    specs = field_specs(details_of(chunk) for chunk in chunks if chunk["law_id"] == state["article_id"])
    fields = verify_fields(needed, specs, render(chunks), language)
    # Off the event loop: a model may have listed hundreds.
    kept, dropped = await asyncio.to_thread(shorten_fields, fields, profile.case.required_data.answer_tokens, counter)
    return {"required_fields": kept, "dropped_items": dropped}
