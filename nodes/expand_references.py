"""Add the provisions that the candidates cite, by the references resolved at indexing time."""

import asyncio
from collections.abc import Mapping
from datetime import date

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import Profile
from articulado.legal.ids import nearest_part_ids
from articulado.legal.validity import in_force
from articulado.retrieval.fusion import candidate, in_order
from articulado.values.answers import StoreName
from articulado.values.chunks import Candidate, Chunk, provision_of
from articulado.values.protocols import ChunkStore
from state.context import ResolvedContext
from state.run import RetrievalState, days_of

PARENT_FACTOR = 0.8
MAX_PER_SOURCE = 3
MAX_REFERENCES = 15


class ExpandReferencesUpdate(TypedDict):
    """The candidates and the provisions that they cite."""

    candidates: list[Candidate]


async def expand_references(
    state: RetrievalState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    profile: Profile,
) -> ExpandReferencesUpdate:
    """Add the law of the same or a higher rank that a candidate cites, as in force on the day of the question.

    A reference scores 0.8 times its best source. Reads ``candidates``.
    """
    sources = state["candidates"]
    if not profile.features.references:
        return {"candidates": sources}
    candidate_ids = {source["chunk"]["id"] for source in sources}
    chunks = [source["chunk"] for source in sources]
    leads = {chunk["id"]: dict.fromkeys([*nearest_part_ids(chunk), *chunk["refs"]]) for chunk in chunks}
    refs = dict.fromkeys(ref for of_source in leads.values() for ref in of_source if ref not in candidate_ids)
    store, (as_of, today) = stores[state["store"]], days_of(state)
    allowed = territories_of(sources)
    excluded = frozenset(state["turn_question"]["excluded_laws"])
    cited = [
        chunk
        for chunk in await store.fetch(list(refs))
        if territory_of(chunk) in allowed and chunk["law_id"] not in excluded
    ]
    fetched = {chunk["id"]: chunk for chunk in cited if in_force(chunk, as_of, today)}
    replacements = await wordings_of_day(as_of, [chunk for chunk in cited if chunk["id"] not in fetched], store)
    fetched |= {ref: chunk for ref, chunk in replacements.items() if chunk["id"] not in candidate_ids}
    best: dict[int, Candidate] = {}
    for source in in_order(sources):
        # Two references may have become one: to the two parts of what had a single one on the day asked about.
        cited_here = {fetched[ref]["id"]: fetched[ref] for ref in leads[source["chunk"]["id"]] if ref in fetched}
        for chunk in references_to_follow(source["chunk"], list(cited_here.values())):
            score = round(source["score"] * PARENT_FACTOR, 6)
            best.setdefault(chunk["id"], candidate(chunk, score, "reference", source["chunk"]["provision"]))
    return {"candidates": sources + in_order(best.values())[:MAX_REFERENCES]}


def territory_of(chunk: Chunk) -> tuple[str | None, str | None]:
    return chunk["territory_ccaa"], chunk["territory_municipio"]


def territories_of(sources: list[Candidate]) -> set[tuple[str | None, str | None]]:
    own = {territory_of(source["chunk"]) for source in sources}
    return own | {(community, None) for community, _ in own} | {(None, None)}


async def wordings_of_day(day: date | None, chunks: list[Chunk], store: ChunkStore) -> dict[int, Chunk]:
    """Return, by chunk id, the wording of its provision in force on ``day``; empty without a day."""
    if day is None:
        return {}
    provisions = list(dict.fromkeys(map(provision_of, chunks)))
    chunks_found = await asyncio.gather(*(store.find(*provision) for provision in provisions))
    by_provision = dict(zip(provisions, chunks_found, strict=True))
    wordings: dict[int, Chunk] = {}
    for chunk in chunks:
        parts = [part for part in by_provision[provision_of(chunk)] if in_force(part, day, day)]
        if parts:
            wordings[chunk["id"]] = next((part for part in parts if part["part"] == chunk["part"]), parts[0])
    return wordings


def references_to_follow(source: Chunk, cited: list[Chunk]) -> list[Chunk]:
    """Return the parts of the same provision, and up to ``MAX_PER_SOURCE`` chunks of no lower rank."""
    to_follow: list[Chunk] = []
    of_others = 0
    for chunk in cited:
        if provision_of(chunk) == provision_of(source):
            to_follow.append(chunk)
        elif of_others < MAX_PER_SOURCE and chunk["rank"] <= source["rank"]:
            to_follow.append(chunk)
            of_others += 1
    return to_follow
