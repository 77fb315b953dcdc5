"""Copying the files of a generation that people may be reading."""

import errno
import os
from pathlib import Path

_TEMPORARY = ".atomicwrite"
"""How the engine names the folder of a file that it is about to rename; opening a shard makes some, for a moment."""

_BLOCK = 1 << 20


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder durably, holes as holes: the engine makes files of 32 MB of which it uses little.

    Raises:
        OSError: something cannot be read or written.
    """

    def refused(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(source, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(_TEMPORARY)]
        place = target / Path(folder).relative_to(source)
        place.mkdir(parents=True, exist_ok=True)
        for name in files:
            _copy_file(Path(folder, name), place / name)


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb", buffering=0) as data, target.open("wb") as copy:
        size = os.fstat(data.fileno()).st_size
        end = 0
        while end < size:
            try:
                start = os.lseek(data.fileno(), end, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole from here on
                    break
                raise
            end = os.lseek(data.fileno(), start, os.SEEK_HOLE)
            data.seek(start)
            copy.seek(start)
            while start < end and (block := data.read(min(_BLOCK, end - start))):
                copy.write(block)
                start += len(block)
        copy.truncate(size)
        copy.flush()
        os.fsync(copy.fileno())
