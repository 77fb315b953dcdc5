"""YAML header of a document: a block at its start, or a sidecar file beside it.

``take_block`` returns the fields of the block and the remaining pages. ``sidecar`` reads
``<name>.<ext>.yaml`` or ``<name>.yaml`` (also ``.yml``). A block has at most 60 lines. Both raise
``InvalidInput`` for invalid YAML.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.config.files import decode, read_bytes
from articulado.ingestion.files.formats.source import is_article
from articulado.ingestion.model import Page
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

SIDECARS = (".yaml", ".yml")
"""Extensions of the file beside a document; the first that exists counts."""

LONGEST_BLOCK = 60
"""Lines of a header block at most."""

# Word processors make a dash of hyphens.
_RULE = re.compile(r"(?:-{3,}|[–—]-?)\s*")
_FIELD = re.compile(r"\w+\s*:")
_OPEN = re.compile(r"\s*-{3}\s*\n(?:court|body|number|date|ecli|title|provisions|type)\s*:")


def closing_rule(lines: Sequence[str]) -> int:
    """Return which line closes the header block that a text begins with; -1 where it begins with none."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if not any(_RULE.fullmatch(line) for line in lines[first : first + 1]):
        return -1
    block = range(first + 1, min(len(lines), first + LONGEST_BLOCK))
    last = next((number for number in block if _RULE.fullmatch(lines[number])), -1)
    return last if any(_FIELD.match(line) for line in lines[first + 1 : max(last, 0)]) else -1


def take_block(path: Path, pages: Sequence[Page]) -> tuple[dict[str, Any] | None, tuple[Page, ...]]:
    """Return the fields of the header block that a document begins with (``None`` without one), and what follows it.

    Raises:
        InvalidInput: the block is no YAML with one field a line, or nothing closes it.
    """
    if not pages:
        return None, ()
    lines = [line for paragraph in pages[0].paragraphs for line in paragraph.split("\n")]
    last = closing_rule(lines)
    if last < 0:
        if _OPEN.match("\n".join(lines)):
            raise InvalidInput(translate("file.header_open", path=path))
        return None, tuple(pages)
    taken, rest = 0, list(pages[0].paragraphs)
    while taken <= last:
        taken += rest.pop(0).count("\n") + 1
    first = next(number for number, line in enumerate(lines) if line.strip())
    fields = _fields("\n".join(lines[first + 1 : last]), translate("file.the_header", path=path))
    return fields, (replace(pages[0], paragraphs=(*lines[last + 1 : taken], *rest)), *pages[1:])


def sidecar(path: Path) -> dict[str, Any] | None:
    """Return the fields of ``<name>.<ext>.yaml`` or ``<name>.yaml`` (or ``.yml``) beside a document, else ``None``.

    Raises:
        InvalidInput: the file cannot be read, or is no YAML with one field a line.
    """
    for file in (path.with_name(name + suffix) for name in (path.name, path.stem) for suffix in SIDECARS):
        if file.is_file() and not is_article(file):
            lines = decode(read_bytes(file), file).splitlines()
            fields = [line for line in lines if not _RULE.fullmatch(line)]
            return _fields("\n".join(fields), translate("file.the_file", file=file))
    return None


def _fields(written: str, where: str) -> dict[str, Any]:
    try:
        # All values stay as they are written: a number is a name here, and the schema checks the dates.
        fields = load_yaml(unicodedata.normalize("NFC", written), yaml.BaseLoader)
    except UnreadableYaml as error:
        line = translate("file.yaml_line", line=error.line) if error.line else ""
        raise InvalidInput(translate("file.not_yaml", where=where, line=line)) from error
    if not isinstance(fields, dict):
        raise InvalidInput(translate("file.no_fields", where=where))
    return fields
