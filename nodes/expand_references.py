"""Add the provisions that the candidates cite."""

import asyncio
from collections.abc import Mapping
from datetime import date

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from services.profile.profile import Profile
from services.protocols import ChunkStore
from state.candidates import candidate, in_order
from state.chunks import Candidate, Chunk, in_force, provision_of
from state.context import ResolvedContext, StoreName
from state.rag import RagState, days_of

PARENT_FACTOR = 0.8
MAX_PER_SOURCE = 3
MAX_REFERENCES = 15


class ExpandReferencesUpdate(TypedDict):
    """The candidates and what they cite."""

    candidates: list[Candidate]


async def expand_references(
    state: RagState, runtime: Runtime[ResolvedContext], *, stores: Mapping[StoreName, ChunkStore], profile: Profile
) -> ExpandReferencesUpdate:
    """Follow the pre-computed references of every candidate, upward or level in rank, to what is in force.

    Other parts of the candidate's own provision come whatever their number. A reference scores its best source × 0.8;
    the 15 best are kept. A profile may do without.
    """
    sources = state["candidates"]
    if not profile.features.references:
        return {"candidates": sources}
    known = {source["chunk"]["id"] for source in sources}
    wanted = dict.fromkeys(ref for source in sources for ref in source["chunk"]["refs"] if ref not in known)
    store, (as_of, today) = stores[state["store"]], days_of(state)
    allowed = territories_of(sources)
    cited = [chunk for chunk in await store.fetch(list(wanted)) if territory_of(chunk) in allowed]
    of_then = await wordings_of(as_of, [chunk for chunk in cited if not in_force(chunk, as_of, today)], store)
    fetched = {chunk["id"]: chunk for chunk in cited if in_force(chunk, as_of, today)}
    fetched |= {ref: chunk for ref, chunk in of_then.items() if chunk["id"] not in known}
    best: dict[int, Candidate] = {}
    for source in in_order(sources):
        # Two references may have become one: to the two parts of what had a single one on the day asked about.
        cited_here = {fetched[ref]["id"]: fetched[ref] for ref in source["chunk"]["refs"] if ref in fetched}
        for chunk in followed(source["chunk"], list(cited_here.values())):
            score = round(source["score"] * PARENT_FACTOR, 6)
            best.setdefault(chunk["id"], candidate(chunk, score, "reference", source["chunk"]["provision"]))
    return {"candidates": sources + in_order(best.values())[:MAX_REFERENCES]}


def territory_of(chunk: Chunk) -> tuple[str | None, str | None]:
    """Return the community and the city whose law a chunk is; neither for the whole state."""
    return chunk["territory_ccaa"], chunk["territory_municipio"]


def territories_of(sources: list[Candidate]) -> set[tuple[str | None, str | None]]:
    """Return the territories whose law may be followed to: those of the sources, and the wider ones around them."""
    own = {territory_of(source["chunk"]) for source in sources}
    return own | {(community, None) for community, _ in own} | {(None, None)}


async def wordings_of(day: date | None, others: list[Chunk], store: ChunkStore) -> dict[int, Chunk]:
    """Return by the id of each chunk the wording of its provision that was in force on the day asked about.

    References lead to the wording in force with the one that cites; a question about another day may mean another.
    What is not in force today, and has not been asked about, is not replaced.
    """
    if day is None:
        return {}
    places = list(dict.fromkeys(map(provision_of, others)))
    found = dict(zip(places, await asyncio.gather(*(store.find(*place) for place in places)), strict=True))
    then: dict[int, Chunk] = {}
    for chunk in others:
        parts = [one for one in found[provision_of(chunk)] if in_force(one, day, day)]
        if parts:
            then[chunk["id"]] = next((one for one in parts if one["part"] == chunk["part"]), parts[0])
    return then


def followed(source: Chunk, cited: list[Chunk]) -> list[Chunk]:
    """Return which of the cited chunks to follow, in the order of the text."""
    followed_now: list[Chunk] = []
    others = 0
    for chunk in cited:
        if provision_of(chunk) == provision_of(source):
            followed_now.append(chunk)
        elif others < MAX_PER_SOURCE and chunk["rank"] <= source["rank"]:
            followed_now.append(chunk)
            others += 1
    return followed_now
