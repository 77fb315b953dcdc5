"""A generation of a server, put together on another machine."""

import io
import zipfile
from pathlib import Path

import pytest
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.stores import build, describe, prompt_writer

from articulado.config.settings import Settings
from articulado.store.files import damaged_files
from articulado.store.generations import Index
from articulado.store.opening import IndexBuilder, open_index
from articulado.store.registry import GenerationRecord, Registry
from articulado.store.replica import INCOMING, Replica
from articulado.store.server_collection import connect
from articulado.store.writer import POINTS
from articulado.values.errors import IndexMismatch

ONE = Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])


def settings(qdrant: FakeQdrant) -> Settings:
    return Settings.read(None, store="server", qdrant_url=qdrant.url)


async def publish(qdrant: FakeQdrant, folder: Path, content: bytes) -> Index:
    """Build an index that has a model of this content."""
    async with IndexBuilder(folder, prompt_writer(settings(qdrant))) as builder:
        await builder.add(ONE.chunks, ONE.dense, ONE.sparse)
        (builder.models / "modelo").write_bytes(content)
        return await builder.commit(describe())


async def fetch(qdrant: FakeQdrant, folder: Path) -> Index:
    client = connect(settings(qdrant))
    try:
        await Replica(folder, Registry(client, "laboral")).update()
    finally:
        await client.close()
    return open_index(folder)


async def test_a_generation_is_the_same_on_another_machine(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        written = await publish(qdrant, tmp_path / "a", b"modelo")
        index = await fetch(qdrant, tmp_path / "b")
        assert (index.models / "modelo").read_bytes() == b"modelo"
        assert index.manifest.generation == written.manifest.generation
        assert (index.folder / POINTS).read_bytes() == (written.folder / POINTS).read_bytes()
        assert damaged_files(index, deep=True) == []
        qdrant.requests.clear()
        await fetch(qdrant, tmp_path / "b")
        assert len(qdrant.requests) == 1, "what is here already is not fetched"


def files_named(name: str, folder: Path) -> set[Path]:
    return {*folder.rglob(name), *([Path("/", name)] if Path("/", name).exists() else [])}


async def test_no_file_leads_out_of_the_folder(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as stream:
        for name in ("../fuera", "/fuera", "a/../../../fuera", "models/dentro"):
            stream.writestr(name, "x")

    class Hostile(Registry):
        async def archive(self, record: GenerationRecord) -> bytes:
            return archive.getvalue()

    with running_qdrant() as qdrant:
        await publish(qdrant, tmp_path / "a", b"x")
        client = connect(settings(qdrant))
        await Replica(tmp_path / "b" / "index", Hostile(client, "laboral")).update()
        await client.close()
    assert files_named("fuera", tmp_path) <= files_named("fuera", tmp_path / "b" / "index")


async def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        await publish(qdrant, tmp_path / "a", b"x")
        left = tmp_path / "b" / INCOMING / "a medias"
        left.mkdir(parents=True)
        await fetch(qdrant, tmp_path / "b")
        assert list((tmp_path / "b" / INCOMING).iterdir()) == []
        assert len(list((tmp_path / "b" / "generations").iterdir())) == 1


async def test_a_part_that_the_server_has_lost_leaves_what_is_served_alone(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        await publish(qdrant, tmp_path / "a", b"x")
        first = await fetch(qdrant, tmp_path / "b")
        await publish(qdrant, tmp_path / "a", b"y")
        registry = qdrant.collections["articulado"]
        for point in registry.values():
            if "data" in point["payload"]:
                point["payload"] = {"data": "eJwDAAAAAAE="}
        with pytest.raises(IndexMismatch, match="la colección «articulado»"):
            await fetch(qdrant, tmp_path / "b")
        assert open_index(tmp_path / "b") == first


async def test_generations_of_before_go_from_the_cache(tmp_path: Path) -> None:
    with running_qdrant() as qdrant:
        for _ in range(3):
            await build(tmp_path / "a", [ONE], prompt_writer(settings(qdrant)))
            await fetch(qdrant, tmp_path / "b")
        assert len(list((tmp_path / "b" / "generations").iterdir())) == 2, "the one before may be open"
