"""Visible content of one page of a PDF in reading order.

A page with mostly sideways text is turned first. A page that is an image is recognised by Tesseract if the extra
``ocr`` is installed.
"""

import io
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from articulado.config.extras import importing
from articulado.ingestion.files.formats.added_text import (
    RECOGNISED,
    annotations_of,
    is_text,
    recognised_words,
    with_fields,
)
from articulado.ingestion.files.formats.aligned import (
    PrintedTable,
    Region,
    Word,
    aligned_tables,
    ruled_tables,
    turned,
    turned_back,
)
from articulado.ingestion.files.formats.drawn import Drawing, Pictures, drawings, text_of
from articulado.ingestion.files.formats.layout import (
    Letter,
    Row,
    blanks_above,
    by_turn,
    columns_of,
    pitch_of,
    rows_of,
    words_of,
)
from articulado.ingestion.files.formats.lines import clean, spoken_in
from articulado.ingestion.files.formats.source import Table, table_of
from articulado.language.formats import gap_mark
from articulado.language.table_text import is_amount

if TYPE_CHECKING:
    from pdfplumber.page import Page as PrintedPage
    from pypdf import PdfReader


class PrintedLine(NamedTuple):
    """Line of a page, with its column and position."""

    text: str
    column: int = 0  # 0: text across the whole page
    alone: bool = False  # a paragraph by itself
    parted: bool = False  # below a gap
    in_margin: bool = False  # apart from the text, at the head or foot of the page


Line = PrintedLine | Table


@dataclass
class PageContent:
    """Lines of a page in reading order, and its defects."""

    lines: list[Line] = field(default_factory=list)
    tables_read: bool = True
    is_picture: bool = False
    lost_table: bool = False
    hidden: int = 0  # number of invisible letters
    hidden_notes: int = 0
    across: str = ""  # watermark
    recognised: Literal["", "before", "now"] = ""  # text recognised on an image, by another program or now
    recognised_pictures: bool = False
    lost_picture: bool = False
    lost_formula: bool = False
    languages: set[str] = field(default_factory=set)  # of columns beside Spanish ones


_MIN_LETTERS = 30  # minimum letters of a sideways table
_MIN_AMOUNTS = 3  # minimum amounts of a sideways table
_GRID = 60  # cells of a page, each way, to measure the share of its images
_PICTURE = 0.08  # share of a page from which a picture is no formula, and is read even if repeated
_TINY = (8.0, 40.0)  # shorter and longer side, in points, of the largest icon or rule
_LOGO, _LOGO_AREA = 0.2, 0.04  # maximum position and area of a logo on the first page, as shares
_SEAM = 1.5  # maximum distance of two strips of one picture, in points
_EQUATION = re.compile(r"[=×÷√∑∫±]")  # signs of an equation in the text recognised on a small picture
_MARGIN = 0.1  # share of a page, above and below, for logos
_FORMULA_HEIGHT = (8.0, 90.0)  # heights of a formula picture, in points

_ANNOUNCED = re.compile(r"(?:[:=]|\b(?:f[óo]rmula|ecuaci[óo]n|expresi[óo]n|c[áa]lculo)\b[^.]*)$", re.IGNORECASE)
"""End of a line that announces a formula picture."""


def page_contents(data: bytes, reader: "PdfReader") -> Iterator[PageContent]:
    """Yield the content of each page; ``reader`` has the annotations, and the text of a defective page."""
    with importing("documents"):
        import pdfplumber

    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
    with pdfplumber.open(io.BytesIO(data), password="") as document, drawings(data) as drawn:
        pictures = Pictures(drawn)
        for number, printed in enumerate(reader.pages):
            try:
                page = document.pages[number]
                yield _Page(page, drawn[number], printed, pictures).content()
                page.close()
            except Exception:  # a defect that pypdf tolerates
                lines = map(clean, printed.extract_text().splitlines())
                yield PageContent([PrintedLine(line) for line in lines], tables_read=False)


class _Page:
    def __init__(self, page: "PrintedPage", drawn: Any, printed: Any, pictures: Pictures) -> None:
        self.pictures = pictures
        self.turn = _turn_of(page)
        self.page = _turned_page(page, self.turn)
        drawn.set_rotation(self.page.rotation)
        self.drawing = Drawing(drawn, self.page.cropbox[0], self.page.cropbox[1], _image_share(self.page))
        self.annotations = annotations_of(printed, self.page.mediabox, self.page.rotation)
        self.is_first = page.page_number == 1
        self.page_name = f"página {page.page_number}"
        self.size = float(self.page.width), float(self.page.height)
        self.marks: list[Word] = []
        self.result = PageContent(hidden_notes=self.annotations.hidden)

    def content(self) -> PageContent:
        groups = by_turn(self._letters())
        words = words_of(groups.pop(0, []), 0, *self.size)
        self.result.across = text_of(groups.pop(None, []))
        sideways = {turn: words_of(group, turn, *self.size) for turn, group in groups.items() if turn is not None}
        if not self.result.recognised and self.drawing.is_picture([*words, *chain.from_iterable(sideways.values())]):
            if recognised := recognised_words(self.drawing):
                words, sideways, self.result.recognised = recognised, {}, "now"
            else:
                self.result.is_picture = True
        words = with_fields([*words, *self._pictures(words)], self.annotations.shown)
        tables = [*ruled_tables(self.page, [*words, *chain.from_iterable(sideways.values())])]
        outside = _outside(words, tables)
        tables += [PrintedTable(table_of(rows), region) for rows, region in aligned_tables(outside)]
        above: list[Line] = []
        below: list[Line] = []
        for turn, group in sideways.items():
            self._read_sideways(turn, _outside(group, tables), tables, above, below)
        placed = [*_outside(outside, tables), *(_as_word(table) for table in tables), *self.marks]
        self.result.lines = [*above, *self._lines(placed), *below]
        if self.result.recognised == "now":
            self.result.lines.insert(0, PrintedLine(RECOGNISED, alone=True))
        if self.result.is_picture:
            self.result.lines.append(PrintedLine(gap_mark("page", self.page_name), alone=True))
        self.result.lines += [PrintedLine(note, alone=True) for note in self.annotations.notes]
        return self.result

    def _letters(self) -> list[Letter]:
        seen = self.drawing.sort(self.page.chars)
        hidden, letters = seen.hidden, seen.shown
        if seen.layer:
            words = [
                word for turn, group in by_turn(letters).items() for word in words_of(group, turn or 0, *self.size)
            ]
            if self.drawing.is_picture(words):
                self.result.recognised = "before"
                shown = {id(letter) for letter in (*seen.shown, *seen.layer)}
                letters = [letter for letter in self.page.chars if id(letter) in shown]
            else:
                hidden = [*hidden, *seen.layer]
        self.result.hidden = sum(letter["text"].isalnum() for letter in hidden)
        return letters

    def _lines(self, words: Sequence[Word]) -> Iterator[Line]:
        columns = columns_of(words, self.size[1])
        left_out = self._foreign(columns)
        pitch = pitch_of([rows for rows, _ in columns])
        margin = {id(row[0]) for row in _margin_rows(rows_of(words), pitch, self.size[1])}
        for number, (rows, group) in enumerate(columns, 1):
            if number - 1 not in left_out:
                for row, parted in zip(rows, blanks_above(rows, pitch), strict=True):
                    line = _line(row, number if group else 0, parted)
                    yield line._replace(in_margin=id(row[0]) in margin) if isinstance(line, PrintedLine) else line

    def _foreign(self, columns: Sequence[tuple[list[Row], int]]) -> set[int]:
        spoken: dict[int, dict[int, str]] = defaultdict(dict)
        for number, (rows, group) in enumerate(columns):
            text = " ".join(word.text for row in rows for word in row)
            if group:
                spoken[group][number] = spoken_in(text)
        beside = [languages for languages in spoken.values() if "es" in languages.values()]
        foreign = {number: code for languages in beside for number, code in languages.items() if code not in ("", "es")}
        self.result.languages |= set(foreign.values())
        return set(foreign)

    def _read_sideways(
        self, turn: int, words: Sequence[Word], tables: list[PrintedTable], above: list[Line], below: list[Line]
    ) -> None:
        """Read rotated text: put tables in their place, and other lines above or below the page."""
        upright = [replace(turned(word, turn, *self.size), upright=True) for word in words]
        found: list[PrintedTable] = []
        if sum(len(word.text) for word in words) >= _MIN_LETTERS:
            found = self._sideways_tables(turn, upright)
            tables += [PrintedTable(table, turned_back(region, turn, *self.size)) for table, region in found]
        rest = [word for word in upright if not any(table.region.holds(word) for table in found)]
        if not found and sum(is_amount(word.text) for word in rest) >= _MIN_AMOUNTS:
            self.result.lost_table = True
            below.append(PrintedLine(gap_mark("table", self.page_name), alone=True))
        across = self.size[1] if turn == 2 else self.size[0]
        for row in rows_of(rest):
            is_title = self.turn and (self.turn + turn) % 4 == 0 and 2 * row[0].middle < across
            in_margin = not _MARGIN * across < row[0].middle < (1 - _MARGIN) * across
            text = clean(" ".join(word.text for word in row))
            (above if is_title else below).append(PrintedLine(text, alone=True, in_margin=in_margin))

    def _sideways_tables(self, turn: int, words: Sequence[Word]) -> list[PrintedTable]:
        page = _turned_page(self.page, turn)
        ruled = [*ruled_tables(page, words)]
        aligned = aligned_tables(_outside(words, ruled))
        return [*ruled, *(PrintedTable(table_of(rows), region) for rows, region in aligned)]

    def _pictures(self, words: Sequence[Word]) -> Iterator[Word]:
        """Yield the text recognised on images, or marks of images with an unread formula or text."""
        if self.result.recognised or self.result.is_picture:
            return
        for region, size in _regions(self.page.images):
            width, height = region.right - region.left, region.bottom - region.top
            if sum(map(region.holds, words)) > 2 or self._is_margin(region, words):
                continue
            is_small = width * height < _PICTURE * self.size[0] * self.size[1]
            is_formula = _FORMULA_HEIGHT[0] <= height <= _FORMULA_HEIGHT[1] and _is_formula(region, words)
            is_tiny = min(width, height) < _TINY[0] or max(width, height) < _TINY[1]
            if (is_tiny and not is_formula) or self.drawing.is_plain(region):
                continue
            if is_small and not is_formula and size in self.pictures.repeated:
                continue
            recognised = recognised_words(self.drawing, region) if self.drawing.is_printed(region) else []
            is_formula = is_formula or any(_EQUATION.search(word.text) for word in recognised if is_small)
            if is_text(recognised) and not (is_small and is_formula):
                self.result.recognised_pictures = True
                self.marks.append(_above(recognised))
                yield from recognised
            elif is_small and is_formula:
                self.result.lost_formula = True
                yield _mark(gap_mark("formula", self.page_name), region)
            else:
                self.result.lost_picture = True
                yield _mark(gap_mark("image", self.page_name), region)

    def _is_margin(self, region: Region, words: Sequence[Word]) -> bool:
        height, middle = self.size[1], (region.top + region.bottom) / 2
        is_above = self.is_first and middle < _LOGO * height and not any(word.top < region.top for word in words)
        area = (region.right - region.left) * (region.bottom - region.top)
        is_logo = is_above and area < _LOGO_AREA * self.size[0] * height
        return is_logo or not _MARGIN * height < middle < (1 - _MARGIN) * height


def _regions(images: Iterable[dict[str, Any]]) -> list[tuple[Region, tuple[int, int]]]:
    found: list[tuple[Region, tuple[int, int]]] = []
    for image in sorted(images, key=lambda image: (image["x0"], image["top"])):
        region, size = Region(*(float(image[side]) for side in ("x0", "top", "x1", "bottom"))), image["srcsize"]
        if found and found[-1][0].left == region.left and abs(region.top - found[-1][0].bottom) <= _SEAM:
            last, size = found.pop()
            region = Region(last.left, last.top, max(last.right, region.right), region.bottom)
        found.append((region, size))
    return sorted(found, key=lambda picture: picture[0].top)


def _mark(text: str, region: Region) -> Word:
    return Word(text, region.left, region.top, region.right, region.bottom)


def _above(words: Sequence[Word]) -> Word:
    top = min(word.top for word in words) - 4
    return Word(
        RECOGNISED, min(word.left for word in words), top - 2, max(word.right for word in words), top, is_field=True
    )


def _is_formula(region: Region, words: Sequence[Word]) -> bool:
    line = [word for word in words if region.top <= word.middle <= region.bottom]
    if any(word.right <= region.left + 2 for word in line):
        return True
    above = [row for row in rows_of(words) if row[0].bottom <= region.top + 4]
    near = bool(above) and region.top - above[-1][0].bottom <= 4 * above[-1][0].height
    return near and _ANNOUNCED.search(" ".join(word.text for word in above[-1])) is not None


def _margin_rows(rows: Sequence[Row], pitch: float, page_height: float) -> list[Row]:
    found: list[Row] = []
    parted = blanks_above(rows, pitch)
    for index, row in enumerate(rows):
        if max(word.bottom for word in row) > _MARGIN * page_height:
            break
        if index + 1 < len(rows) and parted[index + 1]:
            found = list(rows[: index + 1])
    foot = next(
        (index for index in range(len(rows)) if parted[index] and rows[index][0].top > (1 - _MARGIN) * page_height),
        None,
    )
    return found if foot is None else [*found, *rows[foot:]]


def _line(row: Row, column: int, parted: bool = False) -> Line:
    if row[0].table is not None:
        return row[0].table
    return PrintedLine(clean(" ".join(word.text for word in row)), column, any(word.is_field for word in row), parted)


def _as_word(table: PrintedTable) -> Word:
    region = table.region
    return Word("", region.left, region.top, region.right, region.bottom, table=table.table)


def _outside(words: Sequence[Word], tables: Sequence[PrintedTable]) -> list[Word]:
    return [word for word in words if not any(table.region.holds(word) for table in tables)]


def _turn_of(page: "PrintedPage") -> int:
    """Return the direction of most letters of a page, except for lines along its sides, such as signatures."""
    width = float(page.width)
    counted = {
        turn: sum(_MARGIN * width < letter["x0"] < (1 - _MARGIN) * width for letter in letters)
        if turn
        else len(letters)
        for turn, letters in by_turn(page.chars).items()
        if turn is not None
    }
    return max(counted, key=lambda turn: (counted[turn], turn == 0), default=0)


def _turned_page(page: "PrintedPage", turn: int) -> "PrintedPage":
    from pdfplumber.page import Page

    if not turn:
        return page
    turned_object = copy(page.page_obj)
    turned_object.rotate = (page.rotation + 90 * turn) % 360
    turned_object.attrs = {**page.page_obj.attrs, "Rotate": turned_object.rotate}
    return Page(page.pdf, turned_object, page.page_number)


def _image_share(page: "PrintedPage") -> float:
    left, top, right, bottom = map(float, page.cropbox)
    covered = np.zeros((_GRID, _GRID), dtype=bool)
    for image in page.images:
        rows = [round(_GRID * (float(image[side]) - top) / (bottom - top)) for side in ("top", "bottom")]
        columns = [round(_GRID * (float(image[side]) - left) / (right - left)) for side in ("x0", "x1")]
        covered[max(0, rows[0]) : max(0, rows[1]), max(0, columns[0]) : max(0, columns[1])] = True
    return float(covered.mean())
