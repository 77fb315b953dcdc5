"""Generations that continue another one: what stays, what changes, and what happens to the one before."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from support import reference_search
from support.chunks import NO_TERMS, PARTS, Batch, make_child, make_chunk, random_families, random_queries, terms, unit
from support.stores import KINDS, TODAY, Place, contents, describe, update

from articulado.store.builder import digest
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.opening import IndexBuilder, open_index
from articulado.store.writer import Point, Points
from articulado.values.chunks import with_status_of
from articulado.values.errors import IndexMismatch, InvalidInput
from articulado.values.protocols import HybridQuery, SearchFilter

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant:UserWarning")

BY_MEANING = HybridQuery(unit(1, 0), NO_TERMS)
BY_WORDS = HybridQuery(None, terms({1: 1.0}))


@pytest.fixture(params=KINDS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(request.param, tmp_path)
    yield made
    await made.close()


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[Place]:
    made = Place("embedded", tmp_path)
    yield made
    await made.close()


def family(id: int, *children: int, **fields: object) -> Batch:
    """A parent that is found by the term 1, and children that are found by (1, 0)."""
    parent = make_chunk(id, **fields)
    chunks = [parent, *(make_child(child, parent) for child in children)]
    return Batch(chunks, [None] + [unit(1, 0)] * len(children), [terms({1: 1.0})] + [NO_TERMS] * len(children))


def merged(*batches: Batch) -> Batch:
    return Batch(*([row for batch in batches for row in getattr(batch, part)] for part in PARTS))


def by_id(*batches: Batch) -> dict[int, object]:
    return {chunk["id"]: chunk for batch in batches for chunk in batch.chunks}


async def search(place: Place, index, query: HybridQuery, collection: str = "normativa") -> list[int]:
    store = place.open(index)
    [hits] = await store.search(collection, [query], limit=20, prefetch=20, where=SearchFilter())
    return [hit.chunk["id"] for hit in hits]


async def test_untouched_points_stay_and_changed_ones_are_updated(place: Place) -> None:
    first = await place.build(family(1, 11), family(2, 21, 22), family(3, 31))
    ruling = family(5, 51, collection="sentencias")
    changed = family(2, 22, text="otro texto", content_hash="otro")
    second, digests = await place.update(first, changed, family(4, 41), ruling, remove=[3, 31, 21])
    assert digests == {chunk["id"]: digest(chunk) for id in (1, 2, 3) for chunk in [make_chunk(id)]} | {
        id: digest(make_chunk(1)) for id in (11, 21, 22, 31)
    }
    assert second.manifest.collections == {"normativa": 6, "sentencias": 2}
    assert (second.manifest.dimensions, second.manifest.generation) == (2, second.folder.name)
    expected = by_id(family(1, 11), changed, family(4, 41), ruling)
    store = place.open(second)
    assert await contents(store, second) == expected
    assert await store.counts() == second.manifest.collections
    assert {point.id: point.parent for point in Points.load(second.folder)} == {
        **{1: 1, 11: 1, 2: 2, 22: 2, 4: 4, 41: 4},
        **{5: 5, 51: 5},
    }
    assert await search(place, second, BY_MEANING) == [1, 2, 4]
    assert await search(place, second, BY_WORDS) == [1, 2, 4]
    assert await search(place, second, BY_MEANING, "sentencias") == [5]
    assert open_index(place.folder) == second


async def test_a_chunk_that_is_replaced_is_found_by_its_new_vectors_alone(place: Place) -> None:
    first = await place.build(Batch([make_chunk(1)], [unit(1, 0)], [terms({1: 1.0})]), family(2, 21))
    second, _ = await place.update(first, Batch([make_chunk(1, content_hash="b")], [None], [terms({9: 1.0})]))
    assert await search(place, second, BY_MEANING) == [2]
    assert await search(place, second, BY_WORDS) == [2]
    assert await search(place, second, HybridQuery(None, terms({9: 1.0}))) == [1]


async def test_the_models_go_along(place: Place) -> None:
    async with IndexBuilder(place.folder, place.writer) as builder:
        (builder.models / "lsa.npz").write_bytes(b"modelo")
        await builder.add(*(getattr(family(1, 11), part) for part in PARTS))
        first = await builder.commit(describe())
    second, _ = await place.update(first, family(2, 21))
    assert (second.models / "lsa.npz").read_bytes() == b"modelo"
    assert second.models != first.models


async def test_an_update_without_changes_keeps_all_points(place: Place) -> None:
    first = await place.build(family(1, 11))
    second, _ = await place.update(first)
    assert second.manifest.created > first.manifest.created
    assert second.manifest.collections == first.manifest.collections
    assert await contents(place.open(second), second) == by_id(family(1, 11))


async def test_a_collection_may_be_emptied_and_filled_again(place: Place) -> None:
    first = await place.build(family(1, 11), family(5, 51, collection="sentencias"))
    second, _ = await place.update(first, remove=[5, 51])
    assert second.manifest.collections == {"normativa": 2, "sentencias": 0}
    assert await search(place, second, BY_MEANING, "sentencias") == []
    third, digests = await place.update(second, family(6, 61, collection="sentencias"))
    assert set(digests) == {1, 11}
    assert await search(place, third, BY_MEANING, "sentencias") == [6]


async def test_a_collection_that_sorts_before_the_others_moves_none_of_their_points(place: Place) -> None:
    first = await place.build(family(1, 11), family(2, 21))
    second, _ = await place.update(first, family(5, 51, collection="criterios_inss"))
    assert list(second.manifest.collections) == ["criterios_inss", "normativa"]
    assert {point.id: point.collection for point in Points.load(second.folder)} == {
        5: 0,
        51: 0,
        1: 1,
        2: 1,
        11: 1,
        21: 1,
    }
    third, _ = await place.update(second, remove=[5, 2, 21])
    assert third.manifest.collections == {"criterios_inss": 1, "normativa": 2}
    assert set(await contents(place.open(third), third)) == {1, 11, 51}


async def test_an_index_without_chunks_is_refused(place: Place) -> None:
    first = await place.build(family(1, 11))
    with pytest.raises(InvalidInput, match="ningún fragmento"):
        await place.update(first, remove=[1, 11])
    assert open_index(place.folder) == first


async def test_a_chunk_is_added_once(place: Place) -> None:
    first = await place.build(family(1, 11))
    with pytest.raises(InvalidInput, match="comparten"):
        await place.update(first, family(1), family(1))


@pytest.mark.parametrize("seed", range(3))
async def test_random_updates_yield_the_wanted_points(place: Place, seed: int) -> None:
    source = random.Random(seed)
    pool = [random_families(seed * 10 + version) for version in range(4)]
    rows = {row[0]["id"]: row for batch in pool for row in zip(*(getattr(batch, part) for part in PARTS), strict=True)}
    families = {}
    for row in rows.values():
        families.setdefault(row[0]["parent_id"] or row[0]["id"], []).append(row)
    indexed: dict[int, tuple] = {}
    index = None
    for step in range(5):
        chosen = source.sample(sorted(families), k=60)
        version = {"content_hash": f"{step}"}
        fresh = {
            row[0]["id"]: ({**row[0], **version, "title": f"{step}"}, row[1], row[2])
            for parent in chosen[:40]
            for row in families[parent]
        }
        gone = {row[0]["id"] for parent in chosen[40:] for row in families[parent]} & indexed.keys()
        rest = list(fresh.values())
        batches = [Batch(*zip(*rest[start : start + 50], strict=True)) for start in range(0, len(rest), 50)]
        if index is None:
            index = await place.build(*batches)
        else:
            index, digests = await place.update(index, *batches, remove=gone)
            assert digests == {id: digest(chunk) for id, (chunk, _, _) in indexed.items()}
        indexed = {id: row for id, row in indexed.items() if id not in gone} | fresh
        wanted = {id: with_status_of(chunk, TODAY) for id, (chunk, _, _) in indexed.items()}
        assert await contents(place.open(index), index) == wanted
        assert list(Points.load(index.folder)) == [
            Point(id, indexed[id][0]["parent_id"] or id, digest(indexed[id][0]), 0) for id in sorted(indexed)
        ]
    batch, where = Batch(*zip(*indexed.values(), strict=True)), SearchFilter(territory="Cataluña")
    queries = random_queries(seed)
    if place.kind == "real":
        # A server counts what was replaced in its IDF until it clears a segment up: dense vectors have none.
        queries = [replace(query, sparse=NO_TERMS) for query in queries]
    answers = await place.open(index).search("normativa", queries, limit=10, prefetch=20, where=where)
    for query, hits in zip(queries, answers, strict=True):
        expected = reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [(hit.chunk["id"], hit.score) for hit in hits] == [(id, pytest.approx(score)) for id, score in expected]


async def test_the_generation_before_stays_as_it_was(embedded: Place) -> None:
    first = await embedded.build(family(1, 11), family(2, 21))
    opened = embedded.open(first)
    before = await contents(opened, first)
    second, _ = await embedded.update(
        first, family(3, 31), family(1, 11, text="otro", content_hash="otro"), remove=[2, 21]
    )
    for store in (opened, embedded.open(first)):
        assert await contents(store, first) == before
        assert await store.counts() == {"normativa": 4}
    assert await search(embedded, first, BY_MEANING) == [1, 2]
    assert await search(embedded, second, BY_MEANING) == [1, 3]
    assert second.manifest.stored_as == second.folder.name != first.folder.name


async def test_nothing_is_missing_when_the_generations_before_are_removed(place: Place) -> None:
    index = first = await place.build(family(1, 11))
    for id in range(2, 6):
        index, _ = await place.update(index, family(id, 10 * id + 1))
    assert not first.folder.exists()
    assert len(list((place.folder / "generations").iterdir())) == 2
    assert set(await contents(place.open(index), index)) == {id for n in range(1, 6) for id in (n, 10 * n + 1)}
    assert await search(place, index, BY_MEANING) == [1, 2, 3, 4, 5]


async def test_an_update_that_fails_leaves_the_embedded_index_as_it_was(embedded: Place) -> None:
    first = await embedded.build(family(1, 11))

    async def fail() -> None:
        async with IndexBuilder(embedded.folder, embedded.writer) as builder:
            await builder.continue_from(first)
            await builder.remove([1])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert open_index(embedded.folder) == first
    assert [path.name for path in (embedded.folder / "generations").iterdir()] == [first.folder.name]
    second, digests = await embedded.update(first)
    assert digests == {id: digest(make_chunk(1)) for id in (1, 11)}
    assert await contents(embedded.open(second), second) == by_id(family(1, 11))


async def test_a_damaged_collection_is_not_continued(embedded: Place) -> None:
    first = await embedded.build(family(1, 11))
    (first.folder / "normativa" / "fields.json").write_text("{")
    with pytest.raises(IndexMismatch, match=r"fields\.json.*doctor --deep.*--rebuild"):
        await embedded.update(first)
    assert open_index(embedded.folder) == first


class Forgetful(EmbeddedWriter):
    """A writer whose store has lost a chunk."""

    async def finish(self) -> dict[str, int]:
        return {name: count - 1 for name, count in (await super().finish()).items()}


async def test_an_update_that_lost_chunks_is_not_served(embedded: Place) -> None:
    first = await embedded.build(family(1, 11))
    with pytest.raises(IndexMismatch, match=r"2 fragmentos .* devuelve 1.*--rebuild"):
        await update(embedded.folder, first, writer=Forgetful)
    assert open_index(embedded.folder) == first
