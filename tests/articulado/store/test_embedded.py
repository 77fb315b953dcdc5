"""The embedded store, where it differs from a server."""

from datetime import date
from pathlib import Path
from shutil import rmtree

import pytest
from support.chunks import NO_TERMS, Batch, make_chunk, random_batch, terms, unit
from support.stores import TODAY, build, update

from articulado.store.embedded import EmbeddedStore
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import HybridQuery, SearchFilter


async def test_a_shard_that_cannot_be_opened(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path, ["normativa"])
    with pytest.raises(StoreUnavailable, match="normativa") as raised:
        await store.fetch([1])
    assert str(tmp_path) in str(raised.value)
    await store.close()


async def test_a_closed_store_opens_again(tmp_path: Path) -> None:
    batch = random_batch(2)
    index = await build(tmp_path, [batch])
    store = EmbeddedStore(index.folder, ["normativa"])
    assert await store.counts() == {"normativa": 150}
    await store.close()
    assert await store.counts() == {"normativa": 150}
    await store.close()


async def test_a_second_look_up_reads_no_file(tmp_path: Path) -> None:
    index = await build(tmp_path, [Batch([make_chunk(1), make_chunk(2)], [unit(1, 0)] * 2, [NO_TERMS] * 2)])
    store = EmbeddedStore(index.folder, ["normativa"], today=lambda: TODAY)
    chunk = make_chunk(1)
    first = await store.find(chunk["law_id"], chunk["provision_key"])
    assert chunk["id"] in [found["id"] for found in first]
    await store.close()
    rmtree(index.folder / "normativa")
    assert await store.find(chunk["law_id"], chunk["provision_key"]) == first
    with pytest.raises(StoreUnavailable):
        await store.find(chunk["law_id"], "art:999")


async def test_a_collection_without_dense_vectors_is_searched_by_words_alone(tmp_path: Path) -> None:
    of_words = Batch([make_chunk(1)], [None], [terms({1: 1.0})])
    elsewhere = Batch([make_chunk(2, collection="guides")], [unit(1, 0)], [NO_TERMS])
    index = await build(tmp_path, [elsewhere, of_words])
    store = EmbeddedStore(index.folder, ["normativa", "guides"], today=lambda: TODAY)
    query = HybridQuery(unit(1, 0), terms({1: 1.0}))
    [hits] = await store.search("normativa", [query], limit=5, prefetch=5, where=SearchFilter())
    assert [hit.chunk["id"] for hit in hits] == [1]


async def test_a_collection_that_has_lost_all_its_points_is_empty(tmp_path: Path) -> None:
    two = [Batch([make_chunk(id, collection=name)], [unit(1, 0)], [NO_TERMS]) for id, name in ((1, "a"), (2, "b"))]
    base = await build(tmp_path, two)
    index, _ = await update(tmp_path, base, remove=[1])
    store = EmbeddedStore(index.folder, ["a", "b"], today=lambda: TODAY)
    assert await store.counts() == {"a": 0, "b": 1}
    query = HybridQuery(unit(1, 0), terms({1: 1.0}))
    assert await store.search("a", [query], limit=5, prefetch=5, where=SearchFilter()) == [[]]
    assert await store.select(["a"], SearchFilter()) == []
    again, _ = await update(tmp_path, index, [Batch([make_chunk(3, collection="a")], [unit(1, 0)], [NO_TERMS])])
    assert again.manifest.collections == {"a": 1, "b": 1}


def of_keeper(first: int, count: int, **attributes: str) -> Batch:
    chunks = [make_chunk(id, attributes=attributes) for id in range(first, first + count)]
    return Batch(chunks, [unit(1, 0)] * count, [NO_TERMS] * count)


async def test_a_filter_of_a_field_without_values_finds_what_a_test_of_each_chunk_would(tmp_path: Path) -> None:
    index = await build(tmp_path, [of_keeper(1, 3, record_keeper="Acme")])
    store = EmbeddedStore(index.folder, ["normativa"])
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
