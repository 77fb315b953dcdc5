"""Fetch what the model said it lacks, once."""

from datetime import date
from itertools import chain, zip_longest
from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from legal.labels import provision_key
from legal.laws import find_law
from nodes.candidates import NAMED_SCORE, candidate, merged
from nodes.search import HybridSearch, search_filter
from nodes.select_context import EXTRA_AFTER_REFETCH
from nodes.stage import NO_COST, Cost, failed
from services.errors import ModelError
from services.protocols import ChunkStore
from state.chunks import Candidate, in_force
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Need


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
    store: ChunkStore,
    records: ChunkStore,
    search: HybridSearch,
) -> RefetchUpdate:
    """Look named provisions up, search for the rest, and add what the model has not seen.

    As many chunks are added as the next context has room for beyond the first: of each need in turn, the parts of a
    provision in their order. ``refetched`` says whether there is anything new; without it the first answer stands.
    """
    held = store if state["rag_enabled"] else records
    as_of = search_filter(runtime.context, state["analysis"]).as_of
    by_need: list[list[Candidate]] = []
    queries: list[str] = []
    for need in state["needs"]:
        named = await _named(need, held)
        if named:
            by_need.append([one for one in named if in_force(one["chunk"], as_of, date.today())])
        else:
            queries.append(need["keywords"] or f"{need['article']} {need['law']}")
    warnings, cost = state["warnings"], NO_COST
    if queries and state["rag_enabled"]:
        try:
            found, cost = await _searched(queries, state, runtime.context, search)
        except ModelError as error:
            said = search.field.language.say("rag_lacking_not_searched", problem=error)
            warnings, cost = [*warnings, said], failed(error)
        else:
            by_need.append(found)
    seen = {found["chunk"]["id"] for found in state["context"]}
    in_turn = (one for one in chain.from_iterable(zip_longest(*by_need)) if one and one["chunk"]["id"] not in seen)
    new = list({one["chunk"]["id"]: one for one in in_turn}.values())[:EXTRA_AFTER_REFETCH]
    asked_for: list[Candidate] = [{**found, "origins": [*found["origins"], "need"]} for found in new]
    return {
        "candidates": merged(state["candidates"] + asked_for),
        "refetched": bool(new),
        "retried": True,
        "warnings": warnings,
        "cost": cost,
    }


async def _named(need: Need, held: ChunkStore) -> list[Candidate]:
    law = find_law(need["law"]) if need["kind"] == "article" else None
    key = provision_key(need["article"])
    chunks = await held.find(law.id, key) if law and key else []
    return [candidate(chunk, NAMED_SCORE, "direct", need["article"]) for chunk in chunks]


async def _searched(
    queries: list[str], state: RagState, context: ResolvedContext, search: HybridSearch
) -> tuple[list[Candidate], Cost]:
    dense, cost = await search.embed(queries, state.get("deadline"))
    lexical = await search.encode(queries)
    found, _ = await search.run(queries, dense, lexical, context=context, analysis=state["analysis"])
    return found, cost
