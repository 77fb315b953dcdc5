"""Open the current generation of an index, or build it if there is none, and check its points.

``check_points`` compares a sample of the points when an index is opened. ``Inspection`` reads every point: match with
the points table, vectors, and references.
"""

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

READ_ATTEMPTS = 3
"""A generation can only go between two looks if an index was rebuilt twice in between."""


def open_index(folder: Path, expected: Fingerprints | None = None, *, profile: str = "") -> Index:
    """Return the generation that is served.

    Raises:
        IndexMissing: there is none; the message says what to run.
        IndexMismatch: it is of another profile than ``profile`` (a name; empty: of any), was built with other parts
            than ``expected``, or cannot be read; or what says which generation is served is damaged.
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
    """Compare the profile of an index with the one that is asked for.

    Raises:
        IndexMismatch: they differ; the message names both and what to run.
    """
    if manifest.profile != profile:
        raise IndexMismatch(translate("store.other_profile", folder=folder, built=manifest.profile, asked=profile))


async def open_or_build(
    folder: Path,
    expected: Fingerprints,
    *,
    writer: WriterFactory,
    build: Callable[[IndexBuilder], Awaitable[Description]],
) -> Index:
    """Open an index; where there is none, or one of other parts, build it first.

    ``build`` adds the chunks and returns the description. Where several processes come at once, one builds and the
    others open what it has built.
    """
    try:
        return await asyncio.to_thread(open_index, folder, expected)
    except (IndexMissing, IndexMismatch):
        async with IndexBuilder(folder, writer) as builder:
            try:
                return await asyncio.to_thread(open_index, folder, expected)
            except (IndexMissing, IndexMismatch):
                return await builder.commit(await build(builder))


SAMPLE = 16
"""Points that are looked at, evenly spread over the table."""

MAX_CHANGED_IN_PLACE = 0.2
"""Share of the points of a server that an update in place may have changed since the table was written: one that is
under way, or that another machine has made. Above it an ingest makes new collections."""


async def check_points(index: Index, store: ChunkStore, *, embedded: bool) -> None:
    """Compare the numbers of points, and a sample of their digests, with the manifest and the table.

    What a server holds may have been updated in place since; there half of the sample may differ.

    Raises:
        IndexMismatch: the store holds other points; the message says which collection, and what to run.
        IndexMissing, StoreUnavailable, ConfigurationError: table or store cannot be read. A server that cannot be
            reached is no reason: it may be back when it is asked.
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
        least = expected[name] if embedded else expected[name] * (1 - MAX_CHANGED_IN_PLACE)
        if stored < least or (embedded and stored > expected[name]):
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

_EXAMPLES = 3
"""Points or provisions that a finding names."""


_LEFT_BY_UPDATES = ("inspection.unlisted", "inspection.changed", "inspection.missing", "inspection.references")
"""Findings that an interrupted update in place leaves: the next ingest repairs them."""


class InspectedStore(ChunkStore, Protocol):
    """A chunk store that hands out everything it holds."""

    def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        """Yield every point of a collection, children too, in pages by ascending id."""
        ...

    async def is_being_updated(self) -> bool:
        """Tell whether an update in place is under way, or was interrupted."""
        ...


def open_store(settings: Settings, index: Index) -> InspectedStore:
    """Open the store of an index.

    Raises:
        IndexMismatch, IndexMissing: the files of the index are damaged.
        StoreUnavailable: the store cannot be opened.
    """
    check_files(index)
    if settings.store == "embedded":
        store = EmbeddedStore(index.folder, list(index.manifest.collections))
        store.open()
        return store
    from articulado.store.server import ServerStore

    return ServerStore.connect(settings, index)


def open_served(settings: Settings, expected: Fingerprints | None = None) -> tuple[Index, InspectedStore]:
    """Open the generation that is served, and its store; where that is replaced in between, the one that follows.

    Raises:
        IndexMissing, IndexMismatch, StoreUnavailable: as ``open_index`` and ``open_store``.
    """
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
    """Findings in the points of an index; ``findings`` are sentences, in the language that is spoken."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._table: dict[int, Point] = {}
        self._findings: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._laws: dict[str, set[str]] = defaultdict(set)
        self._references: dict[int, str] = {}
        self._seen: set[int] = set()
        self._is_updated = False
        self.points = 0

    @property
    def findings(self) -> list[str]:
        """One sentence for each kind of fault in each collection: how many points have it, and some of them."""
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
        """Whether all that was found is an update that has not ended: it is no damage, and nothing is to be rebuilt."""
        return {kind for kind, _ in self._findings} == {"inspection.unfinished"}

    @property
    def references(self) -> int:
        """Number of chunks that others refer to."""
        return len(self._references)

    @property
    def laws(self) -> dict[str, set[str]]:
        """Ids of the laws (or rulings …) whose points the store holds, by collection."""
        return self._laws

    async def run(self, store: InspectedStore, progress: Progress) -> None:
        """Look at all points of a store.

        Raises:
            IndexMissing, StoreUnavailable, ConfigurationError: table or store cannot be read.
        """
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
        self._laws[name].add(chunk["law_id"])
        source = f"{chunk['provision']} {chunk['law_id']}"
        self._references.update(dict.fromkeys(chunk["refs"], source))

    def _is_as_written(self, id: int, chunk: Chunk) -> bool:
        row = self._table.get(id)
        return row is None or (
            chunk["id"] == id and (chunk["parent_id"] or id) == row.parent and row.digest == digest(chunk)
        )
