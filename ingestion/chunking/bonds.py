"""What stands together in running text: a heading and its sentence, what announces a list and its first item, a table.

A cut never falls inside of it, unless it is longer than a part may be.
"""

import re
from itertools import accumulate, pairwise

from articulado.language.sentence_spans import Cuts, Span, clauses, sentences
from articulado.language.table_text import is_row

MAX_HEADING = 100
"""Characters of a heading at most."""

MAX_STACKED = 3
"""Headings one below the other that stay with the text (title, chapter, section): a longer run of them is a list."""

_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,6})(?:\.?[ºª]|[.)])?-?"
_NUMBERED = re.compile(rf"(?:(?:Artículo|Art\.|Cláusula|Apartado|Anexo) )?{_NUMBER}\s+\W?[A-ZÁÉÍÓÚÑ][^.;:,]*\.?")
_LIST_ITEM = re.compile(r"(?:[–—•·▪*-]|[a-zñ]\))\s")
_BEGINS_AS_TITLE = re.compile(r"[¿¡«\"(]?[A-ZÁÉÍÓÚÑ0-9]")
_STOPPED = re.compile(r"[.;,!…][»”\")\]]*$")


def blocks(text: str) -> list[Span]:
    r"""Return the spans of what stands together, in order; every character that is no blank is in exactly one.

    Most are a sentence, or a clause of a long one; a heading has the sentence below it, a table all its rows and the
    heading above.

    >>> text = "Así es.\n3. Vacaciones\nSon treinta días. Se eligen.\nTabla salarial\nGrupo | Euros\nA | 1.500"
    >>> [text[start:end].replace("\n", "/") for start, end in blocks(text)]
    ['Así es.', '3. Vacaciones/Son treinta días.', 'Se eligen.', 'Tabla salarial/Grupo | Euros/A | 1.500']
    """
    units = [
        (start + first, start + last) for start, end in sentences(text) for first, last in clauses(text[start:end])
    ]
    begun: list[Span] = []
    for unit, joined in zip(units, [False, *_bonds(text, units)], strict=False):
        if joined:
            begun[-1] = (begun[-1][0], unit[1])
        else:
            begun.append(unit)
    return begun


def outside_bonds(cuts: Cuts) -> Cuts:
    """Return a function that finds the same blanks of a text as ``cuts``, but for those inside a block."""

    def between_blocks(text: str) -> list[Span]:
        free = {position for before, after in pairwise(blocks(text)) for position in range(before[1], after[0])}
        return [blank for blank in cuts(text) if blank[0] in free]

    return between_blocks


def _bonds(text: str, units: list[Span]) -> list[bool]:
    """Tell for each unit but the last whether it stands together with the next one."""
    announcing = [_announces(text, unit) for unit in units[:-1]]
    # For each unit, how many announcing ones there are from it on without a gap.
    runs = [*accumulate(reversed(announcing), lambda run, announces: (run + 1) * announces, initial=0)][:0:-1]
    in_row = _in_rows(text, units)
    rows = [
        in_row[number] and in_row[number + 1] and "\n\n" not in text[before[1] : after[0]]
        for number, (before, after) in enumerate(pairwise(units))
    ]
    return [row or 0 < run <= MAX_STACKED for row, run in zip(rows, runs, strict=True)]


def _announces(text: str, unit: Span) -> bool:
    """Tell whether a unit is a heading, or ends a line in a colon: what comes next belongs to it."""
    start, end = unit
    begins_line, ends_line = text[start - 1 : start] in ("", "\n"), text[end : end + 1] in ("", "\n")
    if text[end - 1] == ":":
        return ends_line
    return begins_line and _is_heading(text[start:end], alone=ends_line)


def _is_heading(unit: str, *, alone: bool) -> bool:
    """Tell whether a unit that begins a line is a heading; ``alone`` if nothing else stands in the line."""
    if len(unit) > MAX_HEADING or is_row(unit) or _LIST_ITEM.match(unit):
        return False
    if _NUMBERED.fullmatch(unit):
        return True
    return alone and (unit.isupper() or bool(_BEGINS_AS_TITLE.match(unit) and not _STOPPED.search(unit)))


def _in_rows(text: str, units: list[Span]) -> list[bool]:
    """Tell of each unit whether the line in which it stands is a row of a table; each line is looked at once."""
    inside: list[bool] = []
    line_end, in_row = -1, False
    for start, end in units:
        if end > line_end:
            line_end = text.find("\n", end)
            line_end = len(text) if line_end < 0 else line_end
            in_row = is_row(text[text.rfind("\n", 0, start) + 1 : line_end])
        inside.append(in_row)
    return inside
