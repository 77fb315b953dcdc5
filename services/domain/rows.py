"""Tell whether a question names a row of a table: the amount in it answers, whatever else is like the question."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from articulado.language.folding import fold
from articulado.language.table_text import PATH, cells_of, has_rows, head_of, is_amount, is_year, rows_of
from articulado.legal.domain.base import Domain

SURE = 0.9
"""Relevance of a row that is named, at least."""

_SEVERAL = re.compile(r"[,;]|\s/\s")
_NUMBERS = {
    stem: number
    for number, stems in {
        "1": ("i", "primer"),
        "2": ("ii", "segund"),
        "3": ("iii", "tercer"),
        "4": ("iv", "cuart"),
        "5": ("v", "quint"),
        "6": ("vi", "sext"),
    }.items()
    for stem in stems
}
"""Figures for how levels and classes are numbered else: "Nivel II", "oficial de segunda"."""


def names_a_row(question: str, text: str, domain: Domain) -> bool:
    """Tell whether a question has all words of a name of a row of a text, and asks for an amount or names a column."""
    if not has_rows(text):
        return False
    tables = [paragraph for paragraph in text.split("\n\n") if next(rows_of(paragraph), None)]
    if not tables:
        return False
    asked = words_of_names(question, domain)
    amount = domain.language.query_patterns.asked.get("amount")
    asks_amount = amount is not None and amount.question.search(fold(question)) is not None
    heads = [cells_of(head_of(table).rpartition("\n")[2]) for table in tables]
    columns = words_of_names(" ".join(cell for head in heads for cell in head[1:]), domain)
    named = (
        named_words(row, head, asked, domain)
        for table, head in zip(tables, heads, strict=True)
        for row in rows_of(table)
    )
    return any(asks_amount or (asked - name) & columns for name in named if name)


def named_words(row: str, head: Sequence[str], asked: frozenset[str], domain: Domain) -> frozenset[str]:
    """Return the words of a question by which it names a row: those of each of its names that it has all of.

    Its names are the first cell and those before the first amount, each by itself, without the group that it is of; in
    a cell there may be several. One that is a number or a letter alone ("3") counts with the name of its column in the
    ``head`` ("Nivel"), for any question may have some number; a year names no row.

    >>> from articulado.legal.domain.spanish_law import SPANISH_LAW
    >>> asked = words_of_names("¿Qué gana un oficial de segunda?", SPANISH_LAW)
    >>> sorted(named_words("Nivel 4 | Guarda, oficial 2.ª | 1.100,00", (), asked, SPANISH_LAW))
    ['2', 'oficial']
    """
    words = frozenset[str]()
    for column, name in _names_of(row):
        name_words = words_of_names(name, domain)
        if all(word.isdigit() or len(word) == 1 for word in name_words):
            of_column = words_of_names(head[column], domain) if column < len(head) else frozenset()
            name_words = name_words | of_column if of_column and not is_year(name) else frozenset()
        if name_words <= asked:
            words |= name_words
    return words


def words_of_names(text: str, domain: Domain) -> frozenset[str]:
    """Return the stems of a text, of numbers in letters their figures."""
    return frozenset(_NUMBERS.get(stem, stem) for stem in domain.stems(text))


def _names_of(row: str) -> Iterator[tuple[int, str]]:
    """Yield the column and the text of each name of a row."""
    first, *others = cells_of(row)
    for column, cell in enumerate([first, *takewhile(lambda cell: not is_amount(cell), others)]):
        yield from ((column, name.strip()) for name in _SEVERAL.split(cell.rpartition(PATH)[2]))
