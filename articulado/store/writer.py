"""Protocol of an index writer, and the table of points of a generation."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.store.generations import REBUILD_HINT, Index, open_durably, translate_disk_errors
from articulado.values.arrays import map_array
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMissing, InvalidInput
from articulado.values.protocols import SparseVector, Vector

POINTS = "points.npy"

_PAGE = 65_536


def digest_of_hash(content_hash: str) -> int:
    return int.from_bytes(blake2b(content_hash.encode(), digest_size=7).digest(), "big")


class Point(NamedTuple):
    """Point id, id of its parent (its own without one), digest, and position of its collection."""

    id: int
    parent: int
    digest: int
    collection: int


class Points:
    """All points of a generation by ascending id; ``table`` is (4, n) int64, its rows the fields of ``Point``."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        self._table = table

    @classmethod
    def of(cls, points: Iterable[Point]) -> "Points":
        rows = np.array(sorted(points), dtype=np.int64).reshape(-1, len(Point._fields))
        return cls(np.ascontiguousarray(rows.T))

    @classmethod
    def load(cls, generation: Path) -> "Points":
        """Map the table of a generation into memory; raise ``IndexMissing`` if it is missing or damaged."""
        path = generation / POINTS
        try:
            table = map_array(path)
            if table.dtype != np.int64 or table.ndim != 2 or len(table) != len(Point._fields):
                raise ValueError(f"not a table of points: {table.dtype} {table.shape}")
        except (OSError, ValueError, EOFError) as error:
            raise IndexMissing(translate("store.points_damaged", path=path, command=REBUILD_HINT)) from error
        return cls(table)

    def save(self, generation: Path) -> None:
        with translate_disk_errors(generation), open_durably(generation / POINTS) as stream:
            np.save(stream, self._table)

    @property
    def table(self) -> NDArray[np.int64]:
        return self._table

    def find(self, ids: Sequence[int]) -> list[Point]:
        """Return the points with these ids, by ascending id."""
        if not len(ids) or not len(self):
            return []
        requested = np.unique(np.asarray(ids, dtype=np.int64))
        positions = np.minimum(np.searchsorted(self._table[0], requested), len(self) - 1)
        stored = positions[self._table[0][positions] == requested]
        return [Point(*row) for row in self._table[:, stored].T.tolist()]

    def __len__(self) -> int:
        return int(self._table.shape[1])

    def __iter__(self) -> Iterator[Point]:
        for start in range(0, len(self), _PAGE):
            for row in self._table[:, start : start + _PAGE].T.tolist():
                yield Point(*row)

    def sample(self, size: int) -> list[Point]:
        """Return at most ``size`` points evenly spread by id, the first and last included; always the same."""
        positions = np.unique(np.linspace(0, len(self) - 1, num=min(size, len(self)), dtype=np.int64))
        return [Point(*row) for row in self._table[:, positions].T.tolist()]

    def changed(self, removed: Collection[int], added: Sequence[Point], positions: Sequence[int]) -> "Points":
        """Return the table without removed and with added points; ``positions``: new position of each collection.

        Raises ``InvalidInput`` if a point was added twice.
        """
        rows = np.array(added, dtype=np.int64).reshape(-1, len(Point._fields))
        ids, counts = np.unique(rows[:, 0], return_counts=True)
        if (counts > 1).any():
            raise InvalidInput(translate("store.id_twice", id=int(ids[counts > 1][0])))
        gone = np.concatenate([np.fromiter(removed, np.int64, len(removed)), ids])
        table = np.concatenate([self._table[:, ~np.isin(self._table[0], gone)], rows.T], axis=1)
        table = np.ascontiguousarray(table[:, np.argsort(table[0], kind="stable")])
        table[3] = np.array([*positions, 0], dtype=np.int64)[table[3]]
        return Points(table)

    def differences(self, other: "Points") -> list[int]:
        """Return the ids of points that differ between two tables or are in only one, ascending."""
        rows = np.concatenate([self._table, other.table], axis=1)
        unique, counts = np.unique(rows, axis=1, return_counts=True)
        return [int(id) for id in np.unique(unique[0, counts == 1])]


class Digests(Mapping[int, int]):
    """Digest of each point by id; ``foreign``: ids of points that differ from their build's table."""

    def __init__(self, points: Points, foreign: Iterable[int] = ()) -> None:
        self._points = points
        self.foreign = list(foreign)

    def __getitem__(self, id: int) -> int:
        return self.of([id])[id]

    def __iter__(self) -> Iterator[int]:
        yield from (point.id for point in self._points)

    def __len__(self) -> int:
        return len(self._points)

    def of(self, ids: Sequence[int]) -> dict[int, int]:
        return {point.id: point.digest for point in self._points.find(ids)}


class IndexWriter(Protocol):
    """Writes the collections of one new generation, invisible until ``publish``."""

    @property
    def stored_as(self) -> str:
        """Generation that holds the points: this one, or the one continued in place."""
        ...

    async def begin(self) -> None:
        """Wait until no other machine writes the same index; ``close`` lets the next one begin."""
        ...

    async def continue_from(self, base: Index) -> None:
        """Begin with the points of another generation; a store that updates in place changes it at once."""
        ...

    async def table(self, base: Index) -> Points: ...

    async def delete(self, ids: Mapping[str, Sequence[int]]) -> None: ...

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, str],
    ) -> None:
        """Write chunks with their vectors; ``size``: dense length; ``replaced``: old collection of each replaced id."""
        ...

    def bytes_of(self, points: int, dimensions: int) -> int: ...

    async def finish(self) -> dict[str, int]:
        """Make everything durable; return the number of points of each collection as read back."""
        ...

    async def publish(self, index: Index) -> None:
        """Switch readers without the index folder to this generation; after an error it may have happened."""
        ...

    async def sweep(self) -> None: ...

    async def remove(self, generation: str, stored_as: str | None) -> None:
        """Delete an unserved generation; ``stored_as``: name of its points, ``None`` if another one shares them."""
        ...

    async def close(self) -> None: ...


WriterFactory = Callable[[Path], IndexWriter]
