"""Reader of Word documents: paragraphs and tables in document order, notes at the end."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.ingestion.files.formats.inline import LeftOut, linear
from articulado.ingestion.files.formats.lines import clean, first_number, letter
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.files.formats.word_text import (
    EQUATIONS,
    NS,
    W,
    WordText,
    find,
    notes_of,
    open_docx,
    related,
    value_at,
)
from articulado.ingestion.model import FileText
from articulado.language.numerals import roman

if TYPE_CHECKING:
    from docx.document import Document

_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": letter,
    "upperLetter": lambda number: letter(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
}
_UNNUMBERED = ("bullet", "none")


class Numbering:
    """The lists of a document, and their counters."""

    def __init__(self, document: "Document") -> None:
        from lxml import etree

        self._styles = {style.style_id: style for style in document.styles}
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._lists: dict[str, str] = {}
        self._counted: dict[str, dict[int, int]] = defaultdict(dict)
        for part in related(document, "numbering"):
            root = etree.fromstring(part.blob)
            for abstract in root.findall("w:abstractNum", NS):
                levels = {int(value_at(level, "@w:ilvl")): _level(level) for level in abstract.findall("w:lvl", NS)}
                self._levels[value_at(abstract, "@w:abstractNumId")] = levels
            for number in root.findall("w:num", NS):
                self._add(number)

    def _add(self, number: Any) -> None:
        name, abstract = value_at(number, "@w:numId"), value_at(number, "w:abstractNumId/@w:val")
        overrides = number.findall("w:lvlOverride[w:startOverride]", NS)
        if not overrides or abstract not in self._levels:
            self._lists[name] = abstract
            return
        # A restarted list has its own counter.
        self._levels[f"{abstract}/{name}"] = levels = dict(self._levels[abstract])
        for override in overrides:
            level = int(value_at(override, "@w:ilvl"))
            if level in levels:
                levels[level] = (*levels[level][:2], first_number(value_at(override, "w:startOverride/@w:val")))
        self._lists[name] = f"{abstract}/{name}"

    def style_of(self, paragraph: Any) -> str:
        style = self._styles.get(value_at(paragraph, "w:pPr/w:pStyle/@w:val"))
        return (style.name or "") if style is not None else ""

    def mark_of(self, paragraph: Any) -> str:
        """Count a paragraph, and return its mark ("1.2.", "a)", "Artículo 3.") or ""."""
        properties = [paragraph]
        style = self._styles.get(value_at(paragraph, "w:pPr/w:pStyle/@w:val"))
        while style is not None and len(properties) < len(self._styles) + 2:
            properties.append(style.element)
            style = self._styles.get(value_at(style.element, "w:basedOn/@w:val"))
        names = (value_at(element, "w:pPr/w:numPr/w:numId/@w:val") for element in properties)
        depths = (value_at(element, "w:pPr/w:numPr/w:ilvl/@w:val") for element in properties)
        name, depth = next(filter(None, names), ""), next(filter(None, depths), "0")
        levels = self._levels.get(self._lists.get(name, ""), {})
        return self._count(self._lists[name], levels, int(depth)) if int(depth) in levels else ""

    def _count(self, name: str, levels: dict[int, tuple[str, str, int]], depth: int) -> str:
        counted = self._counted[name]
        for deeper in [level for level in counted if level > depth]:
            del counted[deeper]
        counted[depth] = counted.get(depth, levels[depth][2] - 1) + 1
        if levels[depth][0] in _UNNUMBERED:
            return ""

        def number_of(placeholder: re.Match[str]) -> str:
            level = int(placeholder[1]) - 1
            form, _, start = levels.get(level, ("decimal", "", 1))
            return _FORMATS.get(form, str)(counted.get(level, start))

        return re.sub(r"%(\d)", number_of, levels[depth][1]).strip()


def _level(level: Any) -> tuple[str, str, int]:
    start = first_number(value_at(level, "w:start/@w:val"))
    return value_at(level, "w:numFmt/@w:val"), value_at(level, "w:lvlText/@w:val"), start


_TRANSPARENT = {W + name for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")}
_CONTINUES = ("", "continue")
_MOST_COLUMNS = 100  # maximum columns of a cell


def read(path: Path) -> FileText:
    """Return the text as one page without a number, with computed list numbers ("1.", "a)", "Artículo 3.").

    A table is one paragraph with one row per line. Deleted and hidden text is left out with a warning.
    Raises ``InvalidInput`` if the file cannot be read, is damaged, locked, without text, or no Word document.
    """
    return packed_text(path, _content, "file.docx_damaged")


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...], LeftOut]:
    document = open_docx(path, data)
    # python-docx gives a document without properties a default English title.
    own = any(relation.reltype.endswith("/core-properties") for relation in document.part.package.rels.values())
    text = WordText(document)
    paragraphs = tuple(_Reader(document, text).all())
    count_margins(document, text)
    return clean(document.core_properties.title or "") if own else "", paragraphs, text.left_out


def count_margins(document: "Document", text: WordText) -> None:
    text.left_out.margins += sum(map(len, _Reader(document, text).margins()))


class _Reader:
    def __init__(self, document: "Document", text: WordText) -> None:
        self.text = text
        self._document = document
        self._numbering = Numbering(document)

    def all(self) -> Iterator[str]:
        yield from self._blocks(self._document.element.body)
        for kind, note in notes_of(self._document):
            number = self.text.number_of(kind, note.get(W + "id", ""))
            for index, text in enumerate(self._blocks(note)):
                yield f"({number}) {text}" if number and index == 0 else text

    def margins(self) -> Iterator[str]:
        from lxml import etree

        for part in (*related(self._document, "header"), *related(self._document, "footer")):
            yield from self._blocks(etree.fromstring(part.blob))

    def _blocks(self, element: Any) -> Iterator[str]:
        for child in element:
            if child.tag == W + "p":
                yield from self._paragraph(child)
            elif child.tag == W + "tbl":
                yield from self._table(child)
            elif child.tag in EQUATIONS:
                yield linear(child)
            elif child.tag in _TRANSPARENT:
                yield from self._blocks(child)

    def _paragraph(self, paragraph: Any) -> Iterator[str]:
        struck = self.text.left_out.struck
        lines = [line for raw in self.text.lines(paragraph) if (line := clean(raw))]
        style = self._numbering.style_of(paragraph)
        if style.lower().startswith(("heading", "título", "titulo", "title")):
            lines = [" ".join(lines)] if lines else []
        if lines:
            lines[0] = f"{self._numbering.mark_of(paragraph)} {lines[0]}".lstrip()
        elif self.text.left_out.struck > struck:
            # A struck-through item still counts.
            self._numbering.mark_of(paragraph)
        yield from lines
        for box in find(paragraph, ".//w:txbxContent[not(ancestor::mc:Fallback)]"):
            yield from self._blocks(box)

    def _table(self, element: Any) -> Iterator[str]:
        rows = _grid(element)
        if all(len(set(row)) < 2 for row in rows):
            seen = dict.fromkeys(cell for row in rows for cell in row if cell is not None)
            yield from (text for cell in seen for text in self._blocks(cell))
        elif text := table_of([self._cell(row, column) for column in range(len(row))] for row in rows).text():
            yield text

    def _cell(self, row: list[Any], column: int) -> str:
        cell = row[column]
        spanned = cell is None or (column and cell is row[column - 1])
        return "" if spanned else " ".join(self._blocks(cell))


def _grid(table: Any) -> list[list[Any]]:
    """Return the cells of a table by row and column: a spanning cell is in each, ``None`` fills gaps."""
    rows: list[list[Any]] = []
    for row in _inside(table, W + "tr"):
        before = value_at(row, "./w:trPr/w:gridBefore/@w:val")
        cells: list[Any] = [None] * min(int(before) if before.isdecimal() else 0, _MOST_COLUMNS)
        for cell in _inside(row, W + "tc"):
            above = rows[-1][len(cells)] if rows and len(cells) < len(rows[-1]) else None
            merged = find(cell, "./w:tcPr/w:vMerge")
            continues = bool(merged) and merged[0].get(W + "val", "") in _CONTINUES
            span = value_at(cell, "./w:tcPr/w:gridSpan/@w:val")
            columns = min(max(1, int(span)) if span.isdecimal() else 1, _MOST_COLUMNS)
            cells += [above if continues and above is not None else cell] * columns
        rows.append(cells)
    return rows


def _inside(element: Any, tag: str) -> Iterator[Any]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _TRANSPARENT:
            yield from _inside(child, tag)
