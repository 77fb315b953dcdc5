"""Open the current generation of an index, build it if there is none, and check its points."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Protocol

from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.store.builder import IndexBuilder, digest
from articulado.store.embedded import EmbeddedStore
from articulado.store.files import check_files
from articulado.store.generations import (
    BUILD_HINT,
    Description,
    Fingerprints,
    Generations,
    Index,
    Manifest,
    read_manifest,
)
from articulado.store.layout import StoredPoint
from articulado.store.writer import Point, Points, WriterFactory
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMismatch, IndexMissing, StoreUnavailable
from articulado.values.protocols import ChunkStore, Progress

READ_ATTEMPTS = 3  # A generation disappears between two looks only if an index was rebuilt twice in between


def open_index(folder: Path, expected: Fingerprints | None = None, *, profile: str = "") -> Index:
    """Return the served generation of ``profile`` ("": any), built with ``expected`` parts.

    Raises ``IndexMissing``, or ``IndexMismatch`` if it is damaged or another one.
    """
    generations = Generations(folder)
    for _ in range(READ_ATTEMPTS):
        current = generations.current()
        if current is None:
            raise IndexMissing(translate("store.no_index", folder=folder, command=BUILD_HINT))
        try:
            manifest = read_manifest(current)
        except FileNotFoundError:
            continue
        if profile:
            check_profile(manifest, profile, folder)
        if expected is not None:
            manifest.check(expected, folder)
        return Index(current, manifest)
    raise generations.pointer_damaged()


def check_profile(manifest: Manifest, profile: str, folder: Path) -> None:
    if manifest.profile != profile:
        raise IndexMismatch(translate("store.other_profile", folder=folder, built=manifest.profile, asked=profile))


async def open_or_build(
    folder: Path,
    expected: Fingerprints,
    *,
    writer: WriterFactory,
    build: Callable[[IndexBuilder], Awaitable[Description]],
) -> Index:
    """Open an index, or build it with ``build``, which adds the chunks; of several processes one builds."""
    try:
        return await asyncio.to_thread(open_index, folder, expected)
    except (IndexMissing, IndexMismatch):
        async with IndexBuilder(folder, writer) as builder:
            try:
                return await asyncio.to_thread(open_index, folder, expected)
            except (IndexMissing, IndexMismatch):
                return await builder.commit(await build(builder))


SAMPLE = 16  # compared points, evenly spread over the table

MAX_CHANGED_IN_PLACE = 0.2
"""Share of a server's points that updates in place may change before an ingest makes new collections."""


async def check_points(index: Index, store: ChunkStore, *, embedded: bool) -> None:
    """Compare the numbers of points, and a sample of digests, with the manifest and the table.

    On a server, updated in place, half of the sample may differ; a server that does not answer now is no error. Raises
    ``IndexMismatch`` if the store holds other points.
    """
    expected = index.manifest.collections
    points = await asyncio.to_thread(Points.load, index.folder)
    if len(points) != sum(expected.values()):
        raise _incomplete(index, "points.npy", len(points), sum(expected.values()))
    try:
        counts = await store.counts()
    except StoreUnavailable:
        if embedded:
            raise
        return  # a server that is away now says so when it is asked
    for name, stored in counts.items():
        minimum = expected[name] if embedded else expected[name] * (1 - MAX_CHANGED_IN_PLACE)
        if stored < minimum or (embedded and stored > expected[name]):
            raise _incomplete(index, name, stored, expected[name])
    sample = points.sample(SAMPLE)
    digests = {chunk["id"]: digest(chunk) for chunk in await store.fetch([point.id for point in sample])}
    differing = sum(digests.get(point.id) != point.digest for point in sample)
    if differing > (0 if embedded else len(sample) // 2):
        raise IndexMismatch(
            translate(
                "store.points_differ",
                folder=index.folder,
                differing=differing,
                sample=len(sample),
                advice=index.advice,
            )
        )


def _incomplete(index: Index, name: str, stored: int, expected: int) -> IndexMismatch:
    return IndexMismatch(
        translate(
            "store.not_whole",
            folder=index.folder,
            name=name,
            stored=stored,
            expected=expected,
            advice=index.advice,
        )
    )


STEP = "Revisando puntos"

_EXAMPLES = 3  # points or provisions that a finding names


_LEFT_BY_UPDATES = ("inspection.unlisted", "inspection.changed", "inspection.missing", "inspection.references")
"""Findings of an interrupted update in place, which the next ingest repairs."""


class InspectedStore(ChunkStore, Protocol):
    """Chunk store whose points can all be read."""

    def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        """Yield all points of a collection, children included, in pages by ascending id."""
        ...

    async def is_being_updated(self) -> bool:
        """Return True during an update in place, or after an interrupted one."""
        ...


def open_store(settings: Settings, index: Index) -> InspectedStore:
    """Open the store of an index after a check of its files."""
    check_files(index)
    if settings.store == "embedded":
        store = EmbeddedStore(index.folder, list(index.manifest.collections))
        store.open()
        return store
    from articulado.store.server import ServerStore

    return ServerStore.connect(settings, index)


def open_served(settings: Settings, expected: Fingerprints | None = None) -> tuple[Index, InspectedStore]:
    """Open the served generation and its store; retry if it is replaced meanwhile."""
    for attempt in range(READ_ATTEMPTS):
        index = open_index(settings.index_folder, expected)
        try:
            return index, open_store(settings, index)
        except (IndexMissing, IndexMismatch, StoreUnavailable):
            is_last = attempt == READ_ATTEMPTS - 1
            if is_last or Generations(settings.index_folder).current() == index.folder:
                raise
    raise AssertionError("an attempt returns or raises")


class Inspection:
    """Findings in the points of an index; ``findings`` are sentences in the current language."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._table: dict[int, Point] = {}
        self._findings: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.laws: dict[str, set[str]] = defaultdict(set)
        self._references: dict[int, str] = {}
        self._seen: set[int] = set()
        self._is_updated = False
        self.points = 0

    @property
    def findings(self) -> list[str]:
        """One sentence for each kind of fault and collection, with count and examples."""
        return [
            translate(
                kind,
                name=name,
                count=len(examples),
                examples=", ".join(examples[:_EXAMPLES]) + (" …" if len(examples) > _EXAMPLES else ""),
            )
            for (kind, name), examples in self._findings.items()
        ]

    @property
    def is_unfinished_alone(self) -> bool:
        return {kind for kind, _ in self._findings} == {"inspection.unfinished"}

    @property
    def references(self) -> int:
        return len(self._references)

    async def run(self, store: InspectedStore, progress: Progress) -> None:
        """Check all points of a store against the table."""
        rows = list(Points.load(self._index.folder))
        self._table = {point.id: point for point in rows}
        expected = self._index.manifest.collections
        count = sum(expected.values())
        if len(rows) != count or any(a.id >= b.id for a, b in pairwise(rows)):
            self._add("inspection.table", "points.npy", [f"{len(rows)} / {count}"])
        self._add(
            "inspection.orphans", "points.npy", (str(point.id) for point in rows if point.parent not in self._table)
        )
        self._is_updated = await store.is_being_updated()
        for position, name in enumerate(expected):
            ids = {point.id for point in rows if point.collection == position}
            async for page in store.stored(name):
                for point in page:
                    self._look_at(point, name, ids)
                    self._seen.add(point.id)
                self.points += len(page)
                progress(STEP, self.points, len(rows))
            self._add("inspection.missing", name, map(str, sorted(ids - self._seen)))
        dangling = {source: None for target, source in self._references.items() if target not in self._seen}
        self._add("inspection.references", "", dangling)

    def _add(self, kind: str, name: str, examples: Iterable[str]) -> None:
        if self._is_updated and kind in _LEFT_BY_UPDATES:
            kind, name = "inspection.unfinished", ""
        if listed := list(examples):
            self._findings[kind, name] += listed

    def _look_at(self, point: StoredPoint, name: str, expected: set[int]) -> None:
        try:
            chunk = point.chunk()
            same = self._is_as_written(point.id, chunk)
        except (StoreUnavailable, KeyError, TypeError, AttributeError):
            self._add("inspection.unreadable", name, [str(point.id)])
            return
        if point.id not in expected:
            self._add("inspection.unlisted", name, [str(point.id)])
        elif not same:
            self._add("inspection.changed", name, [str(point.id)])
        dense, sparse = point.dense, point.sparse
        if (dense is not None and len(dense) != self._index.manifest.dimensions_of(name)) or not all(
            map(isfinite, (*(dense or ()), *(sparse or ())))
        ):
            self._add("inspection.vectors", name, [str(point.id)])
        self.laws[name].add(chunk["law_id"])
        source = f"{chunk['provision']} {chunk['law_id']}"
        self._references.update(dict.fromkeys(chunk["refs"], source))

    def _is_as_written(self, id: int, chunk: Chunk) -> bool:
        row = self._table.get(id)
        return row is None or (
            chunk["id"] == id and (chunk["parent_id"] or id) == row.parent and row.digest == digest(chunk)
        )
