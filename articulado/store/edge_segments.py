"""Segments of the embedded store: pieces of a collection, built, copied and changed separately.

A shard holds one or more segments and searches them as one collection. The engine's files of a segment lie
in folders below ``segments``. A generation that continues another one copies the segments that it changes
and shares the files of all others (hard links): a segment in a shard is never written to again.
``segments.json`` lists the segments of each collection. ``measured_shard`` compares graph search with exact
search.
"""

import asyncio
import ctypes
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree

import qdrant_edge as q

from articulado.language.translation import translate
from articulado.store.files import (
    MEGABYTE,
    bytes_on_disk,
    check_files,
    copy_file,
    copy_folder,
    is_temporary,
    link_folder,
    require_room,
)
from articulado.store.generations import (
    INSPECTION_HINT,
    REBUILD_HINT,
    GraphSearch,
    Index,
    translate_disk_errors,
    write_durably,
)
from articulado.store.layout import DENSE, PAGE_SIZE, StoredPoint
from articulado.store.recall import LIMIT, SAMPLE, WrittenSample, measured
from articulado.values.errors import ArticuladoError, StoreUnavailable
from articulado.values.protocols import Vector

OPENING_ROOM = 2 * MEGABYTE
"""Left on the disk before a shard is opened: the engine writes some of its files anew, with what they already hold."""


def open_shard(folder: Path, name: str) -> q.EdgeShard:
    """Open the shard of a collection in the folder of a generation.

    Raises:
        StoreUnavailable: the disk is full, or it cannot be opened.
    """
    require_room(folder, OPENING_ROOM)
    with translate_engine_errors(folder, name, "store.collection_not_opened"):
        return q.EdgeShard.load(str(folder / name))


@contextmanager
def translate_engine_errors(folder: Path, name: str, message: str = "store.collection_unreadable") -> Iterator[None]:
    """Turn failures of the engine within the block into an error of this project, with a message of this key.

    Raises:
        StoreUnavailable: the files of the collection are damaged, or the disk is full.
    """
    try:
        yield
    except ArticuladoError:
        raise
    except BaseException as error:
        # The engine raises nothing narrower than Exception; a panic of its Rust code is no Exception, and its type
        # cannot be imported.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        require_room(folder, OPENING_ROOM)
        raise StoreUnavailable(
            translate(message, name=name, folder=folder, inspection=INSPECTION_HINT, command=REBUILD_HINT)
        ) from error


SEGMENTS = "segments.json"
CONFIG = "edge_config.json"
"""The engine's file beside the segments of a shard."""

INDEXED_FROM = 1_000
"""Points of a collection from which the fields are indexed that it has values of. Whenever a shard is opened each index
takes 5 ms and 5 MB; without them a search that is filtered reads every payload, at 0.005 ms each."""

_FOLDER = "segments"
"""The engine's folder of them, in a shard."""


@dataclass
class Segment:
    """A segment: the engine's folders of it, its points, whether it has a graph, and the fields that are indexed.

    ``valued`` are the fields that filters can name and that its points have, or had, values of
    (``layout.filtered_fields_of``); ``None`` where an earlier version wrote it, which did not keep them.
    """

    folders: list[str] = field(default_factory=list)
    points: int = 0
    graph: bool = False
    fields: list[str] = field(default_factory=list)
    valued: list[str] | None = None


@dataclass
class Collection:
    """The segments of a collection, by number."""

    segments: list[Segment] = field(default_factory=list)

    @property
    def points(self) -> int:
        """The points of all of them."""
        return sum(segment.points for segment in self.segments)

    @property
    def valued(self) -> frozenset[str] | None:
        """The fields that filters can name and that any of its points may have values of; ``None``: not known."""
        if any(segment.valued is None for segment in self.segments):
            return None
        return frozenset(name for segment in self.segments for name in segment.valued or ())


class SegmentFiles:
    """Where the segments of a new generation lie: in a workshop while they are changed, then in their shard."""

    def __init__(self, generation: Path, base: Index | None = None) -> None:
        self._generation = generation
        self._base = base
        self._opened: dict[tuple[str, int], q.EdgeShard] = {}
        self._made: set[tuple[str, int]] = set()

    @property
    def opened(self) -> list[tuple[str, int]]:
        """The segments that are open, by collection and number, that which was opened first before the others."""
        return list(self._opened)

    def shard(self, name: str, number: int, segment: Segment, config: q.EdgeConfig | None) -> q.EdgeShard:
        """Return an open shard with this one segment, which may be written to.

        Raises:
            IndexMismatch: the files of the generation that is continued are damaged.
            StoreUnavailable, ConfigurationError: they cannot be copied or opened.
        """
        key = name, number
        if key in self._opened:
            return self._opened[key]
        workshop = self.workshop(name, number)
        if key in self._made:
            self._fetch(name, segment, workshop)
            self._made.discard(key)
        elif segment.folders:
            self._copy(name, segment, workshop)
        with translate_engine_errors(self._generation, name, "store.collection_damaged"):
            if segment.folders:
                shard = q.EdgeShard.load(str(workshop))
            else:
                assert config is not None
                workshop.mkdir(parents=True)
                shard = q.EdgeShard.create(str(workshop), config)
        self._opened[key] = shard
        return shard

    def workshop(self, name: str, number: int) -> Path:
        """Return the folder of a segment while it is changed."""
        return self._generation / f".{name}.{number}"

    def finish(self, name: str, number: int, segment: Segment, sample: WrittenSample) -> None:
        """Close a segment that is open, read it back and put it into the shard of its collection.

        Raises:
            IndexMismatch: it does not hold what was written to it.
            StoreUnavailable, ConfigurationError: its files cannot be written or read.
        """
        shard = self._opened.pop((name, number))
        workshop = self.workshop(name, number)
        with translate_engine_errors(self._generation, name):
            shard.flush()
            shard.close()
            written = q.EdgeShard.load(str(workshop))
            try:
                segment.points = written.count(q.CountRequest(exact=True))
                records = written.retrieve(list(sample.ids), with_payload=True, with_vector=False)
                sample.check({int(str(record.id)): record.payload or {} for record in records}, self._generation)
            finally:
                written.close()
        segment.folders = sorted(path.name for path in (workshop / _FOLDER).iterdir() if not is_temporary(path.name))
        target = self._generation / name
        with translate_disk_errors(self._generation):
            (target / _FOLDER).mkdir(parents=True, exist_ok=True)
            for folder in segment.folders:
                (workshop / _FOLDER / folder).rename(target / _FOLDER / folder)
            if not (target / CONFIG).exists():
                copy_file(workshop / CONFIG, target / CONFIG)
            rmtree(workshop)
        self._made.add((name, number))
        _give_back_memory()

    def share(self, name: str, collection: Collection) -> None:
        """Put the segments that were not changed into the shard of their collection: the other generation's files."""
        if self._base is None:
            return
        source, target = self._base.folder / name, self._generation / name
        with translate_disk_errors(self._generation):
            for number, segment in enumerate(collection.segments):
                if (name, number) in self._made:
                    continue
                for folder in segment.folders:
                    link_folder(source / _FOLDER / folder, target / _FOLDER / folder)
            if not (target / CONFIG).exists():
                target.mkdir(exist_ok=True)
                copy_file(source / CONFIG, target / CONFIG)
            (target / _FOLDER).mkdir(exist_ok=True)
            _make_durable(target / _FOLDER)

    def close(self) -> None:
        """Close what is open."""
        while self._opened:
            (name, _), shard = self._opened.popitem()
            with translate_engine_errors(self._generation, name):
                shard.close()

    def _copy(self, name: str, segment: Segment, workshop: Path) -> None:
        """Copy a segment of the generation that is continued, whole and undamaged."""
        assert self._base is not None
        prefixes = tuple(f"{name}/{_FOLDER}/{folder}/" for folder in segment.folders)
        check_files(self._base, deep=True, among=lambda file: file.startswith(prefixes))
        source = self._base.folder / name
        require_room(self._generation, sum(bytes_on_disk(source / _FOLDER / folder) for folder in segment.folders))
        with translate_disk_errors(self._generation):
            for folder in segment.folders:
                copy_folder(source / _FOLDER / folder, workshop / _FOLDER / folder)
            copy_file(source / CONFIG, workshop / CONFIG)

    def _fetch(self, name: str, segment: Segment, workshop: Path) -> None:
        """Take a segment that this build has finished back into the workshop."""
        source = self._generation / name
        with translate_disk_errors(self._generation):
            (workshop / _FOLDER).mkdir(parents=True)
            for folder in segment.folders:
                (source / _FOLDER / folder).rename(workshop / _FOLDER / folder)
            copy_file(source / CONFIG, workshop / CONFIG)


def load_segments(generation: Path) -> dict[str, Collection]:
    """Return the segments of each collection of a generation, by its name.

    Raises:
        OSError, ValueError, TypeError: the list is missing or damaged.
    """
    listed = json.loads((generation / SEGMENTS).read_bytes())
    return {
        name: Collection([Segment(**segment) for segment in collection["segments"]])
        for name, collection in listed.items()
    }


def save_segments(generation: Path, collections: dict[str, Collection]) -> None:
    """Write the segments of each collection into the folder of a generation.

    Raises:
        ConfigurationError, StoreUnavailable: as ``Generations``.
    """
    write_durably(generation / SEGMENTS, json.dumps({name: asdict(listed) for name, listed in collections.items()}))


def _give_back_memory() -> None:
    """Give the memory of a segment that was closed back to the system.

    The allocator of the GNU system keeps it, in an arena for each of the engine's threads: a build would grow with each
    segment. Others have no such call.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _make_durable(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


async def measured_shard(generation: Path, name: str) -> GraphSearch:
    """Return how the graph of a collection is to be searched; see ``recall.measured``.

    Raises:
        IndexMismatch: the graph loses too much.
        StoreUnavailable: the shard cannot be read.
    """
    shard = await asyncio.to_thread(open_shard, generation, name)

    def searched(queries: Sequence[Vector], candidates: int | None) -> list[list[float]]:
        params = q.SearchParams(exact=candidates is None, hnsw_ef=candidates or None)
        requests = [
            q.QueryRequest(limit=LIMIT, query=q.Query.Nearest(query.tolist(), using=DENSE), params=params)
            for query in queries
        ]
        with translate_engine_errors(generation, name):
            answers = shard.query_batch(q.QueryBatchRequest(requests))
        return [[point.score for point in points] for points in answers]

    async def search(queries: Sequence[Vector], candidates: int | None) -> list[list[float]]:
        return await asyncio.to_thread(searched, queries, candidates)

    try:
        with translate_engine_errors(generation, name):
            vectors = await asyncio.to_thread(_sample, shard)
        return await measured(name, vectors, search)
    finally:
        await asyncio.to_thread(shard.close)


def _sample(shard: q.EdgeShard) -> list[Sequence[float]]:
    """Return the dense vectors of the first points that have any: ids are hashes, so that they are a sample."""
    vectors: list[Sequence[float]] = []
    page, offset = shard.scroll(q.ScrollRequest(limit=PAGE_SIZE, with_vector=True))
    while page:
        dense = (StoredPoint.of(record.id, record.payload, record.vector).dense for record in page)
        vectors += [vector for vector in dense if vector is not None]
        if offset is None or len(vectors) >= SAMPLE:
            break
        page, offset = shard.scroll(q.ScrollRequest(offset=offset, limit=PAGE_SIZE, with_vector=True))
    return vectors
