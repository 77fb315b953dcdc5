"""Read Word documents: paragraphs and tables in the order of the document, notes at the end."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from ingestion.files.formats.docx_numbering import Numbering, related
from ingestion.files.formats.docx_xml import W, find, lines_of
from ingestion.files.formats.lines import clean
from ingestion.files.formats.source import OLD_OFFICE, packed_text
from ingestion.files.formats.tables import table_of
from ingestion.model import FileText

if TYPE_CHECKING:
    from docx.document import Document

_TRANSPARENT = {W + name for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo")}


def read(path: Path) -> FileText:
    """Return the text as one page without a number; a table is one paragraph with a row a line.

    Numbers that Word computes ("1.", "a)", "Artículo 3.") are written out; deleted text is left out.

    Raises:
        InvalidInput: the file cannot be read, is damaged, locked, without text, or no Word document.
    """
    data = read_bytes(path)
    if data.startswith(OLD_OFFICE):
        raise InvalidInput(translate("file.docx_protected", path=path))
    return packed_text(path, data, _content)


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the title in the properties of a document, and its paragraphs."""
    with importing("documents"):
        import docx

    try:
        document = docx.Document(io.BytesIO(data))
        return clean(document.core_properties.title or ""), tuple(_Reader(document).all())
    except Exception as error:  # A damaged file fails in every way that there is.
        raise InvalidInput(translate("file.docx_damaged", path=path)) from error


class _Reader:
    def __init__(self, document: "Document") -> None:
        self._document = document
        self._numbering = Numbering(document)

    def all(self) -> Iterator[str]:
        """Yield the paragraphs of the body, then those of the notes."""
        from lxml import etree

        yield from self._blocks(self._document.element.body)
        for kind in ("footnotes", "endnotes"):
            for part in related(self._document, kind):
                yield from (text for note in etree.fromstring(part.blob) for text in self._blocks(note))

    def _blocks(self, element: Any) -> Iterator[str]:
        for child in element:
            if child.tag == W + "p":
                yield from self._paragraph(child)
            elif child.tag == W + "tbl":
                yield from self._table(child)
            elif child.tag in _TRANSPARENT:
                yield from self._blocks(child)

    def _paragraph(self, paragraph: Any) -> Iterator[str]:
        """Yield the lines of a paragraph (the one line of a heading), then what stands in its text boxes."""
        lines = [line for raw in lines_of(paragraph) if (line := clean(raw))]
        style = self._numbering.style_of(paragraph)
        if style.lower().startswith(("heading", "título", "titulo", "title")):
            lines = [" ".join(lines)] if lines else []
        if lines:
            lines[0] = f"{self._numbering.mark_of(paragraph)} {lines[0]}".lstrip()
        yield from lines
        for box in find(paragraph, ".//w:txbxContent[not(ancestor::mc:Fallback)]"):
            yield from self._blocks(box)

    def _table(self, element: Any) -> Iterator[str]:
        from docx.table import Table

        rows = [[cell._tc for cell in row.cells] for row in Table(element, self._document).rows]
        if all(len(set(row)) < 2 for row in rows):
            seen = dict.fromkeys(cell for row in rows for cell in row)
            yield from (text for cell in seen for text in self._blocks(cell))
        elif text := table_of([self._cell(row, column) for column in range(len(row))] for row in rows).text():
            yield text

    def _cell(self, row: list[Any], column: int) -> str:
        """Return the text of a cell; one that spans columns is followed by empty ones."""
        spanned = column and row[column] is row[column - 1]
        return "" if spanned else " ".join(self._blocks(row[column]))
