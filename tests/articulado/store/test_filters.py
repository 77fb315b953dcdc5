"""Filters by type and field, reads without a search, and the similarity of hits: the same in every store."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import reference_search
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, random_families, random_queries, terms, unit
from support.stores import KINDS, TODAY, Kind, Place, Stores

from articulado.store.layout import PAGE_SIZE
from articulado.store.records.chunks import Record
from articulado.store.records.lookup import PackagedRecords
from articulado.values.chunks import Chunk
from articulado.values.protocols import ChunkStore, HybridQuery, SearchFilter, Vector

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

ANYTHING = SearchFilter()
BY_MEANING, BY_WORDS = HybridQuery(unit(1, 0), NO_TERMS), HybridQuery(None, terms({1: 1.0}))


@pytest.fixture(params=[*KINDS, "rest"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    made = Stores(tmp_path)
    yield made
    await made.close()


def plain(*chunks: Chunk) -> Batch:
    """Chunks that every query of this file finds."""
    return Batch(chunks, [unit(1, 0.1)] * len(chunks), [terms({1: 1.0})] * len(chunks))


def of(**attributes: str) -> dict[str, Any]:
    return {"attributes": attributes}


def keeper(*values: str) -> tuple[str, tuple[str, ...]]:
    return "attributes.record_keeper", values


def topics(*values: str) -> tuple[str, tuple[str, ...]]:
    return "topic", values


KNOWLEDGE = [
    make_chunk(1, chunk_type="faqs", topic="loans", **of(record_keeper="Acme")),
    make_chunk(2, chunk_type="faqs", topic="loans", **of(record_keeper="Bolt")),
    make_chunk(3, chunk_type="steps", topic="loans", **of(record_keeper="", plan_type="401k")),
    make_chunk(4, chunk_type="steps", topic="", **of(record_keeper="Acme", plan_type="403b")),
    make_chunk(5, chunk_type="rules", topic="rollover"),
    make_chunk(6, chunk_type="rules", topic="rollover", valid_to="2020-01-01", **of(record_keeper="Acme")),
    make_chunk(7, chunk_type="faqs", topic="loans", territory_ccaa="Galicia", **of(record_keeper="Acme")),
]

CASES = [
    (SearchFilter(), [1, 2, 3, 4, 5]),
    (SearchFilter(chunk_types=("faqs",)), [1, 2]),
    (SearchFilter(chunk_types=("rules", "steps")), [3, 4, 5]),
    (SearchFilter(chunk_types=("nothing",)), []),
    (SearchFilter(excluded_laws=("another law",)), [1, 2, 3, 4, 5]),
    (SearchFilter(excluded_laws=("another law", KNOWLEDGE[0]["law_id"])), []),
    (SearchFilter(fields=(topics("loans"),)), [1, 2, 3]),
    (SearchFilter(fields=(topics("loans", ""),)), [1, 2, 3, 4]),
    (SearchFilter(fields=(topics(""),)), [4]),
    (SearchFilter(fields=(topics(),)), []),
    (SearchFilter(fields=(keeper("Acme"),)), [1, 4]),
    (SearchFilter(fields=(keeper("acme"),)), []),
    (SearchFilter(fields=(keeper("Acme", ""),)), [1, 3, 4]),
    (SearchFilter(fields=(keeper("Acme", "Bolt", "Other"),)), [1, 2, 4]),
    (SearchFilter(fields=(("attributes.nobody_has_it", ("",)),)), []),
    (
        SearchFilter(
            fields=(keeper("Acme", ""), ("attributes.plan_type", ("401k", ""))),
        ),
        [3],
    ),
    (SearchFilter(fields=(keeper("Acme", ""), topics("loans", "")), chunk_types=("steps",)), [3, 4]),
    (SearchFilter(as_of=date(2019, 6, 1), fields=(keeper("Acme"),)), [1, 4, 6]),
    (SearchFilter(as_of=date(2019, 6, 1), fields=(keeper("Acme"),), chunk_types=("rules",)), [6]),
    (SearchFilter(territory="Galicia", fields=(keeper("Acme"),), chunk_types=("faqs",)), [1, 7]),
    (SearchFilter(territory="Madrid", fields=(keeper("Acme"),), chunk_types=("faqs",)), [1]),
]


async def test_types_and_fields_narrow_a_search_and_a_read(kind: Kind, stores: Stores) -> None:
    store = await stores.make(kind, plain(*KNOWLEDGE))
    for where, expected in CASES:
        for query in (BY_MEANING, BY_WORDS):
            [hits] = await store.search("normativa", [query], limit=20, prefetch=20, where=where)
            assert [hit.chunk["id"] for hit in hits] == expected, where
        assert [chunk["id"] for chunk in await store.select(["normativa"], where)] == expected, where


async def test_a_collection_whose_fields_are_indexed_is_filtered_alike(kind: Kind, stores: Stores) -> None:
    others = [make_chunk(id, chunk_type="law", topic="other", **of(record_keeper="Else")) for id in range(100, 300)]
    store = await stores.make(kind, plain(*KNOWLEDGE, *others))
    for where, expected in CASES:
        if where.chunk_types or where.fields:
            [hits] = await store.search("normativa", [BY_MEANING], limit=20, prefetch=20, where=where)
            assert [hit.chunk["id"] for hit in hits] == expected, where


async def test_provisions_pass_by_law_and_key_together(kind: Kind, stores: Stores) -> None:
    chunks = [
        make_chunk(1, law_id="A", provision_key="a1"),
        make_chunk(2, law_id="A", provision_key="a2"),
        make_chunk(3, law_id="B", provision_key="a1"),
        make_chunk(4, law_id="B", provision_key="a2", valid_to="2020-01-01", status="modificada"),
        make_chunk(5, law_id="C", provision_key="a1"),
    ]
    child = make_child(11, chunks[0])
    vectors = [None] * 5 + [unit(1, 0)]
    store = await stores.make(kind, Batch([*chunks, child], vectors, [NO_TERMS] * 6))
    for provisions, expected in (
        ((("A", "a1"), ("B", "a2")), [1]),
        ((("B", "a1"), ("A", "a2")), [2, 3]),
        ((("C", "a1"), ("C", "a9"), ("D", "a1")), [5]),
        ((("D", "a1"),), []),
    ):
        selected = await store.select(["normativa"], SearchFilter(provisions=provisions))
        assert sorted(chunk["id"] for chunk in selected) == expected
    assert [chunk["id"] for chunk in await store.find("A", "a1")] == [1]
    assert await store.find("D", "a1") == []


async def test_provisions_to_come_and_those_of_communities_pass_where_they_are_asked_for(
    kind: Kind, stores: Stores
) -> None:
    later = (TODAY + timedelta(days=1)).isoformat()
    chunks = [
        make_chunk(1),
        make_chunk(2, valid_from=later),
        make_chunk(3, territory_ccaa="Galicia"),
        make_chunk(4, territory_ccaa="Cataluña", territory_municipio="Barcelona"),
        make_chunk(5, territory_ccaa="Aragón", valid_from=later),
    ]
    store = await stores.make(kind, plain(*chunks))
    for where, expected in (
        (SearchFilter(), [1]),
        (SearchFilter(upcoming=True), [1, 2]),
        (SearchFilter(upcoming=True, as_of=TODAY), [1]),
        (SearchFilter(communities=True), [3]),
        (SearchFilter(communities=True, upcoming=True), [3, 5]),
        (SearchFilter(communities=True, territory="Galicia"), [3]),
    ):
        selected = await store.select(["normativa"], where)
        assert sorted(chunk["id"] for chunk in selected) == expected, where


def test_a_filter_can_be_a_key() -> None:
    first, second = (SearchFilter(chunk_types=("faqs",), fields=(keeper("Acme", ""),)) for _ in "12")
    assert {first: 1}[second] == 1
    assert replace(first, fields=()) not in {first}


async def test_children_are_found_by_what_their_parent_is(kind: Kind, stores: Stores) -> None:
    families = [
        make_chunk(1, chunk_type="faqs", topic="loans", **of(record_keeper="Acme")),
        make_chunk(2, chunk_type="faqs", topic="", **of(record_keeper="Bolt")),
        make_chunk(3, chunk_type="steps", topic="loans", **of(record_keeper="")),
    ]
    children = [make_child(10 + parent["id"], parent) for parent in families]
    vectors = [None] * 3 + [unit(1, 0.1), unit(1, 0.2), unit(1, 0.3)]
    store = await stores.make(kind, Batch([*families, *children], vectors, [NO_TERMS] * 6))
    assert [child["attributes"] for child in await store.fetch([11, 12, 13])] == [
        {"record_keeper": "Acme"},
        {"record_keeper": "Bolt"},
        {"record_keeper": ""},
    ]
    for where, expected in (
        (SearchFilter(chunk_types=("steps",)), [3]),
        (SearchFilter(fields=(keeper("Bolt"),)), [2]),
        (SearchFilter(fields=(keeper("Bolt", ""),)), [2, 3]),
        (SearchFilter(fields=(topics("loans"),)), [1, 3]),
    ):
        # with room for no more parents than there are, what is filtered out must not take a place
        [hits] = await store.search("normativa", [BY_MEANING], limit=9, prefetch=len(expected), where=where)
        assert [hit.chunk["id"] for hit in hits] == expected
        assert [chunk["id"] for chunk in await store.select(["normativa"], where)] == expected, "and no child"


async def test_select_keeps_the_chunks_of_an_article_in_their_order(kind: Kind, stores: Stores) -> None:
    places = {5: ("b", 1), 9: ("a", 2), 2: ("a", 10), 7: ("a", 1), 1: ("b", 2), 8: ("a", 1)}
    chunks = [make_chunk(id, law_id=article, part=part) for id, (article, part) in places.items()]
    elsewhere = make_chunk(3, law_id="a", part=3, collection="otra")
    store = await stores.make(kind, plain(*chunks, elsewhere))
    assert [chunk["id"] for chunk in await store.select(["normativa"], ANYTHING)] == [7, 8, 9, 2, 5, 1]
    both = await store.select(["otra", "normativa", "nadie"], ANYTHING)
    assert [chunk["id"] for chunk in both] == [7, 8, 9, 3, 2, 5, 1]
    assert both[3] == elsewhere
    assert [chunk["id"] for chunk in await store.select(["normativa"], ANYTHING, limit=3)] == [7, 8, 9]
    assert await store.select(["nadie"], ANYTHING) == await store.select([], ANYTHING) == []


async def test_select_reads_beyond_a_page(kind: Kind, stores: Stores) -> None:
    count = PAGE_SIZE + 2
    chunks = [make_chunk(id, part=count - id) for id in range(1, count)]
    store = await stores.make(kind, plain(*chunks))
    selected = await store.select(["normativa"], ANYTHING)
    assert [chunk["id"] for chunk in selected] == list(range(count - 1, 0, -1))


def cosine(first: Vector, second: Vector) -> float:
    first, second = first.astype(np.float64), second.astype(np.float64)
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


async def test_similarity_is_the_cosine_of_the_best_child(kind: Kind, stores: Stores) -> None:
    parent = make_chunk(1)
    chunks = [parent, make_child(11, parent), make_child(12, parent), make_chunk(2), make_chunk(3), make_chunk(4)]
    # neither vectors nor the query are unit ones; 4 has words alone, 3 points away
    dense = [np.array(v, dtype=np.float32) for v in ([0, 2], [3, 4], [5, 12], [0.3, -0.1], [-2, -1])]
    words = [NO_TERMS] * 5 + [terms({1: 1.0})]
    store = await stores.make(kind, Batch(chunks, [*dense, None], words))
    query = HybridQuery(np.array([7, 0], dtype=np.float32), terms({1: 1.0}))
    [hits] = await store.search("normativa", [query], limit=9, prefetch=9, where=ANYTHING)
    similarities = {hit.chunk["id"]: hit.similarity for hit in hits}
    # 1: the best of 0, 3/5 and 5/13; 2: 3/√10; 3: -2/√5
    assert similarities == {
        1: pytest.approx(0.6, abs=1e-6),
        2: pytest.approx(0.9486833, abs=1e-6),
        3: pytest.approx(-0.8944272, abs=1e-6),
        4: None,
    }
    [hits] = await store.search("normativa", [BY_WORDS], limit=9, prefetch=9, where=ANYTHING)
    assert [(hit.chunk["id"], hit.similarity) for hit in hits] == [(4, None)]


async def test_points_without_dense_vector_have_no_similarity(kind: Kind, stores: Stores) -> None:
    near, far = make_chunk(1), make_chunk(2)
    batch = Batch([near, far], [unit(1, 0), unit(1, 1)], [NO_TERMS, terms({1: 1.0})])
    store = await stores.make(kind, batch)
    [hits] = await store.search(
        "normativa", [HybridQuery(unit(1, 0), terms({1: 1.0}))], limit=9, prefetch=1, where=ANYTHING
    )
    assert [(hit.chunk["id"], hit.similarity) for hit in hits] == [(1, pytest.approx(1, abs=1e-6)), (2, None)]


@pytest.mark.parametrize("seed", range(2))
async def test_similarities_and_ranks_are_those_of_the_reference(kind: Kind, stores: Stores, seed: int) -> None:
    families, queries = random_families(seed), random_queries(seed)
    store = await stores.make(kind, families)
    by_meaning = [HybridQuery(query.dense, NO_TERMS) for query in queries]
    where = SearchFilter(territory="Sevilla")
    answers = await store.search("normativa", by_meaning, limit=10, prefetch=20, where=where)
    vectors: dict[int, list[Vector]] = {}
    for chunk, vector in zip(families.chunks, families.dense, strict=True):
        if vector is not None:
            vectors.setdefault(chunk["parent_id"] or chunk["id"], []).append(vector)
    for query, hits in zip(by_meaning, answers, strict=True):
        expected = reference_search.search(families, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [hit.chunk["id"] for hit in hits] == [id for id, _ in expected]
        assert query.dense is not None
        best = [max(cosine(query.dense, vector) for vector in vectors[hit.chunk["id"]]) for hit in hits]
        assert [hit.similarity for hit in hits] == pytest.approx(best, abs=1e-6)
        assert best == sorted(best, reverse=True)


DETAILS: dict[str, Any] = {
    "article_title": "Préstamos «del plan»",
    "fields": [{"field": "balance", "aliases": [], "required": True, "below": None, "nested": [[1, 2.5], [], {}]}],
    "rules": [{"when": {"field": "age", "above": 59.5}, "decision": "can_proceed", "because": ""}],
    "empty": {},
    "dotted.key": {"a.b": [None, False, 0, -1, 1e-7, 2**53 - 1]},
}


async def test_structured_details_come_back_unchanged(kind: Kind, stores: Stores) -> None:
    whole, bare = make_chunk(1, details=DETAILS), make_chunk(2)
    child = make_child(11, bare)
    store = await stores.make(kind, plain(whole, bare, child))
    assert await store.fetch([1, 2, 11]) == [whole, bare, child]
    [first, second] = await store.select(["normativa"], ANYTHING)
    assert first["details"] == DETAILS
    assert "details" not in second
    [hits] = await store.search("normativa", [BY_WORDS], limit=1, prefetch=1, where=ANYTHING)
    assert [hit.chunk for hit in hits] == [whole]


async def older(place: Place) -> ChunkStore:
    """An index without payload indexes of types, topics and attributes that has been continued."""
    index = await place.build(plain(*KNOWLEDGE[:4]))
    if place.qdrant:
        [indexes] = place.qdrant.indexes.values()
        for path in set(indexes) - {"metadata.status"}:
            del indexes[path]
    index, _ = await place.update(index, plain(*KNOWLEDGE[4:]))
    return place.open(index)


async def test_an_index_that_is_continued_is_filtered_alike(kind: Kind, stores: Stores) -> None:
    store = await older(stores.place(kind))
    for where, expected in CASES:
        [hits] = await store.search("normativa", [BY_MEANING], limit=20, prefetch=20, where=where)
        assert [hit.chunk["id"] for hit in hits] == expected, where


async def test_packaged_records_are_selected_by_the_same_rules(stores: Stores) -> None:
    child = make_child(11, KNOWLEDGE[0])
    odd = make_chunk(20, law_id="A", collection="otra")
    pairs: list[tuple[Record, Chunk]] = [(None, chunk) for chunk in (*KNOWLEDGE, child, odd)]  # type: ignore[misc]
    records = PackagedRecords(pairs)
    for where, expected in CASES:
        assert [chunk["id"] for chunk in await records.select(["normativa"], where)] == expected, where
    selected = await records.select(["otra", "normativa", "nadie"], SearchFilter(), limit=3)
    assert [chunk["id"] for chunk in selected] == [20, 1, 2]
