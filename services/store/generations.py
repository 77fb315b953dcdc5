"""Generations of an index: immutable folders, of which a pointer file names the one that is served.

::

    <index>/current                      the name of the generation that is served
    <index>/build.lock                   held by the process that builds
    <index>/generations/<name>/          manifest.json, models/, and a folder for each collection
"""

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from services.store.manifest import MANIFEST, MODELS

LOCK_POLL = 0.05
"""Seconds between two looks at the lock of another build."""


class Generations:
    """The generations in the folder of one index; all but ``current`` only while the build lock is held."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._pointer = index / "current"
        self._folder = index / "generations"

    def current(self) -> Path | None:
        """Return the folder of the generation that is served, ``None`` if there is none yet."""
        try:
            name = self._pointer.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        return self._folder / name

    def begin(self) -> Path:
        """Remove what killed builds have left and return the folder of a new generation, models folder included."""
        for folder in self._all():
            if not (folder / MANIFEST).is_file():
                shutil.rmtree(folder, ignore_errors=True)
        new = self._folder / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        (new / MODELS).mkdir(parents=True)
        return new

    def switch(self, new: Path) -> None:
        """Serve another generation; all but this one and the one served until now are removed.

        The last one stays for readers that have it open, or were about to open it.
        """
        served = self.current()
        write_durably(self._pointer, new.name)
        for folder in self._all():
            if folder not in (new, served):
                shutil.rmtree(folder, ignore_errors=True)

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Wait until no other process builds this index, and keep others waiting.

        The system lets go of the lock when its holder dies.
        """

        def lock_file() -> IO[str]:
            self._index.mkdir(parents=True, exist_ok=True)
            return (self._index / "build.lock").open("w")

        with await asyncio.to_thread(lock_file) as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await asyncio.sleep(LOCK_POLL)
            yield

    def _all(self) -> list[Path]:
        return sorted(self._folder.iterdir()) if self._folder.is_dir() else []


def write_durably(file: Path, text: str) -> None:
    """Replace a file in one step that survives a crash: readers see the old text or the new, never a part."""
    partial = file.with_name(f"{file.name}.partial")
    with partial.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
