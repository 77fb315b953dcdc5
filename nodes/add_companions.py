"""Add companion provisions for the topic of a question: time limits, competent bodies, amounts.

A companion belongs to the topic without being similar to the question. A companion that the search did not
find has no final score and comes last.
"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.companions import Companion, Topic
from articulado.legal.domain.base import Domain
from articulado.legal.validity import in_force
from articulado.retrieval.companions import topics_of
from articulado.retrieval.fusion import MAX_COMPANIONS, candidate, preference
from articulado.values.answers import Days, StoreName
from articulado.values.chunks import Candidate, Chunk, Origin
from articulado.values.protocols import ChunkStore
from nodes.turn import question_to_score
from state.context import ResolvedContext
from state.rag import RagState, days_of

COMPANION_SCORE = 0.0
"""Score of a companion that was not found: it never goes before what was."""


class AddCompanionsUpdate(TypedDict):
    """The candidates with their companions."""

    candidates: list[Candidate]


async def add_companions(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    companion_topics: Sequence[Topic],
    domain: Domain,
) -> AddCompanionsUpdate:
    """Fetch the companions of the topics of a question, in the wording of the day; those found already are marked.

    A companion that was not found has no final score, so that it comes last. After a refetch they are chosen anew;
    those that the first answer was written with stay: it may be gone back to.
    """
    found = list(_without_companions(state["candidates"], state["draft_chunk_ids"]))
    ranked = sorted(found, key=preference)
    recognised = topics_of(question_to_score(state), ranked, companion_topics, domain)
    # Of several topics, each brings its first before any brings its second.
    in_turn = [companion for companion in chain(*zip_longest(*(topic.bring for topic in recognised))) if companion]
    chunks = await asyncio.gather(
        *(_part_that_says(companion, stores[state["store"]], days_of(state)) for companion in in_turn)
    )
    companions: dict[int, Candidate] = {}
    for companion, chunk in zip(in_turn, chunks, strict=True):
        if chunk and len(companions) < MAX_COMPANIONS:
            companions.setdefault(chunk["id"], _brought(chunk, companion))
    by_id = {known["chunk"]["id"]: known for known in found}
    marked = [_marked(known, companions.get(known["chunk"]["id"])) for known in found]
    return {"candidates": marked + [brought for id_, brought in companions.items() if id_ not in by_id]}


def _without_companions(candidates: Sequence[Candidate], kept: Sequence[int]) -> Sequence[Candidate]:
    """Return the candidates as they were found, before any were brought or marked as companions, and the ``kept``."""
    found: list[Candidate] = []
    for known in candidates:
        if "companion" not in known["origins"]:
            found.append(known)
            continue
        others: list[Origin] = [origin for origin in known["origins"] if origin != "companion"]
        if not others and known["chunk"]["id"] in kept:
            found.append(known)
        elif others:
            as_found: Candidate = {**known, "origins": others}
            as_found.pop("purpose", None)
            as_found.pop("says", None)
            found.append(as_found)
    return found


async def _part_that_says(companion: Companion, store: ChunkStore, days: Days) -> Chunk | None:
    """Return the part of a provision that says what it is brought for, in force on the day; ``None`` without one.

    A packaged record says it in other words: there it is the first part.
    """
    parts = [chunk for chunk in await store.find(*companion.ref) if in_force(chunk, *days)]
    return next((part for part in parts if part["source"] == "plain_language" or companion.says in part["text"]), None)


def _brought(chunk: Chunk, companion: Companion) -> Candidate:
    brought = candidate(chunk, COMPANION_SCORE, "companion", companion.provision)
    return {**brought, "purpose": companion.purpose, "says": companion.says}


def _marked(known: Candidate, companion: Candidate | None) -> Candidate:
    if companion is None:
        return known
    return {
        **known,
        "origins": [*known["origins"], "companion"],
        "purpose": companion["purpose"],
        "says": companion["says"],
    }
