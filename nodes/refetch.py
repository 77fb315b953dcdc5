"""Fetch what the model said it lacks, once."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from legal.labels import provision_key
from legal.laws.mentions import find_law
from nodes.select_context import EXTRA_AFTER_REFETCH
from services.protocols import ChunkStore
from services.search.hybrid import HybridSearch, search_filter
from state.candidates import NAMED_SCORE, candidate, merged
from state.chunks import Candidate, in_force
from state.context import ResolvedContext, StoreName
from state.errors import ModelError
from state.rag import RagState, days_of
from state.values import NO_COST, Cost, Need, cost_of_failure


class RefetchUpdate(TypedDict):
    """The candidates with what was fetched, and whether there is anything new."""

    candidates: list[Candidate]
    refetched: bool
    retried: bool
    warnings: NotRequired[list[str]]
    cost: NotRequired[Cost]


async def refetch(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    search: HybridSearch,
) -> RefetchUpdate:
    """Look named provisions up, search for the rest, and add what the model has not seen.

    As many chunks are added as the next context has room for beyond the first: of each need in turn, the parts of a
    provision in their order. ``refetched`` says whether there is anything new; without it the first answer stands.
    """
    as_of, today = days_of(state)
    by_need: list[list[Candidate]] = []
    queries: list[str] = []
    for need in state["needs"]:
        named = await _look_up_named(need, stores[state["store"]])
        if named:
            by_need.append([fetched for fetched in named if in_force(fetched["chunk"], as_of, today)])
        else:
            queries.append(need["keywords"] or f"{need['article']} {need['law']}")
    warnings, cost = state["warnings"], NO_COST
    if queries and state["store"] == "index":
        try:
            hits, cost = await search.run(
                queries,
                search_filter(state, runtime.context),
                collections=runtime.context.collections,
                deadline=state.get("deadline"),
            )
        except ModelError as error:
            warning = search.domain.language.say("rag_lacking_not_searched", problem=error)
            warnings, cost = [*warnings, warning], cost_of_failure(error)
        else:
            by_need.append(hits)
    seen = {candidate["chunk"]["id"] for candidate in state["context"]}
    in_turn = (
        fetched
        for fetched in chain.from_iterable(zip_longest(*by_need))
        if fetched and fetched["chunk"]["id"] not in seen
    )
    new = list({fetched["chunk"]["id"]: fetched for fetched in in_turn}.values())[:EXTRA_AFTER_REFETCH]
    asked_for: list[Candidate] = [
        {**fetched, "origins": list(dict.fromkeys([*fetched["origins"], "need"]))} for fetched in new
    ]
    return {
        "candidates": merged(state["candidates"] + asked_for),
        "refetched": bool(new),
        "retried": True,
        "warnings": warnings,
        "cost": cost,
    }


async def _look_up_named(need: Need, store: ChunkStore) -> list[Candidate]:
    law = find_law(need["law"]) if need["kind"] == "article" else None
    key = provision_key(need["article"])
    chunks = await store.find(law.id, key) if law and key else []
    # Not "direct": that the model wants to read a provision does not make it the answer.
    return [candidate(chunk, NAMED_SCORE, "need", need["article"]) for chunk in chunks]
