"""Open a case: check the caller's input and derive the search and its filter."""

from collections.abc import Mapping

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from articulado.cases.confidence import CaseGraph
from articulado.cases.fields import fill_from_data, filter_paths
from articulado.cases.phrases import conflicts, fill_open_filters, is_placeholder, named_values
from articulado.cases.readers import text_of
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.language.languages import Language
from articulado.models.retry import QuestionTime
from articulado.values.answers import StoreName, TurnQuestion, question_of
from articulado.values.cases import CollectedValue, Response
from nodes.validation import check_options, checked_data, checked_filters, checked_inquiry, checked_tokens
from state.case import CaseState, CaseTurn
from state.context import ResolvedContext
from state.run import Search, at_rest

MAX_SUMMARISED = 12
"""Data added to the search: more of them would outweigh the inquiry."""


class AcceptCaseUpdate(Search, CaseTurn):
    """A fresh search, the case, and the day and store of the run."""

    warnings: Overwrite
    inquiry: str
    turn: int
    deadline: float
    store: StoreName
    today: str
    as_of: str | None
    turn_question: TurnQuestion
    response: Response


async def accept_case(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    profile: Profile,
    graph: CaseGraph,
    language: Language,
    question_time: QuestionTime,
) -> AcceptCaseUpdate:
    """Reset the turn, check the input, and set filter and searches.

    An open filter field takes its value from the data, else from the inquiry. Reads ``inquiry``, ``collected_data``,
    ``max_tokens``, ``turn`` and the filter fields of the profile.
    """
    check_options(runtime.context, profile)
    inquiry = checked_inquiry(state.get("inquiry"))
    collected = checked_data(state.get("collected_data"))
    given = checked_filters(state, profile)
    told = fill_from_data(profile.filter_fields, given, collected, language)
    named = named_values(inquiry, profile.filter_fields)
    filters = fill_open_filters(named, told)
    case = profile.case
    if graph == "required_data":
        names, types = profile.required_data_filter, case.required_data.types
        more = filters.get(TOPIC, "").replace("_", " ")
        budget = case.required_data.context_tokens + case.required_data.answer_tokens
    else:
        names, types = profile.response_filter, case.tiers.types
        more = summary(collected)
        budget = checked_tokens(state.get("max_tokens"), case.response.max_tokens)
    # The inquiry alone, too: how well an article fits it is not to depend on what comes along.
    searches = [inquiry, f"{inquiry} {more}"] if more else [inquiry]
    now, as_of = question_time.clock(), runtime.context.as_of
    return {
        **at_rest(Search),
        **at_rest(CaseTurn),
        "warnings": Overwrite(
            [
                *_taken("case_data_taken", told, given, profile, language),
                *_taken("case_named_taken", filters, told, profile, language),
            ]
        ),
        "inquiry": inquiry,
        "queries": [inquiry],
        "searches": searches,
        "turn": state.get("turn", 0) + 1,
        "deadline": now + question_time.seconds,
        "store": "index",
        "today": question_time.calendar().isoformat(),
        "as_of": as_of.isoformat() if as_of else None,
        "turn_question": question_of(inquiry),
        "scope": {"chunk_types": list(types), "fields": filter_paths(profile.filter_fields, filters, names)},
        "filters": filters,
        "conflicts": [
            {"field": each.field, "given": each.given, "message": each.message, "is_held": each.is_held}
            for each in conflicts(named, told, language)
        ],
        "collected": collected,
        "budget": budget,
        "response": {"sections": []},
    }


def summary(collected: Mapping[str, CollectedValue]) -> str:
    """Return collected data as search words: "employment status terminated; balance $10,000"."""
    data = [(name, text) for name, value in collected.items() if not is_placeholder(text := text_of(value))]
    return "; ".join(f"{name.replace('_', ' ')} {text}" for name, text in data[:MAX_SUMMARISED])


def _taken(
    key: str, filled: Mapping[str, str], before: Mapping[str, str], profile: Profile, language: Language
) -> list[str]:
    return [
        language.translate(key, field=field.label, value=filled[field.name])
        for field in profile.filter_fields
        if field.name in filled and field.name not in before
    ]
