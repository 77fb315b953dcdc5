"""Reader of spreadsheets: the visible cells as tables, each below the name of its sheet."""

import io
import posixpath
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.ingestion.files.formats.inline import (
    TICKED,
    UNTICKED,
    WHITE,
    Colour,
    LeftOut,
    colour_of,
    is_tiny,
    raised,
    same_colour,
)
from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.formats import gap_mark, gaps_in, shown_value

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

_THEME = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6")
"""Colours of a theme by the numbers in cells."""

_MAX_MERGED = 10_000  # maximum rows that repeat the value of a merged cell
_LONGEST_TITLE = 200  # maximum characters of a title
_WORD = re.compile(r"[^\W\d]{2}")

Cells = dict[int, dict[int, str]]  # non-empty texts by row and column, both from 1


def read(path: Path) -> FileText:
    """Return the visible cells as one page without a number; amounts and dates are written as in Spain.

    A table is one paragraph after the name of its sheet; empty rows separate tables. A formula counts with its last
    computed value, or as a gap. Drawings follow the tables of their sheet. Hidden content is left out with a warning.
    Raises ``InvalidInput`` if the file cannot be read, is damaged, without text, or no spreadsheet.
    """
    return packed_text(path, _content, "file.xlsx_damaged")


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...], LeftOut]:
    with importing("documents"):
        from openpyxl import load_workbook

    with warnings.catch_warnings():
        # openpyxl warns of content that it would lose on writing.
        warnings.simplefilter("ignore", UserWarning)
        book = load_workbook(io.BytesIO(data), data_only=True, keep_links=False, rich_text=True)
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            sheets = [name for name in package.namelist() if name.startswith("xl/worksheets/")]
            has_formulas = any(b"<f" in package.read(name) for name in sheets)
            drawn = dict(_drawn_texts(package))
        formulas = load_workbook(io.BytesIO(data), keep_links=False) if has_formulas else None
        reader = _Reader(book, formulas, drawn)
        paragraphs = tuple(reader.all())
        return reader.title or clean(book.properties.title or ""), paragraphs, reader.left_out


class _Reader:
    def __init__(self, book: "Workbook", formulas: "Workbook | None", drawn: Mapping[str, list[str]]) -> None:
        self.left_out = LeftOut()
        self.title = ""
        self._book = book
        self._formulas = formulas
        self._drawn = drawn
        self._theme = _theme_of(book)

    def all(self) -> Iterator[str]:
        from openpyxl.utils import get_column_letter

        first = next((sheet for sheet in self._book.worksheets if sheet.sheet_state == "visible"), None)
        for sheet in self._book.worksheets:
            cells, drawn_texts = self._cells(sheet), self._drawn.get(sheet.title, [])
            if sheet.sheet_state != "visible":
                for text in (*(" ".join(row.values()) for row in cells.values()), *drawn_texts):
                    self.left_out.hide(text)
                continue
            if sheet is first:
                self.title = _title(sheet, cells)
            yield from _tables(sheet.title, cells, _hidden_rows(sheet))
            yield from drawn_texts
            for drawn in [*sheet._images, *sheet._charts]:
                start = getattr(drawn.anchor, "_from", None)
                place = f"!{get_column_letter(start.col + 1)}{start.row + 1}" if start is not None else ""
                yield gap_mark("image", f"{sheet.title}{place}")

    def _cells(self, sheet: "Worksheet") -> Cells:
        rows, columns = _hidden_rows(sheet), _hidden_columns(sheet)
        unsure = _areas_of_unknown_colour(sheet)
        merged = {(area.min_row, area.min_col): area for area in sheet.merged_cells.ranges}
        cells: Cells = {}
        for (row, column), cell in sorted(sheet._cells.items()):
            self.left_out.comments += cell.comment is not None
            if not (text := clean(self._text(sheet, cell))):
                continue
            area = merged.get((row, column))
            down = range(row, min(area.max_row, row + _MAX_MERGED) + 1) if area else range(row, row + 1)
            across = range(column, area.max_col + 1) if area else range(column, column + 1)
            shown_rows = [each for each in down if each not in rows]
            shown_column = next((each for each in across if each not in columns), None)
            if not shown_rows or shown_column is None or self._is_hidden(cell, unsure):
                self.left_out.hide(text)
                continue
            if cell.font.strike:
                self.left_out.strike(text)
                continue
            for each in shown_rows:
                cells.setdefault(each, {})[shown_column] = text
        return cells

    def _text(self, sheet: "Worksheet", cell: Any) -> str:
        if cell.value is None:
            # A formula with an empty text as result has the type of a text.
            if self._formulas is not None and cell.data_type == "n":
                formula = self._formulas[sheet.title][cell.coordinate]
                return gap_mark("cell", f"{sheet.title}!{cell.coordinate}") if formula.data_type == "f" else ""
            return ""
        if isinstance(cell.value, list):
            return self._rich(cell.value)
        if not (text := shown_value(cell.value, cell.number_format or "")):
            self.left_out.hide(str(cell.value))
        return text

    def _rich(self, pieces: Sequence[Any]) -> str:
        text = ""
        for piece in pieces:
            written, font = getattr(piece, "text", piece), getattr(piece, "font", None)
            if getattr(font, "strike", None):
                written = self.left_out.strike(written)
            is_raised = getattr(font, "vertAlign", None) == "superscript"
            text += raised(text, written) if is_raised else written
        return text

    def _is_hidden(self, cell: Any, unsure: Sequence[Any]) -> bool:
        if is_tiny(cell.font.sz or 11):
            return True
        colour = self._colour(cell.font.color)
        if colour is None:
            return False
        if cell.fill.fill_type is None:
            background = None if any(_contains(area, cell) for area in unsure) else WHITE
        else:
            background = self._colour(cell.fill.fgColor) if cell.fill.fill_type == "solid" else None
        return background is not None and same_colour(colour, background)

    def _colour(self, colour: Any) -> Colour | None:
        if colour is None:
            return None
        from openpyxl.styles.colors import COLOR_INDEX

        if colour.type == "theme":
            base = self._theme.get(_THEME[colour.theme]) if colour.theme < len(_THEME) else None
        elif colour.type == "indexed":
            base = colour_of(COLOR_INDEX[colour.indexed][2:]) if colour.indexed < len(COLOR_INDEX) else None
        else:
            base = colour_of(str(colour.rgb)[-6:])
        return base and _tinted(base, colour.tint or 0.0)


def _drawn_texts(package: zipfile.ZipFile) -> Iterator[tuple[str, list[str]]]:
    def related(part: str) -> dict[str, str]:
        folder, _, name = part.rpartition("/")
        relations = f"{folder}/_rels/{name}.rels"
        found = _xml(package, relations) if relations in package.namelist() else ()
        targets = {each.get("Id", ""): each.get("Target", "") for each in found if each.get("TargetMode") != "External"}
        return {key: posixpath.normpath(posixpath.join("/", folder, to)).strip("/") for key, to in targets.items()}

    parts = related("xl/workbook.xml")
    for sheet in _xml(package, "xl/workbook.xml").iter("{*}sheet"):
        key = next((value for name, value in sheet.attrib.items() if str(name).endswith("}id")), "")
        drawings = [part for part in related(parts.get(str(key), "")).values() if "drawing" in part.lower()]
        shapes = [shape for part in drawings if part in package.namelist() for shape in _xml(package, part)]
        yield str(sheet.get("name")), [text for shape in shapes if (text := _text_of_shape(shape))]


def _xml(package: zipfile.ZipFile, part: str) -> Any:
    from lxml import etree

    # Drawings of old forms have unclosed line breaks.
    return etree.fromstring(
        package.read(part).replace(b"<br>", b"<br/>"),
        etree.XMLParser(recover=True, resolve_entities=False, no_network=True),
    )


def _text_of_shape(shape: Any) -> str:
    kinds = [each.get("ObjectType") for each in shape.iter("{*}ClientData")]
    if "Note" in kinds:
        return ""
    lines = [
        "".join(each.itertext())
        for each in shape.iter("{*}textbox", "{http://schemas.openxmlformats.org/drawingml/2006/main}p")
    ]
    text = clean(" ".join(lines))
    if kinds and kinds[0] in ("Checkbox", "Radio"):
        return f"{TICKED if shape.find('.//{*}Checked') is not None else UNTICKED} {text}"
    return text


def _tinted(colour: Colour, tint: float) -> Colour:
    """Darken (tint below 0) or lighten a colour: ECMA-376, part 1, section 18.8.19."""
    red, green, blue = (
        round(channel * (1 + tint) if tint < 0 else channel + (255 - channel) * tint) for channel in colour
    )
    return red, green, blue


def _theme_of(book: "Workbook") -> Mapping[str, Colour]:
    from lxml import etree

    colours: dict[str, Colour] = {"lt1": WHITE, "dk1": (0, 0, 0)}
    if book.loaded_theme:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        scheme = etree.fromstring(book.loaded_theme, parser).find(".//{*}clrScheme")
        for each in scheme if scheme is not None else ():
            value = next((form.get("lastClr") or form.get("val") for form in each), None)
            if found := colour_of(value or ""):
                colours[each.tag.rpartition("}")[2]] = found
    return colours


def _hidden_rows(sheet: "Worksheet") -> frozenset[int]:
    hidden = {number for number, row in sheet.row_dimensions.items() if row.hidden or row.height == 0}
    if sheet.sheet_format.zeroHeight:
        shown = {number for number, row in sheet.row_dimensions.items() if row.height}
        hidden |= {row for row, _ in sheet._cells if row not in shown}
    return frozenset(hidden)


def _hidden_columns(sheet: "Worksheet") -> frozenset[int]:
    groups = [
        each for each in sheet.column_dimensions.values() if each.hidden or (each.customWidth and each.width == 0)
    ]
    return frozenset(column for each in groups for column in range(each.min or each.index, (each.max or each.min) + 1))


def _areas_of_unknown_colour(sheet: "Worksheet") -> list[Any]:
    from openpyxl.worksheet.cell_range import CellRange

    tables = [CellRange(table.ref) for table in sheet.tables.values()]
    return [*tables, *(area for each in sheet.conditional_formatting for area in each.sqref.ranges)]


def _contains(area: Any, cell: Any) -> bool:
    return bool(area.min_row <= cell.row <= area.max_row and area.min_col <= cell.column <= area.max_col)


def _title(sheet: "Worksheet", cells: Cells) -> str:
    """Return the text alone in the first row above a table if its format or width makes it stand out; else ""."""
    if not any(len(row) > 1 for row in cells.values()):
        return ""
    top, row = min(cells.items())
    column, text = min(row.items())
    areas = (area for area in sheet.merged_cells.ranges if _contains(area, sheet.cell(top, column)))
    area = next(areas, None)
    left, right = (area.min_col, area.max_col) if area else (column, column)
    if len(row) > 1 or left > min(min(each) for each in cells.values()):
        return ""
    if len(text) > _LONGEST_TITLE or gaps_in(text) or not _WORD.search(text):
        return ""
    cell = sheet.cell(area.min_row if area else top, left)
    below = next((sheet.cell(number, min(cells[number])) for number in sorted(cells) if number > top), cell)
    is_across = right > left or cell.alignment.horizontal == "centerContinuous"
    return text if is_across or cell.font.b or (cell.font.sz or 0) > (below.font.sz or 0) else ""


def _tables(name: str, cells: Cells, hidden: frozenset[int]) -> Iterator[str]:
    columns = sorted({column for row in cells.values() for column in row})
    block: list[list[str]] = []
    before = 0
    for number in sorted(cells):
        hidden_between = sum(1 for row in hidden if before < row < number)
        if block and number - before - 1 > hidden_between:
            yield _text(name, block)
            block = []
        block.append([cells[number].get(column, "") for column in columns])
        before = number
    if block:
        yield _text(name, block)


def _text(name: str, rows: list[list[str]]) -> str:
    table = table_of(rows).text()
    return f"{name}\n{table}" if "\n" in table else f"{name}: {table}"
