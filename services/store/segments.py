"""Segments: the pieces of a collection of the embedded store, each built, copied and changed by itself.

A shard holds one or many of them, and searches them as one collection; the engine's own files of a segment lie in
folders below ``segments``. So a generation that continues another copies the segments that it changes, and shares the
files of all others with it (hard links): nobody writes to a segment any more once it is in a shard.

``segments.json`` of a generation lists the segments of each collection.
"""

import ctypes
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shutil import rmtree

import qdrant_edge as q

from services.store.checksums import check_files
from services.store.copying import copy_file, copy_folder, is_temporary, link_folder
from services.store.disk import bytes_on_disk, require_room
from services.store.generations import translate_disk_errors, write_durably
from services.store.manifest import Index
from services.store.sample import WrittenSample
from services.store.shard import translate_engine_errors

SEGMENTS = "segments.json"
CONFIG = "edge_config.json"
"""The engine's file beside the segments of a shard."""

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
