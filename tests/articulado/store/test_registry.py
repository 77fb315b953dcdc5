"""What an index has on a server beside its points."""

import base64
import io
import random
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError
from qdrant_client import AsyncQdrantClient
from support.chunks import NO_TERMS, Batch, make_chunk, unit
from support.qdrant_rest import running_qdrant
from support.stores import build

from articulado.config.settings import Settings
from articulado.store.generations import Index
from articulado.store.registry import PART_BYTES, KnownGeneration, Registry, Served
from articulado.store.server_collection import connect
from articulado.store.server_writer import server_writer
from articulado.values.errors import IndexMismatch, IndexMissing

DAY = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    made = AsyncQdrantClient(":memory:")
    yield made
    await made.close()


@pytest.fixture
async def index(tmp_path: Path) -> Index:
    return await build(tmp_path, [Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])])


def known(*names: str) -> Served:
    return Served(generations=tuple(KnownGeneration(generation=name, stored_as=name, published=DAY) for name in names))


def as_generation(index: Index, name: str, file: bytes) -> Index:
    """The index under another name, with a file of its own."""
    (index.folder / "fichero").write_bytes(file)
    return Index(index.folder, index.manifest.model_copy(update={"generation": name}))


async def content_of(registry: Registry, generation: str) -> bytes:
    archive = await registry.archive(await registry.record(generation))
    with zipfile.ZipFile(io.BytesIO(archive)) as stream:
        return stream.read("fichero")


async def test_files_come_back_as_they_were(client: AsyncQdrantClient, index: Index) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    for name, content in (("vacío", b""), ("corto", b"x"), ("largo", random.Random(1).randbytes(PART_BYTES + 7))):
        await registry.add(as_generation(index, name, content))
        assert await content_of(registry, name) == content
        assert (await registry.record(name)).manifest.generation == name


async def test_a_generation_is_forgotten_with_its_files(client: AsyncQdrantClient, index: Index) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    await registry.add(as_generation(index, "una", random.Random(1).randbytes(PART_BYTES + 7)))
    await registry.add(as_generation(index, "otra", b"2"))
    assert (await client.count("articulado")).count == 3 + 2
    for generation in ("una", "ninguna"):
        await registry.forget(generation)
    assert (await client.count("articulado")).count == 2
    assert await content_of(registry, "otra") == b"2"
    with pytest.raises(IndexMissing):
        await registry.record("una")


@pytest.mark.parametrize("data", [base64.b64encode(b"otra cosa").decode(), "no es base64", None])
async def test_a_damaged_archive_is_told(client: AsyncQdrantClient, index: Index, data: str | None) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    await registry.add(as_generation(index, "una", b"x"))
    await client.overwrite_payload("articulado", {"data": data}, [registry._id("part", "una", "0")])
    with pytest.raises(IndexMismatch, match=r"la colección «articulado».*--rebuild"):
        await content_of(registry, "una")


async def test_a_damaged_record_is_told(client: AsyncQdrantClient, index: Index) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    await registry.add(as_generation(index, "una", b"x"))
    await client.overwrite_payload("articulado", {"otra": "cosa"}, [registry._id("generation", "una")])
    with pytest.raises(IndexMismatch):
        await registry.record("una")


@pytest.mark.parametrize("name", ["../otra", "/etc", "a/b", "..", ""])
def test_a_generation_is_no_path(name: str) -> None:
    with pytest.raises(ValidationError):
        KnownGeneration(generation=name, stored_as="una", published=DAY)
    with pytest.raises(ValidationError):
        KnownGeneration(generation="una", stored_as=name, published=DAY)


async def test_the_served_generation_changes_only_from_the_seen_one(client: AsyncQdrantClient) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    assert await registry.served() == Served()
    assert await registry.serve(known("una"), instead_of=Served())
    assert not await registry.serve(known("otra"), instead_of=Served()), "another machine was quicker"
    assert await registry.served() == known("una")
    assert await registry.serve(known("una", "otra"), instead_of=known("una"))
    assert (await registry.served()).generation == "otra"
    assert await Registry(client, "otro").served() == Served(), "each profile has its own"
    other = Registry(client, "laboral", prefix="p-")
    await other.create()
    assert await other.served() == Served(), "and so has each prefix"


async def test_an_update_in_place_is_marked_until_it_ends(client: AsyncQdrantClient) -> None:
    registry = Registry(client, "laboral")
    await registry.create()
    assert await registry.updated() == ""
    await registry.begin_update("una")
    assert await registry.updated() == "una"
    assert await Registry(client, "otro").updated() == "", "each profile has its own"
    await registry.end_update()
    assert await registry.updated() == ""


@pytest.mark.parametrize(("held", "kept"), [(timedelta(minutes=15), 4), (timedelta(0), 2)])
async def test_recently_served_generations_are_kept(tmp_path: Path, held: timedelta, kept: int) -> None:
    """Four rebuilds, each replaced the moment before: of the first two nobody knows who still searches them."""
    with running_qdrant() as qdrant:
        settings = Settings.read(None, store="server", qdrant_url=qdrant.url)
        batch = Batch([make_chunk(1)], [unit(1, 0)], [NO_TERMS])
        for _ in range(4):
            await build(tmp_path, [batch], server_writer(settings, held=held))
        client = connect(settings)
        served = await Registry(client, "laboral").served()
        await client.close()
        assert len(served.generations) == len(qdrant.names) == kept
