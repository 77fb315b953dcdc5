"""Generations of an index: manifest, current generation, build lock, and durable writes."""

import asyncio
import errno
import fcntl
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.language.translation import reason, translate
from articulado.values.errors import ConfigurationError, IndexMismatch, StoreUnavailable

FORMAT: Final = 5  # version of the layout; raised by each change that makes older indexes unreadable

MANIFEST = "manifest.json"
MODELS = "models"
CATALOG = "catalog.sqlite"  # file that only `ingest` reads; answers do not need it

BUILD_HINT = "articulado ingest"

REBUILD_HINT = "articulado ingest … --rebuild"

INSPECTION_HINT = "articulado doctor --deep"

_PARTS = {"embedder": "store.part_embedder", "sparse": "store.part_sparse", "chunker": "store.part_chunker"}


class Fingerprints(BaseModel):
    """Versions of the parts that made vectors and chunks; parts with equal fingerprints are interchangeable."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: str
    sparse: str
    chunker: str


class Description(BaseModel):
    """Builder's description of an index; ``documents`` counts laws, rulings or criteria by collection."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fingerprints: Fingerprints
    profile: str
    language: str
    source: str
    documents: dict[str, int] = {}
    demo: bool = False


FARTHEST = 4.0  # standard deviations above the mean of unrelated texts at which closeness reaches 1


class MeaningSpace(BaseModel):
    """Vectors by a sentence encoder; ``mean`` and ``deviation`` of its cosines of unrelated texts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fingerprint: str
    dimensions: int = Field(ge=1)
    collections: tuple[str, ...]
    mean: float
    deviation: float = Field(gt=0)

    def closeness(self, cosine: float) -> float:
        """Scale a cosine to [0, 1], comparable between encoders; 0 for unrelated texts."""
        return min(1.0, max(0.0, (cosine - self.mean) / (FARTHEST * self.deviation)))


class Manifest(Description):
    """Description of a generation; ``collections`` counts points, parents and children.

    ``stored_as`` names the generation that holds the points: this one, or the one updated in place.
    """

    format: Literal[5]
    generation: str
    created: datetime
    dimensions: int = Field(ge=1)
    collections: dict[str, int]
    stored_as: str
    checksums: str = ""
    meaning: MeaningSpace | None = None

    def dimensions_of(self, collection: str) -> int:
        by_meaning = self.meaning is not None and collection in self.meaning.collections
        return self.meaning.dimensions if self.meaning and by_meaning else self.dimensions

    def check(self, expected: Fingerprints, folder: Path) -> None:
        """Raise ``IndexMismatch`` if the index was built with other parts than the caller's."""
        built = self.fingerprints.model_dump()
        differences = [
            translate("store.difference", part=translate(_PARTS[part]), built=built[part], configured=configured)
            for part, configured in expected.model_dump().items()
            if built[part] != configured
        ]
        if differences:
            raise IndexMismatch(
                translate("store.mismatch", folder=folder, differences="; ".join(differences), command=BUILD_HINT)
            )


@dataclass(frozen=True)
class Index:
    """A generation that can be searched: folder and manifest."""

    folder: Path
    manifest: Manifest

    @property
    def models(self) -> Path:
        return self.folder / MODELS

    @property
    def advice(self) -> str:
        if self.manifest.demo:
            return translate("store.renew_first_index", folder=self.folder.parent.parent)
        return translate("store.inspect_and_rebuild", inspection=INSPECTION_HINT, command=REBUILD_HINT)


def read_manifest(generation: Path) -> Manifest:
    """Read a manifest; raise ``FileNotFoundError``, or ``IndexMismatch`` if it is damaged or of another format."""
    text = (generation / MANIFEST).read_bytes()
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        raise IndexMismatch(
            translate(
                "store.manifest_damaged",
                generation=generation,
                manifest=MANIFEST,
                errors=error.error_count(),
                command=BUILD_HINT,
            )
        ) from error


def is_of_earlier_version(generation: Path, profile: str) -> bool:
    """Return True if the generation is a profile's first (demo) index in another format: a rebuild loses nothing."""
    try:
        written = json.loads((generation / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    wanted = {"demo": True, "profile": profile}
    return isinstance(written, dict) and wanted.items() <= written.items() and written.get("format") != FORMAT


BUILD_LOCK, FETCH_LOCK = "build.lock", "fetch.lock"
"""Held while a generation is built, and while one is fetched from a server."""

LOCK_POLL_INTERVAL = 0.05

_NAME_FORMAT = "%Y%m%dT%H%M%S%f"
_NAME = re.compile("[0-9]{8}T[0-9]{12}")  # UTC time at which the generation was begun

_TRANSIENT = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors that a retry may overcome; any other is due to the choice of folder."""


class Generations:
    """The generations of one index; all methods but ``current`` need the build lock.

    They raise ``ConfigurationError`` if the folder cannot be used, ``StoreUnavailable`` if its disk is full or fails.
    """

    def __init__(self, index: Path) -> None:
        self._index = index
        self._pointer = index / "current"
        self._folder = index / "generations"

    def current(self) -> Path | None:
        """Return the served generation, or ``None``; raise ``IndexMismatch`` if the pointer is damaged."""
        with translate_disk_errors(self._index):
            try:
                name = self._pointer.read_bytes().decode("ascii", errors="replace").strip()
            except FileNotFoundError:
                return None
        if not _NAME.fullmatch(name):
            raise self.pointer_damaged()
        return self._folder / name

    def folder_of(self, name: str) -> Path:
        return self._folder / name

    def pointer_damaged(self) -> IndexMismatch:
        complete = [folder.name for folder in self.all_but() if (folder / MANIFEST).is_file()]
        return IndexMismatch(translate("store.pointer_damaged", file=self._pointer, names=", ".join(complete) or "—"))

    def begin(self) -> Path:
        """Create the folder of a new generation, models folder included."""
        new = self._folder / datetime.now(UTC).strftime(_NAME_FORMAT)
        with translate_disk_errors(self._index):
            (new / MODELS).mkdir(parents=True)
        return new

    def switch(self, new: Path) -> None:
        write_durably(self._pointer, new.name)

    def unfinished(self) -> list[Path]:
        """Return the generation being built, and those that killed builds left."""
        return [folder for folder in self.all_but() if not (folder / MANIFEST).is_file()]

    def all_but(self, *kept: Path | None) -> list[Path]:
        with translate_disk_errors(self._index):
            return sorted(set(self._folder.iterdir()).difference(kept)) if self._folder.is_dir() else []

    @asynccontextmanager
    async def locked(self, name: str = BUILD_LOCK) -> AsyncIterator[None]:
        """Hold a lock of this index as soon as no other process does; the system frees it if the process dies."""

        def lock_file() -> IO[str]:
            with translate_disk_errors(self._index):
                self._index.mkdir(parents=True, exist_ok=True)
                return (self._index / name).open("w")

        with await asyncio.to_thread(lock_file) as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await asyncio.sleep(LOCK_POLL_INTERVAL)
            yield


def write_durably(file: Path, text: str) -> None:
    """Replace a file in one step that survives a crash: readers see the old text or the new one."""
    with translate_disk_errors(file.parent), open_durably(file) as stream:
        stream.write(text.encode())


@contextmanager
def open_durably(file: Path) -> Iterator[IO[bytes]]:
    """Yield a stream whose content replaces the file at the end, durably; for one writer at a time."""
    partial = file.with_name(f"{file.name}.partial")
    with partial.open("wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def translate_disk_errors(folder: Path) -> Iterator[None]:
    """Convert ``OSError`` within the block into errors that name the folder, the cause and the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in _TRANSIENT:
            raise StoreUnavailable(translate("store.not_readable", folder=folder, reason=reason(error))) from error
        cause = translate("store.not_created") if isinstance(error, FileNotFoundError) else reason(error)
        raise ConfigurationError(translate("store.folder_unusable", folder=folder, cause=cause)) from error
