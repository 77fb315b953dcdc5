"""Both adapters of the chunk store, built from a batch through the same builder."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal

from fakes.chunks import Batch
from qdrant_client import AsyncQdrantClient

from services.index import IndexBuilder
from services.protocols import ChunkStore
from services.store.edge import EdgeStore
from services.store.edge_writer import EdgeWriter
from services.store.manifest import Description, Fingerprints, Index
from services.store.server import ServerStore
from services.store.server_writer import ServerWriter
from services.store.writer import WriterFactory

FINGERPRINTS = Fingerprints(embedder="lsa:1:8", sparse="bm25:1", chunker="parts:1")
TODAY = date(2024, 6, 1)

Kind = Literal["edge", "server"]


class KeptOpen(AsyncQdrantClient):
    """A client in local mode that outlives the writer which closes it: what it holds goes when it closes."""

    async def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        pass

    async def shut(self) -> None:
        await super().close()


def describe(source: str = "pruebas", fingerprints: Fingerprints = FINGERPRINTS) -> Description:
    return Description(fingerprints=fingerprints, profile="laboral", language="es", source=source)


async def build(
    folder: Path, batches: Sequence[Batch], writer: WriterFactory = EdgeWriter, source: str = "pruebas"
) -> Index:
    async with IndexBuilder(folder, writer) as builder:
        for batch in batches:
            await builder.add(batch.chunks, batch.dense, batch.sparse)
        return await builder.commit(describe(source))


def server_writer(client: AsyncQdrantClient) -> WriterFactory:
    return lambda folder: ServerWriter(client, folder.name)


class Stores:
    """Makes stores for a test and closes them after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stores: list[ChunkStore] = []
        self._clients: list[KeptOpen] = []

    async def make(self, kind: Kind, *batches: Batch) -> ChunkStore:
        folder = self._folder / f"{kind}{len(self._stores)}"
        if kind == "edge":
            index = await build(folder, batches)
            store: ChunkStore = EdgeStore(index.folder, list(index.manifest.collections), today=lambda: TODAY)
        else:
            client = KeptOpen(":memory:")
            self._clients.append(client)
            index = await build(folder, batches, server_writer(client))
            store = ServerStore(client, index.manifest, today=lambda: TODAY)
        self._stores.append(store)
        return store

    async def close(self) -> None:
        for store in self._stores:
            await store.close()
        for client in self._clients:
            await client.shut()
