"""Local copy of a server's index: the files that a worker reads beside the points.

The folder of the index is a cache by generation. Local files are compared with their checksums; a generation with a
damaged file is fetched again. Deleting the folder loses no data.
"""

import asyncio
import io
import zipfile
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
    REBUILD_HINT,
    Generations,
    Index,
    read_manifest,
    translate_disk_errors,
    write_durably,
)
from articulado.store.registry import GenerationRecord, Registry
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
        replica = Replica(settings.index_folder, registry, address=settings.qdrant_url, patience=patience(settings))
        await replica.update()
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

    ``address`` is shown if the server does not answer; ``patience``: the seconds in which the server must say which
    generation it serves, since questions wait for it.
    """

    def __init__(self, index: Path, registry: Registry, *, address: str = "", patience: float = TIMEOUT) -> None:
        self._index = index
        self._address = address
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
            cause = translate("store.no_answer")
            raise StoreUnavailable(translate("store.no_connection", url=self._address, error=cause)) from error
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
        """Unpack a generation beside the others, then move it into its place; a damaged one there is removed."""
        archive = await self._registry.archive(record)
        await asyncio.to_thread(self._unpack, archive, record, folder)

    def _unpack(self, archive: bytes, record: GenerationRecord, folder: Path) -> None:
        incoming = self._index / INCOMING
        new = incoming / uuid4().hex
        with translate_disk_errors(self._index):
            rmtree(incoming, ignore_errors=True)  # left by a killed process
            (new / MODELS).mkdir(parents=True)
            try:
                with zipfile.ZipFile(io.BytesIO(archive)) as stream:
                    stream.extractall(new)
            except (zipfile.BadZipFile, ValueError) as error:
                raise IndexMismatch(translate("store.registry_damaged", command=REBUILD_HINT)) from error
        manifest = record.manifest.model_copy(update={"checksums": write_checksums(new)})
        write_durably(new / MANIFEST, manifest.model_dump_json(indent=2))
        with translate_disk_errors(self._index):
            rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(exist_ok=True)
            new.replace(folder)

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
