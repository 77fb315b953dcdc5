"""Read bytes and text of a file within limits; find the file and language of a profile."""

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
    """Limits of reading: seconds of processor time, bytes of memory, and unpacked bytes of a file."""

    seconds: float = 120.0
    memory: int = 1_024 * MIB
    unpacked: int = 256 * MIB


_CURRENT: ContextVar[Limits] = ContextVar("limits", default=Limits())  # noqa: B039  # it is frozen


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Apply limits within a block."""
    token = _CURRENT.set(limits)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def check_size(path: Path, size: int) -> None:
    """Raise ``InvalidInput`` if a size in bytes is above the limit in force."""
    limit = _CURRENT.get().unpacked
    if size > limit:
        raise InvalidInput(translate("bounds.size", path=path, size=mebibytes(size), limit=mebibytes(limit)))


def mebibytes(size: int) -> str:
    """Format a size in MiB, with a decimal below ten.

    >>> mebibytes(300 * MIB), mebibytes(MIB // 2)
    ('300', '0,5')
    """
    return written(size / MIB, 0 if size >= 10 * MIB else 1)


ZIP = b"PK\x03\x04"  # first bytes of a ZIP file, such as DOCX, ODT and XLSX

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_EXPECTED = frozenset("áéíóúüñçÁÉÍÓÚÜÑÇàèòïÀÈÒÏ¿¡ºª°·«»“”‘’–—…•€§\xa0\xad")  # In the languages of Spain

_EIGHT_BITS = ("cp1252", "cp850", "mac_roman")  # encodings that accept any bytes; cp1252 extends Latin-1

_MIN_LIKELIHOOD = 0.9  # minimum share of expected characters among the non-ASCII ones


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file after a check of its size, packed and unpacked; raise ``InvalidInput``."""
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
    """Check that the sizes in a ZIP are true and within the limit; unknown formats are left to the reader."""
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
    """Decode by byte order mark, UTF-8, ``declared``, or the 8-bit encoding of Spanish; raise ``InvalidInput``."""
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
    beyond = [character for character in text if character > "\x7f"]
    return sum(character in _EXPECTED for character in beyond) / len(beyond) if beyond else 1.0


def _unknown_encoding(path: Path) -> InvalidInput:
    return InvalidInput(translate("file.encoding", path=path))


SUFFIX = ".toml"
DEFAULT_PROFILE = "laboral"
VARIABLE = "ARTICULADO_PROFILE"

_LANGUAGE = re.compile(r"""^\s*language\s*=\s*["'](\w+)["']""", re.MULTILINE)


def packaged_folder() -> Path:
    return Path(str(resources.files("profiles")))


def profile_file(name: str) -> Path | None:
    """Return the file of a profile by name or by path of a ``.toml``; ``None`` if absent."""
    own = name.endswith(SUFFIX)
    file = Path(name).expanduser() if own else packaged_folder() / f"{name}{SUFFIX}"
    return file if file.is_file() and (own or Path(name).name == name) else None


def spoken_language(name: object = None, env_file: Path | None = Path(".env")) -> str:
    """Return the language in a profile's file without loading it, to report errors in it; never raises.

    Without a name: the profile of the environment, of ``env_file``, or the default, as in ``Settings``.
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
