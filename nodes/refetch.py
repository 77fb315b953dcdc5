"""Fetch once the provisions that the model reported as missing."""

from collections import Counter
from collections.abc import Mapping
from itertools import chain, zip_longest

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.legal.citations.parser import ProvisionRequest
from articulado.legal.validity import in_force
from articulado.retrieval.fusion import EXTRA_AFTER_REFETCH, candidate, merged
from articulado.retrieval.needs import nearest_first, provisions_needed, text_of
from articulado.retrieval.search import HybridSearch, search_filter
from articulado.values.answers import Need, StoreName, question_of, searched_topic
from articulado.values.chunks import NAMED_SCORE, Candidate
from articulado.values.errors import NO_COST, Cost
from articulado.values.protocols import ChunkStore, Reranker
from state.context import ResolvedContext
from state.rag import RagState
from state.run import days_of


class RefetchUpdate(TypedDict):
    """The candidates with the fetched ones; ``refetched`` tells if any is new to the model."""

    candidates: list[Candidate]
    refetched: bool
    retried: bool
    unmet_needs: list[Need]
    warnings: list[str]
    cost: Cost


async def refetch(
    state: RagState,
    runtime: Runtime[ResolvedContext],
    *,
    stores: Mapping[StoreName, ChunkStore],
    search: HybridSearch,
    heuristic: Reranker,
) -> RefetchUpdate:
    """Look up named provisions whole, search for the other needs, and add unread chunks of each need in turn.

    A missing provision of a known law is not searched for: no other text has its number. Reads ``needs``, ``context``,
    ``candidates``, ``scope`` and ``lexical_only``.
    """
    seen = {candidate["chunk"]["id"] for candidate in state["context"]}
    by_need: list[list[Candidate]] = []
    unmet: list[Need] = []
    to_search: dict[str, Need] = {}
    for need in state["needs"]:
        requests = _provisions(need, state, search)
        store = stores[state["store"]]
        if parts := [part for request in requests for part in await _parts(need, request, state, store, search)]:
            by_need.append([part for part in parts if part["chunk"]["id"] not in seen])
        elif any(request.law_id for request in requests) or state["store"] != "index":
            unmet.append(need)
        else:
            to_search[_query(need, state, search)] = need
    cost, by_words = NO_COST, list[str]()
    if to_search:
        hits, cost, by_words = await search.run_or_by_words(
            list(to_search),
            search_filter(state["turn_question"], days_of(state).as_of, runtime.context.territory, state["scope"]),
            collections=runtime.context.collections,
            # An embedder that was late once is not waited for again.
            lexical_only=state["lexical_only"],
            deadline=state.get("deadline"),
        )
        unseen = [hit for hit in hits if hit["chunk"]["id"] not in seen and in_force(hit["chunk"], *days_of(state))]
        for query, need in to_search.items():
            by_need.append(await _best_first(query, unseen, heuristic))
            unmet += [] if by_need[-1] else [need]
    in_turn = [fetched for fetched in chain.from_iterable(zip_longest(*by_need)) if fetched]
    new = list({fetched["chunk"]["id"]: fetched for fetched in in_turn}.values())[:EXTRA_AFTER_REFETCH]
    asked_for: list[Candidate] = [
        {**fetched, "origins": list(dict.fromkeys([*fetched["origins"], "need"]))} for fetched in new
    ]
    return {
        "candidates": merged(state["candidates"] + asked_for),
        "refetched": bool(new),
        "retried": True,
        "unmet_needs": unmet,
        "warnings": by_words,
        "cost": cost,
    }


def _provisions(need: Need, state: RagState, search: HybridSearch) -> list[ProvisionRequest]:
    as_of, today = days_of(state)
    profile = search.profile
    laws = Counter(candidate["chunk"]["law_id"] for candidate in state["context"])
    law = laws.most_common(1)[0][0] if laws else profile.default_law
    return provisions_needed(need, law, today, as_of, spanish_law=profile.features.spanish_law)


def _query(need: Need, state: RagState, search: HybridSearch) -> str:
    """Return the words of a need, completed with the topic of the question if they are a single one."""
    text = text_of(need) if need["keywords"] else need["law"]
    if need["keywords"] and len(set(search.domain.stems(text))) > 1:
        return text
    return f"{text} {searched_topic(state['turn_question'])}".strip()


async def _best_first(query: str, hits: list[Candidate], heuristic: Reranker) -> list[Candidate]:
    of_query = [hit for hit in hits if query in hit["found_by"]]
    scored = await heuristic.score(question_of(query), [query], of_query)
    by_score = sorted(zip(of_query, scored.scores, strict=True), key=lambda pair: -(pair[1] or 0.0))
    return [hit for hit, _ in by_score]


async def _parts(
    need: Need, request: ProvisionRequest, state: RagState, store: ChunkStore, search: HybridSearch
) -> list[Candidate]:
    as_of, today = days_of(state)
    chunks = await store.find(request.law_id, request.provision_key) if request.law_id else []
    parts = [chunk for chunk in chunks if in_force(chunk, as_of, today)]
    # Not "direct": that the model wants to read a provision does not make it the answer.
    return [
        candidate(chunk, NAMED_SCORE, "need", text_of(need))
        for chunk in nearest_first(parts, request, need["keywords"], search.domain.stems)
    ]
