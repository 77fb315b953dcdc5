"""Reader of OpenDocument texts: headings, paragraphs, lists and tables in document order.

``read`` returns one page without a number, with the notes at the end. A table is one paragraph with one row
per line. List items have no mark unless it is typed.
"""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

_NAMES = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_TEXT, _TABLE, _BODY = (f"{{{_NAMES.format(name)}}}" for name in ("text", "table", "office"))
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_BREAKS = {_TEXT + "line-break": "\n", _TEXT + "tab": "\t", _TEXT + "s": " "}
_LEFT_OUT = {_TEXT + "note", _TEXT + "tracked-changes", _BODY + "annotation", _TEXT + "table-of-content"}
_MAX_REPEATED = 100
"""Columns that an empty cell may stand for at most."""


def read(path: Path) -> FileText:
    """Return the text as one page without a number; a table is one paragraph with a row a line.

    Items of lists keep no mark but those that are typed. Notes stand at the end.

    Raises:
        InvalidInput: the file cannot be read, is damaged, locked, without text, or no OpenDocument text.
    """
    data = read_bytes(path)
    return packed_text(path, data, _content)


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the title in the properties of a document, and its paragraphs."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            body = etree.fromstring(package.read("content.xml"), parser).find(f"{_BODY}body/{_BODY}text")
            meta = etree.fromstring(package.read("meta.xml"), parser) if "meta.xml" in package.namelist() else None
        title = "" if meta is None else clean(meta.findtext(f".//{_TITLE}") or "")
        notes = [part for note in body.iter(f"{_TEXT}note-body") for part in _blocks(note)]
        return title, (*_blocks(body), *notes)
    except Exception as error:  # A damaged file fails in every way that there is.
        raise InvalidInput(translate("file.odt_damaged", path=path)) from error


def _blocks(element: Any) -> Iterator[str]:
    """Yield the paragraphs below an element, a table as one."""
    for child in element:
        if child.tag in (_TEXT + "p", _TEXT + "h"):
            lines = "".join(_texts(child)).split("\n")
            yield from (line for raw in lines if (line := clean(raw)))
        elif child.tag == _TABLE + "table":
            if text := table_of(_cells(row) for row in _rows(child)).text():
                yield text
        elif child.tag not in _LEFT_OUT:
            yield from _blocks(child)


def _rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, also those in groups; those of a table in a cell are text of that cell."""
    for child in table:
        if child.tag == f"{_TABLE}table-row":
            yield child
        else:
            yield from _rows(child)


def _cells(row: Any) -> list[str]:
    """Return the texts of a row; a cell that another one covers is empty."""
    cells: list[str] = []
    for cell in row:
        repeated = str(cell.get(f"{_TABLE}number-columns-repeated", "1"))
        count = min(int(repeated), _MAX_REPEATED) if repeated.isdecimal() else 1
        cells += [" ".join(_blocks(cell)) if cell.tag == _TABLE + "table-cell" else ""] * count
    return cells


def _texts(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _texts(child)
        yield child.tail or ""
