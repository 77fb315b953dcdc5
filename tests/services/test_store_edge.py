"""What only the embedded store does."""

from functools import partial
from pathlib import Path

import pytest
from fakes import reference_search
from fakes.chunks import random_batch, random_queries
from fakes.stores import TODAY, build

from services.errors import StoreUnavailable
from services.protocols import SearchFilter
from services.store.edge import EdgeStore
from services.store.edge_writer import EdgeWriter


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


async def test_a_large_collection_is_indexed_and_found_as_before(tmp_path: Path) -> None:
    batch, queries, where = random_batch(3, count=400), random_queries(3), SearchFilter()
    index = await build(tmp_path, [batch], partial(EdgeWriter, exact_up_to=100))
    assert list(index.folder.glob("normativa/segments/*/vector_index-text-dense/graph.bin"))
    store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
    found = await store.search("normativa", queries, limit=10, prefetch=20, where=where)
    for query, hits in zip(queries, found, strict=True):
        expected = reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [hit.chunk["id"] for hit in hits] == [id for id, _ in expected]
    await store.close()
