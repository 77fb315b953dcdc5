"""Collections in segments: searched as one, changed one by one, shared by generations that do not change them."""

import os
from functools import partial
from pathlib import Path

import pytest
from support import reference_search
from support.chunks import NO_TERMS, PARTS, Batch, make_chunk, random_families, random_queries, unit
from support.stores import TODAY, build, contents, update

from articulado.store.edge import EdgeStore
from articulado.store.edge_segments import load_segments
from articulado.store.edge_writer import EdgeWriter
from articulado.store.files import check_files
from articulado.store.generations import Index
from articulado.store.opening import open_index
from articulado.store.writer import Points
from articulado.values.errors import IndexMismatch
from articulado.values.protocols import SearchFilter

SMALL = partial(EdgeWriter, segment_points=60)


def batches(batch: Batch, size: int = 50) -> list[Batch]:
    rows = list(zip(*(getattr(batch, part) for part in PARTS), strict=True))
    return [Batch(*zip(*rows[start : start + size], strict=True)) for start in range(0, len(rows), size)]


def files(index: Index) -> dict[str, int]:
    """Return the inode of each file of the shard."""
    folder = index.folder / "normativa" / "segments"
    return {str(path.relative_to(folder)): path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


def changed(chunk: dict, text: str) -> Batch:
    return Batch([{**chunk, "text": text, "content_hash": text}], [unit(1, 0)], [NO_TERMS])


async def test_many_segments_rank_as_one_collection(tmp_path: Path) -> None:
    batch, queries, where = random_families(3), random_queries(3), SearchFilter()
    index = await build(tmp_path, batches(batch), SMALL)
    assert len(load_segments(index.folder)["normativa"].segments) >= 3
    store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
    answers = await store.search("normativa", queries, limit=10, prefetch=20, where=where)
    await store.close()
    for query, hits in zip(queries, answers, strict=True):
        expected = reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [(hit.chunk["id"], hit.score) for hit in hits] == [(id, pytest.approx(score)) for id, score in expected]


async def test_an_update_shares_what_it_does_not_change_and_leaves_the_generation_before_alone(tmp_path: Path) -> None:
    chunks = [make_chunk(id) for id in range(1, 201)]
    batch = Batch(chunks, [unit(1, 0)] * 200, [NO_TERMS] * 200)
    first = await build(tmp_path, batches(batch), SMALL)
    before = files(first)
    second, _ = await update(tmp_path, first, [changed(chunks[0], "otro")], writer=SMALL)
    after = files(second)
    [touched] = {point.segment for point in Points.load(first.folder) if point.id == 1}
    own = load_segments(first.folder)["normativa"].segments[touched].folders[0]
    shared = {name for name in before if not name.startswith(own)}
    assert {name for name in after if after[name] == before.get(name)} == shared
    for index, text in ((first, chunks[0]["text"]), (second, "otro")):
        check_files(index, deep=True)
        store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
        assert (await contents(store, index))[1]["text"] == text
        assert await store.counts() == {"normativa": 200}
        await store.close()
        check_files(index, deep=True)


async def test_points_stay_in_their_segment_and_room_is_filled(tmp_path: Path) -> None:
    chunks = [make_chunk(id) for id in range(1, 121)]
    index = await build(tmp_path, batches(Batch(chunks, [unit(1, 0)] * 120, [NO_TERMS] * 120)), SMALL)
    assert [segment.points for segment in load_segments(index.folder)["normativa"].segments] == [60, 60]
    more = Batch([make_chunk(id) for id in (500, 501)], [unit(1, 0)] * 2, [NO_TERMS] * 2)
    index, _ = await update(tmp_path, index, [more], remove=[1, 2], writer=SMALL)
    assert [segment.points for segment in load_segments(index.folder)["normativa"].segments] == [60, 60]
    index, _ = await update(tmp_path, index, [Batch([make_chunk(502)], [unit(1, 0)], [NO_TERMS])], writer=SMALL)
    assert [segment.points for segment in load_segments(index.folder)["normativa"].segments] == [60, 60, 1]
    assert len(Points.load(index.folder)) == 121


async def test_a_segment_that_is_damaged_is_not_copied(tmp_path: Path) -> None:
    chunks = [make_chunk(id) for id in range(1, 121)]
    first = await build(tmp_path, batches(Batch(chunks, [unit(1, 0)] * 120, [NO_TERMS] * 120)), SMALL)
    [number] = {point.segment for point in Points.load(first.folder) if point.id == 1}
    folder = load_segments(first.folder)["normativa"].segments[number].folders[0]
    [page] = (first.folder / "normativa" / "segments" / folder / "payload_storage").glob("page_0.dat")
    # Where no slice is read when an index is opened.
    with page.open("rb+") as opened:
        opened.seek(1_500)
        opened.write(bytes(byte ^ 255 for byte in os.pread(opened.fileno(), 64, 1_500)))
    check_files(first)
    with pytest.raises(IndexMismatch, match=r"page_0\.dat"):
        await update(tmp_path, first, [changed(chunks[0], "otro")], writer=SMALL)
    assert open_index(tmp_path) == first


async def test_a_graph_is_built_segment_by_segment_and_goes_on_being_changed(tmp_path: Path) -> None:
    batch, queries, where = random_families(5), random_queries(5), SearchFilter()
    large = partial(EdgeWriter, segment_points=100, exact_up_to=100)
    index = await build(tmp_path, batches(batch), large)
    segments = load_segments(index.folder)["normativa"].segments
    assert sum(segment.graph for segment in segments) >= 2
    assert list((index.folder / "normativa").glob("segments/*/vector_index-text-dense/graph.bin"))
    first = batch.chunks[0]
    index, _ = await update(
        tmp_path,
        index,
        [Batch([{**first, "title": "Otro", "content_hash": "x"}], batch.dense[:1], batch.sparse[:1])],
        writer=large,
    )
    store = EdgeStore(index.folder, ["normativa"], today=lambda: TODAY)
    assert (await contents(store, index))[first["id"]]["title"] == "Otro"
    answers = await store.search("normativa", queries, limit=10, prefetch=20, where=where)
    await store.close()
    for query, hits in zip(queries, answers, strict=True):
        expected = reference_search.search(batch, query, limit=10, prefetch=20, where=where, today=TODAY)
        assert [hit.chunk["id"] for hit in hits] == [id for id, _ in expected]
