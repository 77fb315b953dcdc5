"""Recognise what divides a law above its provisions: books, titles, chapters, sections."""

import re

from language.folding import fold
from legal.labels import DIVISIONS, WRITTEN_SUFFIXES

LEVELS = (*DIVISIONS, "rotulo")
"""From the outermost to the innermost; a "rótulo" is a lettered caption within a section."""

_NAMED = re.compile(r"(LIBRO|T[IÍ]TULO|CAP[IÍ]TULO|SECCI[OÓ]N|SUBSECCI[OÓ]N)\b", re.IGNORECASE)
_WITHOUT_TITLE = re.compile(rf"(?:{_NAMED.pattern})\s+[\w.ªº]+(?:\s+(?:{WRITTEN_SUFFIXES}))?\.?", re.IGNORECASE)
# Some files set these as paragraphs, not as headings.
_PLAIN = re.compile(r"LIBRO [A-ZÁÉÍÓÚ]+\.?|Subsección \d+\.?ª?(?: bis)?\.? [A-ZÁÉÍÓÚ].+")
_CAPTION = re.compile(r"[A-H]\) [A-ZÁÉÍÓÚ][^.;:]*")


def structure(text: str) -> int | None:
    """Return the level of a heading such as "CAPÍTULO II. Derechos" (an index of ``LEVELS``), ``None`` for others."""
    found = _NAMED.match(text)
    return LEVELS.index(fold(found[1])) if found else None


def has_title(text: str) -> bool:
    """Tell whether a heading of the structure says more than its number."""
    return _WITHOUT_TITLE.fullmatch(text) is None


def plain_structure(text: str, following: str) -> int | None:
    """Return the level of a paragraph that is a heading in all but its marks, ``None`` for text.

    ``following`` is the line after it: a lettered caption ("B) Trabajadores por cuenta ajena") is told from the last
    letter of a list by the heading that follows and by its want of a full stop.
    """
    if _PLAIN.fullmatch(text):
        return structure(text)
    if following.startswith("#####") and _CAPTION.fullmatch(text):
        return LEVELS.index("rotulo")
    return None
