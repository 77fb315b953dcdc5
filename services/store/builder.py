"""Build a generation of an index, from nothing or out of another one, and have it served."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Self

from language.current import say
from services.protocols import SparseVector, Vector
from services.store.checksums import check_files, write_checksums
from services.store.copying import copy_folder
from services.store.disk import MEGABYTE, require_room
from services.store.generations import Generations, translate_disk_errors, write_durably
from services.store.manifest import (
    BUILD_HINT,
    FORMAT,
    MANIFEST,
    MODELS,
    REBUILD_HINT,
    Description,
    Index,
    Manifest,
    read_manifest,
)
from services.store.pending import PendingLog
from services.store.points import UNKNOWN, Point, Points
from services.store.writer import WriterFactory
from state.chunks import Chunk
from state.errors import ArticuladoError, IndexMismatch, InvalidInput

BYTES_OF_MODELS = 16 * MEGABYTE
"""Room for the models, the table of points and the catalogue: more than any of them takes."""


def digest(chunk: Chunk) -> int:
    """Return 56 bits of a chunk's content hash: points of different digests were made from different content."""
    return int.from_bytes(blake2b(chunk["content_hash"].encode(), digest_size=7).digest(), "big")


class IndexBuilder:
    """Builds a new generation, as an async context; until ``commit`` nobody sees it.

    One process at a time builds an index: entering waits for the others. Leaving before it is published, by an
    exception or not, removes what was built and changes nothing else; from then on both this generation and the one
    served until now stay whole, whatever fails. What has become of no use is removed by the next build that succeeds.

    A generation is built from nothing, or with ``continue_from`` out of another one. A store that is too large to be
    copied is then changed in place: each point at once, and the next update repairs what a killed one has left.
    """

    def __init__(self, folder: Path, writer: WriterFactory) -> None:
        self._generations = Generations(folder)
        self._pending = PendingLog(folder)
        self._make_writer = writer
        self._stack = AsyncExitStack()
        self._names: list[str] = []
        self._points: dict[int, Point] = {}
        self._added: set[int] = set()
        self._dimensions: int | None = None
        self._base: Index | None = None
        self._maybe_served = False

    async def __aenter__(self) -> Self:
        """Wait for the build lock and begin a generation."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._generations.locked())
            self._folder = await asyncio.to_thread(self._generations.begin)
            self._writer = self._make_writer(self._folder)
            stack.push_async_callback(self._writer.close)
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

    async def continue_from(self, base: Index) -> Mapping[int, int]:
        """Begin with the points and models of another generation; return the digest of each point, by its id.

        A digest is ``UNKNOWN`` where an update that was killed may have changed the point. What the caller does not
        want any more is for ``remove``; what it wants otherwise, for ``add``.

        Raises:
            IndexMissing, StoreUnavailable, ConfigurationError: the other generation cannot be read or copied.
            IndexMismatch: its files are damaged.
        """
        self._base = base
        # Whole, since a copy would have checksums of its own, and pass off the damage for what was written.
        await asyncio.to_thread(check_files, base, deep=True)
        await self._writer.continue_from(base)
        with translate_disk_errors(self.models):
            await asyncio.to_thread(copy_folder, base.models, self.models)
        self._names = list(base.manifest.collections)
        self._points = {point.id: point for point in await asyncio.to_thread(Points.load, base.folder)}
        touched = await asyncio.to_thread(self._pending.read, self._writer.stored_as)
        for point, name in touched.items():
            if name in self._names:  # the writer starts any other collection anew
                parent = self._points[point].parent if point in self._points else point
                self._points[point] = Point(point, parent, UNKNOWN, self._position(name))
        self._dimensions = base.manifest.dimensions
        return {point.id: point.digest for point in self._points.values()}

    async def require_room(self, chunks: Sequence[Chunk], dimensions: int) -> None:
        """Check that the disk has room for chunks that will be added, with dense vectors of this length.

        Raises:
            StoreUnavailable: it has not; the message says how much is needed.
        """
        needed = BYTES_OF_MODELS + await asyncio.to_thread(self._writer.bytes_of, chunks, dimensions)
        await asyncio.to_thread(require_room, self._folder, needed)

    async def remove(self, ids: Collection[int]) -> None:
        """Delete points, by id, that the generation began with."""
        removed: dict[str, list[int]] = {}
        for point in ids:
            removed.setdefault(self._names[self._points.pop(point).collection], []).append(point)
        if removed:
            await self._note(removed)
            await self._writer.delete(removed)

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector]
    ) -> None:
        """Write a batch of chunks with their vectors, in the same order; one that the generation has is replaced.

        A ``None`` dense vector (a parent, or a text without a known word) or an empty sparse one leaves that side out;
        the first batch needs a dense vector, which tells the length of all.

        Raises:
            InvalidInput: two chunks share an id, or no dense vector has come yet.
        """
        if self._dimensions is None:
            self._dimensions = next((len(vector) for vector in dense if vector is not None), None)
        if self._dimensions is None:
            raise InvalidInput(say("store.no_dense_vectors"))
        touched: dict[str, list[int]] = {}
        for chunk in chunks:
            if chunk["id"] in self._added:
                raise InvalidInput(
                    say("store.id_twice", id=chunk["id"], provision=chunk["provision"], law_id=chunk["law_id"])
                )
            self._added.add(chunk["id"])
            touched.setdefault(chunk["collection"], []).append(chunk["id"])
            self._points[chunk["id"]] = Point(
                chunk["id"], chunk["parent_id"] or chunk["id"], digest(chunk), self._position(chunk["collection"])
            )
        await self._note(touched)
        await self._writer.add(chunks, dense, sparse, size=self._dimensions)

    async def commit(self, description: Description) -> Index:
        """Check what was written and serve it from now on.

        Raises:
            InvalidInput: the generation has no chunks.
            IndexMismatch: the store does not hold what was added.
            StoreUnavailable, ConfigurationError: it could not be published; the old generation still serves.
        """
        if self._dimensions is None or not self._points:
            raise InvalidInput(say("store.nothing_to_index"))
        counts = await self._writer.finish()
        if sum(counts.values()) != len(self._points):
            raise IndexMismatch(
                say(
                    "store.incomplete",
                    expected=len(self._points),
                    stored=sum(counts.values()),
                    advice=self._what_to_do(),
                )
            )
        manifest = Manifest(
            **description.model_dump(exclude={"fingerprints"}),
            fingerprints=description.fingerprints,
            format=FORMAT,
            generation=self._folder.name,
            created=datetime.now(UTC),
            dimensions=self._dimensions,
            collections=counts,
            stored_as=self._writer.stored_as,
        )
        new_positions = {self._names.index(name): position for position, name in enumerate(counts)}
        points = Points.of(
            point._replace(collection=new_positions[point.collection]) for point in self._points.values()
        )
        await asyncio.to_thread(points.save, self._folder)
        checksums = await asyncio.to_thread(write_checksums, self._folder)
        manifest = manifest.model_copy(update={"checksums": checksums})
        await asyncio.to_thread(write_durably, self._folder / MANIFEST, manifest.model_dump_json(indent=2))
        served = await asyncio.to_thread(self._generations.current)
        # Set first: a request or a rename that fails may have had its effect all the same.
        self._maybe_served = True
        await self._writer.publish()
        await asyncio.to_thread(self._generations.switch, self._folder)
        await asyncio.to_thread(self._pending.clear)
        # The last generation stays for readers that have it open, or were about to open it.
        await self._remove(await asyncio.to_thread(self._generations.all_but, self._folder, served))
        return Index(self._folder, manifest)

    def _position(self, name: str) -> int:
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _what_to_do(self) -> str:
        """Return the end of the message for a build that the store has not kept whole: which index answers now."""
        if self._in_place:
            return say("store.changed_in_place", command=REBUILD_HINT)
        hint = REBUILD_HINT if self._base else BUILD_HINT
        return say("store.still_served", command=hint)

    @property
    def _in_place(self) -> bool:
        """Tell whether what is written changes the points that are served."""
        return self._writer.stored_as != self._folder.name

    async def _note(self, ids: Mapping[str, Sequence[int]]) -> None:
        """Log the points that are about to change, by collection, where they are being served."""
        if self._in_place:
            await asyncio.to_thread(self._pending.note, self._writer.stored_as, ids)

    async def _remove(self, folders: Iterable[Path]) -> None:
        """Remove generations; the folder goes last, so that what could not be removed is known to the next build.

        What the store keeps for another generation too stays.
        """
        for folder in folders:
            with suppress(ArticuladoError):
                others = await asyncio.to_thread(self._generations.all_but, folder)
                if (name := _stored_as(folder)) not in map(_stored_as, others):
                    await self._writer.remove(name)
                await asyncio.to_thread(rmtree, folder, ignore_errors=True)


def _stored_as(generation: Path) -> str:
    """Return the name under which the store keeps a generation; of one that was not finished, its own."""
    try:
        return read_manifest(generation).stored_as
    except (FileNotFoundError, ArticuladoError):
        return generation.name
