"""Updates of an index on a server, which change the collections that are being searched."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.index_process import make_wanted, running, served, wanted
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.stores import build, contents, describe, prompt_writer, update

from articulado.config.settings import Settings
from articulado.store.builder import digest
from articulado.store.generations import Index
from articulado.store.opening import IndexBuilder, open_index
from articulado.store.registry import Registry
from articulado.store.server import ServerStore
from articulado.store.server_collection import connect
from articulado.store.server_writer import ServerWriter
from articulado.store.writer import Points, WriterFactory
from articulado.values.errors import ConfigurationError, IndexMismatch, IndexMissing, StoreUnavailable
from articulado.values.protocols import HybridQuery, SearchFilter

QUERY = HybridQuery(unit(1, 0), terms({1: 1.0}))


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with running_qdrant() as state:
        yield state


@pytest.fixture
def writer(qdrant: FakeQdrant) -> WriterFactory:
    return prompt_writer(settings(qdrant))


def settings(qdrant: FakeQdrant) -> Settings:
    return Settings.read(None, store="server", qdrant_url=qdrant.url)


@asynccontextmanager
async def connected(qdrant: FakeQdrant) -> AsyncIterator[Registry]:
    client = connect(settings(qdrant))
    yield Registry(client, "laboral")
    await client.close()


def is_marked(qdrant: FakeQdrant) -> bool:
    """Whether the registry says that points are being changed in place."""
    return any(point["payload"].keys() == {"stored_as"} for point in qdrant.collections["articulado"].values())


def stored(qdrant: FakeQdrant, generation: str) -> dict[int, str]:
    """The texts of what the server holds of a generation, by id."""
    return {
        id: point["payload"]["page_content"]
        for name, points in qdrant.collections.items()
        if name.endswith(f"__{generation}")
        for id, point in points.items()
    }


def texts(*batches: Batch) -> dict[int, str]:
    return {chunk["id"]: chunk["text"] for batch in batches for chunk in batch.chunks}


def parent(id: int, **fields: object) -> Batch:
    return Batch([make_chunk(id, **fields)], [None], [terms({1: 1.0})])


async def test_an_update_changes_only_differing_points(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    name = f"normativa__{first.manifest.generation}"
    qdrant.requests.clear()
    index, digests = await make_wanted(tmp_path, writer)
    assert digests == {chunk["id"]: digest(chunk) for batch in served() for chunk in batch.chunks}
    assert index.manifest.stored_as == first.manifest.stored_as == first.manifest.generation
    assert index.manifest.generation != first.manifest.generation
    assert stored(qdrant, first.manifest.generation) == texts(*wanted())
    [deleted] = qdrant.asked("POST", f"/collections/{name}/points/delete")
    assert sorted(deleted.body["points"]) == [3, 12, 13]
    written = [
        point["id"] for asked in qdrant.asked("PUT", f"/collections/{name}/points") for point in asked.body["points"]
    ]
    assert written == [2, 22]
    assert not is_marked(qdrant)


async def test_an_older_collection_gets_the_field_indexes_that_it_lacks(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    name = f"normativa__{first.manifest.generation}"
    for field in ("chunk_type", "topic"):
        del qdrant.indexes[name][f"metadata.{field}"]
    qdrant.requests.clear()
    index, _ = await update(tmp_path, first, [parent(4, attributes={"record_keeper": "Acme"})], writer=writer)
    requests = qdrant.asked("PUT", f"/collections/{name}/index")
    assert [(request.body["field_name"], request.body["field_schema"], request.query) for request in requests] == [
        ("metadata.chunk_type", "keyword", "wait=false"),
        ("metadata.topic", "keyword", "wait=false"),
        ("metadata.attributes.record_keeper", "keyword", "wait=false"),
    ], "and nobody waits for a large collection"
    qdrant.requests.clear()
    await update(tmp_path, index, [parent(5, attributes={"record_keeper": "Bolt"})], writer=writer)
    assert not qdrant.asked("PUT", ".*/index")


async def test_aliases_and_collections_stay_while_they_are_needed(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    collections, aliases = qdrant.names, dict(qdrant.aliases)
    qdrant.requests.clear()
    index: Index = first
    for id in (4, 5, 6):
        index, _ = await update(tmp_path, index, [parent(id)], writer=writer)
        assert (qdrant.names, qdrant.aliases) == (collections, aliases)
    assert not qdrant.asked("POST", "/collections/aliases"), "they lead there already"
    assert not qdrant.asked("DELETE", ".*")
    assert not first.folder.exists()
    # a rebuild: the last update stays for who has it open, and with it its collections
    rebuilt = await build(tmp_path, served(), writer)
    assert qdrant.names == collections | {f"normativa__{rebuilt.manifest.generation}"}
    assert qdrant.aliases == {"normativa": f"normativa__{rebuilt.manifest.generation}"}
    again, _ = await update(tmp_path, rebuilt, [parent(7)], writer=writer)
    assert qdrant.names == {f"normativa__{rebuilt.manifest.generation}"}, "nobody needs the first any more"
    assert stored(qdrant, rebuilt.manifest.generation).keys() == texts(*served(), parent(7)).keys()
    assert again.manifest.stored_as == rebuilt.manifest.generation


async def test_a_new_collection_gets_its_alias(qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path) -> None:
    first = await build(tmp_path, served(), writer)
    await update(tmp_path, first, [parent(9, collection="sentencias")], writer=writer)
    assert qdrant.aliases == {name: f"{name}__{first.manifest.generation}" for name in ("normativa", "sentencias")}


@pytest.mark.parametrize("batches", [0, 1, 2, 3])
async def test_after_a_failed_update_the_next_finds_the_touched_points(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path, batches: int
) -> None:
    first = await build(tmp_path, served(), writer)

    async def fail() -> None:
        async with IndexBuilder(tmp_path, writer) as builder:
            await builder.continue_from(first)
            await builder.remove([3, 13])
            for batch in wanted()[:batches]:
                await builder.add(batch.chunks, batch.dense, batch.sparse)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert open_index(tmp_path) == first
    assert set(qdrant.aliases.values()) <= qdrant.names
    now = {id: digest(chunk) for batch in served() for id, chunk in zip(texts(batch), batch.chunks, strict=True)}
    for batch in wanted()[:batches]:
        now |= {chunk["id"]: digest(chunk) for chunk in batch.chunks if chunk["collection"] == "normativa"}
    for gone in (3, 13):
        del now[gone]
    index, digests = await make_wanted(tmp_path, writer)
    assert digests == now, "the server is asked for its points"
    await as_wanted(qdrant, index)


async def as_wanted(qdrant: FakeQdrant, index: Index) -> None:
    """Check ids, payloads, counts, parents and digests of an index that ``make_wanted`` has made."""
    chunks = {chunk["id"]: chunk for batch in wanted() for chunk in batch.chunks}
    assert stored(qdrant, index.manifest.stored_as) == texts(*wanted())
    store = ServerStore.connect(settings(qdrant), index)
    assert (await contents(store, index)).keys() == chunks.keys()
    assert await store.counts() == index.manifest.collections == {"normativa": 4, "sentencias": 2}
    await store.close()
    table = {point.id: (point.parent, point.digest) for point in Points.load(index.folder)}
    assert table == {id: (chunk["parent_id"] or id, digest(chunk)) for id, chunk in chunks.items()}
    assert set(qdrant.aliases) == {"normativa", "sentencias"}


@pytest.mark.integration
@pytest.mark.parametrize(
    "writes",
    [
        (1, 1),
        (3,),
        *(
            pytest.param(later, marks=pytest.mark.slow(reason="more kills in a row, begun at a later write"))
            for later in ((2,), (1, 1, 1), (2, 1, 1), (3, 1, 1))
        ),
    ],
)
async def test_an_update_is_killed_and_the_next_puts_it_right(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path, writes: tuple[int, ...]
) -> None:
    """The process dies as the server carries out its first, second … write; the updates after it are killed too."""
    first = await build(tmp_path, served(), writer)
    for nth in writes:
        with running("update", tmp_path, "ready", qdrant.url) as process:
            left = nth

            def kill(pid: int = process.pid) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(pid, signal.SIGKILL)

            qdrant.before_write = kill
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.wait() == -signal.SIGKILL
        qdrant.before_write = lambda: None
        assert open_index(tmp_path) == first
    assert is_marked(qdrant)
    index, _ = await make_wanted(tmp_path, writer)
    await as_wanted(qdrant, index)
    assert not is_marked(qdrant)


async def test_a_collection_that_an_interrupted_update_began_is_begun_anew(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    name = f"sentencias__{first.manifest.generation}"

    async def fail() -> None:
        async with IndexBuilder(tmp_path, writer) as builder:
            await builder.continue_from(first)
            await builder.add([make_chunk(99, collection="sentencias")], [None], [terms({1: 1.0})])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert set(qdrant.collections[name]) == {99}
    index, _ = await update(tmp_path, first, [parent(9, collection="sentencias")], writer=writer)
    assert index.manifest.collections == {"normativa": 6, "sentencias": 1}
    assert set(qdrant.collections[name]) == {9}
    assert qdrant.aliases["sentencias"] == name


async def test_an_interrupted_update_is_known_by_the_points_that_differ(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)

    async def fail() -> None:
        async with IndexBuilder(tmp_path, writer) as builder:
            await builder.continue_from(first)
            await builder.remove([3])
            await builder.add(parent(2, content_hash="otro").chunks, [None], [terms({1: 1.0})])
            await builder.add(parent(50).chunks, [None], [terms({1: 1.0})])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with IndexBuilder(tmp_path, writer) as builder:
        assert (await builder.continue_from(first)).foreign == [2, 3, 50]


async def test_after_a_failed_write_the_points_are_read_from_the_server(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    qdrant.fail[".*__.*/points"] = 500
    with pytest.raises(StoreUnavailable):
        await update(tmp_path, first, [parent(2, text="a medias")], writer=writer)
    qdrant.fail.clear()
    _, digests = await update(tmp_path, first, [parent(2, text="entero")], writer=writer)
    assert digests[2] == digest(served()[0].chunks[0]), "the server was asked: the write has not reached it"
    assert stored(qdrant, first.manifest.generation)[2] == "entero"
    assert not is_marked(qdrant)


async def test_an_update_that_cannot_be_published_leaves_the_served_generation(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    """The manifest of the new generation is there by then, and names the collections that are in use."""
    first = await build(tmp_path, served(), writer)
    pointer = (tmp_path / "current").read_text()

    async def fail() -> None:
        async with IndexBuilder(tmp_path, writer) as builder:
            await builder.continue_from(first)
            (tmp_path / "current").unlink()
            (tmp_path / "current").mkdir()
            await builder.commit(describe())

    with pytest.raises(ConfigurationError):
        await fail()
    (tmp_path / "current").rmdir()
    (tmp_path / "current").write_text(pointer)
    assert stored(qdrant, first.manifest.generation) == texts(*served())
    assert not qdrant.asked("DELETE", ".*")
    assert open_index(tmp_path) == first


@pytest.mark.parametrize("moved", [False, True], ids=["refused", "reply lost"])
async def test_where_the_aliases_fail_the_next_update_is_exact(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path, moved: bool
) -> None:
    first = await build(tmp_path, served(), writer)
    if moved:
        qdrant.lose_reply = "/collections/aliases"
    else:
        qdrant.fail["/collections/aliases"] = 500
    with pytest.raises(StoreUnavailable):
        await make_wanted(tmp_path, writer)
    assert open_index(tmp_path) == first
    qdrant.fail.clear()
    qdrant.lose_reply = ""
    index, _ = await make_wanted(tmp_path, writer)
    await as_wanted(qdrant, index)


async def test_an_open_process_sees_an_update_with_its_parents(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    store = ServerStore.connect(settings(qdrant), first)
    new = make_chunk(8, text="nuevo")
    young = Batch([new, make_child(81, new), make_child(82, new)], [None, unit(1, 0), unit(1, 0)], [NO_TERMS] * 3)
    orphan = Batch([make_child(91, make_chunk(9))], [unit(1, 0)], [NO_TERMS])
    await update(tmp_path, first, [young, orphan], remove=[3, 13], writer=writer)
    qdrant.requests.clear()
    [hits] = await store.search("normativa", [QUERY], limit=10, prefetch=20, where=SearchFilter())
    assert sorted(hit.chunk["id"] for hit in hits) == [1, 2, 8], "no child, and nothing whose parent is not there"
    request = qdrant.asked("POST", f"/collections/normativa__{first.manifest.generation}/points")[0]
    assert request.body["with_payload"] == ["metadata.parent_id"]
    assert {81, 82, 91} < set(request.body["ids"])
    await store.close()


async def test_a_parent_is_asked_for_once(qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path) -> None:
    index = await build(tmp_path, served(), writer)
    store = ServerStore.connect(settings(qdrant), index)
    for requests in (["batch", "points", "points"], ["batch", "points"]):
        qdrant.requests.clear()
        await store.search("normativa", [QUERY], limit=10, prefetch=20, where=SearchFilter())
        assert [request.path.rpartition("/")[2] for request in qdrant.of_points] == requests
    await store.close()


async def test_a_server_without_the_collections_is_not_updated(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    first = await build(tmp_path, served(), writer)
    name = f"normativa__{first.manifest.generation}"
    points = qdrant.collections.pop(name)
    with pytest.raises(IndexMissing, match=rf"no tiene {name}.*ARTICULADO_QDRANT_URL.*--rebuild"):
        await update(tmp_path, first, [parent(4)], writer=writer)
    assert name not in qdrant.collections
    qdrant.collections[name] = points
    await update(tmp_path, first, [parent(4)], writer=writer)


async def test_an_update_that_the_server_lost_says_that_the_index_has_changed(
    qdrant: FakeQdrant, writer: WriterFactory, tmp_path: Path
) -> None:
    class Forgetful(ServerWriter):
        async def finish(self) -> dict[str, int]:
            return {name: count - 1 for name, count in (await super().finish()).items()}

    first = await build(tmp_path, served(), writer)
    with pytest.raises(IndexMismatch, match=r"ya ha cambiado en parte.*repita la misma orden") as raised:
        await make_wanted(tmp_path, lambda folder: Forgetful(connect(settings(qdrant)), folder))
    assert "El índice anterior sigue en uso" not in str(raised.value)
    assert open_index(tmp_path) == first
    index, _ = await make_wanted(tmp_path, writer)
    await as_wanted(qdrant, index)
