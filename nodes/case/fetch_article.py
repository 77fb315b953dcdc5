"""Fetch the critical chunks and the whole article of a case by the filter, without similarity."""

from dataclasses import replace

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.confidence import CaseGraph
from articulado.cases.fields import APPLIES_TO_ALL, field_specs, field_value, filter_paths, passes_filter
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.language.languages import Language
from articulado.values.cases import FieldSpec, details_of
from articulado.values.chunks import Candidate, Chunk
from articulado.values.protocols import ChunkStore, SearchFilter
from state.case import CaseState
from state.context import ResolvedContext
from state.run import days_of


class FetchArticleUpdate(TypedDict, total=False):
    """Chunks of the article, its required fields, and the candidates left to rank."""

    assumed: dict[str, str]
    critical: list[Chunk]
    of_article: list[Chunk]
    wanted: list[FieldSpec]
    candidates: list[Candidate]
    warnings: list[str]


async def fetch_article(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    store: ChunkStore,
    profile: Profile,
    graph: CaseGraph,
    language: Language,
) -> FetchArticleUpdate:
    """Read the critical chunks and the article.

    An open filter field takes the article's value, with a warning: procedures of two providers must not be mixed.
    Reads ``article_id``, ``failure``, ``filters`` and ``candidates``.
    """
    article = state["article_id"]
    if state["failure"] or not article:
        return {}
    fields, case = profile.filter_fields, profile.case
    if graph == "required_data":
        names, types = profile.required_data_filter, case.required_data.types
    else:
        names, types = profile.response_filter, case.tiers.types
    everything = SearchFilter(as_of=days_of(state).as_of, territory=runtime.context.territory)
    of_article = await store.select(profile.for_cases, replace(everything, fields=(("law_id", (article,)),)))
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
    # Which data a case needs is read from its article alone, critical rules and all.
    critical = (
        await store.select(profile.for_cases, replace(everything, fields=(*conditions, ("tier", ("CRITICAL",)))))
        if graph == "generate_response"
        else []
    )
    required_type = case.required_data.types[0]
    wanted = field_specs(details_of(chunk) for chunk in of_article if chunk["chunk_type"] == required_type)
    ids = {chunk["id"] for chunk in critical}
    assumption_warnings = [
        language.translate("case_assumed", field=field.label, value=assumed[field.name])
        for field in open_fields
        if field.name in assumed and field.name != TOPIC
    ]
    return {
        "assumed": assumed,
        "critical": critical,
        "of_article": [chunk for chunk in of_article if chunk["chunk_type"] in types and chunk["id"] not in ids],
        "wanted": wanted,
        "candidates": [
            candidate
            for candidate in state["candidates"]
            if candidate["chunk"]["id"] not in ids and passes_filter(candidate["chunk"], fields, values, names)
        ],
        "warnings": assumption_warnings,
    }
