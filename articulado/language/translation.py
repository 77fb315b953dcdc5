"""Messages in the current language, a context variable set when a profile is bound or a request arrives."""

import errno
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from string import Formatter

DEFAULT_LANGUAGE = "es"

_CURRENT: ContextVar[str] = ContextVar("language", default=DEFAULT_LANGUAGE)


@contextmanager
def use_locale(code: str) -> Iterator[None]:
    """Set the language (ISO 639-1) of the messages in a block; one without a catalogue is replaced by Spanish."""
    token = _CURRENT.set(code if _has_texts(code) else DEFAULT_LANGUAGE)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_language() -> str:
    return _CURRENT.get()


def translate(key: str, /, **fields: object) -> str:
    """Return a message in the current language with its fields; raise ``KeyError`` for an unknown key or field.

    >>> translate("settings.above", limit=0.5)
    ': debe ser mayor que 0,5'
    """
    return _FILLED_IN.vformat(error_texts(current_language())[key], (), fields)


class _FilledIn(Formatter):
    """Formatter with the decimal mark of the current language."""

    def format_field(self, value: object, format_spec: str) -> str:
        text: str = super().format_field(value, format_spec)
        return text.replace(".", ",") if isinstance(value, float) and current_language() == "es" else text


_FILLED_IN = _FilledIn()


@cache
def error_texts(code: str) -> Mapping[str, str]:
    """Return the error texts of a language by ``"<table>.<name>"``."""
    tables = tomllib.loads(_file(code).read_text(encoding="utf-8"))
    return {f"{table}.{name}": text for table, texts in tables.items() for name, text in texts.items()}


@lru_cache(maxsize=64)
def _has_texts(code: str) -> bool:
    return _file(code).is_file()


def _file(code: str) -> "resources.abc.Traversable":
    return resources.files("articulado.language").joinpath("data", "errors", f"{code}.toml")


_REASONS = {
    errno.EACCES: "system.not_permitted",
    errno.EPERM: "system.not_permitted",
    errno.EROFS: "system.read_only",
    errno.ENOENT: "system.not_there",
    errno.ENOTDIR: "system.file_for_folder",
    errno.EEXIST: "system.file_for_folder",
    errno.EISDIR: "system.folder_for_file",
    errno.ELOOP: "system.link_loop",
    errno.ENAMETOOLONG: "system.name_too_long",
    errno.ENOSPC: "system.disk_full",
    errno.EDQUOT: "system.quota",
}


def reason(error: OSError) -> str:
    """Return the reason of a system error as the end of a sentence ("… : no existe")."""
    code = error.errno or 0
    return (
        translate(_REASONS[code])
        if code in _REASONS
        else translate("system.other", error=errno.errorcode.get(code, code))
    )


def printable(path: Path) -> str:
    """Return a path with marks for bytes that are not UTF-8."""
    return os.fsencode(path).decode(errors="replace")
