"""Read the rows of an HTML table, cells that span several rows or columns included."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

_NO_DATA = ("table", "h1", "h2", "h3", "h4", "h5", "h6")
_LONG_CELL = 3
"""Paragraphs of a cell above which a table only lays out a page."""

_WIDEST = 100
"""Columns that a cell may span."""


def is_layout(table: "Tag") -> bool:
    """Tell whether a table only lays out blocks: it has a table, a heading or long text inside, or one column."""
    if table.find(_NO_DATA) is not None or any(len(one.find_all("p")) > _LONG_CELL for one in table.find_all("td")):
        return True
    return all(len(row.find_all(("td", "th"))) < 2 for row in table.find_all("tr"))


def table_rows(table: "Tag", text_of: Callable[["Tag"], str]) -> list[list[str]]:
    """Return the texts of the cells row by row, the caption first.

    A cell that spans rows is in each of them; one that spans columns is followed by empty ones.
    """
    caption = table.find("caption")
    rows = [[text_of(caption)]] if caption is not None else []
    hanging: dict[int, tuple[int, str]] = {}
    for row in table.find_all("tr"):
        cells: list[str] = []
        for cell in row.find_all(("td", "th")):
            _hang(cells, hanging)
            text, deep = text_of(cell), _span(cell, "rowspan")
            for offset in range(min(_span(cell, "colspan"), _WIDEST)):
                if deep > 1:
                    hanging[len(cells)] = deep - 1, "" if offset else text
                cells.append("" if offset else text)
        _hang(cells, hanging)
        rows.append(cells)
    return rows


def _hang(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Add to a row the cells that hang into its next columns from rows above."""
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = left - 1, text
        cells.append(text)


def _span(cell: "Tag", name: str) -> int:
    written = str(cell.get(name, ""))
    return max(1, int(written)) if written.isdecimal() and len(written) < 6 else 1
