"""Figures of an answer: numbers with a unit, in digits or in words ("33 días", "treinta y tres días", "4,70 %")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from articulado.language.folding import fold
from articulado.language.numerals import read_number

UNITS = {
    "%": r"%|por\s+cien(?:to)?\b|por\s+100\b",
    "euro": r"€|euros?\b|eur\b",
    "mensualidad": r"mensualidad(?:es)?\b",
    "paga": r"pagas?\b",
    "jornada": r"jornadas?\b",
    "día": r"dias?\b",
    "semana": r"semanas?\b",
    "mes": r"mes(?:es)?\b",
    "trimestre": r"trimestres?\b",
    "año": r"anos?\b",
    "hora": r"horas?\b",
    "minuto": r"minutos?\b",
    "persona": r"(?:persona|empleado|empleada|trabajador|trabajadora|asalariado)(?:e?s)?\b",
}
"""What is counted, by how it is written (folded)."""

_UNIT = re.compile("|".join(f"(?P<u{index}>{pattern})" for index, pattern in enumerate(UNITS.values())))
_NAMES = tuple(UNITS)
_BETWEEN = re.compile(
    r"\s*(?:(?:o\s+mas|o\s+menos|como\s+(?:maximo|minimo)|primer[oa]s|ultim[oa]s|siguientes|anteriores)\s+){0,2}"
)
"""What may stand between a number and its unit: "50 o más trabajadores", "tres primeros meses"."""

_JOINED = re.compile(r"\s*(?:-|\b(?:y|e|o|u|a|al|hasta|ni)\b)\s*(?:(?:de|los|las|l[ao]s)\s+)?")
"""What stands between numbers that share the unit of the last one: "entre 15 y 30 días"."""

_REFERENCE = re.compile(r"\b(?:art(?:iculo)?s?\.?|apartados?|letras?|numeros?|ley|decreto|disposicion \w+)\s*$")
_ARTICLE = re.compile(r"un[oa]?\s")
"""Before a person it is an article: "una persona"."""

_ROW = "|"
"""What parts the cells of a table, whose numbers have their unit in its heading."""


@dataclass(frozen=True)
class Figure:
    """A number and its unit, how they are written, and where in the text the number begins."""

    value: Decimal
    unit: str
    written: str
    start: int

    @property
    def key(self) -> tuple[Decimal, str]:
        """What two spellings of one figure share."""
        return self.value, self.unit


def figures_in(text: str) -> list[Figure]:
    """Return the figures of a text, in order; numbers joined to one that has a unit have it, too.

    >>> [(str(figure.value), figure.unit) for figure in figures_in("De 15 a treinta días, y el artículo 38.")]
    [('15', 'día'), ('30', 'día')]
    """
    return list(_figures(text, fold(text)))


def table_numbers(text: str) -> set[Decimal]:
    """Return the numbers in the rows of tables, whatever they count."""
    rows = [fold(line) for line in text.splitlines() if _ROW in line]
    return {value for row in rows for _, _, value in _numbers(row)}


def _figures(text: str, folded: str) -> Iterator[Figure]:
    joined: list[tuple[int, int, Decimal]] = []
    position = 0
    while read := read_number(folded, position):
        start, position, value = read
        if joined and not _JOINED.fullmatch(folded, joined[-1][1], start):
            joined = []
        between = _BETWEEN.match(folded, position)
        unit = _UNIT.match(folded, between.end() if between else position)
        if unit is None:
            joined.append(read)
            continue
        # From the end of the unit: "4 por ciento" has no hundred.
        position, name = unit.end(), _NAMES[int(str(unit.lastgroup)[1:])]
        counts = name != "persona" or not _ARTICLE.match(folded, start)
        for begins, ends, number in joined if counts else []:
            if not _REFERENCE.search(folded, 0, begins):
                yield Figure(number, name, text[begins:ends], begins)
        if counts:
            yield Figure(value, name, text[start : unit.end()], start)
        joined = []


def _numbers(folded: str) -> Iterator[tuple[int, int, Decimal]]:
    position = 0
    while read := read_number(folded, position):
        yield read
        position = read[1]
