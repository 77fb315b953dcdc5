"""Write a generation of the embedded store; unchanged collections are copied, and served files never change."""

import asyncio
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from sys import intern
from typing import cast

import numpy as np
import orjson

from articulado.language.translation import translate
from articulado.store.collection import (
    LINES,
    Collection,
    Contents,
    Ids,
    InvertedLists,
    Rows,
    Vectors,
    coded,
    values_of,
    write_collection,
)
from articulado.store.files import MEGABYTE, copy_folder, require_room
from articulado.store.generations import BUILD_HINT, Index, translate_disk_errors
from articulado.store.layout import to_payload
from articulado.store.writer import Points
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMismatch
from articulado.values.protocols import SparseVector, Vector

WRITING_ROOM = 32 * MEGABYTE  # disk space that every write leaves free

BYTES_OF_POINT = 2_000  # estimated size of a point without its dense vector, mostly payload (docs/figures.md)

SPOOL = ".added"  # folder of added payloads within that of the generation


class _Added:
    """Points that a build adds to one collection, in order of arrival."""

    def __init__(self, spool: Path) -> None:
        spool.parent.mkdir(exist_ok=True)
        self._stream = spool.open("wb")
        self._spool = spool
        self.places: dict[int, int] = {}
        """Position of the last point with each id: it replaces earlier ones."""
        self.parents = array("q")
        self._dense: list[Vector] = []
        self._dense_places = array("q")
        self._terms, self._weights, self._term_places = array("q"), array("f"), array("q")
        self._refs, self._ref_places = array("q"), array("q")
        self.values: list[dict[str, str]] = []
        self._ends = array("q", [0])

    def add(self, chunk: Chunk, dense: Vector | None, sparse: SparseVector) -> None:
        place = len(self.parents)
        self.places[chunk["id"]] = place
        self.parents.append(chunk["parent_id"] or chunk["id"])
        if dense is not None:
            self._dense.append(dense)
            self._dense_places.append(place)
        self._terms.extend(sparse.indices)
        self._weights.extend(sparse.values)
        self._term_places.extend([place] * len(sparse.indices))
        self._refs.extend(chunk["refs"])
        self._ref_places.extend([place] * len(chunk["refs"]))
        self.values.append({intern(name): intern(value) for name, value in values_of(chunk).items()})
        # The text of a parent stands with the parent alone; ``Collection.payload`` puts it back.
        payload = to_payload(cast(Chunk, {**chunk, "parent_content": ""}) if chunk["parent_id"] else chunk)
        line = orjson.dumps(payload)
        self._ends.append(self._ends[-1] + self._stream.write(line))

    def close(self) -> None:
        self._stream.close()

    def lines(self) -> "_Lines":
        self._stream.flush()
        return _Lines(self._spool, self._ends)

    @property
    def dense(self) -> tuple[Vectors, Ids]:
        """Vectors of length 1, and the position of each one's point."""
        vectors = np.array(self._dense, np.float32)
        if len(vectors):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors /= np.where(lengths, lengths, 1)
        return vectors, np.array(self._dense_places, np.int64)

    @property
    def sparse(self) -> tuple[Ids, Ids, Vectors]:
        return (np.array(self._term_places, np.int64), np.array(self._terms, np.int64), np.array(self._weights, "f"))

    @property
    def refs(self) -> tuple[Ids, Ids]:
        return np.array(self._ref_places, np.int64), np.array(self._refs, np.int64)


class _Lines:
    """Payloads of a spool file."""

    def __init__(self, spool: Path, ends: Sequence[int]) -> None:
        self._data = np.memmap(spool, np.uint8, "r") if ends[-1] else np.empty(0, np.uint8)
        self._ends = ends

    def line(self, place: int) -> bytes:
        return self._data[self._ends[place] : self._ends[place + 1]].tobytes()


class EmbeddedWriter:
    """``IndexWriter`` that writes into the folder of the generation; steps that only a server needs do nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.stored_as = folder.name
        self._base: Index | None = None
        self._added: dict[str, _Added] = {}
        self._deleted: dict[str, set[int]] = {}

    async def begin(self) -> None: ...

    async def table(self, base: Index) -> Points:
        return await asyncio.to_thread(Points.load, base.folder)

    async def continue_from(self, base: Index) -> None:
        """Check that the collections of another generation can be read; it stays unchanged."""

        def check() -> None:
            require_room(self._folder, WRITING_ROOM)
            for name in base.manifest.collections:
                Collection(base.folder / name)

        await asyncio.to_thread(check)
        self._base = base

    async def delete(self, ids: Mapping[str, Sequence[int]]) -> None:
        for name, points in ids.items():
            self._deleted.setdefault(name, set()).update(points)

    async def add(
        self,
        chunks: Sequence[Chunk],
        dense: Sequence[Vector | None],
        sparse: Sequence[SparseVector],
        *,
        size: int,
        replaced: Mapping[int, str],
    ) -> None:
        await self.delete({name: [id for id, of in replaced.items() if of == name] for name in set(replaced.values())})
        await asyncio.to_thread(self._add, chunks, dense, sparse, size)

    def bytes_of(self, points: int, dimensions: int) -> int:
        return WRITING_ROOM + points * (BYTES_OF_POINT + 4 * dimensions)

    async def finish(self) -> dict[str, int]:
        return await asyncio.to_thread(self._finish)

    async def publish(self, index: Index) -> None: ...

    async def sweep(self) -> None: ...

    async def remove(self, generation: str, stored_as: str | None) -> None: ...

    async def close(self) -> None:
        for added in self._added.values():
            added.close()

    def _add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector], size: int
    ) -> None:
        require_room(self._folder, self.bytes_of(len(chunks), size))
        with translate_disk_errors(self._folder):
            for chunk, dense_vector, sparse_vector in zip(chunks, dense, sparse, strict=True):
                name = chunk["collection"]
                if name not in self._added:
                    self._added[name] = _Added(self._folder / SPOOL / name)
                self._added[name].add(chunk, dense_vector, sparse_vector)

    def _finish(self) -> dict[str, int]:
        counts = {}
        with translate_disk_errors(self._folder):
            for name in sorted({*self._added, *(self._base.manifest.collections if self._base else ())}):
                counts[name] = self._write(name)
            rmtree(self._folder / SPOOL, ignore_errors=True)
        return counts

    def _write(self, name: str) -> int:
        base = self._base.folder / name if self._base and name in self._base.manifest.collections else None
        added, deleted, folder = self._added.get(name), self._deleted.get(name, set()), self._folder / name
        if base is not None and not added and not deleted:
            require_room(self._folder, WRITING_ROOM + (base / LINES).stat().st_size)
            copy_folder(base, folder)
            return len(Collection(folder))
        before = Collection(base) if base is not None else None
        contents = _merged(before, deleted, added)
        require_room(self._folder, self.bytes_of(len(contents.ids), contents.dense.shape[-1]))
        write_collection(folder, contents)
        if added:
            added.close()
        written = Collection(folder)
        if not np.array_equal(written.ids, contents.ids):
            raise IndexMismatch(
                translate(
                    "store.incomplete",
                    expected=len(contents.ids),
                    stored=len(written),
                    advice=translate("store.still_served", command=BUILD_HINT),
                )
            )
        return len(written)


def _merged(before: Collection | None, deleted: set[int], added: _Added | None) -> Contents:
    old_ids = before.ids if before is not None else np.empty(0, np.int64)
    gone = deleted.union(added.places if added else ())
    kept = np.flatnonzero(~np.isin(old_ids, np.fromiter(gone, np.int64, len(gone))))
    new_ids = np.fromiter(added.places, np.int64) if added else np.empty(0, np.int64)
    new_places = np.fromiter(added.places.values(), np.int64) if added else np.empty(0, np.int64)
    order = np.argsort(np.concatenate([old_ids[kept], new_ids]), kind="stable")
    # The row that each old row, and each place of what was added, has now; -1 where it has none.
    rows = np.empty(len(order), np.int64)
    rows[order] = np.arange(len(order))
    old_rows = np.full(len(old_ids), -1, np.int64)
    old_rows[kept] = rows[: len(kept)]
    new_rows = np.full(len(added.parents) if added else 0, -1, np.int64)
    new_rows[new_places] = rows[len(kept) :]

    parents = np.concatenate(
        [before.parents[kept] if before else [], np.array(added.parents)[new_places] if added else []]
    )
    values = [
        *(before.values(kept) if before else ()),
        *((added.values[place] for place in new_places) if added else ()),
    ]
    fields, codes = coded([values[place] for place in order])
    dense, dense_rows = _joined_dense(before, old_rows, added, new_rows)
    return Contents(
        ids=np.concatenate([old_ids[kept], new_ids])[order].astype(np.int64),
        parents=parents[order].astype(np.int64),
        dense=dense,
        dense_rows=dense_rows,
        sparse=_joined_lists(
            (before.sparse, old_rows) if before else None, (*added.sparse, new_rows) if added else None
        ),
        refs=_joined_lists(
            (before.refs, old_rows) if before else None,
            (*added.refs, np.ones(len(added.refs[0]), "f"), new_rows) if added else None,
        ),
        fields=fields,
        codes=codes,
        lines=_lines(order, before, kept, added, new_places),
    )


def _joined_dense(
    before: Collection | None, old_rows: Ids, added: _Added | None, new_rows: Ids
) -> tuple[Vectors, Rows]:
    vectors, rows = [], []
    if before is not None and len(before.dense):
        moved = old_rows[before.dense_rows]
        vectors.append(before.dense[moved >= 0])
        rows.append(moved[moved >= 0])
    if added is not None and len((dense := added.dense)[0]):
        moved = new_rows[dense[1]]
        vectors.append(dense[0][moved >= 0])
        rows.append(moved[moved >= 0])
    if not vectors:
        return np.empty((0, 0), np.float32), np.empty(0, np.int32)
    order = np.argsort(np.concatenate(rows), kind="stable")
    return np.concatenate(vectors)[order], np.concatenate(rows)[order].astype(np.int32)


def _joined_lists(
    before: tuple[InvertedLists, Ids] | None, added: tuple[Ids, Ids, Vectors, Ids] | None
) -> InvertedLists:
    parts: list[tuple[Ids, Ids, Vectors]] = []
    if before:
        lists, old_rows = before
        terms = np.repeat(lists.terms, np.diff(lists.starts))
        parts.append((old_rows[lists.rows], terms, lists.weights))
    if added:
        places, terms, weights, new_rows = added
        parts.append((new_rows[places], terms, weights))
    rows, terms, weights = (np.concatenate([part[number] for part in parts]) for number in range(3))
    kept = rows >= 0
    return InvertedLists.of(rows[kept], terms[kept], weights[kept])


def _lines(order: Ids, before: Collection | None, kept: Ids, added: _Added | None, new_places: Ids) -> Iterator[bytes]:
    spool = added.lines() if added else None
    for place in order.tolist():
        if place < len(kept):
            assert before is not None
            yield before.line(int(kept[place]))
        else:
            assert spool is not None
            yield spool.line(int(new_places[place - len(kept)]))
