"""Write a generation to a Qdrant server: collections of its own, to which aliases point for other programs."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from language.current import say
from services.protocols import SparseVector, Vector
from services.settings import Settings
from services.store.connection import connect, translate_server_errors
from services.store.layout import DENSE, SPARSE, attributes_of, field_path, indexed_fields, to_payload
from services.store.manifest import REBUILD_HINT, Index
from services.store.sample import WrittenSample
from services.store.server_collection import (
    POLL_INTERVAL,
    SINGLE_NODE,
    CollectionOptions,
    collection_name,
    create_collection,
    index_fields,
    indexed_paths,
    make_searchable,
    stored_collections,
    switch_aliases,
)
from services.store.writer import Placed, WriterFactory
from state.chunks import Chunk
from state.errors import IndexMissing

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

POINTS_PER_REQUEST = 256
NUMBERS_PER_REQUEST = 800_000
"""Of the dense vectors, at 21 bytes each: with the payloads about 20 MB. A server takes 32 MB by default."""

MAX_CONCURRENT_REQUESTS = 4
IDS_PER_REQUEST = 10_000


def server_writer(settings: Settings) -> WriterFactory:
    """Return a factory of writers for the server that the settings name."""

    def make(folder: Path) -> ServerWriter:
        return ServerWriter(connect(settings), folder.name, CollectionOptions.of(settings))

    return make


class ServerWriter:
    """Satisfies ``IndexWriter``. The collections can be opened by LangChain's ``QdrantVectorStore``.

    Raises (from every method): StoreUnavailable, ConfigurationError and IndexMissing, as
    ``translate_server_errors`` says.
    """

    def __init__(
        self,
        client: "AsyncQdrantClient",
        generation: str,
        options: CollectionOptions = SINGLE_NODE,
        *,
        poll_interval: float = POLL_INTERVAL,
    ) -> None:
        self._client = client
        self._stored_as = generation
        self._options = options
        self._poll_interval = poll_interval
        self._written: dict[str, str] = {}
        self._created: set[str] = set()
        self._attributes: dict[str, set[str]] = {}
        self._indexed_paths: dict[str, set[str]] = {}
        self._samples: defaultdict[str, WrittenSample] = defaultdict(WrittenSample)

    @property
    def stored_as(self) -> str:
        """The generation after which the collections are named."""
        return self._stored_as

    async def continue_from(self, base: Index) -> None:
        """Go on with the collections of another generation, in place: they may be too large to be copied.

        Those that a killed update has begun, which no manifest names, are deleted.

        Raises:
            IndexMissing: the server does not have them.
        """
        self._stored_as = base.manifest.stored_as
        self._written = {name: collection_name(name, self._stored_as) for name in base.manifest.collections}
        stored = await stored_collections(self._client, self._stored_as)
        if missing := set(self._written.values()) - stored:
            raise IndexMissing(say("store.server_lacks", missing=", ".join(sorted(missing)), command=REBUILD_HINT))
        await self._delete(stored - set(self._written.values()))
        self._indexed_paths = {name: await indexed_paths(self._client, name) for name in self._written.values()}

    async def delete(self, points: Sequence[Placed]) -> None:
        """Delete points; see ``IndexWriter.delete``."""
        by_collection: dict[str, list[models.ExtendedPointId]] = {}
        for point in points:
            by_collection.setdefault(point.collection, []).append(point.id)
        for name, ids in by_collection.items():
            with translate_server_errors():
                for start in range(0, len(ids), IDS_PER_REQUEST):
                    await self._client.delete(self._written[name], ids[start : start + IDS_PER_REQUEST], wait=True)

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, Placed],
    ) -> Sequence[int]:
        """Write chunks; see ``IndexWriter.add``. Segments are the server's own affair: all are 0 here."""
        batches: dict[str, list[models.PointStruct]] = {}
        for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
            batches.setdefault(chunk["collection"], []).append(_point(chunk, dense_vector, sparse_vector))
            self._attributes.setdefault(chunk["collection"], set()).update(attributes_of(chunk))
            self._samples[chunk["collection"]].add([chunk])
        requests: list[tuple[str, list[models.PointStruct]]] = []
        length = min(POINTS_PER_REQUEST, max(1, NUMBERS_PER_REQUEST // size))
        for name, points in batches.items():
            if name not in self._written:
                await self._create(name, size)
            collection = self._written[name]
            requests += [(collection, points[start : start + length]) for start in range(0, len(points), length)]
        for start in range(0, len(requests), MAX_CONCURRENT_REQUESTS):
            await self._upsert(requests[start : start + MAX_CONCURRENT_REQUESTS])
        return [0] * len(chunks)

    def bytes_of(self, points: int, dimensions: int) -> int:
        """Return 0: points take room on the server, which says itself where it lacks."""
        return 0

    async def finish(self) -> dict[str, int]:
        """Have new collections indexed, and fields that others lack; then count what the server holds.

        Raises:
            IndexMismatch: a sample of what was written is not what the server gives back.
        """
        for name, collection in sorted(self._written.items()):
            await self._index_fields(name, collection)
        for collection in sorted(self._created):
            await make_searchable(self._client, collection, poll_interval=self._poll_interval)
        for name, sample in self._samples.items():
            with translate_server_errors():
                records = await self._client.retrieve(self._written[name], list(sample.ids))
            sample.check({int(str(record.id)): record.payload or {} for record in records}, self._written[name])
        with translate_server_errors():
            counted = await asyncio.gather(
                *(self._client.count(collection, exact=True) for collection in self._written.values())
            )
        return dict(sorted((name, result.count) for name, result in zip(self._written, counted, strict=True)))

    async def publish(self) -> None:
        """Point the aliases to this generation; see ``switch_aliases``."""
        await switch_aliases(self._client, self._written)

    async def remove(self, stored_as: str) -> None:
        """Delete the collections of a generation; those of any other, ours or of another index, stay."""
        await self._delete(await stored_collections(self._client, stored_as))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _create(self, name: str, size: int) -> None:
        collection = collection_name(name, self._stored_as)
        fields = indexed_fields(self._attributes.get(name, ()))
        await create_collection(self._client, collection, size, self._options, fields)
        self._written[name] = collection
        self._created.add(collection)
        self._indexed_paths[collection] = {field_path(field) for field in fields}

    async def _index_fields(self, name: str, collection: str) -> None:
        """Have fields indexed that were met late, or that an earlier version left out, without waiting for it."""
        fields = indexed_fields(self._attributes.get(name, ())).items()
        lacking = {field: kind for field, kind in fields if field_path(field) not in self._indexed_paths[collection]}
        await index_fields(self._client, collection, lacking, wait=False)

    async def _upsert(self, requests: "Sequence[tuple[str, list[models.PointStruct]]]") -> None:
        """Send requests side by side; none of them is under way any more when this returns or raises."""
        answers = await asyncio.gather(
            *(self._client.upsert(collection, points, wait=True) for collection, points in requests),
            return_exceptions=True,
        )
        with translate_server_errors():
            for answer in answers:
                if isinstance(answer, BaseException):
                    raise answer

    async def _delete(self, collections: Iterable[str]) -> None:
        for collection in sorted(collections):
            with translate_server_errors():
                await self._client.delete_collection(collection)


def _point(chunk: Chunk, dense: Vector | None, sparse: SparseVector) -> "models.PointStruct":
    from qdrant_client import models

    vectors: dict[str, models.Vector] = {}
    if dense is not None:
        vectors[DENSE] = dense.tolist()
    if sparse.indices:
        vectors[SPARSE] = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return models.PointStruct(id=chunk["id"], vector=vectors, payload=to_payload(chunk))
