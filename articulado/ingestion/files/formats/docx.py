"""Reader of Word documents: paragraphs and tables in document order, notes at the end.

``read`` returns one page without a number. Computed list numbers ("1.", "a)", "Artículo 3.") are written
out, and deleted text is left out. A table is one paragraph with one row per line. ``Numbering`` counts the
lists; ``lines_of`` and ``find`` serve other readers of Word XML.
"""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.lines import clean, first_number, letter
from articulado.ingestion.files.formats.source import OLD_OFFICE, packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.numerals import roman
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from docx.document import Document


NS = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
}
W = f"{{{NS['w']}}}"
_CHARACTERS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
# Properties, what was moved away (what was deleted is no w:t), text boxes (blocks of their own), copies of drawings.
_LEFT_OUT = {W + name for name in ("pPr", "rPr", "moveFrom", "txbxContent")} | {f"{{{NS['mc']}}}Fallback"}


def lines_of(paragraph: Any) -> list[str]:
    """Return the text of a paragraph line by line, tracked insertions and linked text included."""
    return "".join(_texts(paragraph)).split("\n")


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _LEFT_OUT:
            continue
        if child.tag == W + "t":
            yield child.text or ""
        elif child.tag in _CHARACTERS:
            yield _CHARACTERS[child.tag]
        else:
            yield from _texts(child)


def find(element: Any, path: str) -> list[Any]:
    """Return what an XPath finds from an element, with the prefixes of ``NS``."""
    matches: list[Any] = _compiled(path)(element)
    return matches


@cache
def _compiled(path: str) -> Any:
    from lxml import etree

    compile_path: Any = etree.XPath
    return compile_path(path, namespaces=NS)


_FORMATS: dict[str, Callable[[int], str]] = {
    "lowerLetter": letter,
    "upperLetter": lambda number: letter(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
}
_UNNUMBERED = ("bullet", "none")


def related(document: "Document", kind: str) -> list[Any]:
    """Return the parts of a document of one kind ("numbering", "footnotes")."""
    relations = document.part.rels.values()
    return [
        relation.target_part
        for relation in relations
        if not relation.is_external and relation.reltype.endswith(f"/{kind}")
    ]


class Numbering:
    """The lists of a document, and how far each has counted."""

    def __init__(self, document: "Document") -> None:
        from lxml import etree

        self._styles = {style.style_id: style for style in document.styles}
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._lists: dict[str, str] = {}
        self._counted: dict[str, dict[int, int]] = defaultdict(dict)
        for part in related(document, "numbering"):
            root = etree.fromstring(part.blob)
            for abstract in root.findall("w:abstractNum", NS):
                levels = {int(_value(level, "@w:ilvl")): _level(level) for level in abstract.findall("w:lvl", NS)}
                self._levels[_value(abstract, "@w:abstractNumId")] = levels
            for number in root.findall("w:num", NS):
                self._add(number)

    def _add(self, number: Any) -> None:
        name, abstract = _value(number, "@w:numId"), _value(number, "w:abstractNumId/@w:val")
        overrides = number.findall("w:lvlOverride[w:startOverride]", NS)
        if not overrides or abstract not in self._levels:
            self._lists[name] = abstract
            return
        # A list that begins again counts by itself.
        self._levels[f"{abstract}/{name}"] = levels = dict(self._levels[abstract])
        for override in overrides:
            level = int(_value(override, "@w:ilvl"))
            if level in levels:
                levels[level] = (*levels[level][:2], first_number(_value(override, "w:startOverride/@w:val")))
        self._lists[name] = f"{abstract}/{name}"

    def style_of(self, paragraph: Any) -> str:
        """Return the name of a paragraph's style ("Heading 1"), empty where it has the default one."""
        style = self._styles.get(_value(paragraph, "w:pPr/w:pStyle/@w:val"))
        return (style.name or "") if style is not None else ""

    def mark_of(self, paragraph: Any) -> str:
        """Count a paragraph, and return its mark ("1.2.", "a)", "Artículo 3."); empty where it has none."""
        properties = [paragraph]
        style = self._styles.get(_value(paragraph, "w:pPr/w:pStyle/@w:val"))
        while style is not None and len(properties) < len(self._styles) + 2:
            properties.append(style.element)
            style = self._styles.get(_value(style.element, "w:basedOn/@w:val"))
        names = (_value(element, "w:pPr/w:numPr/w:numId/@w:val") for element in properties)
        depths = (_value(element, "w:pPr/w:numPr/w:ilvl/@w:val") for element in properties)
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
            return _FORMATS.get(form, _decimal)(counted.get(level, start))

        return re.sub(r"%(\d)", number_of, levels[depth][1]).strip()


def _decimal(number: int) -> str:
    return str(number)


def _level(level: Any) -> tuple[str, str, int]:
    """Return the format of a level's numbers, the text around them ("%1.%2.") and the first number."""
    start = first_number(_value(level, "w:start/@w:val"))
    return _value(level, "w:numFmt/@w:val"), _value(level, "w:lvlText/@w:val"), start


def _value(element: Any, path: str) -> str:
    """Return the first value at a path of elements that ends with an attribute, empty without one."""
    values = find(element, path)
    return str(values[0]) if values else ""


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
