"""Build a generation of an index, from nothing or from another generation, and publish it.

``IndexBuilder`` is an async context manager. Readers do not see the generation until ``commit``.
"""

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

BYTES_OF_MODELS = 16 * MEGABYTE
"""Room for the models and the catalogue, beside what grows with the points."""


def digest(chunk: Chunk) -> int:
    """Return the digest of a chunk's content; see ``digest_of_hash``."""
    return digest_of_hash(chunk["content_hash"])


class IndexBuilder:
    """Builds a new generation, as an async context; until ``commit`` nobody sees it.

    One process at a time builds an index: entering waits for the others. Leaving before it is published, by an
    exception or not, removes what was built and changes nothing else; from then on both this generation and the one
    served until now stay whole, whatever fails. What has become of no use is removed by the next build that succeeds.

    A generation is built from nothing, or with ``continue_from`` out of another one. A store that is too large to be
    copied is then changed in place: each point at once, and the next update repairs the points of a killed one.
    """

    def __init__(self, folder: Path, writer: WriterFactory) -> None:
        self._generations = Generations(folder)
        self._make_writer = writer
        self._stack = AsyncExitStack()
        self._names: list[str] = []
        self._stored = Points.of([])
        self._digests = Digests(self._stored)
        self._removed: set[int] = set()
        self._added: list[Point] = []
        self._expected = 0
        self._dimensions: int | None = None
        self.meaning: MeaningSpace | None = None
        self._base: Index | None = None
        self._maybe_served = False

    async def __aenter__(self) -> Self:
        """Wait for the build lock and begin a generation."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._generations.locked())
            self._folder = await asyncio.to_thread(self._generations.begin)
            self._writer = self._make_writer(self._folder)
            stack.push_async_callback(self._writer.close)
            await self._writer.begin()
            unfinished = await asyncio.to_thread(self._generations.unfinished)
            await self._remove(folder for folder in unfinished if folder != self._folder)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the generation unless somebody may see it, and let other builds begin."""
        async with self._stack:
            if not self._maybe_served:
                await self._remove([self._folder])

    @property
    def folder(self) -> Path:
        """Folder of the generation; what else belongs to it may be put there before it is committed."""
        return self._folder

    @property
    def models(self) -> Path:
        """Folder for the files of the embedder; it exists."""
        return self._folder / MODELS

    @property
    def points(self) -> int:
        """Number of points that the generation has, if it is committed now."""
        return self._expected

    async def continue_from(self, base: Index) -> Digests:
        """Begin with the points and models of another generation; return the digest of each point, by its id.

        What the caller does not want any more is for ``remove``; what it wants otherwise, for ``add``.

        Raises:
            IndexMissing, StoreUnavailable, ConfigurationError: the other generation cannot be read or copied.
            IndexMismatch: its files are damaged.
        """
        self._base = base
        # Damaged files would get checksums of their own in the new generation, and pass for intact ones.
        await asyncio.to_thread(check_files, base, deep=True)
        await self._writer.continue_from(base)
        with translate_disk_errors(self.models):
            await asyncio.to_thread(copy_folder, base.models, self.models)
        self._stored = await self._writer.table(base)
        self._names = list(base.manifest.collections)
        self._expected = len(self._stored)
        self._dimensions = base.manifest.dimensions
        self.meaning = base.manifest.meaning
        self._digests = await asyncio.to_thread(self._digests_of, base)
        return self._digests

    def _digests_of(self, base: Index) -> Digests:
        """Compare the points of the store with the table of their build: an interrupted update has left others."""
        return Digests(self._stored, self._stored.differences(Points.load(base.folder)) if self._in_place else ())

    async def require_room(self, points: int, dimensions: int) -> None:
        """Check that the disk has room for points that will be added, with dense vectors of this length.

        Raises:
            StoreUnavailable: it has not; the message says how much is needed.
        """
        needed = BYTES_OF_MODELS + self._writer.bytes_of(points, dimensions)
        await asyncio.to_thread(require_room, self._folder, needed)

    async def remove(self, ids: Collection[int]) -> None:
        """Delete points, by id, that the generation began with, and none that is added."""
        stored = await asyncio.to_thread(self._stored.find, [id for id in ids if id not in self._removed])
        removed: dict[str, list[int]] = {}
        for point in stored:
            removed.setdefault(self._names[point.collection], []).append(point.id)
        if removed:
            await self._writer.delete(removed)
            self._removed.update(point.id for point in stored)
            self._expected -= len(stored)

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector]
    ) -> None:
        """Write a batch of chunks with their vectors, in the same order; one that the generation has is replaced.

        A ``None`` dense vector (a parent, or a text without a known word) or an empty sparse one leaves that side out;
        the first batch needs a dense vector, which tells the length of all but those of ``meaning``, which is to be set
        before its collections are added. A chunk is added once: that two share an id is told when the generation is
        committed.

        Raises:
            InvalidInput: no dense vector has come yet.
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
            places = [place for place, c in enumerate(chunks) if (c["collection"] in of_meaning) == by_meaning]
            size = self.meaning.dimensions if self.meaning and by_meaning else self._dimensions
            if not places:
                continue
            await self._writer.add(
                [chunks[place] for place in places],
                [dense[place] for place in places],
                [sparse[place] for place in places],
                size=size,
                replaced=replaced,
            )
        self._added += [
            Point(chunk["id"], chunk["parent_id"] or chunk["id"], digest(chunk), self._position(chunk["collection"]))
            for chunk in chunks
        ]
        self._expected += len(chunks) - len(stored)

    async def commit(self, description: Description) -> Index:
        """Check what was written and serve it from now on.

        Raises:
            InvalidInput: the generation has no chunks, or two of them share an id.
            IndexMismatch: the store does not hold what was added.
            StoreUnavailable, ConfigurationError: it could not be published; the old generation still serves.
        """
        if self._dimensions is None or not self._expected:
            raise InvalidInput(translate("store.nothing_to_index"))
        written = await self._writer.finish()
        counts = dict(sorted(written.items()))
        new_positions = {name: position for position, name in enumerate(counts)}
        positions = [new_positions[name] for name in self._names]
        table = self._stored.changed(self._removed, self._added, positions)
        await asyncio.to_thread(table.save, self._folder)
        self._check_counts(counts)
        manifest = Manifest(
            **description.model_dump(exclude={"fingerprints"}),
            fingerprints=description.fingerprints,
            format=FORMAT,
            generation=self._folder.name,
            created=datetime.now(UTC),
            dimensions=self._dimensions,
            collections=counts,
            stored_as=self._writer.stored_as,
            meaning=self._meaning_of(counts),
        )
        checksums = await asyncio.to_thread(write_checksums, self._folder)
        manifest = manifest.model_copy(update={"checksums": checksums})
        await asyncio.to_thread(write_durably, self._folder / MANIFEST, manifest.model_dump_json(indent=2))
        served = await asyncio.to_thread(self._generations.current)
        # Set first: a request or a rename that fails may have had its effect all the same.
        self._maybe_served = True
        index = Index(self._folder, manifest)
        await self._writer.publish(index)
        await asyncio.to_thread(self._generations.switch, self._folder)
        with suppress(ArticuladoError):  # what is left is swept up by the next one
            await self._writer.sweep()
        # The last generation stays for readers that have it open, or were about to open it.
        await self._remove(await asyncio.to_thread(self._generations.all_but, self._folder, served))
        return index

    def _meaning_of(self, collections: Collection[str]) -> MeaningSpace | None:
        """Return the space of the vectors by meaning, of those collections that the generation has."""
        named = tuple(name for name in self.meaning.collections if name in collections) if self.meaning else ()
        return self.meaning.model_copy(update={"collections": named}) if self.meaning and named else None

    def _check_counts(self, counts: Mapping[str, int]) -> None:
        if sum(counts.values()) != self._expected:
            raise IndexMismatch(
                translate(
                    "store.incomplete",
                    expected=self._expected,
                    stored=sum(counts.values()),
                    advice=self._what_to_do(),
                )
            )

    def _position(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _what_to_do(self) -> str:
        """Return the end of the message for a build that the store has not kept whole: which index answers now."""
        if self._in_place:
            return translate("store.changed_in_place", command=REBUILD_HINT)
        hint = REBUILD_HINT if self._base else BUILD_HINT
        return translate("store.still_served", command=hint)

    @property
    def _in_place(self) -> bool:
        """Tell whether what is written changes the points that are served."""
        return self._writer.stored_as != self._folder.name

    async def _remove(self, folders: Iterable[Path]) -> None:
        """Remove generations; the folder goes last, so that what could not be removed is known to the next build.

        What the store keeps for another generation too stays.
        """
        for folder in folders:
            with suppress(ArticuladoError):
                others = await asyncio.to_thread(self._generations.all_but, folder)
                name = _stored_as(folder)
                await self._writer.remove(folder.name, None if name in map(_stored_as, others) else name)
                await asyncio.to_thread(rmtree, folder, ignore_errors=True)


def _stored_as(generation: Path) -> str:
    """Return the name under which the store keeps a generation; of one that was not finished, its own."""
    try:
        return read_manifest(generation).stored_as
    except (FileNotFoundError, ArticuladoError):
        return generation.name
