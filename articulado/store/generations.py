"""Generations of an index: manifest, current generation, build lock, and durable writes.

The manifest describes the content of a generation and the parts that it was built with. Equal fingerprints
mean interchangeable parts.
"""

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

FORMAT: Final = 5
"""Version of the layout; it goes up with a change that makes older indexes unreadable."""

MANIFEST = "manifest.json"
MODELS = "models"
CATALOG = "catalog.sqlite"
"""The file of a generation that an ingest alone reads: answers need none of it."""

BUILD_HINT = "articulado ingest"
"""The command that builds an index, as messages quote it."""

REBUILD_HINT = "articulado ingest … --rebuild"
"""The command that builds it from nothing, where what there is cannot be continued."""

INSPECTION_HINT = "articulado doctor --deep"
"""The command that says what of an index is damaged."""

_PARTS = {"embedder": "store.part_embedder", "sparse": "store.part_sparse", "chunker": "store.part_chunker"}


class Fingerprints(BaseModel):
    """What the vectors and chunks of an index depend on: equal fingerprints, interchangeable parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: str
    sparse: str
    chunker: str


class Description(BaseModel):
    """What the builder of an index says of it.

    ``source`` is for a person; ``documents`` counts laws (or rulings, or criteria) by collection.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    fingerprints: Fingerprints
    profile: str
    language: str
    source: str
    documents: dict[str, int] = {}
    demo: bool = False


FARTHEST = 4.0
"""Standard deviations above the mean of unrelated texts from which on a cosine counts as closest."""


class MeaningSpace(BaseModel):
    """Dense vectors that a sentence encoder made, of which collections, and their length.

    ``fingerprint`` names the encoder and its weights. ``mean`` and ``deviation`` are those of its cosines of unrelated
    texts (``articulado.encoders.meaning``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    fingerprint: str
    dimensions: int = Field(ge=1)
    collections: tuple[str, ...]
    mean: float
    deviation: float = Field(gt=0)

    def closeness(self, cosine: float) -> float:
        """Return a cosine as a number in [0, 1] that means the same for every encoder: 0 for unrelated texts."""
        return min(1.0, max(0.0, (cosine - self.mean) / (FARTHEST * self.deviation)))


class Manifest(Description):
    """A description and what the build itself adds.

    ``created`` is UTC; ``collections`` counts points, parents and children. ``stored_as`` is the generation under whose
    name the store keeps the points: this one, or the one that was updated in place. ``checksums`` is the checksum of
    the list of those of the generation's files. ``meaning`` has the collections whose vectors a sentence encoder made.
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
        """Return the length of the dense vectors of a collection."""
        by_meaning = self.meaning is not None and collection in self.meaning.collections
        return self.meaning.dimensions if self.meaning and by_meaning else self.dimensions

    def check(self, expected: Fingerprints, folder: Path) -> None:
        """Compare what the index was built with to what the caller searches with.

        Raises:
            IndexMismatch: the message names what differs and what to run.
        """
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
    """A generation that can be searched: its folder and its manifest."""

    folder: Path
    manifest: Manifest

    @property
    def models(self) -> Path:
        """Folder with the files of the embedder."""
        return self.folder / MODELS

    @property
    def advice(self) -> str:
        """What to do where the index is damaged, as the end of a message."""
        if self.manifest.demo:
            return translate("store.renew_first_index", folder=self.folder.parent.parent)
        return translate("store.inspect_and_rebuild", inspection=INSPECTION_HINT, command=REBUILD_HINT)


def read_manifest(generation: Path) -> Manifest:
    """Read the manifest of a generation.

    Raises:
        FileNotFoundError: there is none.
        IndexMismatch: it cannot be read, or is of another format.
    """
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
    """Tell whether a generation is the first index of a profile in another format: it can be built again as it was."""
    try:
        written = json.loads((generation / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    wanted = {"demo": True, "profile": profile}
    return isinstance(written, dict) and wanted.items() <= written.items() and written.get("format") != FORMAT


BUILD_LOCK, FETCH_LOCK = "build.lock", "fetch.lock"
"""Held by the process that builds a generation, and by one that fetches it from a server."""

LOCK_POLL_INTERVAL = 0.05
"""Seconds between two attempts to take the lock of another build."""

_NAME_FORMAT = "%Y%m%dT%H%M%S%f"
_NAME = re.compile("[0-9]{8}T[0-9]{12}")
"""Of a generation: the moment at which it was begun."""

_TRANSIENT = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors that may be over at the next attempt; any other is due to the choice of the folder."""


class Generations:
    """The generations in the folder of one index; all but ``current`` only while the build lock is held.

    Raises (from every method): ConfigurationError, where the folder cannot be used; StoreUnavailable, where its disk
    is full or fails.
    """

    def __init__(self, index: Path) -> None:
        self._index = index
        self._pointer = index / "current"
        self._folder = index / "generations"

    def current(self) -> Path | None:
        """Return the folder of the generation that is served, ``None`` if there is none yet.

        Raises:
            IndexMismatch: the pointer cannot be read.
        """
        with translate_disk_errors(self._index):
            try:
                name = self._pointer.read_bytes().decode("ascii", errors="replace").strip()
            except FileNotFoundError:
                return None
        if not _NAME.fullmatch(name):
            raise self.pointer_damaged()
        return self._folder / name

    def folder_of(self, name: str) -> Path:
        """Return the folder of a generation, which need not be there."""
        return self._folder / name

    def pointer_damaged(self) -> IndexMismatch:
        """Return the error of a pointer that names no generation; it names those that there are."""
        complete = [folder.name for folder in self.all_but() if (folder / MANIFEST).is_file()]
        return IndexMismatch(translate("store.pointer_damaged", file=self._pointer, names=", ".join(complete) or "—"))

    def begin(self) -> Path:
        """Return the folder of a new generation, models folder included."""
        new = self._folder / datetime.now(UTC).strftime(_NAME_FORMAT)
        with translate_disk_errors(self._index):
            (new / MODELS).mkdir(parents=True)
        return new

    def switch(self, new: Path) -> None:
        """Serve another generation."""
        write_durably(self._pointer, new.name)

    def unfinished(self) -> list[Path]:
        """Return the generation that is being built, and what killed builds have left."""
        return [folder for folder in self.all_but() if not (folder / MANIFEST).is_file()]

    def all_but(self, *kept: Path | None) -> list[Path]:
        """Return the other generations, oldest first."""
        with translate_disk_errors(self._index):
            return sorted(set(self._folder.iterdir()).difference(kept)) if self._folder.is_dir() else []

    @asynccontextmanager
    async def locked(self, name: str = BUILD_LOCK) -> AsyncIterator[None]:
        """Wait until no other process holds this lock (that of a build), and keep others waiting.

        The system lets go of the lock when its holder dies.
        """

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
    """Replace a file in one step that survives a crash: readers see the old text or the new, never a part.

    Raises:
        ConfigurationError, StoreUnavailable: as ``Generations``.
    """
    with translate_disk_errors(file.parent), open_durably(file) as stream:
        stream.write(text.encode())


@contextmanager
def open_durably(file: Path) -> Iterator[IO[bytes]]:
    """Yield a stream whose content replaces a file once all of it is on the disk; for one writer at a time."""
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
    """Turn errors of the system within the block into ours, which name the folder, the cause and the way out."""
    try:
        yield
    except OSError as error:
        if error.errno in _TRANSIENT:
            raise StoreUnavailable(translate("store.not_readable", folder=folder, reason=reason(error))) from error
        cause = translate("store.not_created") if isinstance(error, FileNotFoundError) else reason(error)
        raise ConfigurationError(translate("store.folder_unusable", folder=folder, cause=cause)) from error
