"""Build a generation of an index and publish it; readers see it only after ``commit``."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Self

from articulado.language.translation import translate
from articulado.store.files import MEGABYTE, check_files, copy_folder, require_room, write_checksums
from articulado.store.generations import (
    BUILD_HINT,
    FORMAT,
    MANIFEST,
    MODELS,
    REBUILD_HINT,
    Description,
    Generations,
    Index,
    Manifest,
    MeaningSpace,
    read_manifest,
    translate_disk_errors,
    write_durably,
)
from articulado.store.writer import Digests, Point, Points, WriterFactory, digest_of_hash
from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError, IndexMismatch, InvalidInput
from articulado.values.protocols import SparseVector, Vector

BYTES_OF_MODELS = 16 * MEGABYTE  # disk space for models and catalogue; points are counted apart


def digest(chunk: Chunk) -> int:
    return digest_of_hash(chunk["content_hash"])


class IndexBuilder:
    """Async context manager that builds a new generation, from nothing or from another one (``continue_from``).

    Entering waits until no other process builds. Leaving without ``commit`` removes the new generation; the served one
    stays whole. A server's store is changed in place, and the next update repairs points that a killed one left.
    """

    def __init__(self, folder: Path, writer: WriterFactory) -> None:
        self._generations = Generations(folder)
        self._make_writer = writer
        self._stack = AsyncExitStack()
        self._names: list[str] = []
        self._stored = Points.of([])
        self._removed: set[int] = set()
        self._added: list[Point] = []
        self.points = 0
        self._dimensions: int | None = None
        self.meaning: MeaningSpace | None = None
        self._base: Index | None = None
        self._maybe_served = False

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._generations.locked())
            self.folder = await asyncio.to_thread(self._generations.begin)
            self._writer = self._make_writer(self.folder)
            stack.push_async_callback(self._writer.close)
            await self._writer.begin()
            unfinished = await asyncio.to_thread(self._generations.unfinished)
            await self._remove(folder for folder in unfinished if folder != self.folder)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async with self._stack:
            if not self._maybe_served:
                await self._remove([self.folder])

    @property
    def models(self) -> Path:
        return self.folder / MODELS

    async def continue_from(self, base: Index) -> Digests:
        """Copy points and models of another generation, or raise ``IndexMismatch``; return the digests by point id."""
        self._base = base
        # Damaged files would get checksums of their own in the new generation, and pass for intact ones.
        await asyncio.to_thread(check_files, base, deep=True)
        await self._writer.continue_from(base)
        with translate_disk_errors(self.models):
            await asyncio.to_thread(copy_folder, base.models, self.models)
        self._stored = await self._writer.table(base)
        self._names = list(base.manifest.collections)
        self.points = len(self._stored)
        self._dimensions = base.manifest.dimensions
        self.meaning = base.manifest.meaning
        return await asyncio.to_thread(self._digests_of, base)

    def _digests_of(self, base: Index) -> Digests:
        return Digests(self._stored, self._stored.differences(Points.load(base.folder)) if self._in_place else ())

    async def require_room(self, points: int, dimensions: int) -> None:
        needed = BYTES_OF_MODELS + self._writer.bytes_of(points, dimensions)
        await asyncio.to_thread(require_room, self.folder, needed)

    async def remove(self, ids: Collection[int]) -> None:
        """Delete points that came from the continued generation; other ids are ignored."""
        stored = await asyncio.to_thread(self._stored.find, [id for id in ids if id not in self._removed])
        removed: dict[str, list[int]] = {}
        for point in stored:
            removed.setdefault(self._names[point.collection], []).append(point.id)
        if removed:
            await self._writer.delete(removed)
            self._removed.update(point.id for point in stored)
            self.points -= len(stored)

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector]
    ) -> None:
        """Write a batch of chunks with their vectors, in the same order; a chunk of the continued generation is
        replaced.

        A ``None`` dense vector (a parent, or a text without a known word) or an empty sparse one is left out. The first
        batch needs a dense vector: it sets the length of all of them but those of ``meaning``, which must be set before
        its collections are added. Raises ``InvalidInput`` if no batch has had a dense vector yet.
        """
        of_meaning = set(self.meaning.collections) if self.meaning else set[str]()
        if self._dimensions is None:
            pairs = zip(chunks, dense, strict=True)
            lengths = ((c["collection"] in of_meaning, len(vector)) for c, vector in pairs if vector is not None)
            # An index of texts by meaning alone has their length.
            self._dimensions = min(lengths, default=(False, None))[1]
        if self._dimensions is None:
            raise InvalidInput(translate("store.no_dense_vectors"))
        ids = [chunk["id"] for chunk in chunks]
        stored = {point.id: point for point in await asyncio.to_thread(self._stored.find, ids)}
        replaced = {id: self._names[point.collection] for id, point in stored.items()}
        for by_meaning in (False, True):
            rows = [row for row, c in enumerate(chunks) if (c["collection"] in of_meaning) == by_meaning]
            size = self.meaning.dimensions if self.meaning and by_meaning else self._dimensions
            if not rows:
                continue
            await self._writer.add(
                [chunks[row] for row in rows],
                [dense[row] for row in rows],
                [sparse[row] for row in rows],
                size=size,
                replaced=replaced,
            )
        self._added += [
            Point(chunk["id"], chunk["parent_id"] or chunk["id"], digest(chunk), self._position(chunk["collection"]))
            for chunk in chunks
        ]
        self.points += len(chunks) - len(stored)

    async def commit(self, description: Description) -> Index:
        """Check the written points and serve the generation.

        Raises ``InvalidInput`` if there are no chunks or two share an id, ``IndexMismatch`` if the store lacks added
        points, ``StoreUnavailable`` or ``ConfigurationError`` if publishing fails: the old generation still serves.
        """
        if self._dimensions is None or not self.points:
            raise InvalidInput(translate("store.nothing_to_index"))
        written = await self._writer.finish()
        counts = dict(sorted(written.items()))
        new_positions = {name: position for position, name in enumerate(counts)}
        positions = [new_positions[name] for name in self._names]
        table = self._stored.changed(self._removed, self._added, positions)
        await asyncio.to_thread(table.save, self.folder)
        self._check_counts(counts)
        manifest = Manifest(
            **description.model_dump(exclude={"fingerprints"}),
            fingerprints=description.fingerprints,
            format=FORMAT,
            generation=self.folder.name,
            created=datetime.now(UTC),
            dimensions=self._dimensions,
            collections=counts,
            stored_as=self._writer.stored_as,
            meaning=self._meaning_of(counts),
        )
        checksums = await asyncio.to_thread(write_checksums, self.folder)
        manifest = manifest.model_copy(update={"checksums": checksums})
        await asyncio.to_thread(write_durably, self.folder / MANIFEST, manifest.model_dump_json(indent=2))
        served = await asyncio.to_thread(self._generations.current)
        # Set first: a request or a rename that fails may have had its effect all the same.
        self._maybe_served = True
        index = Index(self.folder, manifest)
        await self._writer.publish(index)
        await asyncio.to_thread(self._generations.switch, self.folder)
        with suppress(ArticuladoError):  # what is left is swept up by the next one
            await self._writer.sweep()
        # The last generation stays for readers that have it open, or were about to open it.
        await self._remove(await asyncio.to_thread(self._generations.all_but, self.folder, served))
        return index

    def _meaning_of(self, collections: Collection[str]) -> MeaningSpace | None:
        named = tuple(name for name in self.meaning.collections if name in collections) if self.meaning else ()
        return self.meaning.model_copy(update={"collections": named}) if self.meaning and named else None

    def _check_counts(self, counts: Mapping[str, int]) -> None:
        if sum(counts.values()) != self.points:
            raise IndexMismatch(
                translate(
                    "store.incomplete",
                    expected=self.points,
                    stored=sum(counts.values()),
                    advice=self._advice(),
                )
            )

    def _position(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _advice(self) -> str:
        if self._in_place:
            return translate("store.changed_in_place", command=REBUILD_HINT)
        hint = REBUILD_HINT if self._base else BUILD_HINT
        return translate("store.still_served", command=hint)

    @property
    def _in_place(self) -> bool:
        return self._writer.stored_as != self.folder.name

    async def _remove(self, folders: Iterable[Path]) -> None:
        """Remove generations, the folder last: the next build retries a failed removal. Shared points stay."""
        for folder in folders:
            with suppress(ArticuladoError):
                others = await asyncio.to_thread(self._generations.all_but, folder)
                name = _stored_as(folder)
                await self._writer.remove(folder.name, None if name in map(_stored_as, others) else name)
                await asyncio.to_thread(rmtree, folder, ignore_errors=True)


def _stored_as(generation: Path) -> str:
    try:
        return read_manifest(generation).stored_as
    except (FileNotFoundError, ArticuladoError):
        return generation.name
