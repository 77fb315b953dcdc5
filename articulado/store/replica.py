"""Local copy of a server's index: the files that a worker reads beside the points.

The folder of the index is a cache by generation. Local files are compared with their checksums, and files
that differ are fetched again. Deleting the folder loses no data.
"""

import asyncio
from pathlib import Path
from shutil import rmtree
from uuid import uuid4

from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.store.files import damaged_files, write_checksums
from articulado.store.generations import (
    FETCH_LOCK,
    MANIFEST,
    MODELS,
    Generations,
    Index,
    read_manifest,
    translate_disk_errors,
    write_durably,
)
from articulado.store.registry import PART_BYTES, GenerationRecord, Registry, StoredFile, digest_of, parts_of
from articulado.store.server_collection import (
    TIMEOUT,
    CollectionOptions,
    collection_name,
    connect,
    patience,
    stored_collections,
)
from articulado.values.errors import IndexMismatch, StoreUnavailable

INCOMING = "incoming"
"""The folder, in that of the index, where a generation is put together until it is whole."""


async def bring_up_to_date(settings: Settings, profile: str, *, or_go_on: bool = False) -> None:
    """Have the folder of the index serve the generation that the server serves; of the embedded store, do nothing.

    ``profile`` is the name of the index's profile. A server that has no index leaves the folder as it is. ``or_go_on``
    is for who only reads: a server that cannot be reached is no error where there is something to go on with, for it
    may be back when it is asked for points.

    Raises:
        StoreUnavailable, ConfigurationError, IndexMismatch: as ``Registry`` and ``Generations``.
    """
    if settings.store == "embedded":
        return
    client = connect(settings)
    try:
        registry = Registry(client, profile, prefix=settings.qdrant_prefix, options=CollectionOptions.of(settings))
        await Replica(settings.index_folder, registry, patience=patience(settings)).update()
    except StoreUnavailable:
        if not (or_go_on and await asyncio.to_thread(_is_served, settings.index_folder)):
            raise
    finally:
        await client.close()


async def missing_collections(settings: Settings, index: Index) -> list[str]:
    """Return the collections of an index that its server does not have: it was emptied, or is another one.

    Raises:
        StoreUnavailable, ConfigurationError: the server cannot be asked.
    """
    if settings.store == "embedded":
        return []
    client, stored_as = connect(settings), index.manifest.stored_as
    try:
        stored = await stored_collections(client, stored_as)
    finally:
        await client.close()
    prefix = settings.qdrant_prefix
    return sorted(
        name for name in index.manifest.collections if collection_name(f"{prefix}{name}", stored_as) not in stored
    )


class Replica:
    """The folder of an index, in which the generations of a server are copied; ``update`` copies the one it serves.

    ``patience``: the seconds in which the server must say which one that is, since questions wait for it.
    """

    def __init__(self, index: Path, registry: Registry, *, patience: float = TIMEOUT) -> None:
        self._index = index
        self._patience = patience
        self._generations = Generations(index)
        self._registry = registry

    async def update(self) -> None:
        """Serve what the server serves. Processes that come at once wait for the one that fetches it.

        Raises:
            StoreUnavailable, ConfigurationError, IndexMismatch: as ``Registry`` and ``Generations``.
        """
        try:
            async with asyncio.timeout(self._patience):
                wanted = (await self._registry.served()).generation
        except TimeoutError as error:
            raise StoreUnavailable(translate("store.no_connection", error=translate("store.no_answer"))) from error
        if not wanted or await asyncio.to_thread(self._serves, wanted):
            return
        async with self._generations.locked(FETCH_LOCK):
            if await asyncio.to_thread(self._serves, wanted):
                return
            folder = self._generations.folder_of(wanted)
            if not await asyncio.to_thread(_is_whole, folder):
                await self._fetch(await self._registry.record(wanted), folder)
            before = await asyncio.to_thread(_current_or_none, self._generations)
            await asyncio.to_thread(self._generations.switch, folder)
            await asyncio.to_thread(self._forget, [folder, before])

    def _serves(self, wanted: str) -> bool:
        current = _current_or_none(self._generations)
        return current is not None and current.name == wanted and _is_whole(current)

    async def _fetch(self, record: GenerationRecord, folder: Path) -> None:
        """Put a generation together beside the others, then in its place; what is damaged there goes."""
        incoming = self._index / INCOMING
        new = incoming / uuid4().hex
        known = await asyncio.to_thread(self._known_files)
        with translate_disk_errors(self._index):
            await asyncio.to_thread(rmtree, incoming, ignore_errors=True)  # what a killed one has left
            await asyncio.to_thread((new / MODELS).mkdir, parents=True)
        for file in record.files:
            await self._fetch_file(file, new, known)
        checksums = await asyncio.to_thread(write_checksums, new)
        manifest = record.manifest.model_copy(update={"checksums": checksums, "fetched": True})
        await asyncio.to_thread(write_durably, new / MANIFEST, manifest.model_dump_json(indent=2))
        with translate_disk_errors(self._index):
            await asyncio.to_thread(rmtree, folder, ignore_errors=True)
            await asyncio.to_thread(folder.parent.mkdir, exist_ok=True)
            await asyncio.to_thread(new.replace, folder)

    async def _fetch_file(self, file: StoredFile, new: Path, earlier: Path | None) -> None:
        """Write a file of a generation; parts that an earlier one has on this machine are taken from there."""
        here = await asyncio.to_thread(_parts_at, earlier / file.name) if earlier else {}
        fetched = self._registry.parts([digest for digest in file.parts if digest not in here])
        with translate_disk_errors(new):
            (new / file.name).parent.mkdir(parents=True, exist_ok=True)
            with (new / file.name).open("wb") as stream:
                for digest in file.parts:
                    if digest in here and earlier:
                        part = await asyncio.to_thread(_part_at, earlier / file.name, here[digest])
                    else:
                        _, part = await anext(fetched)
                    await asyncio.to_thread(stream.write, part)

    def _known_files(self) -> Path | None:
        current = _current_or_none(self._generations)
        return current if current is not None and _is_whole(current) else None

    def _forget(self, kept: list[Path | None]) -> None:
        for folder in self._generations.all_but(*kept):
            if (folder / MANIFEST).is_file():
                rmtree(folder, ignore_errors=True)


def _is_served(index: Path) -> bool:
    current = _current_or_none(Generations(index))
    return current is not None and _is_whole(current)


def _current_or_none(generations: Generations) -> Path | None:
    """Return the generation that this machine serves; a pointer that is damaged leads to none, the server knows."""
    try:
        return generations.current()
    except IndexMismatch:
        return None


def _is_whole(generation: Path) -> bool:
    """Tell whether the files of a generation are what was written, as far as opening it would."""
    try:
        return not damaged_files(Index(generation, read_manifest(generation)))
    except (OSError, IndexMismatch):
        return False


def _parts_at(file: Path) -> dict[str, int]:
    """Return where the parts of a file begin, by their digests; none of a file that is not there."""
    try:
        return {digest_of(part): number * PART_BYTES for number, part in enumerate(parts_of(file))}
    except OSError:
        return {}


def _part_at(file: Path, start: int) -> bytes:
    with file.open("rb") as stream:
        stream.seek(start)
        return stream.read(PART_BYTES)
