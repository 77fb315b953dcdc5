"""Marks that a file reader leaves in a text in place of content that it could not read.

A mark is a phrase in square brackets, so that a person sees the gap and a program finds it: a passage with a mark is
incomplete, and a quotation of it must say so. Readers build marks with ``gap_mark``; ``gaps_in`` finds them.
"""

import re
from typing import Literal

GapKind = Literal["formula", "table", "cell", "page", "image"]

_MARKS: dict[GapKind, str] = {
    "formula": "fórmula que no se ha podido leer",
    "table": "tabla que no se ha podido leer",
    "cell": "celda sin valor calculado",
    "page": "página que es una imagen sin texto",
    "image": "imagen con texto que no se ha podido leer",
}

_PATTERN = re.compile(r"\[(?:" + "|".join(map(re.escape, _MARKS.values())) + r")(?:: [^\]\n]{1,80})?\]")


def gap_mark(kind: GapKind, detail: str = "") -> str:
    """Return the mark of a gap.

    Args:
        kind: the kind of content that is missing.
        detail: where it is ("página 3", "Hoja1!B7"); at most 80 characters are kept, without brackets.

    Returns:
        The mark, in Spanish: "[fórmula que no se ha podido leer: página 3]".
    """
    place = re.sub(r"[\[\]\s]+", " ", detail).strip()[:80]
    return f"[{_MARKS[kind]}: {place}]" if place else f"[{_MARKS[kind]}]"


def gaps_in(text: str) -> list[str]:
    """Return the marks of gaps in a text, in order, each as it stands."""
    return _PATTERN.findall(text)
