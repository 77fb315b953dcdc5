"""Write a generation of the embedded store."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import qdrant_edge as q

from language.current import say
from services.protocols import SparseVector, Vector
from services.store.copying import copy_folder
from services.store.disk import MEGABYTE, bytes_on_disk, require_room
from services.store.generations import translate_disk_errors
from services.store.layout import DENSE, SPARSE, attributes_of, field_path, indexed_fields, to_payload
from services.store.manifest import REBUILD_HINT, Index
from services.store.shard import open_shard, translate_engine_errors
from state.chunks import Chunk
from state.errors import StoreUnavailable

EXACT_UP_TO = 50_000
"""Chunks of a collection up to which search is exact; a larger one gets an HNSW graph when it is built."""

INDEXED_FROM = 100
"""Chunks of a collection from which its fields are indexed. The indexes take 20 ms whenever a shard is opened; without
them a search reads every payload, at 0.05 ms each."""

WRITING_ROOM = 32 * MEGABYTE
"""Left on the disk at every write, beside what it is known to need: for the files that the engine makes on the way."""

BYTES_OF_SHARD = MEGABYTE
"""Taken by a collection, however small."""

BYTES_OF_FIELDS = 500
"""Taken by the indexes of the fields of a point."""

SAMPLED_PAYLOADS = 64
"""Of the chunks of a batch, to estimate what it takes: the payloads are written as JSON for it."""


class EdgeWriter:
    """Satisfies ``IndexWriter``: one shard for each collection, in the generation's folder."""

    def __init__(self, folder: Path, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._folder = folder
        self._exact_up_to = exact_up_to
        self._shards: dict[str, q.EdgeShard] = {}
        self._attributes: dict[str, set[str]] = {}

    @property
    def stored_as(self) -> str:
        """The generation's own name: each has its own files."""
        return self._folder.name

    async def continue_from(self, base: Index) -> None:
        """Copy the shards of another generation, which stays as it is.

        Raises:
            ConfigurationError, StoreUnavailable: they cannot be read or copied.
        """

        def copy(name: str) -> None:
            if not (base.folder / name).is_dir():
                raise StoreUnavailable(
                    say("store.collection_damaged", name=name, folder=base.folder, command=REBUILD_HINT)
                )
            with translate_disk_errors(self._folder):
                copy_folder(base.folder / name, self._folder / name)
            with translate_engine_errors(self._folder, name, "store.collection_damaged"):
                self._shards[name] = q.EdgeShard.load(str(self._folder / name))

        def look() -> None:
            require_room(self._folder, WRITING_ROOM + bytes_on_disk(base.folder))

        await asyncio.to_thread(look)
        for name in base.manifest.collections:
            await asyncio.to_thread(copy, name)

    async def delete(self, ids: Mapping[str, Sequence[int]]) -> None:
        """Delete points, by collection."""

        def delete(name: str, points: "list[q.PointId]") -> None:
            require_room(self._folder, WRITING_ROOM)
            with translate_engine_errors(self._folder, name):
                self._shards[name].update(q.UpdateOperation.delete_points(points))

        for name, points in ids.items():
            await asyncio.to_thread(delete, name, list(points))

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector], *, size: int
    ) -> None:
        """Write chunks; see ``IndexWriter.add``."""
        await asyncio.to_thread(self._add, chunks, dense, sparse, size)

    def bytes_of(self, chunks: Sequence[Chunk], dimensions: int) -> int:
        """Estimate what chunks take; see ``IndexWriter.bytes_of``."""
        collections = {chunk["collection"] for chunk in chunks}
        return WRITING_ROOM + len(collections) * BYTES_OF_SHARD + _estimate(chunks, dimensions)

    async def finish(self) -> dict[str, int]:
        """Flush and close the shards, then open them anew to count what they hold."""
        return await asyncio.to_thread(self._finish)

    async def publish(self) -> None:
        """Do nothing: the generation is current when the index says so."""

    async def remove(self, stored_as: str) -> None:
        """Do nothing: the shards go with the generation's folder."""

    async def close(self) -> None:
        """Close the shards."""
        while self._shards:
            name, shard = self._shards.popitem()
            with translate_engine_errors(self._folder, name):
                await asyncio.to_thread(shard.close)

    def _add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector], size: int
    ) -> None:
        points: dict[str, list[q.Point]] = {}
        for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
            vectors: dict[str, q.NamedVector] = {}
            if dense_vector is not None:
                vectors[DENSE] = dense_vector.tolist()
            if sparse_vector.indices:
                vectors[SPARSE] = q.SparseVector(list(sparse_vector.indices), list(sparse_vector.values))
            point = q.Point(chunk["id"], vectors, to_payload(chunk))
            points.setdefault(chunk["collection"], []).append(point)
            self._attributes.setdefault(chunk["collection"], set()).update(attributes_of(chunk))
        require_room(self._folder, WRITING_ROOM + _estimate(chunks, size))
        for name, batch in points.items():
            with translate_engine_errors(self._folder, name):
                self._shard(name, size).update(q.UpdateOperation.upsert_points(batch))

    def _finish(self) -> dict[str, int]:
        counts = {}
        while self._shards:
            name, shard = self._shards.popitem()
            with translate_engine_errors(self._folder, name):
                counts[name] = self._finish_shard(name, shard)
        return dict(sorted(counts.items()))

    def _finish_shard(self, name: str, shard: q.EdgeShard) -> int:
        count = shard.count(q.CountRequest(exact=True))
        # A collection that gets a graph is written once more; the indexes of fields are small beside the payloads.
        rewritten = bytes_on_disk(self._folder / name) if count >= self._exact_up_to else 0
        require_room(self._folder, WRITING_ROOM + count * BYTES_OF_FIELDS + rewritten)
        if count >= INDEXED_FROM:
            _index_fields(shard, self._attributes.get(name, ()))
        shard.optimize()  # builds the HNSW graph of a large collection; nothing to do for a small one
        shard.flush()
        shard.close()
        written = open_shard(self._folder, name)
        try:
            return written.count(q.CountRequest(exact=True))
        finally:
            written.close()

    def _shard(self, name: str, size: int) -> q.EdgeShard:
        if name not in self._shards:
            folder = self._folder / name
            folder.mkdir(parents=True)
            self._shards[name] = q.EdgeShard.create(str(folder), _config(size, self._exact_up_to))
        return self._shards[name]


def _estimate(chunks: Sequence[Chunk], dimensions: int) -> int:
    """Return about how many bytes chunks take on the disk, from a sample of their payloads; rather more than less.

    The 47,407 points of 66 laws take 149 MB, of which payloads make 136 MB as JSON.
    """
    if not chunks:
        return 0
    sample = chunks[:: -(-len(chunks) // SAMPLED_PAYLOADS)]
    payloads = sum(len(json.dumps(chunk, ensure_ascii=False).encode()) for chunk in sample) / len(sample)
    return int(len(chunks) * (payloads + 4 * dimensions + BYTES_OF_FIELDS))


def _index_fields(shard: q.EdgeShard, attributes: Iterable[str]) -> None:
    """Index what searches filter by; indexes that the shard has already stay."""
    kinds = {
        "keyword": q.PayloadSchemaType.Keyword,
        "datetime": q.PayloadSchemaType.Datetime,
        "integer": q.PayloadSchemaType.Integer,
    }
    for field, kind in indexed_fields(attributes).items():
        shard.update(q.UpdateOperation.create_field_index(field_path(field), kinds[kind]))


def _config(size: int, exact_up_to: int) -> q.EdgeConfig:
    bytes_of_vector = 4 * size
    return q.EdgeConfig(
        # Mapped as they are read, which is as fast: else each shard takes 32 MB when it is opened, however small it is.
        vectors={DENSE: q.EdgeVectorParams(size=size, distance=q.Distance.Cosine, memory=q.Memory.Cold)},
        sparse_vectors={SPARSE: q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
        optimizers=q.EdgeOptimizersConfig(
            default_segment_number=1,
            indexing_threshold=exact_up_to * bytes_of_vector // 1024,  # kilobytes
        ),
        # A generation is built once and is of no use unless it was flushed whole: a log would only cost time.
        wal_enabled=False,
    )
