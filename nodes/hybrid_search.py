"""Search every collection with all dense and sparse vectors at once, and match known questions."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.config.profile import LAW_COLLECTION
from articulado.config.sections import Caps
from articulado.encoders.phrasings import Phrasings
from articulado.retrieval.fusion import merged
from articulado.retrieval.ranking.cards import CardReader
from articulado.retrieval.search import HybridSearch, answers_of_phrasings, search_filter
from articulado.store.supplementary import UNAVAILABLE
from articulado.values.answers import whole_text
from articulado.values.chunks import Candidate
from articulado.values.errors import Cost
from state.context import ResolvedContext
from state.run import RetrievalState, days_of

MAX_OF_AGREEMENTS = 12  # Chunks of a named agreement that are always among the results
MAX_OF_COMMUNITIES = 12  # Chunks of community law added to those of the state


class HybridSearchUpdate(TypedDict):
    """Results of the search, and a warning if it was lexical only."""

    found: list[Candidate]
    warnings: list[str]
    cost: Cost


async def hybrid_search(
    state: RetrievalState,
    runtime: Runtime[ResolvedContext],
    *,
    search: HybridSearch,
    phrasings: Phrasings | None,
    cards: CardReader | None = None,
    caps: Caps | None = None,
) -> HybridSearchUpdate:
    """Search with the cached vectors, and add the best chunks of named agreements and of community law.

    ``caps`` defaults to the profile's. Reads ``searches``, ``lexical_only`` and ``scope``.
    """
    where = search_filter(state["turn_question"], days_of(state).as_of, runtime.context.territory, state["scope"])
    named = tuple(state["turn_question"]["agreements"])
    searched = runtime.context.collections or search.collections
    run = partial(
        search.run_or_by_words,
        state["searches"],
        lexical_only=state["lexical_only"],
        deadline=state.get("deadline"),
        caps=caps,
    )
    hits, cost, warnings = await run(where, collections=searched)
    if named:
        # The vectors are in the cache now: it costs nothing.
        of_named, _, _ = await run(replace(where, fields=(*where.fields, ("law_id", named))), collections=searched)
        hits = merged([*hits, *of_named[:MAX_OF_AGREEMENTS]])
    if LAW_COLLECTION in searched and not named:
        # That the collection does not answer has been said.
        with suppress(*UNAVAILABLE):
            of_communities, _, _ = await run(replace(where, communities=True), collections=(LAW_COLLECTION,))
            hits = merged([*hits, *of_communities[:MAX_OF_COMMUNITIES]])
    if phrasings and not runtime.context.collections:
        question = whole_text(state["turn_question"])
        hits = merged([*hits, *await answers_of_phrasings(question, phrasings, cards, search, where, days_of(state))])
    return {"found": hits, "warnings": warnings, "cost": cost}
