"""Tables as text: a line per row, cells separated by " | ", column names first, which each piece of a table repeats."""

import re
from collections.abc import Iterable, Iterator

from articulado.language.sentences import Span

CELLS = " | "

PATH = " – "  # Separator of stacked column names, and of the name of a group from that of a row

MAX_HEAD = 500  # Maximum characters of a repeated head

_AMOUNT = re.compile(
    r"[-–+]?\(?\d[\d.,']*\)?\s?(?:€|euros?|%|h\.?|horas|días)?(?:\s?/\s?\w+)?(?: \(\w{1,3}\))?", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_amount(cell: str) -> bool:
    """Tell if a cell is a number, with unit or note mark; a year counts as the name of a column."""
    return _AMOUNT.fullmatch(cell) is not None and not is_year(cell)


def is_year(cell: str) -> bool:
    return _YEAR.fullmatch(cell) is not None


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def is_row(line: str) -> bool:
    """Tell if a line has cells, separated by " | "."""
    return CELLS in f" {line} "


def head_of(table: str) -> str:
    r"""Return the lines of a table down to its column names; empty without them, or if they are very long."""
    return _head_at(table, 0)


def _head_at(text: str, start: int) -> str:
    """Return the head of the table at a position, without reading more than ``MAX_HEAD``."""
    line_start = start
    while line_start <= min(start + MAX_HEAD, len(text)):
        line_end = text.find("\n", line_start)
        line_end = len(text) if line_end < 0 else line_end
        line = text[line_start:line_end]
        if is_row(line):
            has_amount = any(map(is_amount, cells_of(line)[1:]))
            return "" if has_amount or line_end - start > MAX_HEAD else text[start:line_end]
        if line_end == line_start and line_start > start:
            return ""
        line_start = line_end + 1
    return ""


def with_heads(text: str, spans: Iterable[Span]) -> Iterator[str]:
    r"""Yield the pieces of a text; one that begins inside a table begins with its head."""
    table = searched = 0
    for start, end in spans:
        # From where the last one was looked for: a table may be as long as the text.
        while (blank := text.find("\n\n", searched, start)) >= 0:
            table = searched = blank + 2
        searched = max(table, start - 1)
        piece = text[start:end]
        head = _head_at(text, table) if start > table and is_row(piece.partition("\n")[0]) else ""
        yield f"{head}\n{piece}" if start > table + len(head) and head else piece


def without_head(piece: str, text: str) -> str:
    r"""Return a piece without the head that it repeats from the table at the end of a text."""
    head = head_of(text.rpartition("\n\n")[2])
    return piece.removeprefix(f"{head}\n") if head and is_row(text.rpartition("\n")[2]) else piece


def without_heads(pieces: Iterable[str]) -> Iterator[str]:
    r"""Yield the pieces of a text without the heads of tables that they repeat."""
    table = ""
    for piece in pieces:
        own = without_head(piece, table)
        table = f"{table}\n{own}" if is_row(table.rpartition("\n")[2]) else own
        yield own


def has_rows(text: str) -> bool:
    return "|" in text


def rows_of(text: str) -> Iterator[str]:
    """Yield the table rows of a text with an amount after their first cell."""
    for line in text.split("\n"):
        if is_row(line) and any(map(is_amount, cells_of(line)[1:])):
            yield line
