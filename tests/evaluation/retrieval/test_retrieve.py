"""The ranking of a question: what the graph merged, then what the same search finds deeper."""

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services

from articulado.config.profile import load_profile
from articulado.values.errors import InvalidInput
from evaluation.gold.sets import not_indexed
from evaluation.retrieval.evaluate import Retriever
from state.context import RunContext

ET = "BOE-A-2015-11430"


def retriever(chunks, found, *, context=None, scores=None, queries='["q"]', **fields):
    """Retrieval over a store where the query "q" finds these ids, best first."""
    ranking = [(number, 1 - at / 1000) for at, number in enumerate(found)]
    store = FakeStore(chunks, {"q": ranking, "r": ranking[::-1]})
    rerankers = {"heuristic": FixedReranker(scores)}
    services = make_services(store, QueueChat(queries), QueueChat(""), rerankers=rerankers, **fields)
    return Retriever(services, context), store


CAPS = load_profile("laboral").search.caps

THROUGH = min(CAPS.per_collection, CAPS.per_query, CAPS.overall)
"""Candidates of one query in one collection that the graph merges."""


def articles(count):
    return [make_chunk(number, f"Artículo {number}") for number in range(1, count + 1)]


def depths(store):
    """How deep each search among the laws went."""
    return [prefetch for collection, _, _, prefetch, _ in store.searches if collection == "normativa"]


def labels(found):
    return [row.provision[1] for row in found.rows]


async def test_reranked_candidates_come_first_and_the_search_goes_on_below_them():
    asked, _ = retriever(articles(THROUGH + 30), range(1, THROUGH + 31), scores={5: 0.9, 9: 0.8})
    found = await asked.retrieve("¿vacaciones?")
    # What comes through the caps of the graph is put in order; the others follow in the order of the search.
    of_graph = [number for number in range(1, THROUGH + 1) if number not in (5, 9)]
    assert labels(found) == [f"Artículo {number}" for number in [5, 9, *of_graph, *range(THROUGH + 1, THROUGH + 31)]]
    assert [row.origins for row in found.rows] == [("hybrid",)] * THROUGH + [("fill",)] * 30
    assert found.rows[0].score > 2.0 > found.rows[THROUGH].score
    assert all(above.score >= below.score for above, below in zip(found.rows, found.rows[1:], strict=False))
    assert (found.abstained, found.queries[0]) == (False, "q")


async def test_without_a_reranker_the_order_is_that_of_the_search():
    numbers = range(THROUGH + 30, 0, -1)
    asked, _ = retriever(articles(THROUGH + 30), numbers, context=RunContext(rerank_strategy="none"))
    found = await asked.retrieve("¿vacaciones?")
    assert labels(found) == [f"Artículo {number}" for number in numbers]
    assert found.rows[0].score == 2.0
    assert found.rows[THROUGH - 1].score > 1.0 > found.rows[THROUGH].score
    assert found.top_score is None


async def test_a_provision_has_one_row_at_the_place_of_its_best_part():
    chunks = [make_chunk(number, "Artículo 7", part=number, parts=4) for number in range(1, 5)]
    chunks += [make_chunk(5, "Artículo\u00a08")]
    asked, _ = retriever(chunks, range(1, 6), scores={3: 0.9, 5: 0.7, 1: 0.1})
    assert labels(await asked.retrieve("¿vacaciones?")) == ["Artículo 7", "Artículo 8"]


async def test_rulings_have_no_row():
    chunks = [make_chunk(1, "STS 1/2020", collection="sentencias"), make_chunk(2, "Artículo 2")]
    asked, _ = retriever(chunks, [1, 2], scores={1: 0.9, 2: 0.4})
    found = await asked.retrieve("¿vacaciones?")
    assert labels(found) == ["Artículo 2"]
    assert found.top_score is not None


async def test_the_search_goes_deeper_until_there_are_twenty_provisions():
    """So many parts of one provision stand before all others that the first filling search finds nothing else."""
    parts = 4 * CAPS.prefetch + 10
    flood = [make_chunk(number, "Artículo 1", part=number, parts=parts) for number in range(1, parts + 1)]
    others = range(parts + 1, parts + 200)
    asked, store = retriever([*flood, *(make_chunk(n, f"Artículo {n}") for n in others)], range(1, parts + 200))
    found = await asked.retrieve("¿vacaciones?")
    assert labels(found) == ["Artículo 1", *(f"Artículo {number}" for number in others[:99])]
    # The second one is for law of communities.
    assert depths(store) == [CAPS.prefetch, CAPS.prefetch, 4 * CAPS.prefetch, 16 * CAPS.prefetch]


async def test_a_search_that_finds_nothing_more_is_not_repeated():
    asked, store = retriever(articles(2), [1, 2])
    assert labels(await asked.retrieve("¿vacaciones?")) == ["Artículo 1", "Artículo 2"]
    # The second one is for law of communities, the last one for what the field is about.
    assert depths(store) == [CAPS.prefetch, CAPS.prefetch, 4 * CAPS.prefetch, 16 * CAPS.prefetch, CAPS.prefetch]


async def test_a_question_without_a_known_word_is_filled_with_what_the_field_is_about():
    asked, store = retriever(articles(25), [], queries='["xyzzy"]')
    store.rankings[load_profile("laboral").title] = [(number, 0.5) for number in range(1, 26)]
    found = await asked.retrieve("¿xyzzy?")
    assert len(found.rows) == 25
    assert all(row.score < 1 for row in found.rows)


async def test_filling_searches_with_every_query_and_the_same_filters():
    chunks = articles(40)
    context = RunContext(territory="Madrid", as_of="2020-01-01", rerank_strategy="none")
    asked, store = retriever(chunks, range(1, 41), context=context, queries='["q", "r"]')
    found = await asked.retrieve("¿vacaciones?")
    assert len(found.rows) == 40
    *of_graph, filling = store.searches
    assert filling[:2] == ("normativa", of_graph[0][1])
    assert filling[1] >= 2
    # The search for the law of a day has a second one, for what has no wording of that day.
    assert {str(search[4].as_of) for search in of_graph} == {"2020-01-01", "None"}
    assert filling[4] in [search[4] for search in of_graph]
    assert filling[4].territory == "Madrid"


async def test_filling_searches_of_the_day_and_the_place_that_the_question_names():
    asked, store = retriever([make_chunk(1, "Artículo 1")], [1])
    await asked.retrieve("¿Cuántas vacaciones había en Madrid el 3 de marzo de 2019?")
    where = {(str(search[4].as_of), search[4].territory) for search in store.searches}
    assert where == {("2019-03-03", "Madrid"), ("None", "Madrid")}


async def test_collections_left_out_of_the_search_are_not_filled():
    chunks = [make_chunk(1, "STS 1/2020", collection="sentencias"), make_chunk(2, "Artículo 2")]
    asked, _ = retriever(chunks, [1, 2], context=RunContext(collections=["sentencias"]))
    assert (await asked.retrieve("¿vacaciones?")).rows == ()


async def test_a_question_that_is_abstained_from_has_its_ranking():
    asked, _ = retriever(articles(30), range(1, 31), scores=dict.fromkeys(range(1, 31), 0.01))
    found = await asked.retrieve("¿paella?")
    assert (found.abstained, len(found.rows)) == (True, 30)
    assert found.top_score < 0.25


async def test_a_named_provision_is_first_and_the_rest_is_filled():
    last = THROUGH + 10
    asked, _ = retriever(articles(last), range(1, last + 1))
    found = await asked.retrieve(f"¿Qué dice el artículo {last} del ET?")
    assert found.rows[0].provision == (ET, f"Artículo {last}")
    assert found.rows[0].origins == ("direct",)
    assert len(found.rows) == last


async def test_times_are_those_of_the_stages():
    asked, _ = retriever([make_chunk(1, "Artículo 1")], [1])
    found = await asked.retrieve("¿vacaciones?")
    assert {"analyze_question", "decompose", "hybrid_search", "rerank", "select_context"} <= set(found.stages)
    assert found.milliseconds >= max(found.stages.values())


async def test_a_question_that_cannot_be_asked_is_refused():
    asked, _ = retriever([], [])
    with pytest.raises(InvalidInput):
        await asked.retrieve(" ")


async def test_labels_that_the_index_lacks_are_told_once_each():
    store = FakeStore([make_chunk(1, "Artículo 1"), make_chunk(2, "Preámbulo", provision_key="preambulo")])
    held = [(ET, "Art. 1.2"), (ET, "Preámbulo"), (ET, "Artículo 1")]
    lacking = [(ET, "Artículo 2"), ("BOE-A-1978-31229", "Artículo 1"), (ET, "Art. 2")]
    assert await not_indexed([*held, *lacking], store) == lacking[:2]
