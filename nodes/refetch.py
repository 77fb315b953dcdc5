"""Fetch what the model said it lacks, once."""

from typing import NotRequired

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from legal.labels import provision_key
from legal.laws import find_law
from nodes.candidates import candidate, merged
from nodes.search import HybridSearch
from nodes.stage import NO_COST, Cost
from services.protocols import ChunkStore
from state.chunks import Candidate, Chunk
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Need

NAMED_SCORE = 1.0
MAX_NEW = 5


class RefetchUpdate(TypedDict):
    """The candidates with what was fetched, and whether there is anything new."""

    candidates: list[Candidate]
    refetched: bool
    retried: bool
    cost: NotRequired[Cost]


async def refetch(
    state: RagState, runtime: Runtime[ResolvedContext], *, store: ChunkStore, search: HybridSearch
) -> RefetchUpdate:
    """Look named provisions up, search for the rest, and add what the model has not seen.

    ``refetched`` says whether there is anything new; without it the first answer stands.
    """
    named: list[Candidate] = []
    queries: list[str] = []
    for need in state["needs"]:
        chunks = await _look_up(need, store)
        named.extend(candidate(chunk, NAMED_SCORE, "direct", need["article"]) for chunk in chunks)
        if not chunks:
            queries.append(need["keywords"] or f"{need['article']} {need['law']}")
    searched: list[Candidate] = []
    cost = NO_COST
    if queries and state["rag_enabled"]:
        searched, cost = await search.run(queries, runtime.context, state["analysis"], state["deadline"])
    seen = {found["chunk"]["id"] for found in state["context"]}
    new = [found for found in merged(named + searched) if found["chunk"]["id"] not in seen][:MAX_NEW]
    asked_for: list[Candidate] = [{**found, "origins": [*found["origins"], "need"]} for found in new]
    return {
        "candidates": merged(state["candidates"] + asked_for),
        "refetched": bool(new),
        "retried": True,
        "cost": cost,
    }


async def _look_up(need: Need, store: ChunkStore) -> list[Chunk]:
    law = find_law(need["law"]) if need["kind"] == "article" else None
    key = provision_key(need["article"])
    return await store.find(law.id, key) if law and key else []
