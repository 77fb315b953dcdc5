"""Reading of NumPy's files in any thread.

``numpy.load`` parses the header of an array with ``ast``, which in CPython 3.11 is not safe beside imports in another
thread: "AST constructor recursion depth mismatch" (gh-106905). Here a header is read as JSON.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
import orjson
from numpy.lib import format as npy
from numpy.typing import NDArray

UNREADABLE = (OSError, ValueError, KeyError, IndexError, EOFError, BadZipFile, zlib.error, NotImplementedError)
"""Errors of the functions here for files that are missing, damaged or not of NumPy."""

_JSON = str.maketrans("'()", '"[]')
_LAST_COMMA = re.compile(r",\s*(?=[\]}])")
_LENGTHS = {(1, 0): 2, (2, 0): 4, (3, 0): 4}  # bytes of the header's length, by version of the format


class _Header(NamedTuple):
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: str


def map_array(file: Path) -> NDArray[Any]:
    """Map the array of an ``.npy`` file into memory, read-only; raise one of ``UNREADABLE`` for a damaged file."""
    with file.open("rb") as stream:
        header = _header(stream)
        mapped = np.memmap(stream, header.dtype, "r", stream.tell(), header.shape, header.order)  # type: ignore[call-overload]
    # A plain view of the file: each look into a memmap costs more than the read itself.
    return np.asarray(mapped)


@contextmanager
def open_arrays(file: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open the arrays of an ``.npz`` file by name, each read when it is taken; raise one of ``UNREADABLE``."""
    with ZipFile(file) as archive:
        yield _Arrays(archive)


class _Arrays(Mapping[str, NDArray[Any]]):
    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    def __getitem__(self, name: str) -> NDArray[Any]:
        with self._archive.open(f"{name}.npy") as stream:
            header = _header(stream)
            values = np.frombuffer(bytearray(stream.read()), header.dtype)
        return values.reshape(header.shape, order=header.order)  # type: ignore[call-overload, no-any-return]

    def __iter__(self) -> Iterator[str]:
        return (name.removesuffix(".npy") for name in self._archive.namelist())

    def __len__(self) -> int:
        return len(self._archive.namelist())


def _header(stream: IO[bytes]) -> _Header:
    version = npy.read_magic(stream)
    length = int.from_bytes(stream.read(_LENGTHS[version]), "little")
    written = stream.read(length).decode("utf-8" if version == (3, 0) else "latin-1")
    as_json = written.translate(_JSON).replace("False", "false").replace("True", "true")
    try:
        read = orjson.loads(_LAST_COMMA.sub("", as_json))
        descr, order = read["descr"], "F" if read["fortran_order"] else "C"
        fields = descr if isinstance(descr, str) else [(name, kind, *map(tuple, shape)) for name, kind, *shape in descr]
        header = _Header(np.dtype(fields), tuple(read["shape"]), order)
    except (KeyError, TypeError) as error:
        raise ValueError(written) from error
    if header.dtype.hasobject:
        raise ValueError(f"objects in {written}")
    return header
