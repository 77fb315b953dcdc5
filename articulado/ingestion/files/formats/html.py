"""Reader of HTML: text by block, without scripts, navigation and hidden text."""

import re
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from articulado.config.files import decode, read_bytes
from articulado.ingestion.files.formats.css import drop_unseen
from articulado.ingestion.files.formats.inline import TICKED, UNTICKED, LeftOut, linear, lowered, raised
from articulado.ingestion.files.formats.lines import (
    clean,
    compounds,
    first_number,
    letter,
    rebuilt_paragraphs,
    width_of,
)
from articulado.ingestion.files.formats.source import one_page, refuse_other_formats, table_of
from articulado.ingestion.files.header import closing_rule
from articulado.ingestion.model import FileText
from articulado.language.formats import gap_mark
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from bs4 import Tag

_DROPPED = (
    "script, nav, noscript, button, title, datalist, [role=navigation], svg:not(:has(text))"
    ", .katex-html, .MathJax_Preview"
)
"""Elements without document text, and drawings of an equation that is also given in MathML."""
_BLOCKS = re.compile(
    r"address|article|aside|blockquote|body|br|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure"
    r"|footer|form|h[1-6]|header|hr|html|legend|li|main|ol|p|pre|section|summary|t(?:able|body|d|foot|h|head|r)|ul"
)
_HEADINGS = ("main h1, [role=main] h1, article h1", "h1:not(header h1)")
"""Selectors of the page heading; in the site header stands the site's name."""
_SITE = re.compile(r"\s+[|–—·-]\s+(?:(?!\s[|–—·-]\s).)*$")  # site name at the end of a title
_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>")
_MARK_LENGTH = 8  # characters of an item searched for its own mark
_HAS_MARK = re.compile(r"\s*(?:\d{1,3}|[a-zñ])[.)ºª-]")

_IN_PAGE = re.compile("#.")
_WITHOUT_VALUE = ("hidden", "password", "submit", "button", "reset", "image", "file")
_SMALLEST_PICTURE = 24  # pixels up to which a picture is a line or an icon
_FRAMES = ("header", "footer", "nav")

_LAYOUT_ONLY = ("table", "h1", "h2", "h3", "h4", "h5", "h6")
_LONG_CELL = 3  # paragraphs of a cell above which a table is only layout
_MAX_SPAN = 100  # maximum columns of a cell


def read(path: Path) -> FileText:
    """Return the text as one page without a number: a paragraph per block, one with a row per line for a table.

    Write out the markers of list items, equations and the values of fields. Raises ``InvalidInput`` if the file cannot
    be read, is empty, is no text, or its encoding is unknown.
    """
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    data = read_bytes(path)
    refuse_other_formats(path, data)
    text = decode(data, path, EncodingDetector.find_declared_encoding(data, is_html=True))
    lines = text.splitlines()
    header = closing_rule(lines) + 1
    soup = BeautifulSoup(_PROLOG.sub("", "\n".join(lines[header:]), count=1), "lxml")
    try:
        named = clean(soup.title.get_text()) if soup.title is not None else ""
        for dropped in soup.select(_DROPPED):
            dropped.decompose()
        left_out = LeftOut()
        drop_unseen(soup, left_out)
        title = _heading(soup) or _SITE.sub("", named)
        paragraphs = [*(clean(line) for line in lines[:header] if line.strip()), *blocks(soup)]
    except RecursionError as error:
        raise InvalidInput(translate("file.html_depth", path=path)) from error
    return one_page(path, paragraphs, title, left_out)


def _heading(soup: "Tag") -> str:
    texts = (" ".join(blocks(heading)) for path in _HEADINGS for heading in soup.select(path))
    return next(filter(None, texts), "")


def blocks(tag: "Tag") -> list[str]:
    """Return the text of an element, a paragraph for each block and line break."""
    reader = _BlockReader(_marks_of_notes(tag))
    reader.read(tag)
    reader.end()
    return reader.paragraphs


class _BlockReader:
    def __init__(self, notes: Collection[str]) -> None:
        self.paragraphs: list[str] = []
        self.open: list[str] = []
        self.mark = ""
        self._notes = notes
        self._items: Counter[int] = Counter()

    def end(self) -> None:
        if text := clean("".join(self.open)):
            self.paragraphs.append(f"{self.mark} {text}".lstrip())
            self.mark = ""
        self.open = []

    def read(self, tag: "Tag") -> None:
        from bs4 import Tag
        from bs4.element import PreformattedString

        for child in tag.children:
            if not isinstance(child, Tag):
                # Comments and the like are strings too.
                self.open += [] if isinstance(child, PreformattedString) else [str(child)]
            elif _BLOCKS.fullmatch(child.name):
                self.end()
                self._read_block(child)
                self.end()
            elif (inline := self._inline(child)) is not None:
                self.open.append(inline)
            else:
                self.read(child)

    def _inline(self, tag: "Tag") -> str | None:
        """Return the text of an element that shows more or other text; ``None`` for other elements."""
        before = "".join(self.open)
        match tag.name:
            case "sup":
                is_link = tag.find("a", href=_IN_PAGE) or tag.find_parent("a", href=_IN_PAGE)
                text = _flat(tag)
                return raised(before, text, {text} if is_link else self._notes)
            case "sub":
                return lowered(before, _flat(tag))
            case "math":
                return _equation(tag)
            case "input":
                return _field(tag)
            case "select":
                chosen = tag.select("option[selected]") or tag.select("option")[:1]
                return ", ".join(filter(None, map(_flat, chosen)))
            case "img" | "svg" | "canvas" | "object" | "embed":
                return _picture(tag)
        return None

    def _read_block(self, tag: "Tag") -> None:
        if tag.name == "pre":
            lines = [clean(line) for line in tag.get_text().splitlines()]
            self.paragraphs += rebuilt_paragraphs(lines, width_of(lines), compounds(lines))
        elif tag.name == "table" and not is_layout(tag):
            rows = table_rows(tag, lambda cell: " ".join(blocks(cell)))
            self.paragraphs += [text] if (text := table_of(rows).text()) else []
        else:
            self.mark = self._item_mark(tag) if tag.name == "li" else self.mark
            self.read(tag)
            if tag.name == "li":
                self.end()
                self.mark = ""

    def _item_mark(self, item: "Tag") -> str:
        """Count an item, and return the browser's mark for it; "" if the text has its own mark."""
        numbered = item.parent if item.parent is not None and item.parent.name == "ol" else None
        if numbered is None:
            return ""
        self._items[id(numbered)] += 1
        if _HAS_MARK.match(_beginning(item)):
            return ""
        number = self._items[id(numbered)] - 1 + first_number(str(numbered.get("start", "")))
        return f"{letter(number)})" if numbered.get("type") in ("a", "A") else f"{number}."


def _flat(tag: "Tag") -> str:
    return " ".join(blocks(tag))


def _marks_of_notes(tag: "Tag") -> frozenset[str]:
    first = (sup for sup in tag.find_all("sup") if not str(sup.previous_sibling or "").strip())
    return frozenset(
        sup.get_text().strip(" ()[]") for sup in first if sup.parent is not None and _BLOCKS.fullmatch(sup.parent.name)
    )


def _equation(tag: "Tag") -> str:
    from lxml import etree

    element = etree.fromstring(str(tag), etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
    return gap_mark("formula") if element is None else f" {linear(element)} "


def _field(tag: "Tag") -> str:
    kind = str(tag.get("type", "text")).lower()
    if kind in ("checkbox", "radio"):
        return f" {TICKED} " if tag.has_attr("checked") else f" {UNTICKED} "
    return "" if kind in _WITHOUT_VALUE else str(tag.get("value", ""))


def _picture(tag: "Tag") -> str:
    sides = [str(tag.get(name, "")) for name in ("width", "height")]
    small = any(side.isdecimal() and int(side) <= _SMALLEST_PICTURE for side in sides)
    decorates = tag.get("alt") == "" or tag.get("role") in ("presentation", "none") or tag.get("aria-hidden") == "true"
    return "" if small or decorates or tag.find_parent(_FRAMES) is not None else gap_mark("image")


def _beginning(item: "Tag") -> str:
    text = ""
    for piece in item.strings:
        text = (text + piece).lstrip()
        if len(text) >= _MARK_LENGTH:
            break
    return text


def is_layout(table: "Tag") -> bool:
    """Tell if a table is only layout: it contains a table, a heading or long text, or has one column."""
    if table.find(_LAYOUT_ONLY) is not None or any(
        len(cell.find_all("p")) > _LONG_CELL for cell in table.find_all("td")
    ):
        return True
    return all(len(row.find_all(("td", "th"))) < 2 for row in table.find_all("tr"))


def table_rows(table: "Tag", text_of: Callable[["Tag"], str]) -> list[list[str]]:
    """Return the cell texts by row, the caption first; a cell is repeated in the rows that it spans."""
    caption = table.find("caption")
    rows = [[text_of(caption)]] if caption is not None else []
    hanging: dict[int, tuple[int, str]] = {}
    for row in table.find_all("tr"):
        cells: list[str] = []
        for cell in row.find_all(("td", "th")):
            _hang(cells, hanging)
            text, rows_down = text_of(cell), _span(cell, "rowspan")
            for offset in range(min(_span(cell, "colspan"), _MAX_SPAN)):
                if rows_down > 1:
                    hanging[len(cells)] = rows_down - 1, "" if offset else text
                cells.append("" if offset else text)
        _hang(cells, hanging)
        rows.append(cells)
    return rows


def _hang(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = left - 1, text
        cells.append(text)


def _span(cell: "Tag", name: str) -> int:
    value = str(cell.get(name, ""))
    return max(1, int(value)) if value.isdecimal() and len(value) < 6 else 1
