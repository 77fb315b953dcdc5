"""Tables as text: one line per row, cells separated by " | ", column names in the first line.

A table that is split into pieces repeats its head in each piece. ``with_heads`` adds the heads and
``without_heads`` removes them.
"""

import re
from collections.abc import Iterable, Iterator

from articulado.language.sentences import Span

CELLS = " | "
"""What parts the cells of a row."""

PATH = " – "
"""What parts the names that stand above each other over a column, or the name of a group from that of a row."""

MAX_HEAD = 500
"""Characters of a head that is repeated, at most."""

_AMOUNT = re.compile(
    r"[-–+]?\(?\d[\d.,']*\)?\s?(?:€|euros?|%|h\.?|horas|días)?(?:\s?/\s?\w+)?(?: \(\w{1,3}\))?", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_amount(cell: str) -> bool:
    """Tell whether a cell is a number, with its unit or the mark of a note or without; a year is the name of a column.

    >>> [is_amount(cell) for cell in ("1.450,20 €", "2025", "Nivel 3", "3 %", "320 (1)")]
    [True, False, False, True, True]
    """
    return _AMOUNT.fullmatch(cell) is not None and not is_year(cell)


def is_year(cell: str) -> bool:
    """Tell whether a cell is a year alone."""
    return _YEAR.fullmatch(cell) is not None


def cells_of(line: str) -> list[str]:
    """Return the cells of a row; a line that is no row is one cell."""
    return [cell.strip() for cell in line.split("|")]


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table; its first or its last cell may be empty."""
    return CELLS in f" {line} "


def head_of(table: str) -> str:
    r"""Return the lines of a table down to the names of its columns; empty where it has none, or very long ones.

    >>> head_of("Tabla de 2025\nPuesto | Salario\nGuarda | 1.100,00")
    'Tabla de 2025\nPuesto | Salario'
    """
    return _head_at(table, 0)


def _head_at(text: str, start: int) -> str:
    """Return the head of the table that begins at a position: no more of it is read than a head may have."""
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
    r"""Yield the pieces of a text, in order; one that begins inside a table begins with the head of that.

    >>> text = "Puesto | Salario\nGuarda | 1.100,00\nPastor | 1.200,00"
    >>> begin = text.index("Pastor")
    >>> list(with_heads(text, [(0, begin - 1), (begin, len(text))]))[1]
    'Puesto | Salario\nPastor | 1.200,00'
    """
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
    r"""Return a piece that goes on after a text without the head that it repeats of the table at the end of that.

    >>> without_head("Puesto | Salario\nPastor | 1.200,00", "Puesto | Salario\nGuarda | 1.100,00")
    'Pastor | 1.200,00'
    """
    head = head_of(text.rpartition("\n\n")[2])
    return piece.removeprefix(f"{head}\n") if head and is_row(text.rpartition("\n")[2]) else piece


def without_heads(pieces: Iterable[str]) -> Iterator[str]:
    r"""Yield the pieces that a text was cut into, without the heads of tables that they repeat.

    >>> list(without_heads(["Puesto | Salario\nGuarda | 1.100,00", "Puesto | Salario\nPastor | 1.200,00"]))
    ['Puesto | Salario\nGuarda | 1.100,00', 'Pastor | 1.200,00']
    """
    table = ""
    for piece in pieces:
        own = without_head(piece, table)
        table = f"{table}\n{own}" if is_row(table.rpartition("\n")[2]) else own
        yield own


def has_rows(text: str) -> bool:
    """Tell whether a text may have a row of a table: whether there is anything that parts cells."""
    return "|" in text


def rows_of(text: str) -> Iterator[str]:
    """Yield the lines of a text that are rows with an amount."""
    for line in text.split("\n"):
        if is_row(line) and any(map(is_amount, cells_of(line)[1:])):
            yield line
