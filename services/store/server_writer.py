"""Writing a generation to a Qdrant server: collections of its own, to which aliases lead outsiders."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from services.protocols import SparseVector, Vector
from services.settings import Settings
from services.store.connection import connect, explained
from services.store.layout import DENSE, INDEXED_FIELDS, SPARSE, field_path, to_payload
from services.store.writer import WriterFactory
from state.chunks import Chunk

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

POINTS_PER_REQUEST = 256
"""About 5 MB at 1,536 dimensions; a server takes 32 MB by default."""

_SEPARATOR = "__"


def collection_name(name: str, generation: str) -> str:
    """Return the name on the server of a collection of one generation; its alias is the plain name."""
    return f"{name}{_SEPARATOR}{generation}"


def server_writer(settings: Settings) -> WriterFactory:
    """Return a factory of writers for the server that the settings name."""

    def make(folder: Path) -> ServerWriter:
        client = connect(settings)
        return ServerWriter(client, folder.name, shards=settings.qdrant_shards, replicas=settings.qdrant_replicas)

    return make


class ServerWriter:
    """Satisfies ``IndexWriter``. The collections can be opened by LangChain's ``QdrantVectorStore``.

    Raises (from every method): StoreUnavailable and ConfigurationError, as ``explained`` says.
    """

    def __init__(self, client: "AsyncQdrantClient", generation: str, *, shards: int = 1, replicas: int = 1) -> None:
        self._client = client
        self._generation = generation
        self._shards = shards
        self._replicas = replicas
        self._written: dict[str, str] = {}

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector], *, size: int
    ) -> None:
        """Write chunks; see ``IndexWriter.add``."""
        batches: dict[str, list[models.PointStruct]] = {}
        for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
            batches.setdefault(chunk["collection"], []).append(_point(chunk, dense_vector, sparse_vector))
        for name, points in batches.items():
            if name not in self._written:
                await self._create(name, size)
            with explained():
                for start in range(0, len(points), POINTS_PER_REQUEST):
                    batch = points[start : start + POINTS_PER_REQUEST]
                    await self._client.upsert(self._written[name], batch, wait=True)

    async def finish(self) -> dict[str, int]:
        """Count what the server holds."""
        with explained():
            counted = await asyncio.gather(
                *(self._client.count(collection, exact=True) for collection in self._written.values())
            )
        return dict(sorted((name, result.count) for name, result in zip(self._written, counted, strict=True)))

    async def publish(self) -> None:
        """Switch all aliases in one request.

        A collection that the new generation lacks loses its alias too: the aliases lead to one build. Those of other
        programs stay.
        """
        from qdrant_client import models

        with explained():
            served = (await self._client.get_aliases()).aliases
            aliases = {alias.alias_name: alias.collection_name for alias in served}
            replaced = {aliases[name].removeprefix(name + _SEPARATOR) for name in self._written if name in aliases}
            gone = [
                alias
                for alias, collection in aliases.items()
                if collection in {collection_name(alias, generation) for generation in replaced}
            ]
            operations: list[models.AliasOperations] = [
                models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)) for alias in gone
            ]
            operations += [
                models.CreateAliasOperation(
                    create_alias=models.CreateAlias(alias_name=name, collection_name=collection)
                )
                for name, collection in self._written.items()
            ]
            await self._client.update_collection_aliases(operations)

    async def remove(self, generation: str) -> None:
        """Delete the collections of a generation; those of any other, ours or of another index, stay."""
        with explained():
            for collection in (await self._client.get_collections()).collections:
                if collection.name.endswith(_SEPARATOR + generation):
                    await self._client.delete_collection(collection.name)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _create(self, name: str, size: int) -> None:
        from qdrant_client import models

        collection = collection_name(name, self._generation)
        with explained():
            await self._client.create_collection(
                collection,
                vectors_config={DENSE: models.VectorParams(size=size, distance=models.Distance.COSINE)},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                shard_number=self._shards,
                replication_factor=self._replicas,
            )
            self._written[name] = collection
            for field, kind in INDEXED_FIELDS.items():
                schema = models.PayloadSchemaType(kind)
                await self._client.create_payload_index(collection, field_path(field), schema, wait=True)


def _point(chunk: Chunk, dense: Vector | None, sparse: SparseVector) -> "models.PointStruct":
    from qdrant_client import models

    vectors: dict[str, models.Vector] = {}
    if dense is not None:
        vectors[DENSE] = dense.tolist()
    if sparse.indices:
        vectors[SPARSE] = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return models.PointStruct(id=chunk["id"], vector=vectors, payload=to_payload(chunk))
