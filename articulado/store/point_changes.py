"""Changes of a build to the points table: spilled to disk if large, then merged into the next table.

Ids are evenly spread hashes. A range of ids of fixed width is therefore small, however many points there
are.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from articulado.language.translation import translate
from articulado.store.generations import translate_disk_errors
from articulado.store.writer import POINTS, UNKNOWN, Point, Points
from articulado.values.chunks import MAX_CHUNK_ID
from articulado.values.errors import InvalidInput

RANGES = 64
"""Pieces that the ids are cut into: of 100 million points, each takes 80 MB while it is sorted."""

BUFFERED = 65_536
"""Changes that are held in memory; more are written down."""

_WIDTH = (MAX_CHUNK_ID + 1) // RANGES
_FIELDS = len(Point._fields)
_BLOCK = 1 << 18

Rows = NDArray[np.int64]
"""(n, 6): the fields of a point, and 1 for one that is added or 0 for one that is removed."""


class PointChanges:
    """Collects the points that are added and removed, each at most once; ``folder`` is one of its own."""

    def __init__(self, folder: Path, base: Points | None = None) -> None:
        self._folder = folder
        self._base = base or Points.of([])
        self._buffer: list[tuple[int, ...]] = []
        self._spilled = False

    def add(self, points: Iterable[Point]) -> None:
        """Note points that the store has now, new or in the place of others of their ids."""
        self._buffer += [(*point, 1) for point in points]
        self._spill_much()

    def remove(self, ids: Iterable[int]) -> None:
        """Note points that the store has no more."""
        self._buffer += [(id, id, UNKNOWN, 0, 0, 0) for id in ids]
        self._spill_much()

    def save(self, generation: Path, positions: Sequence[int]) -> int:
        """Write the table that results into the folder of a generation, durably; return the number of points.

        ``positions`` are the new ones of the collections, by those that they have had.

        Raises:
            InvalidInput: a point was added twice.
            ConfigurationError, StoreUnavailable: as ``Generations``.
        """
        with translate_disk_errors(generation):
            merged = self._folder / "merged"
            self._folder.mkdir(exist_ok=True)
            total = 0
            with merged.open("wb") as stream:
                for rows in self._ranges():
                    stream.write(rows.tobytes())
                    total += len(rows)
            _write_table(merged, total, np.array([*positions, 0], dtype=np.int64), generation / POINTS)
            self.discard()
        return total

    def discard(self) -> None:
        """Remove what was written down."""
        if self._folder.is_dir():
            for file in self._folder.iterdir():
                file.unlink()
            self._folder.rmdir()

    def _spill_much(self) -> None:
        if len(self._buffer) < BUFFERED:
            return
        rows = _rows(self._buffer)
        self._buffer.clear()
        with translate_disk_errors(self._folder.parent):
            self._folder.mkdir(exist_ok=True)
            for number, part in _by_range(rows):
                with (self._folder / f"{number:02}").open("ab") as stream:
                    stream.write(part.tobytes())
        self._spilled = True

    def _ranges(self) -> Iterator[NDArray[np.int64]]:
        """Yield the points of each range of ids, (n, 5), by ascending id."""
        in_memory = dict(_by_range(_rows(self._buffer)))
        ids = self._base.table[0]
        bounds = np.searchsorted(ids, [number * _WIDTH for number in range(RANGES)]).tolist()
        for number, (start, end) in enumerate(zip(bounds, [*bounds[1:], len(ids)], strict=True)):
            changes = [in_memory[number]] if number in in_memory else []
            file = self._folder / f"{number:02}"
            if self._spilled and file.is_file():
                changes.insert(0, np.fromfile(file, dtype=np.int64).reshape(-1, _FIELDS + 1))
            before = np.ascontiguousarray(self._base.table[:, start:end].T)
            yield _merged(before, np.concatenate(changes)) if changes else before


class Digests(Mapping[int, int]):
    """The digest of each point of a table, by its id; ``touched`` are those that an update which did not end has noted.

    One of those that is not in the table may be there all the same: its digest is ``UNKNOWN``.
    """

    def __init__(self, points: Points, touched: Iterable[int] = ()) -> None:
        self._points = points
        self.touched = list(touched)
        table = {point.id for point in points.find(self.touched)}
        self._others = dict.fromkeys((id for id in self.touched if id not in table), UNKNOWN)

    def __getitem__(self, id: int) -> int:
        return self.of([id])[id]

    def __iter__(self) -> Iterator[int]:
        yield from (point.id for point in self._points)
        yield from self._others

    def __len__(self) -> int:
        return len(self._points) + len(self._others)

    def of(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the digests of those of the ids that are there."""
        digests = {point.id: point.digest for point in self._points.find(ids)}
        return digests | {id: UNKNOWN for id in ids if id in self._others}


def _rows(buffer: Sequence[tuple[int, ...]]) -> Rows:
    return np.array(buffer, dtype=np.int64).reshape(-1, _FIELDS + 1)


def _by_range(rows: Rows) -> Iterator[tuple[int, Rows]]:
    numbers = rows[:, 0] // _WIDTH
    for number in np.unique(numbers).tolist():
        yield number, rows[numbers == number]


def _merged(before: NDArray[np.int64], changes: Rows) -> NDArray[np.int64]:
    added = changes[changes[:, -1] == 1][:, :-1]
    ids, counts = np.unique(added[:, 0], return_counts=True)
    if (counts > 1).any():
        raise InvalidInput(translate("store.id_twice", id=int(ids[counts > 1][0])))
    kept = before[~np.isin(before[:, 0], changes[:, 0])]
    rows = np.concatenate([kept, added])
    return rows[np.argsort(rows[:, 0], kind="stable")]


def _write_table(merged: Path, total: int, positions: NDArray[np.int64], file: Path) -> None:
    """Turn rows into columns, block by block, and put them in the place of a file."""
    partial = file.with_name(f"{file.name}.partial")
    table = npy.open_memmap(partial, mode="w+", dtype=np.int64, shape=(_FIELDS, total))
    with merged.open("rb") as stream:
        for start in range(0, total, _BLOCK):
            rows = np.fromfile(stream, dtype=np.int64, count=_BLOCK * _FIELDS).reshape(-1, _FIELDS)
            rows[:, 3] = positions[rows[:, 3]]
            table[:, start : start + len(rows)] = rows.T
    table.flush()
    del table
    with partial.open("rb+") as written:
        os.fsync(written.fileno())
    partial.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
