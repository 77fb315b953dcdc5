"""Open a case: check what the caller sent, and turn it into a search."""

import time
from collections.abc import Callable, Mapping
from datetime import date

from langgraph.runtime import Runtime

from language.languages import Language
from nodes.case.validation import checked_data, checked_filters, checked_inquiry, checked_tokens
from nodes.validation import check_options
from services.case.calibration import CaseGraph
from services.case.filters import filter_paths, is_known_value
from services.profile.profile import Profile
from state.articles import FieldSpec
from state.case import CaseFailure, CaseState, RequiredFields, Response
from state.chunks import Chunk
from state.context import ResolvedContext, StoreName
from state.rag import Turn, fresh_turn
from state.values import Analysis

MAX_SUMMARISED = 12
"""Data that go into the search: more of them drown the inquiry."""


class AcceptCaseUpdate(Turn):
    """A fresh turn, the case, and what to search for."""

    question: str
    inquiry: str
    turn: int
    deadline: float
    store: StoreName
    today: str
    as_of: str | None
    analysis: Analysis
    filters: dict[str, str]
    assumed: dict[str, str]
    collected: dict[str, str]
    budget: int
    article_id: str
    critical: list[Chunk]
    wanted: list[FieldSpec]
    context_tokens: int
    dropped_items: list[str]
    failure: CaseFailure | None
    required_fields: RequiredFields
    response: Response


async def accept_case(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    graph: CaseGraph,
    language: Language,
    seconds: float,
    clock: Callable[[], float] = time.time,
) -> AcceptCaseUpdate:
    """Reset the turn, check the input, and set filter and search.

    What a case needs is searched by inquiry and topic in the chunks that tell it; a response, by inquiry and by inquiry
    with collected data, in all that may be part of it. ``seconds`` is what all model calls of the case may take
    together.

    Raises:
        InvalidInput: something that the caller sent cannot be used.
    """
    check_options(runtime.context, profile)
    inquiry = checked_inquiry(state.get("inquiry"))
    filters = checked_filters(state, profile)
    collected = checked_data(state.get("collected_data"))
    case = profile.case
    if graph == "required_data":
        names, types = profile.required_data_filter, case.required_data.types
        searches = [f"{inquiry} {filters.get('topic', '').replace('_', ' ')}".strip()]
        budget = case.required_data.context_tokens + case.required_data.answer_tokens
    else:
        names, types = profile.response_filter, case.tiers.types
        # The inquiry alone, too: data say what the case is about, but the more there are, the less like any chunk.
        searches = [inquiry, f"{inquiry} {summary(collected)}"] if collected else [inquiry]
        budget = checked_tokens(state.get("max_tokens"), case.response.max_tokens)
    analysis: Analysis = {
        "provisions": [],
        "is_lookup": False,
        "acronyms": [],
        "territory": None,
        "chunk_types": list(types),
        "fields": filter_paths(profile.filter_fields, filters, names),
    }
    now, as_of = clock(), runtime.context.as_of
    return {
        **fresh_turn(),
        "warnings": _unknown(filters, profile, language),
        "question": inquiry,
        "inquiry": inquiry,
        "queries": searches,
        "searches": searches,
        "turn": state.get("turn", 0) + 1,
        "deadline": now + seconds,
        "store": "index",
        "today": date.fromtimestamp(now).isoformat(),
        "as_of": as_of.isoformat() if as_of else None,
        "analysis": analysis,
        "filters": filters,
        "assumed": {},
        "collected": collected,
        "budget": budget,
        "article_id": "",
        "critical": [],
        "wanted": [],
        "context_tokens": 0,
        "dropped_items": [],
        "failure": None,
        "required_fields": {"participant_data": [], "plan_data": []},
        "response": {"sections": []},
    }


def summary(collected: Mapping[str, str]) -> str:
    """Return collected data as words to search with: "employment status terminated; balance $10,000"."""
    data = list(collected.items())[:MAX_SUMMARISED]
    return "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in data)


def _unknown(filters: Mapping[str, str], profile: Profile, language: Language) -> list[str]:
    """Return a warning for each value that the profile does not know, with those that it does."""
    return [
        language.say("case_unknown_value", value=filters[field.name], field=field.label, known=", ".join(field.values))
        for field in profile.filter_fields
        if field.name in filters and not is_known_value(field, filters[field.name])
    ]
