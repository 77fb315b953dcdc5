"""Generations of an index: immutable folders, of which a pointer file names the one that is served.

::

    <index>/current                      the name of the generation that is served
    <index>/build.lock                   held by the process that builds
    <index>/fetch.lock                   held by the process that fetches a generation from a server
    <index>/generations/<name>/          manifest.json, checksums.json, models/, and a folder for each collection
"""

import asyncio
import errno
import fcntl
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from articulado.language.translation import reason, translate
from articulado.values.errors import ConfigurationError, IndexMismatch, StoreUnavailable
from services.store.manifest import MANIFEST, MODELS

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
