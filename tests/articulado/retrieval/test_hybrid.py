"""Caps, weights and parents of the hybrid search."""

import asyncio
from dataclasses import replace
from datetime import date

from support.doubles import FakeEmbedder, FakeSparse, FakeStore, make_chunk
from support.waiting import PATIENCE

from articulado.config.profile import load_profile
from articulado.config.sections import Caps
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.models.retry import QuestionTime
from articulado.retrieval.search import HybridSearch
from articulado.values.errors import ModelTimeout
from articulado.values.protocols import PLAIN, SearchFilter

PROFILE = load_profile("laboral")


def searcher(store):
    return HybridSearch(store, FakeEmbedder(), FakeSparse(), PROFILE, PROFILE.for_questions, SPANISH_LAW, PLAIN)


async def run(store, *queries, **options):
    candidates, _ = await searcher(store).run(queries, SearchFilter(), **options)
    return [(candidate["chunk"]["id"], candidate["score"], candidate["found_by"]) for candidate in candidates]


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
    first = [(chunk["id"], 1.0) for chunk in everything]
    second = [(chunk["id"], chunk["id"] / 400) for chunk in reversed(everything)]
    caps = Caps(prefetch=20, per_collection=10, per_query=20, overall=30)
    of_one_query = await run(FakeStore(everything, {"q": first}), "q", caps=caps)
    assert len(of_one_query) == 20
    assert sum(100 <= i < 200 for i, _, _ in of_one_query) == 10
    assert sum(300 <= i < 400 for i, _, _ in of_one_query) == 10
    of_two_queries = await run(FakeStore(everything, {"q": first, "r": second}), "q", "r", caps=caps)
    assert len(of_two_queries) == 30


async def test_the_callers_collections_go_before_those_of_the_profile():
    store = FakeStore([])
    await run(store, "q")
    await run(store, "q", collections=("sentencias",))
    assert [search[0] for search in store.searches] == [*PROFILE.for_questions, "sentencias"]


async def test_the_law_of_a_day_is_searched_beside_that_of_today():
    store = FakeStore([])
    await searcher(store).run(
        ["q"], SearchFilter(as_of=date(2019, 1, 1), territory="Madrid"), collections=["normativa"]
    )
    assert [search[4] for search in store.searches] == [
        SearchFilter(as_of=date(2019, 1, 1), territory="Madrid"),
        SearchFilter(territory="Madrid"),
    ]


class Gate(FakeStore):
    """Lets nobody pass until five searches are waiting."""

    def __init__(self):
        super().__init__([])
        self.barrier = asyncio.Barrier(5)

    async def search(self, collection, queries, **options):
        async with asyncio.timeout(PATIENCE):
            await self.barrier.wait()
        return [[] for _ in queries]


async def test_collections_are_searched_concurrently():
    assert await run(Gate(), "q", "r") == []


async def test_queries_are_embedded_once_and_in_one_batch():
    search = searcher(FakeStore([]))
    vectors, cost = await search.embed(["a", "b", "a"], None)
    again, nothing = await search.embed(["b"], None)
    assert search.embedder.batches == [["a", "b"]]
    assert (cost["requests"], nothing["requests"]) == (1, 0)
    assert vectors[0] is vectors[2]
    assert vectors[1] is again[0]


async def test_vectors_are_looked_up_by_text_and_made_only_where_the_cache_lacks_them():
    search = searcher(FakeStore(chunks("normativa", 1, 2), {"q": [(1, 1.0)], "r": [(2, 0.5)]}))
    await search.embed(["p", "q"], None)
    await search.encode(["p", "q"])
    _, cost = await search.run(["q"], SearchFilter())
    assert (search.embedder.batches, cost["requests"]) == ([["p", "q"]], 0)
    candidates, cost = await search.run(["r", "q"], SearchFilter())
    assert (search.embedder.batches[1:], cost["requests"]) == ([["r"]], 1)
    assert [(candidate["chunk"]["id"], candidate["found_by"]) for candidate in candidates] == [(1, ["q"]), (2, ["r"])]


class TimedEmbedder(FakeEmbedder):
    """Keeps its deadlines, and is late if it is told so."""

    def __init__(self, *, late=False):
        super().__init__()
        self.deadlines = []
        self.late = late

    async def embed_queries(self, texts, *, deadline=None):
        self.deadlines.append(deadline)
        if self.late:
            error = ModelTimeout("Tarde.")
            error.attempts = 2
            raise error
        return await super().embed_queries(texts)


async def test_the_embedder_has_a_share_of_the_time_of_the_question():
    embedder, question_time = TimedEmbedder(), QuestionTime(200.0, clock=lambda: 1000.0)
    search = replace(searcher(FakeStore([])), embedder=embedder, question_time=question_time)
    await search.run(["q"], SearchFilter(), deadline=1200.0)
    await search.run(["r"], SearchFilter(), deadline=1010.0)
    assert embedder.deadlines == [1030.0, 1010.0]


async def test_without_vectors_words_alone_are_searched_and_it_is_told():
    store = FakeStore(chunks("normativa", 1, 1), {"q": [(1, 1.0)]})
    search = replace(searcher(store), embedder=TimedEmbedder(late=True))
    candidates, cost, warnings = await search.run_or_by_words(["q"], SearchFilter())
    assert [candidate["chunk"]["id"] for candidate in candidates] == [1]
    assert (cost["requests"], warnings) == (2, ["Se ha buscado solo por palabras: Tarde."])
    _, cost, warnings = await search.run_or_by_words(["q"], SearchFilter(), lexical_only=True)
    assert (cost["requests"], warnings) == (0, [])


async def test_words_alone_are_searched_without_the_embedder():
    search = searcher(FakeStore(chunks("normativa", 1, 1), {"q": [(1, 1.0)]}))
    candidates, cost = await search.run(["q"], SearchFilter(), lexical_only=True)
    assert [candidate["chunk"]["id"] for candidate in candidates] == [1]
    assert (search.embedder.batches, cost["requests"]) == ([], 0)
