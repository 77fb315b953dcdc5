"""Add companion provisions for the topic of a question: time limits, competent bodies, amounts.

A companion belongs to the topic without being similar to the question. A companion that the search did not
find has no final score and comes last. A topic is recognised if one of the three best provisions belongs to it and
the question says one of its words or a synonym (``topics_of``).
"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.companions import Companion, Condition, Topic
from articulado.legal.domain.base import Domain
from articulado.legal.validity import in_force
from articulado.retrieval.fusion import MAX_COMPANIONS, candidate, preference
from articulado.values.answers import Days, StoreName
from articulado.values.chunks import Candidate, Chunk, Origin, ProvisionRef, provision_of
from articulado.values.protocols import ChunkStore
from nodes.turn import question_to_score
from state.context import ResolvedContext
from state.rag import RagState, days_of

BEST_PROVISIONS = 3
"""How many of the best provisions say what a question is about."""
MIN_CERTAINTY = 0.5
"""How surely a word of the question must stand for a legal term (``Domain.terms``) for the term to count as said."""
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


def topics_of(question: str, ranked: Sequence[Candidate], topics: Sequence[Topic], domain: Domain) -> list[Topic]:
    """Return the topics of a question, those of its best provisions first; ``ranked`` are its candidates, best first.

    A topic is recognised where one of the three best provisions is one of its own, and the question says one of its
    words, or says what stands for it ("me echaron"). A topic without provisions, or without words, does without. The
    best provision, or a word that the question itself says, may tell that it is another.
    """
    best = list(dict.fromkeys(provision_of(candidate["chunk"]) for candidate in ranked))[:BEST_PROVISIONS]
    said = _Said(question, domain)
    recognised = [
        (place, topic)
        for topic in topics
        if (place := _place(topic.when, best)) is not None
        and (not topic.when.words or said.any_of(topic.when.words))
        and not said.any_of(topic.unless.words, itself=True)
        and not any(map(topic.unless.names, best[:1]))
    ]
    return [topic for _, topic in sorted(recognised, key=lambda pair: pair[0])]


def _place(condition: Condition, best: Sequence[ProvisionRef]) -> int | None:
    """Return the place of the first provision that a condition names, ``None`` where none of them is."""
    if not condition.provisions:
        return len(best)
    return next((place for place, provision in enumerate(best) if condition.names(provision)), None)


class _Said:
    """The stems of a question, and of the legal terms that its words stand for."""

    def __init__(self, question: str, domain: Domain) -> None:
        self._domain = domain
        terms = [term for term, certainty in domain.terms(question) if certainty >= MIN_CERTAINTY]
        self._texts = [frozenset(domain.stems(text)) for text in (question, *terms)]

    def any_of(self, words: Sequence[str], *, itself: bool = False) -> bool:
        """Tell whether one of some words, or all of one of some phrases, are said; by the question ``itself``."""
        phrases = [frozenset(self._domain.stems(phrase)) for phrase in words]
        texts = self._texts[:1] if itself else self._texts
        return any(phrase and phrase <= text for phrase in phrases for text in texts)
