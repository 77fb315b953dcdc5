"""Validity of a text on a day, repeal status from marks and notes, and the score of the legal signals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import REPEALED, Chunk, Status

MAX_TEXTS = 8_192

REPEAL_MARK = re.compile(
    r"\((?:Párrafos? (?:[^()]{0,40} )?)?(?:Derogad[oa]s?|Suprimid[oa]s?|Anulad[oa]s?|Sin efecto|Sin contenido)\)\.?",
    re.IGNORECASE,
)
_NOTHING_ELSE = re.compile(rf"(?:(?:\w{{1,5}}[.)]\s?)?{REPEAL_MARK.pattern}\s*)+", re.IGNORECASE)


def is_repealed(paragraphs: Sequence[str]) -> bool:
    """Tell if each paragraph, of at least one, is only the mark of a repeal: "(Derogado)", "2. (Suprimido)"."""
    return bool(paragraphs) and all(_NOTHING_ELSE.fullmatch(paragraph.strip()) for paragraph in paragraphs)


def is_of_day(chunk: Chunk, day: date) -> bool:
    """Tell if a day is within the span of a wording, even if the wording is only the mark of a repeal."""
    begins, ends, written = chunk["valid_from"], chunk["valid_to"], day.isoformat()
    return (not begins or begins <= written) and (not ends or written < ends)


def in_force(chunk: Chunk, as_of: date | None, today: date) -> bool:
    """Tell if a chunk is law today, or on the day ``as_of``.

    A repealed text was law until its last day; without a known last day it is no law from today on. The mark of a
    repeal is never law.
    """
    day = as_of or today
    if not is_of_day(chunk, day):
        return False
    if chunk["status"] in REPEALED and chunk["valid_to"] is None and day >= today:
        return False
    return not _is_mark_of_repeal(chunk["text"])


@lru_cache(MAX_TEXTS)
def _is_mark_of_repeal(text: str) -> bool:
    return is_repealed(list(filter(None, text.splitlines())))


def is_gone(chunk: Chunk, as_of: date | None, today: date) -> bool:
    """Tell if a provision is repealed and not in force, or without object, on the day ``as_of`` or today."""
    if "emptied" in chunk and chunk["emptied"]["since"] <= (as_of or today).isoformat():
        return True
    return chunk["status"] in REPEALED and not in_force(chunk, as_of, today)


HIERARCHY: Mapping[int, float] = {1: 1.0, 2: 0.7625, 3: 0.525, 4: 0.2875, 5: 0.05}
"""Score by rank in even steps: 1.0 for the Constitution, 0.05 for orders, rulings and criteria."""
RECENT, OLD = 3.0, 15.0  # Age in years up to which a law scores 1.0, and from which it scores 0.0.
_YEAR = 365.25


@dataclass(frozen=True)
class SignalWeights:
    """Weights of the signals; ``repealed`` is subtracted from texts that are no longer law."""

    relevance: float
    hierarchy: float
    recency: float
    in_force: float
    repealed: float


def final_score(relevance: float, chunk: Chunk, weights: SignalWeights, as_of: date | None, today: date) -> float:
    """Return the combined score; all inputs are in [0, 1], the result is in [−repealed, 1].

    final = w_r · relevance + w_h · hierarchy + w_t · recency + w_f · in force − repealed (if gone), all on the day
    asked about. Amended and partly repealed provisions lose nothing: their note reports it.
    """
    force = in_force(chunk, as_of, today)
    gone = is_gone(chunk, as_of, today)
    return (
        weights.relevance * relevance
        + weights.hierarchy * HIERARCHY[min(max(chunk["rank"], 1), 5)]
        + weights.recency * recency(chunk, as_of or today)
        + weights.in_force * force
        - weights.repealed * gone
    )


def recency(chunk: Chunk, day: date) -> float:
    """Return 1.0 for a law younger than 3 years on a day, falling linearly to 0.0 at 15.

    The age is that of the law, not of its amendments; a ruling or a document counts from its first day, else scores
    0.0.
    """
    law = known_laws().get(chunk["law_id"])
    since = law.published if law else date.fromisoformat(chunk["valid_from"]) if chunk["valid_from"] else None
    if since is None:
        return 0.0
    years = (day - since).days / _YEAR
    return min(1.0, max(0.0, (OLD - years) / (OLD - RECENT)))


AMENDS = re.compile(
    r"Se (?:modifica|añade|suprime|deroga|renumera|reenumera|numera|da nueva|introduce|sustituye|declara"
    r"|deja sin efecto|actualiza|redacta|corrige|reordena|suspende)"
)
_REPEALS = re.compile(r"\b[Ss]e (?:deroga|suprime|declara)")
_REFERENCE = re.compile(r"\s*\[?Ref\. ([\w-]+)(?:#[\w-]+)?\]?\.?")
LONGEST_NOTE = 300
_MAX_SHOWN_MARKS = 3


def provision_status(paragraphs: Sequence[str], notes: Sequence[str]) -> tuple[Status, str]:
    """Return the status of a provision, and a note that names the norm that last changed or repealed it.

    ``notes`` come last amendment first. Without a note on a repeal, the note quotes the marks of the repealed units.
    """
    amendment = next((note for note in notes if AMENDS.match(note)), "")
    repeal = next((note for note in notes if AMENDS.match(note) and _REPEALS.search(note)), amendment)
    if is_repealed(paragraphs):
        return "derogada", shortened(repeal) or "Sin contenido: derogada, suprimida o anulada."
    if marked := [paragraph for paragraph in paragraphs if REPEAL_MARK.search(paragraph)]:
        return "parcialmente_derogada", shortened(repeal) or _quoted_marks(marked)
    return ("modificada", shortened(amendment)) if amendment else ("vigente", "")


def shortened(note: str) -> str:
    """Return a note on one line, with the BOE reference in brackets, cut at ``LONGEST_NOTE``."""
    note = " ".join(_REFERENCE.sub(r" (\1).", note).split()).replace(". (", " (")
    if len(note) <= LONGEST_NOTE:
        return note
    return note[:LONGEST_NOTE].rsplit(" ", 1)[0].rstrip(",;. ") + "…"


def _quoted_marks(paragraphs: Sequence[str]) -> str:
    marks = [
        match[0].strip()
        for text in paragraphs
        for match in re.finditer(rf"[^.;]{{0,12}}\.?\s?{REPEAL_MARK.pattern}", text, re.I)
    ]
    shown = ", ".join(f"«{mark.rstrip('.')}»" for mark in marks[:_MAX_SHOWN_MARKS])
    return f"Parte de su texto ya no rige: {shown}{' y otras' if len(marks) > _MAX_SHOWN_MARKS else ''}."
