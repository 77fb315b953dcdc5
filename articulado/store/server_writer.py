"""Write a generation to a Qdrant server, in collections of its own with aliases for other programs.

A collection by period (such as rulings) has a shard key for each period; a search covers all of them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from articulado.config.files import DEFAULT_PROFILE
from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.store.generations import REBUILD_HINT, Index
from articulado.store.layout import DENSE, SPARSE, attributes_of, field_path, indexed_fields, to_payload
from articulado.store.registry import Registry
from articulado.store.server_collection import (
    EXACT_UP_TO,
    POLL_INTERVAL,
    SINGLE_NODE,
    CollectionOptions,
    build_graph,
    collection_name,
    connect,
    create_collection,
    delete_collections,
    has_graph,
    index_fields,
    indexed_paths,
    shard_keys,
    stored_collections,
    translate_server_errors,
)
from articulado.store.server_publication import Publication, WriterLock, fetched_table
from articulado.store.writer import Points, WriterFactory
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMissing
from articulado.values.protocols import SparseVector, Vector

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

POINTS_PER_REQUEST = 256
NUMBERS_PER_REQUEST = 800_000
"""Vector numbers at 21 bytes each: about 20 MB with payloads, while a server accepts 32 MB by default."""

MAX_CONCURRENT_REQUESTS = 4
IDS_PER_REQUEST = 10_000


HELD = timedelta(minutes=15)
"""Time for which replaced generations are kept: running questions still use them (``question_timeout``)."""


UNDATED = "undated"  # shard key of chunks without a day


def period_of(day: str | None, years: int) -> str:
    """Return a chunk's shard key by its first day (ISO 8601), in periods of so many years.

    >>> period_of("2024-03-01", 5), period_of("2025-01-01", 5), period_of("2024-03-01", 1), period_of(None, 5)
    ('2020-2024', '2025-2029', '2024', 'undated')
    """
    if not day:
        return UNDATED
    first = int(day[:4]) // years * years
    return f"{first}-{first + years - 1}" if years > 1 else f"{first}"


def server_writer(settings: Settings, profile: str = DEFAULT_PROFILE, *, held: timedelta = HELD) -> WriterFactory:
    """Return a factory of writers for the server of the settings."""

    def make(folder: Path) -> ServerWriter:
        options = CollectionOptions.of(settings)
        return ServerWriter(
            connect(settings), folder, options, profile=profile, prefix=settings.qdrant_prefix, held=held
        )

    return make


class ServerWriter:
    """``IndexWriter`` for a Qdrant server; LangChain's ``QdrantVectorStore`` can open the collections."""

    def __init__(
        self,
        client: "AsyncQdrantClient",
        folder: Path,
        options: CollectionOptions = SINGLE_NODE,
        *,
        profile: str = DEFAULT_PROFILE,
        prefix: str = "",
        held: timedelta = HELD,
        exact_up_to: int = EXACT_UP_TO,
        poll_interval: float = POLL_INTERVAL,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self.stored_as = self._generation = folder.name
        self._options = options
        self._prefix = prefix
        self._registry = Registry(client, profile, prefix=prefix, options=options)
        self._lock = WriterLock(self._registry, folder.parent.parent, pause=pause)
        self._publication = Publication(client, self._registry, self._lock, prefix=prefix, held=held)
        self._is_marked = False
        self._exact_up_to = exact_up_to
        self._poll_interval = poll_interval
        self._written: dict[str, str] = {}
        self._attributes: dict[str, set[str]] = {}
        self._indexed_paths: dict[str, set[str]] = {}
        self._shard_keys: dict[str, set[str]] = {}

    async def begin(self) -> None:
        await self._registry.create()
        await self._lock.take()
        await self._publication.look()

    async def continue_from(self, base: Index) -> None:
        """Update the collections of another generation in place; delete those that a killed update began."""
        self.stored_as = base.manifest.stored_as
        self._written = {name: self._collection_of(name) for name in base.manifest.collections}
        stored = await stored_collections(self._client, self.stored_as)
        if missing := set(self._written.values()) - stored:
            raise IndexMissing(
                translate("store.server_lacks", missing=", ".join(sorted(missing)), command=REBUILD_HINT)
            )
        await delete_collections(self._client, stored - set(self._written.values()))
        own = list(self._written)
        self._indexed_paths = {
            self._written[name]: await indexed_paths(self._client, self._written[name]) for name in own
        }
        for name in self._options.periods.keys() & set(own):
            if (keys := await shard_keys(self._client, self._written[name])) is not None:
                self._shard_keys[name] = keys

    async def table(self, base: Index) -> Points:
        """Return the table of points; after an interrupted update it is read from the payloads."""
        if await self._registry.updated() == self.stored_as:
            self._is_marked = True
            return await fetched_table(self._client, self._written)
        return await asyncio.to_thread(Points.load, base.folder)

    async def delete(self, ids: Mapping[str, Sequence[int]]) -> None:
        """Delete points in batches."""
        for name, points in ids.items():
            for start in range(0, len(points), IDS_PER_REQUEST):
                batch = list(points[start : start + IDS_PER_REQUEST])
                await self._mark_update()
                await self._delete_points(name, [*batch])

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, str],
    ) -> None:
        """Write chunks in batches, each under its shard key."""
        batches: dict[str, list[models.PointStruct]] = {}
        periods: dict[int, str] = {}
        for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
            batches.setdefault(chunk["collection"], []).append(_point(chunk, dense_vector, sparse_vector))
            if years := self._options.periods.get(chunk["collection"]):
                periods[chunk["id"]] = period_of(chunk["valid_from"], years)
            self._attributes.setdefault(chunk["collection"], set()).update(attributes_of(chunk))
        await self._mark_update()
        requests: list[_Request] = []
        length = min(POINTS_PER_REQUEST, max(1, NUMBERS_PER_REQUEST // size))
        for name, points in batches.items():
            if name not in self._written:
                await self._create(name, size)
            for key, together in await self._by_period(name, points, periods, replaced):
                pieces = [together[start : start + length] for start in range(0, len(together), length)]
                requests += [_Request(self._written[name], piece, key) for piece in pieces]
        for start in range(0, len(requests), MAX_CONCURRENT_REQUESTS):
            await self._upsert(requests[start : start + MAX_CONCURRENT_REQUESTS])

    def bytes_of(self, points: int, dimensions: int) -> int:
        return 0

    async def finish(self) -> dict[str, int]:
        """Create missing payload indexes, build graphs of large collections, and count the points."""
        own = dict(sorted(self._written.items()))
        for name, collection in own.items():
            await self._index_fields(name, collection)
        with translate_server_errors():
            counted = await asyncio.gather(*(self._client.count(collection, exact=True) for collection in own.values()))
        counts = {name: result.count for name, result in zip(own, counted, strict=True)}
        for name, collection in own.items():
            if counts[name] > self._exact_up_to and not await has_graph(self._client, collection):
                await build_graph(self._client, collection, poll_interval=self._poll_interval)
        return counts

    async def publish(self, index: Index) -> None:
        await self._publication.publish(index, self._written)

    async def sweep(self) -> None:
        if self._is_marked:
            await self._registry.end_update()
        await self._publication.sweep()

    async def remove(self, generation: str, stored_as: str | None) -> None:
        await self._publication.remove(generation, stored_as)

    async def close(self) -> None:
        await self._lock.give_back()
        await self._client.close()

    def _collection_of(self, name: str) -> str:
        return collection_name(f"{self._prefix}{name}", self.stored_as)

    async def _mark_update(self) -> None:
        """Check the lock, and record the update if the points may be served."""
        self._lock.check()
        if self.stored_as != self._generation and not self._is_marked:
            await self._registry.begin_update(self.stored_as)
            self._is_marked = True

    async def _create(self, name: str, size: int) -> None:
        collection = self._collection_of(name)
        fields = indexed_fields(self._attributes.get(name, ()))
        by_period = name in self._options.periods
        await create_collection(self._client, collection, size, self._options, fields, by_period=by_period)
        if by_period:
            self._shard_keys[name] = set()
        self._written[name] = collection
        self._indexed_paths[collection] = {field_path(field) for field in fields}

    async def _index_fields(self, name: str, collection: str) -> None:
        fields = indexed_fields(self._attributes.get(name, ())).items()
        lacking = {field: kind for field, kind in fields if field_path(field) not in self._indexed_paths[collection]}
        await index_fields(self._client, collection, lacking, wait=False)

    async def _by_period(
        self, name: str, points: "list[models.PointStruct]", periods: Mapping[int, str], replaced: Mapping[int, str]
    ) -> "list[tuple[str | None, list[models.PointStruct]]]":
        """Group points by shard key (``None``: no keys); delete replaced points, which may be under another key."""
        keys = self._shard_keys.get(name)
        if keys is None:
            return [(None, points)]
        parts: defaultdict[str, list[models.PointStruct]] = defaultdict(list)
        for point in points:
            parts[periods[int(str(point.id))]].append(point)
        with translate_server_errors():
            for key in sorted(parts.keys() - keys):
                await self._client.create_shard_key(self._written[name], key)
                keys.add(key)
        if stale := [point.id for point in points if point.id in replaced]:
            await self._delete_points(name, stale)
        return list(parts.items())

    async def _delete_points(self, name: str, ids: "list[models.ExtendedPointId]") -> None:
        """Delete points; the server needs all shard keys of a collection that has them."""
        keys = self._shard_keys.get(name)
        with translate_server_errors():
            await self._client.delete(
                self._written[name], ids, wait=True, shard_key_selector=sorted(keys) if keys else None
            )

    async def _upsert(self, requests: "Sequence[_Request]") -> None:
        """Send requests concurrently; all have ended when this returns or raises."""
        answers = await asyncio.gather(
            *(
                self._client.upsert(request.collection, request.points, wait=True, shard_key_selector=request.shard_key)
                for request in requests
            ),
            return_exceptions=True,
        )
        with translate_server_errors():
            for answer in answers:
                if isinstance(answer, BaseException):
                    raise answer


class _Request(NamedTuple):
    """Points of one write request."""

    collection: str
    points: "list[models.PointStruct]"
    shard_key: str | None


def _point(chunk: Chunk, dense: Vector | None, sparse: SparseVector) -> "models.PointStruct":
    from qdrant_client import models

    vectors: dict[str, models.Vector] = {}
    if dense is not None:
        vectors[DENSE] = dense.tolist()
    if sparse.indices:
        vectors[SPARSE] = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return models.PointStruct(id=chunk["id"], vector=vectors, payload=to_payload(chunk))
