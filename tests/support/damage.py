"""Ways in which a file of arrays (``.npz``) may be damaged."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import numpy as np

Damage = Callable[[Path], None]


def _truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _overwritten(within: Callable[[ZipFile], int]) -> Damage:
    """Return what writes 0xFF over eight bytes of the file, from the place that ``within`` returns."""

    def damage(file: Path) -> None:
        with ZipFile(file) as stored:
            place = within(stored)
        content = bytearray(file.read_bytes())
        content[place : place + 8] = b"\xff" * 8
        file.write_bytes(bytes(content))

    return damage


def _first_content(stored: ZipFile) -> int:
    """Return where the compressed bytes of the first array begin: after 30 bytes, its name and what zip64 adds."""
    first = stored.infolist()[0]
    with open(str(stored.filename), "rb") as file:
        header = file.read(30)
    return 30 + len(first.filename) + int.from_bytes(header[28:30], "little")


def without(file: Path, name: str) -> None:
    """Leave an array out of a file."""
    with np.load(file) as stored:
        arrays = {key: stored[key] for key in stored if key != name}
        assert len(arrays) == len(stored) - 1
    np.savez_compressed(file, **arrays)


def changed(file: Path, **arrays: np.ndarray) -> None:
    """Replace arrays of a file."""
    with np.load(file) as stored:
        kept = dict(stored)
    np.savez_compressed(file, **(kept | arrays))


DAMAGES: dict[str, Damage] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b"") and None,
    "text": lambda file: file.write_text("nada", encoding="utf-8") and None,
    "truncated": _truncated,
    "content overwritten": _overwritten(_first_content),
    "method overwritten": _overwritten(lambda stored: stored.start_dir + 10),
}
"""By what has been done to the file."""
