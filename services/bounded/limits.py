"""What the reading of one document may take."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from articulado.language.formats import written
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What reading may take: seconds of processor, bytes of memory, and bytes that the file may have, unpacked."""

    seconds: float = 120.0
    memory: int = 1_024 * MIB
    unpacked: int = 256 * MIB


_CURRENT: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # it is frozen


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Apply limits for the length of a block, as far as who reads asks for them."""
    token = _CURRENT.set(limits)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_size(path: Path, size: int) -> None:
    """Check how large a file is, unpacked, before anything is made of its content.

    Raises:
        InvalidInput: it is larger than the limit.
    """
    limit = _CURRENT.get().unpacked
    if size > limit:
        raise InvalidInput(translate("bounds.size", path=path, size=mebibytes(size), limit=mebibytes(limit)))


def mebibytes(size: int) -> str:
    """Return a size as it is written, in MiB, with a decimal below ten.

    >>> mebibytes(300 * MIB), mebibytes(MIB // 2)
    ('300', '0,5')
    """
    return written(size / MIB, 0 if size >= 10 * MIB else 1)
