"""Read the bytes and the text of one file within limits of processor time, memory and unpacked size.

``Limits`` are seconds of processor and bytes. ``read_bytes`` checks a ZIP before it is unpacked. ``decode``
detects the encoding: byte order mark, UTF-8, declared encoding, then the 8-bit encoding that gives Spanish.

``profile_file`` finds the file of a profile and ``spoken_language`` the language that it names, without reading the
profile: the command line needs both before it can report an unreadable profile.
"""

import codecs
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from articulado.language.formats import written
from articulado.language.translation import DEFAULT_LANGUAGE, reason, translate
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


ZIP = b"PK\x03\x04"
"""The first bytes of a ZIP file: DOCX, ODT and XLSX are such."""

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_EXPECTED = frozenset("áéíóúüñçÁÉÍÓÚÜÑÇàèòïÀÈÒÏ¿¡ºª°·«»“”‘’–—…•€§\xa0\xad")
"""What a Spanish text has beside ASCII, in any of the languages of Spain."""

_EIGHT_BITS = ("cp1252", "cp850", "mac_roman")
"""Encodings that any bytes could be in; cp1252 is Latin-1 and more."""

_MIN_LIKELIHOOD = 0.9
"""Share of the characters beyond ASCII that must be expected ones."""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, for a packed one after a look at what it holds.

    Raises:
        InvalidInput: it cannot be read, is empty, damaged or larger than the limit, packed or unpacked.
    """
    try:
        check_size(path, path.stat().st_size)
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(translate("file.unreadable", path=path, reason=reason(error))) from error
    if not data.strip():
        raise InvalidInput(translate("file.empty", path=path))
    if data.startswith(ZIP):
        _check_package(path, data)
    return data


def _check_package(path: Path, data: bytes) -> None:
    """Check what a ZIP holds before a reader unpacks it: the sizes that it names, and that these are true.

    What is no ZIP after all, or is packed in a way that is not known, is left to the reader.

    Raises:
        InvalidInput: unpacked, it is larger than the limit, or what it names is not what it holds.
    """
    try:
        with ZipFile(BytesIO(data)) as package:
            check_size(path, sum(entry.file_size for entry in package.infolist()))
            # Unpacks piece by piece, no more than the size that is named, and compares the checksums.
            damaged = package.testzip()
    except (BadZipFile, NotImplementedError, EOFError, ValueError, zlib.error):
        return
    if damaged is not None:
        raise InvalidInput(translate("bounds.package", path=path))


def decode(data: bytes, path: Path, declared: str | None = None) -> str:
    """Return the text: by its byte order mark, else UTF-8, else as declared, else in the encoding that gives Spanish.

    Raises:
        InvalidInput: the bytes are no text, or in an encoding that cannot be told.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            if (text := _decoded(data, encoding)) is None:
                raise _unknown_encoding(path)
            return text
    if b"\0" in data:
        raise InvalidInput(translate("file.not_text", path=path))
    for encoding in filter(None, ("utf-8", declared)):
        if (text := _decoded(data, encoding)) is not None:
            return text
    candidates = [text for encoding in _EIGHT_BITS if (text := _decoded(data, encoding)) is not None]
    best = max(candidates, key=_likelihood)
    if _likelihood(best) < _MIN_LIKELIHOOD:
        raise _unknown_encoding(path)
    return best


def _decoded(data: bytes, encoding: str) -> str | None:
    # What calls itself Latin-1 is cp1252, as in every browser (WHATWG Encoding Standard).
    encoding = "cp1252" if encoding.lower().replace("_", "-") in ("iso-8859-1", "latin-1", "latin1") else encoding
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _likelihood(text: str) -> float:
    """Return which share of the characters beyond ASCII is one of a Spanish text, in [0, 1]."""
    beyond = [character for character in text if character > "\x7f"]
    return sum(character in _EXPECTED for character in beyond) / len(beyond) if beyond else 1.0


def _unknown_encoding(path: Path) -> InvalidInput:
    return InvalidInput(translate("file.encoding", path=path))


SUFFIX = ".toml"
DEFAULT_PROFILE = "laboral"
VARIABLE = "ARTICULADO_PROFILE"

_LANGUAGE = re.compile(r"""^\s*language\s*=\s*["'](\w+)["']""", re.MULTILINE)


def packaged_folder() -> Path:
    """Return the folder of the profiles that come with articulado."""
    return Path(str(resources.files("profiles")))


def profile_file(name: str) -> Path | None:
    """Return the file of a profile, by its name or by the path of a ``.toml``; ``None`` where there is none."""
    own = name.endswith(SUFFIX)
    file = Path(name).expanduser() if own else packaged_folder() / f"{name}{SUFFIX}"
    return file if file.is_file() and (own or Path(name).name == name) else None


def spoken_language(name: object = None, env_file: Path | None = Path(".env")) -> str:
    """Return the language that the profile's file names, the default one where it cannot be told. Never raises.

    Without a name, the profile is that of the environment, of ``env_file``, or the default one, as in ``Settings``. So
    what is wrong with the settings or with the profile itself is said in its language.
    """
    try:
        named = name or os.environ.get(VARIABLE) or _of_env_file(env_file) or DEFAULT_PROFILE
        file = profile_file(str(named))
        match = _LANGUAGE.search(file.read_text(encoding="utf-8-sig")) if file else None
    except (OSError, ValueError):
        return DEFAULT_LANGUAGE
    return match[1] if match else DEFAULT_LANGUAGE


def _of_env_file(env_file: Path | None) -> str | None:
    if env_file is None or not env_file.is_file():
        return None
    from dotenv import dotenv_values

    return dotenv_values(env_file).get(VARIABLE)
