"""Caps, weights and parents of the hybrid search."""

import asyncio

from doubles import FakeEmbedder, FakeSparse, FakeStore, make_chunk

from nodes.search import CAPS, Caps, HybridSearch
from services.profile import load_profile
from services.spanish_law import SPANISH_LAW
from state.context import ResolvedContext

PROFILE = load_profile("laboral")
NOTHING = {"provisions": [], "is_lookup": False, "acronyms": [], "as_of": None, "territory": None}


def searcher(store):
    return HybridSearch(store, FakeEmbedder(), FakeSparse(), PROFILE, PROFILE.for_questions, SPANISH_LAW)


async def run(store, *queries, analysis=NOTHING, caps=CAPS, **context):
    search = searcher(store)
    dense, _ = await search.embed(queries, None)
    lexical = await search.encode(queries)
    options = ResolvedContext(**context)
    found, _ = await search.run(queries, dense, lexical, context=options, analysis=analysis, caps=caps)
    return [(one["chunk"]["id"], one["score"], one["found_by"]) for one in found]


def chunks(collection, start, count, **fields):
    return [make_chunk(start + n, f"Artículo {start + n}", collection=collection, **fields) for n in range(count)]


async def test_collections_are_weighted():
    store = FakeStore(
        chunks("normativa", 1, 1) + chunks("sentencias", 2, 1) + chunks("criterios_inss", 3, 1),
        {"q": [(1, 0.5), (2, 1.0), (3, 1.0)]},
    )
    assert await run(store, "q") == [(3, 0.9, ["q"]), (2, 0.8, ["q"]), (1, 0.5, ["q"])]


async def test_the_caps_hold_for_each_collection_for_each_query_and_in_all():
    everything = chunks("normativa", 100, 30) + chunks("sentencias", 200, 15) + chunks("criterios_inss", 300, 15)
    first = [(c["id"], 1.0) for c in everything]
    second = [(c["id"], c["id"] / 400) for c in reversed(everything)]
    caps = Caps(prefetch=20, per_collection=10, per_query=20, overall=30)
    one = await run(FakeStore(everything, {"q": first}), "q", caps=caps)
    assert len(one) == 20
    assert sum(100 <= i < 200 for i, _, _ in one) == 10
    assert sum(300 <= i < 400 for i, _, _ in one) == 10
    two = await run(FakeStore(everything, {"q": first, "r": second}), "q", "r", caps=caps)
    assert len(two) == 30


async def test_the_callers_options_go_before_what_the_question_says():
    store = FakeStore([])
    said = {**NOTHING, "as_of": "2019-01-01", "territory": "Madrid"}
    await run(store, "q", analysis=said)
    await run(store, "q", analysis=said, territory="Cataluña", as_of="2020-02-02", collections=("normativa",))
    asked = [(s[0], s[4].territory, s[4].as_of and str(s[4].as_of)) for s in store.searches]
    assert {one[1:] for one in asked[:8]} == {("Madrid", "2019-01-01"), ("Madrid", None)}
    assert asked[8:] == [("normativa", "Cataluña", "2020-02-02"), ("normativa", "Cataluña", None)]


class Gate(FakeStore):
    """Lets nobody pass until four searches are waiting."""

    def __init__(self):
        super().__init__([])
        self.barrier = asyncio.Barrier(4)

    async def search(self, collection, queries, **options):
        async with asyncio.timeout(5):
            await self.barrier.wait()
        return [[] for _ in queries]


async def test_collections_are_searched_concurrently():
    assert await run(Gate(), "q", "r") == []


async def test_queries_are_embedded_once_and_in_one_batch():
    store = FakeStore([])
    search = searcher(store)
    keys, cost = await search.embed(["a", "b", "a"], None)
    again, nothing = await search.embed(["b"], None)
    assert search.embedder.batches == [["a", "b"]]
    assert (cost["requests"], nothing["requests"]) == (1, 0)
    assert keys[0] == keys[2] != keys[1] == again[0]


async def test_vectors_are_taken_from_the_cache_and_made_again_only_where_they_are_gone():
    store, queries = FakeStore(chunks("normativa", 1, 1), {"q": [(1, 1.0)]}), ["q"]
    search, other = searcher(store), searcher(store)
    dense, _ = await search.embed(queries, None)
    lexical = await search.encode(queries)
    options = {"context": ResolvedContext(), "analysis": NOTHING}
    _, cost = await search.run(queries, dense, lexical, **options)
    assert (len(search.embedder.batches), cost["requests"]) == (1, 0)
    found, cost = await other.run(queries, dense, lexical, **options)
    assert (other.embedder.batches, cost["requests"]) == ([["q"]], 1)
    assert [one["chunk"]["id"] for one in found] == [1]


async def test_without_dense_keys_words_alone_are_searched():
    store = FakeStore(chunks("normativa", 1, 1), {"q": [(1, 1.0)]})
    search = searcher(store)
    lexical = await search.encode(["q"])
    found, _ = await search.run(["q"], [], lexical, context=ResolvedContext(), analysis=NOTHING)
    assert [one["chunk"]["id"] for one in found] == [1]
    assert search.embedder.batches == []
