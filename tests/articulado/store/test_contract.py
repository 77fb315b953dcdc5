"""What every chunk store does: the same suite runs over the embedded and the server adapter."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from pathlib import Path

import pytest
from support import reference_search
from support.chunks import (
    NO_TERMS,
    TUNED,
    Batch,
    make_child,
    make_chunk,
    random_batch,
    random_families,
    random_queries,
    terms,
    unit,
)
from support.real_qdrant import URL
from support.stores import KINDS, TODAY, Kind, Stores

from articulado.store.filters import citing_clauses, satisfies, search_clauses
from articulado.store.layout import PAGE_SIZE
from articulado.values.chunks import Chunk
from articulado.values.protocols import PLAIN, Fusion, HybridQuery, SearchFilter

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

ANYTHING = SearchFilter()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    made = Stores(tmp_path)
    yield made
    await made.close()


def small() -> Batch:
    """By the dense query (1, 0): 5, 9, 7, 3. By the term 1: 9, 3 (5 and 7 lack it)."""
    return Batch(
        [make_chunk(id) for id in (3, 5, 7, 9)],
        [unit(0, 1), unit(1, 0.1), unit(1, 1), unit(1, 0.5)],
        [terms({1: 1.0, 2: 0.5}), terms({2: 0.5}), terms({2: 1.0}), terms({1: 2.0})],
    )


def ranking(hits: list) -> list[tuple[int, float]]:
    return [(hit.chunk["id"], hit.score) for hit in hits]


async def test_both_sides_are_fused(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    query = HybridQuery(unit(1, 0), terms({1: 1.0}), TUNED)
    [hits] = await store.search("normativa", [query], limit=10, prefetch=20, where=ANYTHING)
    # 9: 3/21 + 1/20; 3: 3/23 + 1/21; 5: 3/20; 7: 3/22; all over 3/20 + 1/20
    assert ranking(hits) == [(9, 0.964285714), (3, 0.890269151), (5, 0.75), (7, 0.681818182)]


async def test_each_query_uses_its_own_fusion(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    queries = [
        HybridQuery(unit(1, 0), terms({1: 1.0}), fusion) for fusion in (PLAIN, Fusion(k=1, dense=1.0, sparse=3.0))
    ]
    plain, by_words = await store.search("normativa", queries, limit=10, prefetch=20, where=ANYTHING)
    # 9: 1/61 + 1/60; 3: 1/63 + 1/61; 5: 1/60; 7: 1/62; all over 2/60
    assert ranking(plain) == [(9, 0.991803279), (3, 0.967993755), (5, 0.5), (7, 0.483870968)]
    # 9: 1/2 + 3/1; 3: 1/4 + 3/2; 5: 1/1; 7: 1/3; all over 4
    assert ranking(by_words) == [(9, 0.875), (3, 0.4375), (5, 0.25), (7, 0.083333333)]


async def test_first_in_both_sides_scores_one(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    query = HybridQuery(unit(1, 0.5), terms({1: 1.0}))
    [hits] = await store.search("normativa", [query], limit=1, prefetch=20, where=ANYTHING)
    assert ranking(hits) == [(9, 1.0)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # 20/20, 20/21, 20/22, 20/23: what a side weighs is of no account where it is alone
        (HybridQuery(unit(1, 0), NO_TERMS, TUNED), [(5, 1.0), (9, 0.952380952), (7, 0.909090909), (3, 0.869565217)]),
        (HybridQuery(None, terms({1: 1.0}), TUNED), [(9, 1.0), (3, 0.952380952)]),
        (HybridQuery(None, terms({99: 1.0})), []),
        (HybridQuery(None, NO_TERMS), []),
    ],
)
async def test_a_side_may_be_left_out(
    kind: Kind, stores: Stores, query: HybridQuery, expected: list[tuple[int, float]]
) -> None:
    store = await stores.make(kind, small())
    [hits] = await store.search("normativa", [query], limit=10, prefetch=20, where=ANYTHING)
    assert ranking(hits) == expected


async def test_meaning_may_count_for_more_than_words(kind: Kind, stores: Stores) -> None:
    by_meaning, by_words = make_chunk(8), make_chunk(2)
    batch = Batch([by_meaning, by_words], [unit(1, 0), unit(1, 1)], [terms({1: 1.0}), terms({1: 2.0})])
    store = await stores.make(kind, batch)
    [hits] = await store.search(
        "normativa", [HybridQuery(unit(1, 0), terms({1: 1.0}), TUNED)], limit=9, prefetch=20, where=ANYTHING
    )
    # 8: 3/20 + 1/21; 2: 3/21 + 1/20: with equal weights they would be tied, and 2 come first
    assert ranking(hits) == [(8, 0.988095238), (2, 0.964285714)]


async def test_prefetch_and_limit_cut(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    query = HybridQuery(unit(1, 0), terms({1: 1.0}), TUNED)
    [hits] = await store.search("normativa", [query], limit=10, prefetch=1, where=ANYTHING)
    assert ranking(hits) == [(5, 0.75), (9, 0.25)]
    [hits] = await store.search("normativa", [query], limit=2, prefetch=20, where=ANYTHING)
    assert ranking(hits) == [(9, 0.964285714), (3, 0.890269151)]


async def test_ties_are_broken_by_ascending_id(kind: Kind, stores: Stores) -> None:
    ids = [41, 7, 2**53 - 1, 19, 3]
    twins = Batch([make_chunk(id) for id in ids], [unit(1, 2)] * 5, [terms({4: 1.5})] * 5)
    store = await stores.make(kind, twins)
    query = HybridQuery(unit(1, 0), terms({4: 1.0}))
    [hits] = await store.search("normativa", [query], limit=10, prefetch=20, where=ANYTHING)
    assert [id for id, _ in ranking(hits)] == [3, 7, 19, 41, 2**53 - 1]


async def test_several_queries_keep_their_order(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    queries = [
        HybridQuery(None, terms({1: 1.0})),
        HybridQuery(None, NO_TERMS),
        HybridQuery(unit(0, 1), NO_TERMS),
        HybridQuery(unit(1, 0), terms({1: 1.0})),
    ]
    rankings = await store.search("normativa", queries, limit=1, prefetch=20, where=ANYTHING)
    assert [[id for id, _ in ranking(hits)] for hits in rankings] == [[9], [], [3], [9]]
    assert await store.search("normativa", [], limit=1, prefetch=20, where=ANYTHING) == []


async def test_a_collection_that_does_not_exist_is_empty(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, small())
    query = HybridQuery(unit(1, 0), terms({1: 1.0}))
    assert await store.search("sentencias", [query, query], limit=5, prefetch=20, where=ANYTHING) == [[], []]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow(reason="a second seed"))])
@pytest.mark.parametrize("kind_of_batch", [random_batch, random_families])
async def test_both_stores_rank_as_the_reference(
    stores: Stores, seed: int, kind_of_batch: Callable[[int], Batch]
) -> None:
    batch, queries = kind_of_batch(seed), random_queries(seed)
    both = {kind: await stores.make(kind, batch) for kind in ("embedded", "server", *(["real"] if URL else []))}
    for where in (
        ANYTHING,
        SearchFilter(territory="Cataluña"),
        SearchFilter(territory="Sevilla"),
        SearchFilter(as_of=date(2015, 10, 24)),
        SearchFilter(as_of=date(2010, 1, 1), territory="Andalucía"),
    ):
        expected = [
            [
                (id, pytest.approx(score, abs=1e-8))
                for id, score in reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
            ]
            for query in queries
        ]
        assert all(expected), "the data must be found at all"
        for kind, store in both.items():
            answers = await store.search("normativa", queries, limit=10, prefetch=20, where=where)
            assert [ranking(hits) for hits in answers] == expected, (kind, where)


def families() -> Batch:
    """Parents 1 and 2, found by words, with children 11, 12, 13 and 21, found by meaning; 3 is found by both.

    By the dense query (1, 0) the points rank 11, 12, 3, 21, 13; by the term 1: 2, 3 (1 lacks it).
    """
    first, second = make_chunk(1), make_chunk(2)
    chunks = [first, second, make_chunk(3)]
    chunks += [make_child(11, first), make_child(12, first), make_child(13, first), make_child(21, second)]
    dense = [None, None, unit(1, 0.5), unit(1, 0.1), unit(1, 0.2), unit(0, 1), unit(1, 0.9)]
    words = [terms({2: 1.0}), terms({1: 2.0}), terms({1: 1.0})]
    return Batch(chunks, dense, words + [NO_TERMS] * 4)


async def test_children_yield_their_parent_once_at_the_rank_of_the_best(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, families())
    by_meaning = HybridQuery(unit(1, 0), NO_TERMS, TUNED)
    both = HybridQuery(unit(1, 0), terms({1: 1.0}), TUNED)
    answers = await store.search("normativa", [by_meaning, both], limit=10, prefetch=20, where=ANYTHING)
    # the second child of 1 takes no rank: 3 is second and 2 is third
    assert ranking(answers[0]) == [(1, 1.0), (3, 0.952380952), (2, 0.909090909)]
    # 3: 3/21 + 1/21; 2: 3/22 + 1/20; 1: 3/20; all over 3/20 + 1/20
    assert ranking(answers[1]) == [(3, 0.952380952), (2, 0.931818182), (1, 0.75)]
    assert answers[0][0].chunk == families().chunks[0], "the parent's own text, not the child's"


async def test_a_child_and_its_parent_on_one_side_are_one(kind: Kind, stores: Stores) -> None:
    parent, other = make_chunk(1), make_chunk(2)
    batch = Batch(
        [parent, make_child(11, parent), other],
        [unit(0.2, 1), unit(1, 0), unit(1, 1)],
        [terms({1: 3.0}), terms({1: 1.0}), terms({1: 2.0})],
    )
    store = await stores.make(kind, batch)
    query = HybridQuery(unit(1, 0), terms({1: 1.0}), TUNED)
    [hits] = await store.search("normativa", [query], limit=10, prefetch=20, where=ANYTHING)
    # by meaning the child is first, by words the parent: 1 is first in both, 2 second in both
    assert ranking(hits) == [(1, 1.0), (2, 0.952380952)]


async def test_prefetch_and_limit_count_parents(kind: Kind, stores: Stores) -> None:
    parents = [make_chunk(id) for id in (1, 2, 3)]
    chunks = [make_child(10 * parent["id"] + number, parent) for parent in parents for number in range(5)]
    # all five children of 1 come before any of 2, and these before any of 3
    dense = [unit(1, 0.1 * (5 * parent + number)) for parent in range(3) for number in range(5)]
    store = await stores.make(kind, Batch([*parents, *chunks], [None] * 3 + dense, [NO_TERMS] * 18))
    query = HybridQuery(unit(1, 0), NO_TERMS)
    for prefetch, limit, expected in ((2, 10, [1, 2]), (3, 10, [1, 2, 3]), (3, 2, [1, 2]), (1, 10, [1])):
        [hits] = await store.search("normativa", [query], limit=limit, prefetch=prefetch, where=ANYTHING)
        assert [id for id, _ in ranking(hits)] == expected


async def test_filters_apply_to_children(kind: Kind, stores: Stores) -> None:
    old, new = make_chunk(1, valid_to="2020-01-01"), make_chunk(2, valid_from="2020-01-01")
    regional = make_chunk(3, territory_ccaa="Galicia")
    families = [old, new, regional]
    children = [make_child(10 + parent["id"], parent) for parent in families]
    vectors = [None] * 3 + [unit(1, 0.1), unit(1, 0.2), unit(1, 0.3)]
    store = await stores.make(kind, Batch([*families, *children], vectors, [NO_TERMS] * 6))
    for where, expected in (
        (ANYTHING, [2]),
        (SearchFilter(as_of=date(2019, 1, 1)), [1]),
        (SearchFilter(territory="Galicia"), [2, 3]),
    ):
        # with room for one parent on a side, what is filtered out must not take it
        [hits] = await store.search(
            "normativa", [HybridQuery(unit(1, 0), NO_TERMS)], limit=9, prefetch=len(expected), where=where
        )
        assert [id for id, _ in ranking(hits)] == expected


async def test_a_law_whose_end_has_come_is_repealed_however_it_is_read(kind: Kind, stores: Stores) -> None:
    """Its source was written before that day: it says "in force", and on which day it would be repealed."""
    ended = make_chunk(1, valid_to=TODAY.isoformat(), wording={})
    lasts = make_chunk(2, valid_to="2024-06-02", wording={}, refs=[1])
    followed, over = make_chunk(3, valid_to="2020-01-01"), make_chunk(4, valid_to="2020-01-01", status="agotada")
    chunks = [ended, lasts, followed, over]
    store = await stores.make(kind, Batch(chunks, [unit(1, 0)] * 4, [NO_TERMS] * 4))
    repealed = {**ended, "status": "derogada"}
    assert await store.fetch([1, 2, 3, 4]) == [repealed, lasts, followed, over]
    assert await store.find("BOE-A-2015-11430", "art:1") == [repealed]
    assert await store.select(["normativa"], ANYTHING) == [repealed, lasts, over]
    assert await store.citing([1]) == [lasts]
    query = HybridQuery(unit(1, 0), NO_TERMS)
    [hits] = await store.search("normativa", [query], limit=9, prefetch=9, where=ANYTHING)
    assert [hit.chunk for hit in hits] == [repealed, lasts, over]


async def test_citing_returns_the_chunks_that_refer_to_a_chunk(kind: Kind, stores: Stores) -> None:
    citing = [make_chunk(9, refs=[1, 5]), make_chunk(4, refs=[2**53 - 1]), make_chunk(6, refs=[7])]
    ruling = make_chunk(2, refs=[5, 1], collection="sentencias")
    batch = Batch([*citing, ruling, make_chunk(1)], [unit(1, 0)] * 5, [NO_TERMS] * 5)
    store = await stores.make(kind, batch)
    assert await store.citing([1]) == [ruling, citing[0]]
    assert [chunk["id"] for chunk in await store.citing([2**53 - 1, 5, 1])] == [2, 4, 9]
    assert await store.citing([12345]) == []
    assert await store.citing([]) == []


async def test_citing_has_no_limit(kind: Kind, stores: Stores) -> None:
    chunks = [make_chunk(id, refs=[1]) for id in range(1, 2 * PAGE_SIZE + 2)]
    store = await stores.make(kind, Batch(chunks, [unit(1, 0)] * len(chunks), [NO_TERMS] * len(chunks)))
    assert [chunk["id"] for chunk in await store.citing([1])] == list(range(1, 2 * PAGE_SIZE + 2))


FILTER_CASES = [
    # what the chunk says, the filter, whether it passes (today is 2024-06-01)
    ({}, ANYTHING, True),
    ({"status": "modificada"}, ANYTHING, True),
    ({"status": "parcialmente_derogada"}, ANYTHING, True),
    # repealed law is found by who asks for no day, with its note; a wording that another one followed is not
    ({"status": "derogada"}, ANYTHING, True),
    ({"status": "derogada", "valid_to": "2020-01-01"}, ANYTHING, True),
    ({"status": "agotada", "valid_to": "2020-01-01"}, ANYTHING, True),
    ({"status": "derogada", "valid_from": "2024-06-02"}, ANYTHING, False),
    ({"status": "modificada", "valid_to": "2020-01-01"}, ANYTHING, False),
    ({"status": "parcialmente_derogada", "valid_to": "2020-01-01"}, ANYTHING, False),
    ({"status": "derogada", "valid_to": "2020-01-01"}, SearchFilter(as_of=date(2020, 1, 1)), False),
    # a law that its source says to be in force, and to end on a day that has come
    ({"valid_to": "2024-06-01", "wording": {}}, ANYTHING, True),
    ({"valid_to": "2024-06-01", "wording": {"first_day": "exact"}}, ANYTHING, True),
    ({"valid_to": "2024-06-02", "wording": {}}, ANYTHING, True),
    ({"valid_to": "2024-06-01", "wording": {}}, SearchFilter(as_of=date(2024, 6, 1)), False),
    ({"valid_to": "2024-06-01", "wording": {}, "territory_ccaa": "Galicia"}, ANYTHING, False),
    ({"valid_to": "2024-06-02"}, ANYTHING, True),
    ({"valid_to": "2024-06-01"}, ANYTHING, False),
    ({"valid_from": "2024-06-01"}, ANYTHING, True),
    ({"valid_from": "2024-06-02"}, ANYTHING, False),
    ({"valid_from": None}, ANYTHING, True),
    ({"valid_from": "2015-01-01"}, SearchFilter(as_of=date(2015, 1, 1)), True),
    ({"valid_from": "2015-01-02"}, SearchFilter(as_of=date(2015, 1, 1)), False),
    ({"valid_from": None, "valid_to": "2015-01-02"}, SearchFilter(as_of=date(2015, 1, 1)), True),
    ({"valid_from": None, "valid_to": "2015-01-01"}, SearchFilter(as_of=date(2015, 1, 1)), False),
    ({"valid_from": None, "status": "derogada"}, SearchFilter(as_of=date(2015, 1, 1)), True),
    ({"status": "derogada", "valid_to": "2020-01-01"}, SearchFilter(as_of=date(2019, 1, 1)), True),
    ({"territory_ccaa": "Galicia"}, ANYTHING, False),
    ({"territory_ccaa": "Galicia"}, SearchFilter(territory="Galicia"), True),
    ({"territory_ccaa": "Galicia"}, SearchFilter(territory="Madrid"), False),
    ({}, SearchFilter(territory="Madrid"), True),
    ({"territory_ccaa": "Galicia", "territory_municipio": "Vigo"}, SearchFilter(territory="Vigo"), True),
    ({"territory_ccaa": "Galicia", "territory_municipio": "Vigo"}, SearchFilter(territory="Lugo"), False),
    ({"territory_ccaa": "Galicia", "territory_municipio": "Vigo"}, SearchFilter(territory="Galicia"), False),
    ({"territory_ccaa": "Galicia"}, SearchFilter(territory="Vigo"), True),
    ({"status": "derogada", "territory_ccaa": "Galicia"}, ANYTHING, False),
]


async def test_filters(kind: Kind, stores: Stores) -> None:
    chunks = [make_chunk(number, **fields) for number, (fields, _, _) in enumerate(FILTER_CASES, start=1)]
    batch = Batch(chunks, [unit(1, 0)] * len(chunks), [terms({1: 1.0})] * len(chunks))
    store = await stores.make(kind, batch)
    for query in (HybridQuery(unit(1, 0), NO_TERMS), HybridQuery(None, terms({1: 1.0}))):
        for number, (fields, where, expected) in enumerate(FILTER_CASES, start=1):
            [hits] = await store.search("normativa", [query], limit=100, prefetch=100, where=where)
            assert (number in [id for id, _ in ranking(hits)]) is expected, (fields, where)


def test_a_chunk_at_hand_is_filtered_alike() -> None:
    for fields, where, expected in FILTER_CASES:
        assert satisfies(make_chunk(1, **fields), search_clauses(where, TODAY)) is expected, (fields, where)
    citing_two = make_chunk(1, refs=[5, 7])
    assert [satisfies(citing_two, citing_clauses(ids)) for ids in ([7], [6, 5], [6], [])] == [True, True, False, False]


def rich_chunk() -> Chunk:
    return make_chunk(
        2**53 - 1,
        collection="sentencias",
        summary="Resumen con «comillas», ñ y \u00a0espacio duro",
        refs=[1, 2**53 - 1],
        attributes={"tribunal": "TS", "sala": "4.ª"},
        valid_from=None,
        source="plain_language",
    )


async def test_chunks_come_back_whole(kind: Kind, stores: Stores) -> None:
    chunk = rich_chunk()
    child = make_child(12, chunk, summary="", strategy="small_to_big_contextual")
    batch = Batch([make_chunk(1), chunk, child], [unit(1, 0), None, None], [NO_TERMS, NO_TERMS, terms({1: 1.0})])
    store = await stores.make(kind, batch)
    assert await store.fetch([child["id"], chunk["id"]]) == [child, chunk]
    [hits] = await store.search("sentencias", [HybridQuery(None, terms({1: 1.0}))], limit=1, prefetch=1, where=ANYTHING)
    assert [hit.chunk for hit in hits] == [chunk]


async def test_fetch_keeps_the_order_asked(kind: Kind, stores: Stores) -> None:
    others = Batch([make_chunk(4, collection="sentencias")], [unit(1, 1)], [terms({1: 1.0})])
    store = await stores.make(kind, small(), others)
    fetched = await store.fetch([9, 4, 1234, 3, 9])
    assert [chunk["id"] for chunk in fetched] == [9, 4, 3]
    assert await store.fetch([]) == []


async def test_find_returns_parts_in_order_whatever_their_status(kind: Kind, stores: Stores) -> None:
    shared = {"provision_key": "art:48", "provision": "Artículo 48", "status": "derogada", "territory_ccaa": "Galicia"}
    chunks = [
        make_chunk(3, part=10, parts=10, **shared),
        make_chunk(1, part=2, parts=10, **shared),
        make_chunk(2, part=1, parts=10, **shared),
        make_chunk(4, parent_id=2, **shared),
        make_chunk(5, provision_key="art:48", law_id="BOE-A-1995-25292"),
        make_chunk(6, provision_key="art:48 bis"),
    ]
    store = await stores.make(kind, Batch(chunks, [unit(1, 0)] * 6, [NO_TERMS] * 6))
    parts = await store.find("BOE-A-2015-11430", "art:48")
    assert [chunk["id"] for chunk in parts] == [2, 1, 3]
    assert await store.find("BOE-A-2015-11430", "art:999") == []


async def test_find_puts_the_fuller_provision_first_and_ended_wordings_last(kind: Kind, stores: Stores) -> None:
    shared = {"provision_key": "df:unica", "provision": "Disposición final única"}
    chunks = [
        make_chunk(1, breadcrumb="Real Decreto", text="Entrada en vigor.", **shared),
        make_chunk(2, breadcrumb="Texto refundido", text="Habilitación.", part=2, parts=2, **shared),
        make_chunk(3, breadcrumb="Texto refundido", text="Desarrollo.", part=1, parts=2, **shared),
        make_chunk(4, valid_to="2020-01-01", valid_from="2001-01-01", text="Redacción antigua. " * 9, **shared),
    ]
    store = await stores.make(kind, Batch(chunks, [unit(1, 0)] * 4, [NO_TERMS] * 4))
    assert [chunk["id"] for chunk in await store.find("BOE-A-2015-11430", "df:unica")] == [3, 2, 1, 4]


async def test_counts(kind: Kind, stores: Stores) -> None:
    others = Batch([make_chunk(4, collection="sentencias")], [None], [NO_TERMS])
    store = await stores.make(kind, small(), others)
    assert await store.counts() == {"normativa": 4, "sentencias": 1}


async def test_searches_run_side_by_side(kind: Kind, stores: Stores) -> None:
    batch, queries = random_batch(1, 30), random_queries(1)[:3]
    store = await stores.make(kind, batch)
    alone = await store.search("normativa", queries, limit=10, prefetch=20, where=ANYTHING)
    together = await asyncio.gather(
        *(store.search("normativa", queries, limit=10, prefetch=20, where=ANYTHING) for _ in range(10))
    )
    assert [[ranking(hits) for hits in answers] for answers in together] == [[ranking(hits) for hits in alone]] * 10
