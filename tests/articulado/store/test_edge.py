"""What only the embedded store does."""

from datetime import date
from functools import partial
from pathlib import Path
from shutil import rmtree

import pytest
import qdrant_edge as q
from support import reference_search
from support.chunks import NO_TERMS, Batch, make_chunk, random_batch, random_queries, unit
from support.stores import TODAY, as_of_earlier_version, build, update

from articulado.store.edge import EdgeStore
from articulado.store.edge_segments import INDEXED_FROM, load_segments, save_segments
from articulado.store.edge_writer import LOOKED_UP, LOOKED_UP_FROM, EdgeWriter
from articulado.store.layout import INDEXED_FIELDS
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import HybridQuery, SearchFilter


async def test_a_shard_that_cannot_be_opened(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, ["normativa"])
    with pytest.raises(StoreUnavailable, match="normativa") as raised:
        await store.fetch([1])
    assert str(tmp_path) in str(raised.value)
    await store.close()


async def test_a_closed_store_opens_again(tmp_path: Path) -> None:
    batch = random_batch(2)
    index = await build(tmp_path, [batch])
    store = EdgeStore(index.folder, ["normativa"])
    assert await store.counts() == {"normativa": 150}
    await store.close()
    assert await store.counts() == {"normativa": 150}
    await store.close()


async def test_a_provision_that_was_looked_up_is_read_no_more(tmp_path: Path) -> None:
    index = await build(tmp_path, [Batch([make_chunk(1), make_chunk(2)], [unit(1, 0)] * 2, [NO_TERMS] * 2)])
    store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
    chunk = make_chunk(1)
    first = await store.find(chunk["law_id"], chunk["provision_key"])
    assert chunk["id"] in [found["id"] for found in first]
    await store.close()
    rmtree(index.folder / "normativa")
    assert await store.find(chunk["law_id"], chunk["provision_key"]) == first
    with pytest.raises(StoreUnavailable):
        await store.find(chunk["law_id"], "art:999")


async def test_a_large_collection_is_indexed_and_found_as_before(tmp_path: Path) -> None:
    batch, queries, where = random_batch(3, count=400), random_queries(3), SearchFilter()
    index = await build(tmp_path, [batch], partial(EdgeWriter, exact_up_to=100, segment_points=400))
    assert list(index.folder.glob("normativa/segments/*/vector_index-text-dense/graph.bin"))
    store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
    answers = await store.search("normativa", queries, limit=10, prefetch=20, where=where)
    for query, hits in zip(queries, answers, strict=True):
        expected = reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [hit.chunk["id"] for hit in hits] == [id for id, _ in expected]
    await store.close()


def of_keeper(first: int, count: int, **attributes: str) -> Batch:
    chunks = [make_chunk(id, attributes=attributes) for id in range(first, first + count)]
    return Batch(chunks, [unit(1, 0)] * count, [NO_TERMS] * count)


def indexed(shard: Path) -> set[str]:
    opened = q.EdgeShard.load(str(shard))
    try:
        return set(opened.info().payload_schema)
    finally:
        opened.close()


ALWAYS = {f"metadata.{field}" for field in INDEXED_FIELDS}
OF_NO_USE = {f"metadata.{field}" for field in ("refs", "status", "territory_ccaa", "territory_municipio", "valid_to")}
"""Fields of which the chunks of these tests have no values, and the status, which is asked of what has ended."""


async def test_the_fields_and_attributes_that_chunks_have_values_of_are_indexed(tmp_path: Path) -> None:
    batches = [
        of_keeper(1, INDEXED_FROM, record_keeper="Acme", plan_type="401k"),
        of_keeper(5_000, 1, **{"sala": "4.ª", "con espacio": "x", "con.punto": "x", "": "x"}),
    ]
    index = await build(tmp_path, batches)
    names = ("record_keeper", "plan_type", "sala")
    assert {"metadata.chunk_type", "metadata.topic"} < ALWAYS
    with_values = ALWAYS - OF_NO_USE
    assert indexed(index.folder / "normativa") == with_values | {f"metadata.attributes.{name}" for name in names}


async def test_a_field_is_indexed_as_soon_as_a_chunk_has_a_value_of_it(tmp_path: Path) -> None:
    base = await build(tmp_path, [of_keeper(1, INDEXED_FROM)])
    assert indexed(base.folder / "normativa") == ALWAYS - OF_NO_USE
    ended = make_chunk(5_000, valid_to="2020-01-01", refs=[1])
    index, _ = await update(tmp_path, base, [Batch([ended], [unit(1, 0)], [NO_TERMS])])
    ended_ones = {"metadata.valid_to", "metadata.status", "metadata.refs"}
    assert indexed(index.folder / "normativa") == (ALWAYS - OF_NO_USE) | ended_ones


async def test_only_collections_of_cases_are_indexed_by_what_cases_are_searched_by(tmp_path: Path) -> None:
    batch = of_keeper(1, INDEXED_FROM, record_keeper="Acme")
    of_guides = [
        make_chunk(id, collection="guides", attributes={"record_keeper": "Acme"}) for id in range(5_000, 6_000)
    ]
    guides = Batch(of_guides, [unit(1, 0)] * len(of_guides), [NO_TERMS] * len(of_guides))
    index = await build(tmp_path, [batch, guides], partial(EdgeWriter, of_cases=("guides",)))
    of_cases = {"metadata.chunk_type", "metadata.topic", "metadata.attributes.record_keeper"}
    of_questions = {"metadata.law_id", "metadata.provision_key", "metadata.valid_from"}
    assert indexed(index.folder / "normativa") == of_questions
    assert indexed(index.folder / "guides") == of_questions | of_cases


@pytest.mark.parametrize(("count", "fields"), [(LOOKED_UP_FROM - 1, set()), (LOOKED_UP_FROM, {LOOKED_UP})])
async def test_a_small_collection_has_an_index_for_look_ups_or_none(
    tmp_path: Path, count: int, fields: set[str]
) -> None:
    index = await build(tmp_path, [of_keeper(1, count)])
    assert indexed(index.folder / "normativa") == {f"metadata.{field}" for field in fields}


async def test_a_filter_of_a_field_without_values_finds_what_a_test_of_each_chunk_would(tmp_path: Path) -> None:
    index = await build(tmp_path, [of_keeper(1, 3, record_keeper="Acme")])
    store = EdgeStore(index.folder, ["normativa"])
    everything = [chunk["id"] for chunk in await store.select(["normativa"], SearchFilter())]

    async def found(where: SearchFilter) -> list[int]:
        [hits] = await store.search(
            "normativa", [HybridQuery(unit(1, 0), NO_TERMS)], limit=10, prefetch=10, where=where
        )
        selected = [chunk["id"] for chunk in await store.select(["normativa"], where)]
        assert sorted(hit.chunk["id"] for hit in hits) == selected
        return selected

    assert everything == await found(SearchFilter()) == [1, 2, 3]
    assert await found(SearchFilter(territory="Madrid", as_of=date(2020, 1, 1))) == everything
    assert await found(SearchFilter(fields=(("attributes.record_keeper", ("Acme",)),))) == everything
    assert await found(SearchFilter(fields=(("attributes.plan_type", ("401k",)),))) == []
    assert await store.citing([1]) == []
    await store.close()


async def test_an_older_index_gets_its_field_indexes_when_it_is_continued(tmp_path: Path) -> None:
    base = as_of_earlier_version(await build(tmp_path, [of_keeper(1, INDEXED_FROM, record_keeper="Acme")]))
    shard = q.EdgeShard.load(str(base.folder / "normativa"))
    for path in ("metadata.chunk_type", "metadata.topic", "metadata.attributes.record_keeper"):
        shard.update(q.UpdateOperation.delete_field_index(path))
    shard.flush()
    shard.close()
    listed = load_segments(base.folder)
    listed["normativa"].segments[0].fields.clear()
    listed["normativa"].segments[0].valued = None
    save_segments(base.folder, listed)
    where = SearchFilter(chunk_types=("provision",), fields=(("attributes.record_keeper", ("Acme",)), ("topic", ("",))))

    store = EdgeStore(base.folder, ["normativa"])
    assert len(await store.select(["normativa"], where)) == INDEXED_FROM, "it serves as it is"
    await store.close()
    assert indexed(base.folder / "normativa") == ALWAYS - OF_NO_USE - {"metadata.chunk_type", "metadata.topic"}

    index, _ = await update(tmp_path, base, [of_keeper(5_000, 1, record_keeper="Acme")])
    assert indexed(index.folder / "normativa") == ALWAYS | {"metadata.attributes.record_keeper"}
    store = EdgeStore(index.folder, ["normativa"])
    assert len(await store.select(["normativa"], where)) == INDEXED_FROM + 1
    await store.close()
