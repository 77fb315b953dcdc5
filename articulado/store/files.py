"""Files of an index: free disk space, durable copies, and checksums that detect damage.

``checksums.json`` lists for each file its size, the checksum of all of it, and that of a few slices that are read
whenever the index is opened. The manifest holds the checksum of the list.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from shutil import copyfileobj
from typing import Any, BinaryIO, NamedTuple

from articulado.language.translation import translate
from articulado.store.generations import CATALOG, MANIFEST, Index, translate_disk_errors, write_durably
from articulado.values.errors import IndexMismatch, StoreUnavailable

MEGABYTE = 1 << 20


def require_room(folder: Path, needed: int) -> None:
    """Raise ``StoreUnavailable`` if the disk of an existing folder has fewer free bytes than needed."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return  # whoever writes there will say what is wrong
    left = disk.f_bavail * disk.f_frsize
    if left < needed:
        raise StoreUnavailable(
            translate("store.no_room", folder=folder, needed=-(-needed // MEGABYTE), left=left // MEGABYTE)
        )


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder so that the copy survives a crash."""

    def raise_error(error: OSError) -> None:
        raise error

    for folder, _, files in os.walk(source, onerror=raise_error):
        copied = target / Path(folder).relative_to(source)
        copied.mkdir(parents=True, exist_ok=True)
        for name in files:
            copy_file(Path(folder, name), copied / name)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file so that the copy survives a crash."""
    with source.open("rb") as data, target.open("wb") as copy:
        copyfileobj(data, copy, MEGABYTE)
        copy.flush()
        os.fsync(copy.fileno())


def move_durably(source: Path, target: Path) -> None:
    """Move a finished file within its disk so that the move survives a crash."""
    with source.open("rb+") as written:
        os.fsync(written.fileno())
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


CHECKSUMS = "checksums.json"

_SLICE_BYTES = 512
_SLICES = 4  # slices read when an index is opened, evenly spread from the first bytes to the last

_NAMED = 3  # damaged files that a message names


class Checksum(NamedTuple):
    """Size in bytes, checksum of the whole file (hexadecimal) and of its slices."""

    size: int
    whole: str
    slices: int


def write_checksums(generation: Path) -> str:
    """Write the list of checksums of a generation durably; return the checksum of the list."""
    with translate_disk_errors(generation):
        files = {str(path.relative_to(generation)): _checksum(path) for path in sorted(_files(generation))}
    text = json.dumps(files)
    write_durably(generation / CHECKSUMS, text)
    return _of_list(text.encode())


def check_files(index: Index, *, deep: bool = False) -> None:
    if damaged := damaged_files(index, deep=deep):
        named = ", ".join(damaged[:_NAMED]) + (" …" if len(damaged) > _NAMED else "")
        raise IndexMismatch(translate("store.files_damaged", folder=index.folder, files=named, advice=index.advice))


def damaged_files(
    index: Index, *, deep: bool = False, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[str]:
    """Return the missing or damaged files: by size and slices; with ``deep`` whole files, and the catalogue too."""
    try:
        text = (index.folder / CHECKSUMS).read_bytes()
    except OSError:
        return [CHECKSUMS]
    if _of_list(text) != index.manifest.checksums:
        return [CHECKSUMS]
    files: Mapping[str, list[Any]] = json.loads(text)
    damaged = []
    for done, (name, values) in enumerate(files.items()):
        progress(done, len(files))
        if (name != CATALOG or deep) and not _is_intact(index.folder / name, Checksum(*values), deep=deep):
            damaged.append(name)
    progress(len(files), len(files))
    return damaged


def _is_intact(path: Path, expected: Checksum, *, deep: bool) -> bool:
    try:
        if deep:
            return _checksum(path) == expected
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return size == expected.size and _slices(file, size) == expected.slices
    except OSError:
        return False


def _files(generation: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(generation):
        yield from (Path(folder, name) for name in files if name not in (MANIFEST, CHECKSUMS))


def _checksum(path: Path) -> Checksum:
    with path.open("rb") as file:
        whole = file_digest(file, partial(blake2b, digest_size=8)).hexdigest()
        size = file.tell()
        return Checksum(size, whole, _slices(file, size))


def _slices(file: BinaryIO, size: int) -> int:
    last = max(0, size - _SLICE_BYTES)
    checksum = 0
    for start in sorted({last * number // (_SLICES - 1) for number in range(_SLICES)}):
        checksum = zlib.crc32(os.pread(file.fileno(), _SLICE_BYTES, start), checksum)
    return checksum


def _of_list(text: bytes) -> str:
    return blake2b(text, digest_size=16).hexdigest()
