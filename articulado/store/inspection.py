"""Inspect every point of an index: match with the points table, vectors, and references."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from itertools import pairwise
from math import isfinite
from typing import Protocol

from articulado.language.translation import translate
from articulado.store.builder import digest
from articulado.store.generations import Index
from articulado.store.layout import StoredPoint
from articulado.store.writer import UNKNOWN, Point, Points
from articulado.values.chunks import Chunk
from articulado.values.errors import StoreUnavailable
from articulado.values.protocols import ChunkStore, Progress

STEP = "Revisando puntos"

_EXAMPLES = 3
"""Points or provisions that a finding names."""


class InspectedStore(ChunkStore, Protocol):
    """A chunk store that hands out everything it holds."""

    def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        """Yield every point of a collection, children too, in pages by ascending id."""
        ...

    async def unfinished(self) -> set[int]:
        """Return the points that an update in place which did not end may have changed."""
        ...


class Inspection:
    """What was found in the points of an index; ``findings`` are sentences, in the language that is spoken."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._table: dict[int, Point] = {}
        self._findings: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._laws: dict[str, set[str]] = defaultdict(set)
        self._references: dict[int, str] = {}
        self._seen: set[int] = set()
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
        # What was fetched from a server has no table: its points are compared with one another.
        fetched = self._index.manifest.fetched
        rows = [] if fetched else list(Points.load(self._index.folder))
        self._table = {point.id: point for point in rows}
        expected = self._index.manifest.collections
        count = sum(expected.values())
        if not fetched and (len(rows) != count or any(a.id >= b.id for a, b in pairwise(rows))):
            self._add("inspection.table", "points.npy", [f"{len(rows)} / {count}"])
        self._add(
            "inspection.orphans", "points.npy", (str(point.id) for point in rows if point.parent not in self._table)
        )
        # What an update in place that was killed has left is for the next ingest; it is no damage.
        pending = await store.unfinished()
        self._add("inspection.unfinished", "", map(str, sorted(pending)))
        for position, name in enumerate(expected):
            ids = {point.id for point in rows if point.collection == position} - pending
            async for page in store.stored(name):
                for point in page:
                    if point.id not in pending:
                        self._look_at(point, name, {point.id} if fetched else ids)
                    self._seen.add(point.id)
                self.points += len(page)
                progress(STEP, self.points, len(rows))
            self._add("inspection.missing", name, map(str, sorted(ids - self._seen)))
        dangling = {source: None for target, source in self._references.items() if target not in self._seen}
        self._add("inspection.references", "", dangling)

    def _add(self, kind: str, name: str, examples: Iterable[str]) -> None:
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
        if (dense is not None and len(dense) != self._index.manifest.dimensions) or not all(
            map(isfinite, (*(dense or ()), *(sparse or ())))
        ):
            self._add("inspection.vectors", name, [str(point.id)])
        self._laws[name].add(chunk["law_id"])
        source = f"{chunk['provision']} {chunk['law_id']}"
        self._references.update(dict.fromkeys(chunk["refs"], source))

    def _is_as_written(self, id: int, chunk: Chunk) -> bool:
        row = self._table.get(id)
        return row is None or (
            chunk["id"] == id and (chunk["parent_id"] or id) == row.parent and row.digest in (UNKNOWN, digest(chunk))
        )
