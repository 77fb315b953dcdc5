"""Reader of OpenDocument texts: headings, paragraphs, lists and tables in document order."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from articulado.ingestion.files.formats.inline import (
    TICKED,
    UNTICKED,
    WHITE,
    Colour,
    LeftOut,
    colour_of,
    is_tiny,
    linear,
    lowered,
    raised,
    same_colour,
)
from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.formats import gap_mark, gaps_in

_NAMES = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
_TEXT, _TABLE, _BODY, _STYLE, _DRAW, _FORM = (
    f"{{{_NAMES.format(name)}}}" for name in ("text", "table", "office", "style", "drawing", "form")
)
_HREF = "{http://www.w3.org/1999/xlink}href"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_MATH = "{http://www.w3.org/1998/Math/MathML}math"
_BREAKS = {_TEXT + "line-break": "\n", _TEXT + "tab": "\t", _TEXT + "s": " "}
_PLACEHOLDER = _TEXT + "placeholder"
_CONTROL = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_ANNOTATION, _CHANGES = _BODY + "annotation", _TEXT + "tracked-changes"
_LEFT_OUT = {_TEXT + "note", _CHANGES, _ANNOTATION, _TEXT + "table-of-content", _BODY + "forms"}
_UNSHOWN = ("collapse", "filter")
_MAX_REPEATED = 100  # maximum columns of a repeated cell


def read(path: Path) -> FileText:
    """Return the text as one page without a number; a table is one paragraph with one row per line.

    List items have no mark unless it is typed. Notes stand at the end. Hidden text is left out with a warning.
    Raises ``InvalidInput`` if the file cannot be read, is damaged, locked, without text, or no OpenDocument text.
    """
    return packed_text(path, _content, "file.odt_damaged")


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...], LeftOut]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        reader = _Reader(package)
        return reader.title, tuple(reader.all()), reader.left_out


@dataclass(frozen=True)
class _Look:
    """Formatting that decides if a text is read; ``size`` is in points, ``position`` above or below the line."""

    hidden: bool = False
    struck: bool = False
    size: float = 12.0
    colour: Colour | None = None
    background: Colour | None = WHITE
    position: float = 0.0

    @property
    def shows(self) -> bool:
        unseen = self.colour and self.background and same_colour(self.colour, self.background)
        return not (self.hidden or is_tiny(self.size) or unseen)


class _Reader:
    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        content = self._xml("content.xml")
        meta = self._xml("meta.xml")
        self._body = content.find(f"{_BODY}body/{_BODY}text")
        self.title = "" if meta is None else clean(meta.findtext(f".//{_TITLE}") or "")
        shared = self._xml("styles.xml")
        trees = [tree for tree in (shared, content) if tree is not None]
        self._styles: dict[str, Any] = {
            style.get(_STYLE + "name"): style for tree in trees for style in tree.iter(_STYLE + "style")
        }
        self._controls = {
            str(name): control
            for control in self._body.iter()
            if isinstance(control.tag, str) and control.tag.startswith(_FORM) and (name := _id(control))
        }
        self._notes = frozenset(
            text.strip("()[] ")
            for paragraph in self._body.iter(_TEXT + "p")
            if len(paragraph) and not (paragraph.text or "").strip() and self._look(paragraph[0], _Look()).position > 0
            if (text := "".join(paragraph[0].itertext()))
        )
        deleted = [each for changes in self._body.iter(_CHANGES) for each in changes.iter(_TEXT + "deletion")]
        self.left_out = LeftOut(comments=sum(1 for _ in self._body.iter(_ANNOTATION)))
        for each in deleted:
            self.left_out.delete(" ".join(text for part in each.iter(_TEXT + "p") for text in part.itertext()))

    def all(self) -> Iterator[str]:
        yield from self._blocks(self._body, _Look())
        for note in self._body.iter(f"{_TEXT}note"):
            mark = clean(note.findtext(f"{_TEXT}note-citation") or "")
            for body in note.iter(f"{_TEXT}note-body"):
                for index, text in enumerate(self._blocks(body, _Look())):
                    yield f"({mark}) {text}" if mark and index == 0 else text

    def _xml(self, name: str) -> Any:
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        if name not in self._package.namelist():
            return None
        return etree.fromstring(self._package.read(name), parser)

    def _blocks(self, element: Any, look: _Look) -> Iterator[str]:
        for child in element:
            if child.tag in (_TEXT + "p", _TEXT + "h"):
                lines = self._line(child, look).split("\n")
                yield from (line for raw in lines if (line := clean(raw)))
                for box in child.iter(_DRAW + "text-box"):
                    yield from self._blocks(box, replace(look, background=None))
            elif child.tag == _TABLE + "table":
                if text := table_of(self._rows(child, look)).text():
                    yield text
            elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
                yield from self._blocks(child, self._look(child, look))

    def _rows(self, table: Any, look: _Look) -> Iterator[list[str]]:
        columns = [
            column.get(f"{_TABLE}visibility") in _UNSHOWN
            for column in table.iter(f"{_TABLE}table-column")
            for _ in range(_repeated(column))
        ]
        for row in _rows_of(table):
            below = replace(look, hidden=look.hidden or row.get(f"{_TABLE}visibility") in _UNSHOWN)
            yield self._cells(row, below, columns)

    def _cells(self, row: Any, look: _Look, hidden: list[bool]) -> list[str]:
        cells: list[str] = []
        for cell in row:
            count = _repeated(cell)
            is_hidden = look.hidden or (len(cells) < len(hidden) and hidden[len(cells)])
            own = replace(self._look(cell, look), hidden=is_hidden)
            cells += [" ".join(self._blocks(cell, own)) if cell.tag == _TABLE + "table-cell" else ""] * count
        return cells

    def _line(self, element: Any, look: _Look) -> str:
        line = ""
        for text, own in self._texts(element, self._look(element, look)):
            if not text:
                continue
            if not own.shows:
                self.left_out.hide(text)
            elif own.struck and gaps_in(text) != [text]:
                line += self.left_out.strike(text)
            elif own.position:
                line += raised(line, text, self._notes) if own.position > 0 else lowered(line, text)
            else:
                line += text
        return line

    def _texts(self, element: Any, look: _Look) -> Iterator[tuple[str, _Look]]:
        yield element.text or "", look
        for child in element:
            if child.tag in _BREAKS:
                yield _BREAKS[child.tag], replace(look, position=0.0)
            elif child.tag == _TEXT + "note":
                mark = clean(child.findtext(f"{_TEXT}note-citation") or "")
                yield f" ({mark})" if mark else "", replace(look, position=0.0)
            elif child.tag == _DRAW + "frame":
                yield self._frame(child), look
            elif child.tag == _DRAW + "control":
                yield _value(self._controls.get(child.get(_DRAW + "control", ""))), look
            elif child.tag in (_TEXT + "hidden-text", _TEXT + "hidden-paragraph"):
                is_hidden = child.get(_TEXT + "is-hidden") == "true"
                yield "".join(child.itertext()), replace(look, hidden=look.hidden or is_hidden)
            elif child.tag == _PLACEHOLDER or child.get(_CONTROL + "showing-place-holder") == "true":
                self.left_out.unfilled += 1
            elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
                yield from self._texts(child, self._look(child, look))
            yield child.tail or "", look

    def _frame(self, frame: Any) -> str:
        if frame.find(_DRAW + "text-box") is not None:
            return ""
        embedded = frame.find(_DRAW + "object")
        if embedded is None:
            return gap_mark("image") if frame.find(_DRAW + "image") is not None else ""
        if (equation := embedded.find(_MATH)) is None:
            name = str(embedded.get(_HREF, "")).removeprefix("./")
            content = self._xml(f"{name}/content.xml")
            equation = content if content is not None and content.tag == _MATH else None
        return linear(equation) if equation is not None else gap_mark("image")

    def _look(self, element: Any, look: _Look) -> _Look:
        names = (element.get(prefix + "style-name") for prefix in (_TEXT, _TABLE))
        name = next(filter(None, names), None)
        if element.get(_TEXT + "display") == "none" or element.get(_TEXT + "is-hidden") == "true":
            look = replace(look, hidden=True)
        return look if name is None else _with_style(look, self._properties(str(name)))

    def _properties(self, name: str) -> Mapping[str, str]:
        found: dict[str, str] = {}
        seen: set[str] = set()
        while name and name not in seen and (style := self._styles.get(name)) is not None:
            seen.add(name)
            for group in style:
                if isinstance(group.tag, str) and group.tag.endswith("-properties"):
                    for key, value in group.attrib.items():
                        found.setdefault(str(key).rpartition("}")[2], str(value))
            name = str(style.get(_STYLE + "parent-style-name", ""))
        return found


def _with_style(look: _Look, properties: Mapping[str, str]) -> _Look:
    """Apply the properties of a style: ODF 1.3, part 3, sections 16.29 and 20."""
    size, base = properties.get("font-size", ""), look.size
    number = size.rstrip("pt%")
    if number.replace(".", "", 1).isdecimal():
        base = look.size * float(number) / 100 if size.endswith("%") else float(number)
    position = properties.get("text-position", "").split(" ")[0]
    heights = {"super": 1.0, "sub": -1.0, "": look.position}
    share = position.rstrip("%")
    raised_by = float(share) if share.lstrip("-").replace(".", "", 1).isdecimal() else heights.get(position, 0.0)
    fill = properties.get("background-color", "")
    through = properties.get("text-line-through-style") or properties.get("text-line-through-type")
    return _Look(
        struck=through != "none" if through else look.struck,
        hidden=look.hidden or properties.get("display") == "none",
        size=base,
        colour=colour_of(properties["color"]) if "color" in properties else look.colour,
        background=look.background if fill in ("", "transparent") else colour_of(fill),
        position=raised_by,
    )


def _rows_of(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == f"{_TABLE}table-row":
            yield child
        elif isinstance(child.tag, str):
            yield from _rows_of(child)


def _repeated(element: Any) -> int:
    repeated = str(element.get(f"{_TABLE}number-columns-repeated", "1"))
    return min(int(repeated), _MAX_REPEATED) if repeated.isdecimal() else 1


def _id(control: Any) -> str:
    return str(control.get("{http://www.w3.org/XML/1998/namespace}id") or control.get(_FORM + "id") or "")


def _value(control: Any) -> str:
    if control is None:
        return ""
    kind = control.tag.removeprefix(_FORM)
    if kind in ("checkbox", "radio"):
        state = (
            control.get(_FORM + "current-state")
            or control.get(_FORM + "state")
            or control.get(_FORM + "current-selected")
        )
        box = TICKED if state in ("checked", "true") else UNTICKED
        return f"{box} {control.get(_FORM + 'label', '')}"
    if kind == "listbox":
        chosen = [each for each in control if each.get(_FORM + "current-selected") == "true"]
        return ", ".join(str(each.get(_FORM + "label", "")) for each in chosen)
    shown = control.get(_FORM + "current-value") or control.get(_FORM + "value") or control.get(_FORM + "label") or ""
    return "" if kind in ("hidden", "password", "button") else str(shown)
