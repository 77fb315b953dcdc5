"""Files of an index: free disk space, durable copies and moves, and checksums that detect damage.

The embedded engine writes through memory maps of sparse files: if the disk is full, the system kills the
process (SIGBUS) instead of raising an error. Call ``require_room`` before each operation that writes. Sizes
are bytes on disk; holes take none.

The files of a generation do not change once it is committed. The engine rewrites some of them when it opens
a shard, with the same content. ``checksums.json`` lists each file with its size and two checksums: of the
whole file, and of a few slices that are read each time the index is opened. The manifest holds the checksum
of the list.
"""

import errno
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from articulado.language.translation import translate
from articulado.store.generations import CATALOG, MANIFEST, Index, translate_disk_errors, write_durably
from articulado.values.errors import IndexMismatch, StoreUnavailable

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


CHECKSUMS = "checksums.json"

_CHECKED_BYTES = 1 << 16
_SLICE_BYTES = 512
_SLICES = 4
"""Read of each file when an index is opened: evenly spread, from its first bytes to the last that are not zero."""


_NAMED = 3
"""Damaged files that a message names."""


class Checksum(NamedTuple):
    """Size in bytes, end of what is not zero, checksum of all of a file (hexadecimal), and of its slices.

    The engine makes files of 32 MB of which it uses the beginning: the slices lie in what is not zero.
    """

    size: int
    end: int
    whole: str
    slices: int


def write_checksums(generation: Path, base: Index | None = None) -> str:
    """List the files of a generation with their checksums, durably; return the checksum of the list.

    Files that it shares with the generation ``base`` keep the checksums that they had there: they are not read again,
    and damage to them is not passed off for what was written.

    Raises:
        ConfigurationError, StoreUnavailable: as ``Generations``.
    """
    shared = _listed(base) if base else {}
    files: dict[str, Checksum] = {}
    with translate_disk_errors(generation):
        for path in sorted(_files(generation)):
            name = str(path.relative_to(generation))
            known = shared.get(name) if base and _is_same_file(path, base.folder / name) else None
            files[name] = known or _checksum(path)
    text = json.dumps({"engine": _engine(), "files": files})
    write_durably(generation / CHECKSUMS, text)
    return _of_list(text.encode())


def check_files(index: Index, *, deep: bool = False, among: Callable[[str], bool] = lambda name: True) -> None:
    """Compare the files of an index with what was written, before a shard is opened; see ``damaged_files``.

    A damaged file can make the engine crash, or answer with less.

    Raises:
        IndexMismatch: they differ; the message names files, and what to run.
    """
    if damaged := damaged_files(index, deep=deep, among=among):
        named = ", ".join(damaged[:_NAMED]) + (" …" if len(damaged) > _NAMED else "")
        raise IndexMismatch(translate("store.files_damaged", folder=index.folder, files=named, advice=index.advice))


def damaged_files(
    index: Index,
    *,
    deep: bool = False,
    among: Callable[[str], bool] = lambda name: True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[str]:
    """Return the files of an index that are missing or differ from what was written, relative to its folder.

    Sizes and slices are compared, with ``deep`` all of each file, and the catalogue too; ``among`` tells of which.
    An index of a version that wrote no checksums has none that differ. Files of the engine are left out where another
    version of it has rewritten them.
    """
    if not index.manifest.checksums:
        return []
    try:
        text = (index.folder / CHECKSUMS).read_bytes()
    except OSError:
        return [CHECKSUMS]
    if _of_list(text) != index.manifest.checksums:
        return [CHECKSUMS]
    stored = json.loads(text)
    files: Mapping[str, list[object]] = {name: values for name, values in stored["files"].items() if among(name)}
    damaged = []
    for done, (name, values) in enumerate(files.items()):
        progress(done, len(files))
        if name == CATALOG and not deep:
            continue
        if not _is_intact(index.folder / name, Checksum(*values), deep=deep):  # type: ignore[arg-type]
            damaged.append(name)
    progress(len(files), len(files))
    if damaged and stored["engine"] != _engine():
        damaged = [name for name in damaged if name.split("/")[0] not in index.manifest.collections]
    return damaged


def _listed(index: Index) -> dict[str, Checksum]:
    """Return the checksums of the files of an index; none where an earlier version has written no list."""
    try:
        stored = json.loads((index.folder / CHECKSUMS).read_bytes()) if index.manifest.checksums else {"files": {}}
    except (OSError, ValueError):
        return {}
    return {name: Checksum(*values) for name, values in stored["files"].items()}


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def _is_intact(path: Path, expected: Checksum, *, deep: bool) -> bool:
    try:
        if deep:
            return _checksum(path) == expected
        file = os.open(path, os.O_RDONLY)
        try:
            return os.fstat(file).st_size == expected.size and _slices(file, expected.end) == expected.slices
        finally:
            os.close(file)
    except OSError:
        return False


def _files(generation: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(generation):
        folders[:] = [name for name in folders if not is_temporary(name)]
        yield from (Path(folder, name) for name in files if name not in (MANIFEST, CHECKSUMS))


def _checksum(path: Path) -> Checksum:
    file = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(file).st_size
        whole, end = _whole(file, size)
        return Checksum(size, end, whole, _slices(file, end))
    finally:
        os.close(file)


def _whole(file: int, size: int) -> tuple[str, int]:
    """Return the checksum of a file and the end of what is not zero.

    They are the same whether what is zero is a hole or not: copies may differ in that.
    """
    checksum, position, end, zeros = blake2b(digest_size=8), 0, 0, bytes(_CHECKED_BYTES)
    while position < size:
        try:
            position = os.lseek(file, position, os.SEEK_DATA) // _CHECKED_BYTES * _CHECKED_BYTES
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole from here on
                break
            raise
        block = os.pread(file, _CHECKED_BYTES, position)
        if not block:
            break
        if block != zeros[: len(block)]:
            checksum.update(position.to_bytes(8, "big"))
            checksum.update(block)
            end = position + len(block.rstrip(b"\0"))
        position += _CHECKED_BYTES
    return checksum.hexdigest(), end


def _slices(file: int, end: int) -> int:
    last = max(0, end - _SLICE_BYTES)
    starts = sorted({last * number // (_SLICES - 1) for number in range(_SLICES)})
    checksum = 0
    for start in starts:
        checksum = zlib.crc32(os.pread(file, _SLICE_BYTES, start), checksum)
    return checksum


def _of_list(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()


def _engine() -> str:
    return version("qdrant-edge-py")
