"""Read from marks and notes whether a provision is in force, amended or repealed."""

import re
from collections.abc import Sequence

from articulado.values.chunks import Status
from legal.validity import REPEAL_MARK, is_repealed

AMENDS = re.compile(
    r"Se (?:modifica|añade|suprime|deroga|renumera|reenumera|numera|da nueva|introduce|sustituye|declara"
    r"|deja sin efecto|actualiza|redacta|corrige|reordena|suspende)"
)
"""How a note on an amendment begins."""
_REPEALS = re.compile(r"\b[Ss]e (?:deroga|suprime|declara)")
_REFERENCE = re.compile(r"\s*\[?Ref\. ([\w-]+)(?:#[\w-]+)?\]?\.?")
LONGEST_NOTE = 300
"""Characters of a status note; what is longer is cut at a word."""
_SHOWNREPEAL_MARKS = 3


def provision_status(paragraphs: Sequence[str], notes: Sequence[str]) -> tuple[Status, str]:
    """Return the status of a provision and a note that names the norm that last changed it.

    Of a provision that is repealed, in whole or in part, the note is that on the repeal; where the source has none,
    it quotes the marks of what is repealed. ``notes`` come last amendment first.

    >>> provision_status(["1. Texto.", "2. (Derogado)"], ["Se deroga el apartado 2 por la Ley 3/2023."])
    ('parcialmente_derogada', 'Se deroga el apartado 2 por la Ley 3/2023.')
    >>> provision_status(["Texto."], [])
    ('vigente', '')
    """
    amendment = next((note for note in notes if AMENDS.match(note)), "")
    repeal = next((note for note in notes if AMENDS.match(note) and _REPEALS.search(note)), amendment)
    if is_repealed(paragraphs):
        return "derogada", shortened(repeal) or "Sin contenido: derogada, suprimida o anulada."
    if marked := [paragraph for paragraph in paragraphs if REPEAL_MARK.search(paragraph)]:
        return "parcialmente_derogada", shortened(repeal) or _quoted_marks(marked)
    return ("modificada", shortened(amendment)) if amendment else ("vigente", "")


def shortened(note: str) -> str:
    """Return the note on one line, with the BOE reference in brackets and cut at ``LONGEST_NOTE``."""
    note = " ".join(_REFERENCE.sub(r" (\1).", note).split()).replace(". (", " (")
    if len(note) <= LONGEST_NOTE:
        return note
    return note[:LONGEST_NOTE].rsplit(" ", 1)[0].rstrip(",;. ") + "…"


def _quoted_marks(paragraphs: Sequence[str]) -> str:
    """Return in Spanish which units of a provision are repealed, as its text marks them: «2. (Derogado)»."""
    marks = [
        match[0].strip()
        for text in paragraphs
        for match in re.finditer(rf"[^.;]{{0,12}}\.?\s?{REPEAL_MARK.pattern}", text, re.I)
    ]
    shown = ", ".join(f"«{mark.rstrip('.')}»" for mark in marks[:_SHOWNREPEAL_MARKS])
    return f"Parte de su texto ya no rige: {shown}{' y otras' if len(marks) > _SHOWNREPEAL_MARKS else ''}."
