"""Read what no answer goes without: the critical chunks and the required data, by the filter alone."""

from dataclasses import replace

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from language.languages import Language
from services.case.filters import APPLIES_TO_ALL, field_value, filter_paths, passes_filter
from services.case.ranking import main_article
from services.profile.profile import Profile
from services.protocols import ChunkStore, SearchFilter
from state.articles import FieldSpec, details_of
from state.case import CaseState
from state.chunks import Candidate, Chunk
from state.context import ResolvedContext
from state.rag import days_of


class FetchCriticalUpdate(TypedDict, total=False):
    """The article that fits best, what was read of it, and the candidates that are left to rank."""

    article_id: str
    assumed: dict[str, str]
    critical: list[Chunk]
    wanted: list[FieldSpec]
    candidates: list[Candidate]
    warnings: list[str]


async def fetch_critical(
    state: CaseState, runtime: Runtime[ResolvedContext], *, store: ChunkStore, profile: Profile, language: Language
) -> FetchCriticalUpdate:
    """Read the critical chunks and the required data of the case; similarity has no part in which.

    A filter field that the caller left open has the value of the article that fits best: procedures of two providers
    must not be mixed. That is said in a warning.
    """
    if not state["candidates"]:
        return {}
    names, fields = profile.response_filter, profile.filter_fields
    article = main_article(state["candidates"], state["filters"].get("topic", ""))
    of_article = [candidate["chunk"] for candidate in state["candidates"] if candidate["chunk"]["law_id"] == article]
    others = [candidate["chunk"] for candidate in state["candidates"] if candidate["chunk"]["law_id"] != article]
    open_fields = [field for field in fields if field.name in names and field.name not in state["filters"]]
    # An article may apply to all: then the best one that does not says whose procedure is meant.
    assumed = {
        field.name: next(filter(None, (field_value(chunk, field) for chunk in [*of_article, *others])), APPLIES_TO_ALL)
        for field in open_fields
    }
    assumed = {name: value for name, value in assumed.items() if value}
    values = {**assumed, **state["filters"]}
    conditions = tuple((path, tuple(allowed)) for path, allowed in filter_paths(fields, values, names).items())
    search_filter = SearchFilter(as_of=days_of(state).as_of, territory=runtime.context.territory, fields=conditions)
    critical = await store.select(
        profile.for_cases, replace(search_filter, fields=(*conditions, ("tier", ("CRITICAL",))))
    )
    required_chunks = await store.select(
        profile.for_cases, replace(search_filter, chunk_types=(profile.case.required_data.types[0],))
    )
    wanted = {
        spec["field"]: spec
        for chunk in required_chunks
        if chunk["law_id"] == article
        for spec in details_of(chunk).get("fields", [])
    }
    ids = {chunk["id"] for chunk in critical}
    assumption_warnings = [
        language.say("case_assumed", field=field.label, value=assumed[field.name])
        for field in open_fields
        if field.name in assumed and field.name != "topic"
    ]
    return {
        "article_id": article,
        "assumed": assumed,
        "critical": critical,
        "wanted": list(wanted.values()),
        "candidates": [
            candidate
            for candidate in state["candidates"]
            if candidate["chunk"]["id"] not in ids and passes_filter(candidate["chunk"], fields, values, names)
        ],
        "warnings": [*state["warnings"], *assumption_warnings],
    }
