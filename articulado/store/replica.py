"""Local copy of the files of a server's index, checked against checksums; deleting it loses no data."""

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

INCOMING = "incoming"  # folder in which a fetched generation is assembled


async def bring_up_to_date(settings: Settings, profile: str, *, or_go_on: bool = False) -> None:
    """Copy the server's served generation into the index folder; do nothing for the embedded store.

    With ``or_go_on``, an unreachable server is no error if the folder already serves a generation.
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
    """Return the collections of an index that its server lacks: it was emptied, or is another server."""
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
    """Index folder that mirrors a server; ``patience``: seconds for the server to name the served generation."""

    def __init__(self, index: Path, registry: Registry, *, address: str = "", patience: float = TIMEOUT) -> None:
        self._index = index
        self._address = address
        self._patience = patience
        self._generations = Generations(index)
        self._registry = registry

    async def update(self) -> None:
        """Serve the server's generation; concurrent processes wait for the one that fetches it."""
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
    try:
        return generations.current()
    except IndexMismatch:
        return None


def _is_whole(generation: Path) -> bool:
    try:
        return not damaged_files(Index(generation, read_manifest(generation)))
    except (OSError, IndexMismatch):
        return False
