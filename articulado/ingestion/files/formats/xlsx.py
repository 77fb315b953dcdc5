"""Reader of spreadsheets: the visible sheets as tables, each below the name of its sheet.

A sheet holds one table, or several separated by empty rows. ``read`` returns one page without a number. A
formula counts with its last computed value. Amounts and dates are written in Spanish format.
"""

import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import groupby
from pathlib import Path
from typing import Any

from articulado.config.extras import importing
from articulado.config.files import read_bytes
from articulado.ingestion.files.formats.lines import clean
from articulado.ingestion.files.formats.source import packed_text, table_of
from articulado.ingestion.model import FileText
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput


def read(path: Path) -> FileText:
    """Return the sheets that are shown, as one page without a number; amounts and dates are written as in Spain.

    A table is one paragraph, the name of its sheet before it; a row with a single cell above a table is its caption. Of
    formulas the value counts that was last computed.

    Raises:
        InvalidInput: the file cannot be read, is damaged, without text, or no spreadsheet.
    """
    data = read_bytes(path)
    return packed_text(path, data, _content)


def _content(path: Path, data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the title in the properties of a file, and the paragraphs of its sheets."""
    with importing("documents"):
        from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        title = clean(book.properties.title or "")
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        return title, tuple(text for sheet in shown for text in _tables(sheet.title, sheet.iter_rows()))
    except Exception as error:  # A damaged file fails in every way that there is.
        raise InvalidInput(translate("file.xlsx_damaged", path=path)) from error


def _tables(name: str, rows: Any) -> Iterator[str]:
    """Yield the tables of a sheet, each below the name of the sheet."""
    written = (
        [clean(_written(cell.value, cell.number_format or "")) if cell.value is not None else "" for cell in row]
        for row in rows
    )
    for empty, block in groupby(written, key=lambda row: not any(row)):
        if not empty and (text := _text(name, list(block))):
            yield text


def _text(name: str, rows: list[Sequence[str]]) -> str:
    table = table_of(rows).text()
    return f"{name}\n{table}" if "\n" in table else f"{name}: {table}"


def _written(value: object, form: str) -> str:
    """Return a value as people in Spain write it, with the decimals of its number format."""
    if isinstance(value, bool):
        return translate("file.yes" if value else "file.no")
    if isinstance(value, (int, float)):
        return written_number(value, form)
    if isinstance(value, datetime):
        clock = "" if value.time() == time() else f" {value:%H:%M}"
        return f"{value:%d/%m/%Y}{clock}"
    if isinstance(value, date):
        return f"{value:%d/%m/%Y}"
    return f"{value:%H:%M}" if isinstance(value, time) else str(value)


def written_number(value: float, form: str = "") -> str:
    """Return a number with a comma before its decimals, and stops in it where its format parts thousands.

    >>> written_number(1450.2, "#,##0.00 €"), written_number(2025), written_number(0.035, "0.0%"), written_number(7.5)
    ('1.450,20 €', '2025', '3,5 %', '7,50')
    """
    percent = "%" in form
    number = value * 100 if percent else value
    code = form.split(";")[0]
    decimals = len(code.partition(".")[2]) - len(code.partition(".")[2].lstrip("0")) if "." in code else 0
    if code in ("", "General", "@"):
        decimals = 0 if number == int(number) else 2
    grouped = "," in code.partition(".")[0] or (decimals > 0 and code in ("", "General", "@"))
    text = f"{number:{',' if grouped else ''}.{decimals}f}"
    text = text.replace(",", " ").replace(".", ",").replace(" ", ".")
    return f"{text} %" if percent else f"{text} €" if "€" in form else text
