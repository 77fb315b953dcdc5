"""Reader of spreadsheets: the visible cells as tables, each below the name of its sheet.

A sheet holds one table, or several separated by empty rows. ``read`` returns one page without a number. Cells are
read wherever they are, whatever extent the file states. A formula counts with its last computed value, or as a gap.
``shown_value`` writes a value with the number format of its cell (ECMA-376, part 1, section 18.8.31).
"""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.inline import WHITE, Colour, LeftOut, colour_of, is_tiny, raised, same_colour
from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.formats import long_day, month_name
from articulado.language.gaps import gap_mark
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

_THEME = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6")
"""Colours of a theme by the numbers that cells refer to them with."""

_MAX_MERGED = 10_000
"""Rows to which the value of a merged cell is written at most."""

Cells = dict[int, dict[int, str]]
"""Texts by row and column, both from 1; what is empty is left out."""


def read(path: Path) -> FileText:
    """Return the cells that are shown, as one page without a number; amounts and dates are written as in Spain.

    A table is one paragraph, the name of its sheet before it; a row with a single cell above a table is its caption.
    Hidden sheets, rows, columns and cells are left out, and the warnings say how much.

    Raises:
        InvalidInput: the file cannot be read, is damaged, without text, or no spreadsheet.
    """
    data = read_bytes(path)
    return packed_text(path, data, _content)


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...], LeftOut]:
    """Return the title in the properties of a file, the paragraphs of its sheets, and the count of what is left out."""
    with importing("documents"):
        import openpyxl  # noqa: F401 - a missing package is told as such, and not as a damaged file

    try:
        with warnings.catch_warnings():
            # What openpyxl cannot keep when it writes a file (extensions, a style by default) is no loss here.
            warnings.simplefilter("ignore", UserWarning)
            return _read(data)
    except Exception as error:  # A damaged file fails in every way that there is.
        raise InvalidInput(translate("file.xlsx_damaged", path=path)) from error


def _read(data: bytes) -> tuple[str, tuple[str, ...], LeftOut]:
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data), data_only=True, keep_links=False, rich_text=True)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        sheets = [name for name in package.namelist() if name.startswith("xl/worksheets/")]
        has_formulas = any(b"<f" in package.read(name) for name in sheets)
    formulas = load_workbook(io.BytesIO(data), keep_links=False) if has_formulas else None
    reader = _Reader(book, formulas)
    return clean(book.properties.title or ""), tuple(reader.all()), reader.left_out


class _Reader:
    def __init__(self, book: "Workbook", formulas: "Workbook | None") -> None:
        self.left_out = LeftOut()
        self._book = book
        self._formulas = formulas
        self._theme = _theme_of(book)

    def all(self) -> Iterator[str]:
        """Yield the tables of the visible sheets, then what is drawn on each."""
        for sheet in self._book.worksheets:
            cells = self._cells(sheet)
            if sheet.sheet_state != "visible":
                for row in cells.values():
                    self.left_out.hide(" ".join(row.values()))
                continue
            yield from _tables(sheet.title, cells, _hidden_rows(sheet))
            for drawn in [*sheet._images, *sheet._charts]:
                start = getattr(drawn.anchor, "_from", None)
                place = f"!{_coordinate(start.row + 1, start.col + 1)}" if start is not None else ""
                yield gap_mark("image", f"{sheet.title}{place}")

    def _cells(self, sheet: "Worksheet") -> Cells:
        """Return the texts of a sheet that are shown, those of merged cells in each of their rows."""
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
            for each in shown_rows:
                cells.setdefault(each, {})[shown_column] = text
        return cells

    def _text(self, sheet: "Worksheet", cell: Any) -> str:
        """Return the value of a cell as it is shown; the mark of a gap for a formula that was never computed."""
        if cell.value is None:
            # A formula whose result is an empty text has the type of a text.
            if self._formulas is not None and cell.data_type == "n":
                formula = self._formulas[sheet.title][cell.coordinate]
                return gap_mark("cell", f"{sheet.title}!{cell.coordinate}") if formula.data_type == "f" else ""
            return ""
        if isinstance(cell.value, list):
            return _rich(cell.value)
        if not (text := shown_value(cell.value, cell.number_format or "")):
            self.left_out.hide(str(cell.value))
        return text

    def _is_hidden(self, cell: Any, unsure: Sequence[Any]) -> bool:
        """Tell if a cell has a font that nobody sees."""
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
        """Return a colour of a font or of a fill; ``None`` for the automatic one."""
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


def _rich(pieces: Sequence[Any]) -> str:
    """Return a text with several fonts in one cell, its superscripts set off."""
    text = ""
    for piece in pieces:
        written = getattr(piece, "text", piece)
        is_raised = getattr(getattr(piece, "font", None), "vertAlign", None) == "superscript"
        text += raised(text, written) if is_raised else written
    return text


def _tinted(colour: Colour, tint: float) -> Colour:
    """Return a colour nearer to black (tint below 0) or to white: ECMA-376, part 1, section 18.8.19."""
    red, green, blue = (
        round(channel * (1 + tint) if tint < 0 else channel + (255 - channel) * tint) for channel in colour
    )
    return red, green, blue


def _theme_of(book: "Workbook") -> Mapping[str, Colour]:
    """Return the colours of the theme of a file by their names ("lt1")."""
    from lxml import etree

    colours: dict[str, Colour] = {"lt1": WHITE, "dk1": (0, 0, 0)}
    if book.loaded_theme:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        scheme = etree.fromstring(book.loaded_theme, parser).find(".//{*}clrScheme")
        for each in scheme if scheme is not None else ():
            value = next((one.get("lastClr") or one.get("val") for one in each), None)
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
    """Return the areas that a table or a condition may paint."""
    from openpyxl.worksheet.cell_range import CellRange

    tables = [CellRange(table.ref) for table in sheet.tables.values()]
    return [*tables, *(area for each in sheet.conditional_formatting for area in each.sqref.ranges)]


def _contains(area: Any, cell: Any) -> bool:
    return bool(area.min_row <= cell.row <= area.max_row and area.min_col <= cell.column <= area.max_col)


def _coordinate(row: int, column: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"{get_column_letter(column)}{row}"


def _tables(name: str, cells: Cells, hidden: frozenset[int]) -> Iterator[str]:
    """Yield the tables of a sheet, each below the name of the sheet; an empty row that is shown parts two."""
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


# Values as they are shown

_GENERAL = ("", "general", "estándar", "standard", "@")
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]'
    r"|(?P<number>[#0?][#0?.,]*)|(?P<power>E[+-])|(?P<other>.)",
    re.DOTALL,
)
_SPOKEN = re.compile(r'"[^"]*"|\\.|\[\$[^\]]*\]')
_MOST_DIGITS = 11
"""Digits of a number that a cell without a format shows at most."""


def shown_value(value: object, form: str) -> str:
    """Return a value as its cell shows it; empty if the format shows nothing.

    >>> shown_value(0.035, "0.0%"), shown_value(True, "General"), shown_value(320, '0" días"'), shown_value(7, ";;;")
    ('3,5 %', 'sí', '320 días', '')
    """
    if isinstance(value, bool):
        return translate("file.yes" if value else "file.no")
    if isinstance(value, (int, float)):
        return written_number(value, form)
    if isinstance(value, datetime | date | time | timedelta):
        return _written_moment(value, _SPOKEN.sub("", form).lower())
    text = str(value)
    sections = _sections(form)
    of_text = sections[3] if len(sections) > 3 else sections[-1] if "@" in form else "@"
    return "".join(text if each == "@" else each for each in _literals(of_text)).strip() if of_text != "@" else text


def _sections(form: str) -> list[str]:
    """Return the sections of a format: for positive and negative numbers, zero, and text."""
    return re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])+|(?<=;)(?=;|$)|^(?=;)', form) or [""]


def _literals(section: str) -> list[str]:
    """Return the characters of a section that are shown as they are, and "@"."""
    found = []
    for match in _TOKEN.finditer(section):
        shown = next(
            (match[name] for name in ("quoted", "escaped", "currency", "other") if match[name] is not None), ""
        )
        found.append(shown)
    return found


def _written_moment(value: datetime | date | time | timedelta, form: str) -> str:
    """Return a day, a time of day ("8:30 h") or a duration, as detailed as the format is."""
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return _clock(minutes // 60, minutes % 60, seconds)
    clock = _clock(value.hour, value.minute, value.second) if isinstance(value, datetime | time) else ""
    if isinstance(value, time):
        return clock
    has_time = clock and ("h" in form or (not form and value != datetime(value.year, value.month, value.day)))
    if has_time and not re.search(r"[dy]", form):
        return clock
    if re.search("m{3}", form):
        day = long_day(value.strftime("%Y-%m-%d"))
        if "d" not in form:
            day = f"{month_name(value.month)} de {value.year}" if "y" in form else month_name(value.month)
        elif "y" not in form:
            day = day.rpartition(" de ")[0]
    else:
        parts = [part for part, mark in (("%d", "d"), ("%m", "m"), ("%Y", "y")) if mark in form] or ["%d", "%m", "%Y"]
        day = value.strftime("/".join(parts))
    return f"{day} {clock}" if has_time else day


def _clock(hours: int, minutes: int, seconds: int) -> str:
    return f"{hours}:{minutes:02}:{seconds:02} h" if seconds else f"{hours}:{minutes:02} h"


def written_number(value: float, form: str = "") -> str:
    """Return a number with a comma before its decimals, as its format shows it.

    >>> written_number(1450.2, '#,##0.00 "€"'), written_number(2025), written_number(-7.5, "0.00;(0.00)")
    ('1.450,20 €', '2025', '(7,50)')
    """
    sections = _sections(form)
    section = sections[0]
    if value < 0 and len(sections) > 1:
        section, value = sections[1], -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    tokens = list(_TOKEN.finditer(section))
    code = next((match["number"] for match in tokens if match["number"]), "")
    is_general = form.strip().lower() in _GENERAL or section.strip().lower() in _GENERAL[1:]
    if is_general or any(match["power"] for match in tokens) or "?/" in section:
        return _spanish(f"{value:.{_MOST_DIGITS}g}") if abs(value) < 10**_MOST_DIGITS else _spanish(f"{value:.0f}")
    percent = any(match["other"] == "%" for match in tokens)
    text, is_written = "", False
    for match in tokens:
        if match["number"]:
            text += "" if is_written else _digits(value * 100 if percent else value, code)
            is_written = True
        else:
            shown = (match[name] for name in ("quoted", "escaped", "currency", "other") if match[name] is not None)
            text += next(shown, " ")
    return re.sub(r"(?<=[\d-])\s*(?=[%€])", " ", re.sub(r"^- (?=\d)", "-", " ".join(text.split())))


def _digits(value: float, code: str) -> str:
    """Return the digits of a number for the placeholders of a format ("#,##0.00")."""
    whole, _, fraction = code.partition(".")
    unscaled = code.rstrip(",")
    value /= 1000 ** (len(code) - len(unscaled))
    most, least = len(fraction.rstrip(",")), fraction.count("0")
    grouped = "," in whole.rstrip(",")
    integer, _, decimals = f"{abs(value):{',' if grouped else ''}.{most}f}".partition(".")
    decimals = decimals[:least] + decimals[least:].rstrip("0")
    integer = integer.rjust(whole.count("0"), "0") if "0" in whole or integer != "0" else ""
    sign = "-" if value < 0 and (integer.strip("0,") or decimals.strip("0")) else ""
    return f"{sign}{integer.replace(',', '.')}{',' if decimals else ''}{decimals}"


def _spanish(number: str) -> str:
    return number.replace(".", ",")
