"""Write a generation of the embedded store: one shard of segments per collection.

Large collections get an HNSW graph per segment; small ones are searched exactly.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

import qdrant_edge as q

from articulado.language.translation import translate
from articulado.store.edge_segments import (
    CONFIG,
    INDEXED_FROM,
    SEGMENTS,
    Collection,
    Segment,
    SegmentFiles,
    load_segments,
    measured_shard,
    save_segments,
    translate_engine_errors,
)
from articulado.store.files import MEGABYTE, bytes_on_disk, require_room
from articulado.store.generations import REBUILD_HINT, GraphSearch, Index
from articulado.store.layout import (
    ATTRIBUTES,
    DENSE,
    INDEXED_FIELDS,
    SPARSE,
    field_path,
    filtered_fields_of,
    index_kind,
    to_payload,
)
from articulado.store.recall import WrittenSample
from articulado.store.writer import Placed, Points, Scope
from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import SparseVector, Vector

EXACT_UP_TO = 250_000
"""Chunks of a collection up to which search is exact; the segments of a larger one get graphs (docs/storage.md)."""

SEGMENT_POINTS = 25_000
"""Points of a segment: what an update copies for the points of a document, and what a build has open at once."""

OPEN_SEGMENTS = 6
"""Segments that are open at once at most; a build writes to one of each collection."""

GRAPH_LINKS = 32
GRAPH_CANDIDATES = 256
"""What the graph of a segment is built with (``m`` and ``ef_construct``): measured, docs/storage.md."""

SCANNED = 10_000
"""Kilobytes of vectors up to which the engine reads them all, graph or not."""

LOOKED_UP_FROM = 500
LOOKED_UP = "provision_key"
"""The field by which provisions are looked up, several times in a question, and the points of a collection from which
it is indexed: without that a look-up reads every payload, at 0.012 ms each."""

WRITING_ROOM = 32 * MEGABYTE
"""Left on the disk at every write, beside what it is known to need: for the files that the engine makes on the way."""

BYTES_OF_SHARD = MEGABYTE
"""Taken by a collection, however small."""

BYTES_OF_POINT = 2_400
"""Taken by a point beside its dense vector: rather more than less (docs/sizing.md)."""

BYTES_OF_FIELDS = 500
"""Taken by the indexes of the fields of a point."""

OF_CASES = {"chunk_type", "topic"}
"""Fields that, as attributes, only searches for a case name."""

SAMPLED_PAYLOADS = 64
"""Of the chunks of a batch, to estimate what it takes: the payloads are written as JSON for it."""


class EdgeWriter:
    """Satisfies ``IndexWriter``: one shard for each collection, of segments, in the generation's folder.

    ``of_cases`` are the collections in which cases are searched, by type, topic and attributes; ``None`` is any.
    """

    def __init__(
        self,
        folder: Path,
        *,
        exact_up_to: int = EXACT_UP_TO,
        segment_points: int = SEGMENT_POINTS,
        of_cases: Container[str] | None = None,
    ) -> None:
        self._folder = folder
        self._of_cases = of_cases
        self._exact_up_to = exact_up_to
        self._segment_points = segment_points
        self._collections: dict[str, Collection] = {}
        self._files = SegmentFiles(folder)
        self._samples: defaultdict[tuple[str, int], WrittenSample] = defaultdict(WrittenSample)
        self._met: defaultdict[str, set[str]] = defaultdict(set)
        self._configs: dict[str, q.EdgeConfig] = {}
        self._continues = False

    @property
    def stored_as(self) -> str:
        """The generation's own name: each has its own files."""
        return self._folder.name

    async def begin(self, scope: Scope | None) -> None:
        """Do nothing: the lock of the folder is all there is to wait for."""

    def writes(self, collection: str) -> bool:
        """Return ``True``: a build has the folder to itself."""
        return True

    async def table(self, base: Index) -> Points:
        """Return the table of a generation's points."""
        return await asyncio.to_thread(Points.load, base.folder)

    async def touched(self) -> Mapping[int, str]:
        """Return none: what an update changes are copies."""
        return {}

    async def continue_from(self, base: Index) -> None:
        """Begin with the segments of another generation, which stays as it is; what is changed is copied first.

        Raises:
            ConfigurationError, StoreUnavailable: they cannot be read.
        """

        def look() -> None:
            require_room(self._folder, WRITING_ROOM)
            self._files = SegmentFiles(self._folder, base)
            self._continues = True
            for name in base.manifest.collections:
                self._configs[name] = _config(base.manifest.dimensions_of(name))
                try:
                    json.loads((base.folder / name / CONFIG).read_bytes())
                except (OSError, ValueError) as error:
                    raise _damaged(name, base.folder) from error
            try:
                self._collections = load_segments(base.folder)
            except (OSError, ValueError, TypeError, KeyError) as error:
                raise _damaged(SEGMENTS, base.folder) from error

        await asyncio.to_thread(look)

    async def delete(self, points: Sequence[Placed]) -> None:
        """Delete points; see ``IndexWriter.delete``."""
        await asyncio.to_thread(self._delete, points)

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, Placed],
    ) -> Sequence[int]:
        """Write chunks; see ``IndexWriter.add``. One that is replaced stays in its segment."""
        return await asyncio.to_thread(self._add, chunks, dense, sparse, size, replaced)

    def bytes_of(self, points: int, dimensions: int) -> int:
        """Estimate what points take; see ``IndexWriter.bytes_of``."""
        return WRITING_ROOM + BYTES_OF_SHARD + points * (BYTES_OF_POINT + 4 * dimensions)

    async def finish(self) -> dict[str, int]:
        """Finish every segment that was changed, and put the collections together; return what they hold."""
        return await asyncio.to_thread(self._finish)

    async def measure_graphs(self) -> dict[str, GraphSearch]:
        """Measure what the graphs lose; see ``IndexWriter.measure_graphs``."""
        collections = self._collections.items()
        large = [name for name, collection in collections if any(segment.graph for segment in collection.segments)]
        return {name: await measured_shard(self._folder, name) for name in large}

    async def begin_publication(self) -> None:
        """Do nothing: nobody else has come between."""

    async def publish(self, index: Index) -> None:
        """Do nothing: the generation is current when the index says so."""

    async def sweep(self) -> None:
        """Do nothing: a generation is its folder."""

    async def remove(self, generation: str, stored_as: str | None) -> None:
        """Do nothing: the shards go with the generation's folder."""

    async def close(self) -> None:
        """Close the segments."""
        await asyncio.to_thread(self._files.close)

    def _delete(self, points: Sequence[Placed]) -> None:
        require_room(self._folder, WRITING_ROOM)
        by_segment: dict[tuple[str, int], list[q.PointId]] = {}
        for point in points:
            by_segment.setdefault((point.collection, point.segment), []).append(point.id)
        for (name, number), ids in by_segment.items():
            shard = self._shard(name, number)
            with translate_engine_errors(self._folder, name):
                shard.update(q.UpdateOperation.delete_points(ids))
            self._collections[name].segments[number].points -= len(ids)

    def _add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        size: int,
        replaced: Mapping[int, Placed],
    ) -> Sequence[int]:
        require_room(self._folder, WRITING_ROOM + _estimate(chunks, size))
        batches: dict[tuple[str, int], list[q.Point]] = {}
        numbers = []
        for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
            name = chunk["collection"]
            self._configs.setdefault(name, _config(size))
            vectors: dict[str, q.NamedVector] = {}
            if dense_vector is not None:
                vectors[DENSE] = dense_vector.tolist()
            if sparse_vector.indices:
                vectors[SPARSE] = q.SparseVector(list(sparse_vector.indices), list(sparse_vector.values))
            before = replaced.get(chunk["id"])
            number = before.segment if before and before.collection == name else self._roomy(name)
            batches.setdefault((name, number), []).append(q.Point(chunk["id"], vectors, to_payload(chunk)))
            self._note_fields(name, number, filtered_fields_of(chunk))
            numbers.append(number)
            self._samples[name, number].add([chunk])
        for (name, number), points in batches.items():
            shard = self._shard(name, number)
            with translate_engine_errors(self._folder, name):
                shard.update(q.UpdateOperation.upsert_points(points))
            # Early: the engine indexes what it is given for nothing, and reads all payloads anew for what it has.
            self._index_fields(name, number)
            # A build from nothing has no more to do with it; an update may have points in it to replace.
            if not self._continues and self._collections[name].segments[number].points >= self._segment_points:
                self._finish_segment(name, number)
        return numbers

    def _note_fields(self, name: str, number: int, fields: set[str]) -> None:
        """Note the fields that a point has values of; of a segment that an earlier version wrote others may, too."""
        segment = self._collections[name].segments[number]
        self._met[name] |= fields
        if segment.valued is not None and not fields.issubset(segment.valued):
            segment.valued = sorted(fields.union(segment.valued))

    def _roomy(self, name: str) -> int:
        """Return the number of a segment that a new point goes to, and count it: one that is open, else the last."""
        segments = self._collections.setdefault(name, Collection()).segments
        opened = [number for of, number in self._files.opened if of == name]
        last = [len(segments) - 1] if segments else []
        for number in (*opened, *last):
            if segments[number].points < self._segment_points:
                break
        else:
            segments.append(Segment(valued=[]))
            number = len(segments) - 1
        segments[number].points += 1
        return number

    def _shard(self, name: str, number: int) -> q.EdgeShard:
        opened = self._files.opened
        if (name, number) not in opened and len(opened) >= OPEN_SEGMENTS:
            self._finish_segment(*opened[0])
        return self._files.shard(name, number, self._collections[name].segments[number], self._configs.get(name))

    def _finish_segment(self, name: str, number: int) -> None:
        collection = self._collections[name]
        segment = collection.segments[number]
        require_room(self._folder, WRITING_ROOM + segment.points * BYTES_OF_FIELDS)
        self._shard(name, number)
        self._index_fields(name, number)
        self._files.finish(name, number, segment, self._samples[name, number])

    def _index_fields(self, name: str, number: int) -> None:
        """Have those fields of a segment indexed that it lacks an index of."""
        segment, fields = self._collections[name].segments[number], self._fields(name, number)
        if not fields <= set(segment.fields):
            with translate_engine_errors(self._folder, name):
                _index_fields(self._shard(name, number), fields)
            segment.fields = sorted(fields.union(segment.fields))

    def _fields(self, name: str, number: int) -> set[str]:
        """Return the fields of a segment to be indexed: those that its collection has values of, if it is large enough.

        What one segment has met is indexed in all: without that, a search reads every payload of the others.
        """
        collection = self._collections[name]
        points, valued = collection.segments[number].points, collection.valued
        if points >= INDEXED_FROM or len(collection.segments) > 1:
            if valued is not None:
                return {field for field in valued if self._is_filtered_by(name, field, valued)}
            indexed = {field for segment in collection.segments for field in segment.fields}
            return indexed | self._met[name] | INDEXED_FIELDS.keys()
        is_looked_up = points >= LOOKED_UP_FROM and (valued is None or LOOKED_UP in valued)
        return {LOOKED_UP} if is_looked_up else set()

    def _is_filtered_by(self, name: str, field: str, valued: frozenset[str]) -> bool:
        """Tell whether a search in a collection names a field of it."""
        if field == "status":  # asked of what has ended only
            return "valid_to" in valued
        is_of_cases = field in OF_CASES or field.startswith(ATTRIBUTES)
        return not is_of_cases or self._of_cases is None or name in self._of_cases

    def _finish(self) -> dict[str, int]:
        for name, number in self._files.opened:
            self._finish_segment(name, number)
        counts = {}
        for name, collection in sorted(self._collections.items()):
            segments = collection.segments
            for number, segment in enumerate(segments):
                if segment.folders and not self._fields(name, number) <= set(segment.fields):
                    self._shard(name, number)
                    self._finish_segment(name, number)
            counts[name] = sum(segment.points for segment in segments)
            if counts[name] >= self._exact_up_to:
                self._build_graphs(name, collection)
            self._files.share(name, collection)
        save_segments(self._folder, self._collections)
        return counts

    def _build_graphs(self, name: str, collection: Collection) -> None:
        """Give each segment of a large collection a graph, one after another; the last is searched as it is."""
        for number, segment in enumerate(collection.segments):
            if segment.graph or segment.points < self._segment_points // 2:
                continue
            shard = self._shard(name, number)
            require_room(self._folder, WRITING_ROOM + 2 * bytes_on_disk(self._files.workshop(name, number)))
            with translate_engine_errors(self._folder, name):
                shard.optimize()
            segment.graph = True
            self._files.finish(name, number, segment, self._samples[name, number])


def _damaged(name: str, folder: Path) -> StoreUnavailable:
    return StoreUnavailable(translate("store.collection_damaged", name=name, folder=folder, command=REBUILD_HINT))


def _estimate(chunks: Sequence[Chunk], dimensions: int) -> int:
    """Return about how many bytes chunks take on the disk, from a sample of their payloads; rather more than less.

    The 47,407 points of 66 laws take 149 MB, of which payloads make 136 MB as JSON.
    """
    if not chunks:
        return 0
    sample = chunks[:: -(-len(chunks) // SAMPLED_PAYLOADS)]
    payloads = sum(len(json.dumps(chunk, ensure_ascii=False).encode()) for chunk in sample) / len(sample)
    return int(len(chunks) * (payloads + 4 * dimensions + BYTES_OF_FIELDS))


def _index_fields(shard: q.EdgeShard, fields: Iterable[str]) -> None:
    """Index what searches filter by; indexes that the shard has already stay."""
    kinds = {
        "keyword": q.PayloadSchemaType.Keyword,
        "datetime": q.PayloadSchemaType.Datetime,
        "integer": q.PayloadSchemaType.Integer,
    }
    for name in sorted(fields):
        shard.update(q.UpdateOperation.create_field_index(field_path(name), kinds[index_kind(name)]))


def _config(size: int) -> q.EdgeConfig:
    return q.EdgeConfig(
        # Mapped as they are read, which is as fast: else each shard takes 32 MB when it is opened, however small it is.
        vectors={DENSE: q.EdgeVectorParams(size=size, distance=q.Distance.Cosine, memory=q.Memory.Cold)},
        sparse_vectors={SPARSE: q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
        hnsw_config=q.HnswIndexConfig(m=GRAPH_LINKS, ef_construct=GRAPH_CANDIDATES, full_scan_threshold=SCANNED),
        # A graph is only built where that is asked for.
        optimizers=q.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1),
        # A generation is built once and is of no use unless it was flushed whole: a log would only cost time.
        wal_enabled=False,
    )
