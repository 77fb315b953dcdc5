"""The table of a generation's points: the parent of each child, and a digest of what each point was made from."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.values.errors import IndexMissing
from services.store.generations import open_durably, translate_disk_errors
from services.store.manifest import REBUILD_HINT

POINTS = "points.npy"
UNKNOWN = -1
"""Digest of a point whose content is not known."""

_PAGE = 65_536
"""Points that are read at once."""


def digest_of_hash(content_hash: str) -> int:
    """Return 56 bits of a chunk's content hash: points of different digests were made from different content."""
    return int.from_bytes(blake2b(content_hash.encode(), digest_size=7).digest(), "big")


class Point(NamedTuple):
    """A point: its id, the id of its parent (its own for a chunk without one), digest and collection (by position).

    ``segment`` is the number of the piece of its collection in which the store keeps it.
    """

    id: int
    parent: int
    digest: int
    collection: int
    segment: int = 0


class Points:
    """All points of a generation, by ascending id; ``table`` is (5, n) int64, its rows the fields of ``Point``."""

    def __init__(self, table: NDArray[np.int64]) -> None:
        # Of a file that is mapped, a plain view: each look into a memmap costs more than what it reads.
        self._table = np.asarray(table)

    @classmethod
    def of(cls, points: Iterable[Point]) -> "Points":
        """Return the table of points; their ids differ."""
        rows = np.array(sorted(points), dtype=np.int64).reshape(-1, len(Point._fields))
        return cls(np.ascontiguousarray(rows.T))

    @classmethod
    def load(cls, generation: Path) -> "Points":
        """Open the table of a generation; it stays on disk and is mapped into memory.

        Raises:
            IndexMissing: the file is missing or damaged.
        """
        path = generation / POINTS
        try:
            table = np.load(path, mmap_mode="r", allow_pickle=False)
            if table.dtype != np.int64 or table.ndim != 2 or len(table) != len(Point._fields):
                raise ValueError(f"not a table of points: {table.dtype} {table.shape}")
        except (OSError, ValueError, EOFError) as error:
            raise IndexMissing(translate("store.points_damaged", path=path, command=REBUILD_HINT)) from error
        return cls(table)

    def save(self, generation: Path) -> None:
        """Write the table into the folder of a generation; it survives a crash.

        Raises:
            ConfigurationError, StoreUnavailable: as ``Generations``.
        """
        with translate_disk_errors(generation), open_durably(generation / POINTS) as stream:
            np.save(stream, self._table)

    @property
    def table(self) -> NDArray[np.int64]:
        """The table itself."""
        return self._table

    def count_parents(self) -> int:
        """Return how many points are their own parents."""
        return sum(
            int(np.count_nonzero(self._table[0, start : start + _PAGE] == self._table[1, start : start + _PAGE]))
            for start in range(0, len(self), _PAGE)
        )

    def find(self, ids: Sequence[int]) -> list[Point]:
        """Return those of these points that the table has, by ascending id."""
        if not len(ids) or not len(self):
            return []
        requested = np.unique(np.asarray(ids, dtype=np.int64))
        positions = np.minimum(np.searchsorted(self._table[0], requested), len(self) - 1)
        found = positions[self._table[0][positions] == requested]
        return [Point(*row) for row in self._table[:, found].T.tolist()]

    def __len__(self) -> int:
        return int(self._table.shape[1])

    def __iter__(self) -> Iterator[Point]:
        for start in range(0, len(self), _PAGE):
            for row in self._table[:, start : start + _PAGE].T.tolist():
                yield Point(*row)

    def sample(self, size: int) -> list[Point]:
        """Return at most so many points, always the same, evenly spread by id, the first and the last among them."""
        positions = np.unique(np.linspace(0, len(self) - 1, num=min(size, len(self)), dtype=np.int64))
        return [Point(*row) for row in self._table[:, positions].T.tolist()]

    def parents(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the parent of each id that the table has; a chunk without a parent is its own."""
        if not ids or not len(self):
            return {}
        stored_ids, parents = self._table[0], self._table[1]
        requested = np.asarray(ids, dtype=np.int64)
        positions = np.minimum(np.searchsorted(stored_ids, requested), len(stored_ids) - 1)
        stored = stored_ids[positions] == requested
        return dict(zip(requested[stored].tolist(), parents[positions][stored].tolist(), strict=True))
