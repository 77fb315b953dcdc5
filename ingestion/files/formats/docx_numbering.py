"""Compute the numbers that Word shows before paragraphs and does not store."""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from articulado.language.numerals import roman
from ingestion.files.formats.docx_xml import NS, find
from ingestion.files.formats.list_marks import first_number, letter

if TYPE_CHECKING:
    from docx.document import Document

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
