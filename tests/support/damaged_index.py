"""A process of its own that uses an index with each of its files damaged in turn: the engine may end it.

``python damaged_index.py FOLDER`` writes a line for each file and damage: what became of it, the damage and the file.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from articulado.store.embedded import EmbeddedStore
from articulado.store.files import check_files, damaged_files
from articulado.store.opening import check_points, open_index
from articulado.store.writer import Points
from articulado.values.errors import ArticuladoError

HEAD = 4096


def _cut(head: bytes, size: int) -> tuple[bytes, int]:
    return head[: size // 2], size // 2


def _zeroed(head: bytes, size: int) -> tuple[bytes, int]:
    return b"", size


def _rest_zeroed(head: bytes, size: int) -> tuple[bytes, int]:
    return head, size


DAMAGES: dict[str, Callable[[bytes, int], tuple[bytes, int]]] = {
    "cut": _cut,
    "zeroed": _zeroed,
    "rest zeroed": _rest_zeroed,
}
"""Return the first bytes and the size of the file that takes the place of one with these first bytes and this size."""


@contextmanager
def _damaged(path: Path, damage: str, kept: Path) -> Iterator[None]:
    """Put another file in the place of one, or none, for the length of a block; it is kept elsewhere."""
    path.rename(kept)
    try:
        if damage != "gone":
            with kept.open("rb") as file:
                head, size = DAMAGES[damage](file.read(HEAD), kept.stat().st_size)
            path.write_bytes(head)
            os.truncate(path, size)
        yield
    finally:
        kept.replace(path)


@contextmanager
def _flipped(path: Path, position: int) -> Iterator[None]:
    """Have one byte of a file be another for the length of a block."""
    with path.open("r+b", buffering=0) as file:
        byte = os.pread(file.fileno(), 1, position)
        os.pwrite(file.fileno(), bytes([byte[0] ^ 0xFF]), position)
        yield
        os.pwrite(file.fileno(), byte, position)


async def _use(folder: Path) -> object:
    """Open an index as a question does, and return all that it holds."""
    index = open_index(folder)
    check_files(index)
    store = EmbeddedStore(index.folder, list(index.manifest.collections))
    try:
        await check_points(index, store, embedded=True)
        return await store.fetch([point.id for point in Points.load(index.folder)])
    finally:
        await store.close()


def _outcome(folder: Path, whole: object) -> str:
    try:
        return "same" if asyncio.run(_use(folder)) == whole else "less"
    except ArticuladoError as error:
        return type(error).__name__


def _unseen_data(path: Path) -> int | None:
    """Return a position that is in none of the slices that are read at opening; ``None`` of a short file."""
    end = len(path.read_bytes().rstrip(b"\0"))
    return 600 if end > 6_000 else None


def main(folder: Path) -> None:
    whole = asyncio.run(_use(folder))
    index = open_index(folder)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "build.lock"):
        name = path.relative_to(folder)
        for damage in (*DAMAGES, "gone"):
            with _damaged(path, damage, folder.with_name("kept")):
                print(_outcome(folder, whole), damage.replace(" ", "-"), name, flush=True)
        with _flipped(path, 0):
            print(_outcome(folder, whole), "flipped", name, flush=True)
        if (position := _unseen_data(path)) is not None:
            with _flipped(path, position):
                found = damaged_files(index, deep=True) == [str(path.relative_to(index.folder))]
                print("found" if found else "unnoticed", "deep", name, flush=True)
    print(_outcome(folder, whole), "nothing", "index", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
