"""Check the free disk space, and copy, link and move files durably.

The embedded engine writes through memory maps of sparse files: if the disk is full, the system kills the
process (SIGBUS) instead of raising an error. Call ``require_room`` before each operation that writes. Sizes
are bytes on disk; holes take none.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.errors import StoreUnavailable

MEGABYTE = 1 << 20


def require_room(folder: Path, needed: int) -> None:
    """Check that the disk of a folder, which exists, has room for so many bytes.

    Another program may take the room a moment later; what is needed should have something to spare.

    Raises:
        StoreUnavailable: it has not; the message says how much is needed and how much is left.
    """
    try:
        disk = os.statvfs(folder)
    except OSError:
        return  # whoever writes there will say what is wrong
    left = disk.f_bavail * disk.f_frsize
    if left < needed:
        raise StoreUnavailable(
            translate("store.no_room", folder=folder, needed=-(-needed // MEGABYTE), left=left // MEGABYTE)
        )


def bytes_on_disk(folder: Path) -> int:
    """Return what the files of a folder take on the disk: holes take nothing.

    What goes while it is looked at is not counted: readers of an index make folders that live for a moment.
    """
    taken = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                taken += Path(inside, name).stat().st_blocks * 512
    return taken


_TEMPORARY_PREFIX = ".atomicwrite"
"""Of the folders in which the engine keeps a file that it is about to rename; opening a shard makes some briefly."""

_BLOCK_BYTES = 1 << 20

_CANNOT_LINK = (errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOTSUP)
"""Errors of file systems that have no hard links, or no more of them."""


def is_temporary(folder: str) -> bool:
    """Tell from its name whether a folder is one of the engine's, which lives for a moment."""
    return folder.startswith(_TEMPORARY_PREFIX)


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder durably, holes as holes: the engine makes files of 32 MB of which it uses little.

    Raises:
        OSError: something cannot be read or written.
    """

    def raise_error(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(source, onerror=raise_error):
        folders[:] = [name for name in folders if not is_temporary(name)]
        copied = target / Path(folder).relative_to(source)
        copied.mkdir(parents=True, exist_ok=True)
        for name in files:
            copy_file(Path(folder, name), copied / name)


def link_folder(source: Path, target: Path) -> None:
    """Give a folder's files a second name in another one; where the file system cannot, copy them.

    Raises:
        OSError: something cannot be read or written.
    """

    def raise_error(error: OSError) -> None:
        raise error

    for folder, folders, files in os.walk(source, onerror=raise_error):
        folders[:] = [name for name in folders if not is_temporary(name)]
        linked = target / Path(folder).relative_to(source)
        linked.mkdir(parents=True, exist_ok=True)
        for name in files:
            try:
                os.link(Path(folder, name), linked / name)
            except OSError as error:
                if error.errno not in _CANNOT_LINK:
                    raise
                copy_file(Path(folder, name), linked / name)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file durably, holes as holes.

    Raises:
        OSError: it cannot be read or written.
    """
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
            while start < end and (block := data.read(min(_BLOCK_BYTES, end - start))):
                copy.write(block)
                start += len(block)
        copy.truncate(size)
        copy.flush()
        os.fsync(copy.fileno())


def move_durably(source: Path, target: Path) -> None:
    """Move a file that nobody writes to any more within its disk, so that it survives a crash.

    Raises:
        OSError: it cannot be moved.
    """
    with source.open("rb+") as written:
        os.fsync(written.fileno())
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
