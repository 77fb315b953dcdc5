"""Read from marks and notes whether a provision is in force, amended or repealed."""

import re
from collections.abc import Sequence

from state.chunks import Status

_MARK = re.compile(r"\((?:Derogad[oa]s?|Suprimid[oa]s?|Anulad[oa]s?|Sin efecto|Sin contenido)\)\.?", re.IGNORECASE)
_WHOLE = re.compile(rf"(?:{_MARK.pattern}\s*)+", re.IGNORECASE)
_AMENDED = re.compile(
    r"Se (?:modifica|añade|suprime|deroga|renumera|reenumera|numera|da nueva|introduce|sustituye|declara"
    r"|deja sin efecto|actualiza|redacta|corrige)"
)
_REPEALED = re.compile(r"Se (?:deroga|suprime|declara)")
_REFERENCE = re.compile(r"\s*\[?Ref\. ([\w-]+)(?:#[\w-]+)?\]?\.?")
LONGEST_NOTE = 300
"""Characters of a status note; what is longer is cut at a word."""


def provision_status(paragraphs: Sequence[str], notes: Sequence[str]) -> tuple[Status, str]:
    """Return the status of a provision and a note that names the norm that last changed it.

    ``notes`` come last amendment first.
    """
    amendment = next((note for note in notes if _AMENDED.match(note)), "")
    repeal = next((note for note in notes if _REPEALED.match(note)), amendment)
    if paragraphs and all(_WHOLE.fullmatch(paragraph.strip()) for paragraph in paragraphs):
        return "derogada", _shortened(repeal) or "Sin contenido: derogada, suprimida o anulada."
    if any(_MARK.search(paragraph) for paragraph in paragraphs):
        return "parcialmente_derogada", _shortened(repeal) or "Parte de su texto está derogada, suprimida o anulada."
    return ("modificada", _shortened(amendment)) if amendment else ("vigente", "")


def _shortened(note: str) -> str:
    """Return the note on one line, with the BOE reference in brackets and cut at ``LONGEST_NOTE``."""
    note = " ".join(_REFERENCE.sub(r" (\1).", note).split()).replace(". (", " (")
    if len(note) <= LONGEST_NOTE:
        return note
    return note[:LONGEST_NOTE].rsplit(" ", 1)[0].rstrip(",;. ") + "…"
