"""Both adapters of the chunk store, built from batches through the same builder.

The server adapter runs in the client's local mode, which is an engine, or against the REST fake, which keeps a record.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Literal

from qdrant_client import AsyncQdrantClient
from support.chunks import Batch
from support.qdrant_rest import FakeQdrant, running_qdrant
from support.real_qdrant import REAL, delete_all, real_settings

from articulado.config.settings import Settings
from articulado.store.embedded import EmbeddedStore
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.files import copy_folder
from articulado.store.generations import Description, Fingerprints, Index
from articulado.store.opening import IndexBuilder
from articulado.store.server import ServerStore
from articulado.store.server_collection import collection_name, connect
from articulado.store.server_writer import ServerWriter
from articulado.store.server_writer import server_writer as connected_writer
from articulado.store.writer import Points, WriterFactory
from articulado.values.chunks import Chunk
from articulado.values.protocols import ChunkStore

FINGERPRINTS = Fingerprints(embedder="lsa:1:8", sparse="bm25:1", chunker="parts:1")
TODAY = date(2024, 6, 1)

Kind = Literal["embedded", "server", "rest", "real"]

KINDS = ["embedded", "server", REAL]
"""The stores that behave alike; the last one where there is a real server."""


class KeptOpen(AsyncQdrantClient):
    """A client in local mode that outlives the writer which closes it: what it holds goes when it closes."""

    async def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        pass

    async def shut(self) -> None:
        await super().close()


def describe(source: str = "pruebas", fingerprints: Fingerprints = FINGERPRINTS) -> Description:
    return Description(fingerprints=fingerprints, profile="laboral", language="es", source=source)


async def build(
    folder: Path, batches: Sequence[Batch], writer: WriterFactory = EmbeddedWriter, source: str = "pruebas"
) -> Index:
    async with IndexBuilder(folder, writer) as builder:
        for batch in batches:
            await builder.add(batch.chunks, batch.dense, batch.sparse)
        return await builder.commit(describe(source))


async def update(
    folder: Path,
    base: Index,
    batches: Sequence[Batch] = (),
    remove: Collection[int] = (),
    writer: WriterFactory = EmbeddedWriter,
    source: str = "pruebas",
) -> tuple[Index, Mapping[int, int]]:
    """Continue a generation; return the new one, and the digests that the builder began with."""
    async with IndexBuilder(folder, writer) as builder:
        digests = await builder.continue_from(base)
        await builder.remove(remove)
        for batch in batches:
            await builder.add(batch.chunks, batch.dense, batch.sparse)
        return await builder.commit(describe(source)), digests


async def contents(store: ChunkStore, index: Index) -> dict[int, Chunk]:
    """Return all chunks of an index, by id; what its table names and the store lacks is missing."""
    return {chunk["id"]: chunk for chunk in await store.fetch([point.id for point in Points.load(index.folder)])}


def prompt_writer(settings: Settings) -> WriterFactory:
    """A writer that holds what is no longer served for nobody."""
    return connected_writer(settings, held=timedelta(0))


def server_writer(client: AsyncQdrantClient) -> WriterFactory:
    return lambda folder: ServerWriter(client, folder, held=timedelta(0))


class Place:
    """A folder, and for the server store a server of its own, where indexes are built and opened."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.kind = kind
        self.folder = folder
        self._client = KeptOpen(":memory:") if kind == "server" else None
        self._running = ExitStack()
        self.qdrant: FakeQdrant | None = self._running.enter_context(running_qdrant()) if kind == "rest" else None
        self._settings: Settings | None = None
        if self.qdrant:
            self._settings = Settings.read(None, store="server", qdrant_url=self.qdrant.url)
        elif kind == "real":
            # Of several shards each has an IDF of its own, so that few points rank otherwise than in the reference.
            self._settings = real_settings(qdrant_shards=1)
        self._stores: list[ChunkStore] = []

    @property
    def writer(self) -> WriterFactory:
        if self._settings:
            return prompt_writer(self._settings)
        return server_writer(self._client) if self._client else EmbeddedWriter

    async def build(self, *batches: Batch) -> Index:
        return await build(self.folder, batches, self.writer)

    async def update(
        self, base: Index, *batches: Batch, remove: Collection[int] = ()
    ) -> tuple[Index, Mapping[int, int]]:
        return await update(self.folder, base, batches, remove, self.writer)

    def open(self, index: Index) -> ChunkStore:
        if client := self._client or (connect(self._settings) if self._settings else None):
            prefix = self._settings.qdrant_prefix if self._settings else ""
            store: ChunkStore = ServerStore(client, index, prefix=prefix, today=lambda: TODAY)
        else:
            store = EmbeddedStore(index.folder, list(index.manifest.collections), today=lambda: TODAY)
        self._stores.append(store)
        return store

    async def forget(self, index: Index, ids: Sequence[int]) -> None:
        """Delete points of a collection behind the back of the index."""
        if self.kind == "embedded":
            base = index.folder.rename(index.folder.with_name("whole"))
            writer = EmbeddedWriter(index.folder)
            copy_folder(base, index.folder)
            rmtree(index.folder / "normativa")
            only = index.manifest.model_copy(update={"collections": {"normativa": 0}})
            await writer.continue_from(Index(base, only))
            await writer.delete({"normativa": ids})
            await writer.finish()
            rmtree(base)
            return
        client = self._client or connect(self._settings)
        prefix = self._settings.qdrant_prefix if self._settings else ""
        await client.delete(collection_name(f"{prefix}normativa", index.manifest.stored_as), list(ids))
        await client.close()

    async def close(self) -> None:
        for store in self._stores:
            await store.close()
        if self._client:
            await self._client.shut()
        if self.kind == "real" and self._settings:
            await delete_all(self._settings)
        self._running.close()


class Stores:
    """Makes stores for a test and closes them after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: list[Place] = []

    def place(self, kind: Kind) -> Place:
        place = Place(kind, self._folder / f"{kind}{len(self._places)}")
        self._places.append(place)
        return place

    async def make(self, kind: Kind, *batches: Batch) -> ChunkStore:
        place = self.place(kind)
        return place.open(await place.build(*batches))

    async def close(self) -> None:
        for place in self._places:
            await place.close()
