"""Whether a text is law on a day."""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from articulado.values.chunks import REPEALED, Chunk
from legal.laws.registry import known_laws

MAX_TEXTS = 8_192
"""Texts of which it is kept whether anything is left of them: a question asks that of all it finds, several times."""

REPEAL_MARK = re.compile(
    r"\((?:Párrafos? (?:[^()]{0,40} )?)?(?:Derogad[oa]s?|Suprimid[oa]s?|Anulad[oa]s?|Sin efecto|Sin contenido)\)\.?",
    re.IGNORECASE,
)
"""What stands in a consolidated text where something was."""
_NOTHING_ELSE = re.compile(rf"(?:(?:\w{{1,5}}[.)]\s?)?{REPEAL_MARK.pattern}\s*)+", re.IGNORECASE)


def is_repealed(paragraphs: Sequence[str]) -> bool:
    """Tell whether nothing is left of a provision but the mark of its repeal.

    >>> is_repealed(["(Derogada)"]), is_repealed(["1. Texto.", "2. (Derogado)"])
    (True, False)
    """
    return bool(paragraphs) and all(_NOTHING_ELSE.fullmatch(paragraph.strip()) for paragraph in paragraphs)


def is_of_day(chunk: Chunk, day: date) -> bool:
    """Tell whether a wording is the one of a day, be it law or nothing but the mark of a repeal."""
    begins, ends, written = chunk["valid_from"], chunk["valid_to"], day.isoformat()
    return (not begins or begins <= written) and (not ends or written < ends)


def in_force(chunk: Chunk, as_of: date | None, today: date) -> bool:
    """Tell whether a chunk is law today, or with ``as_of`` on that day, whatever becomes of it later.

    What is repealed was law until its last day; where no source tells that, it is law no longer from today on.
    A wording that is nothing but the mark of a repeal is law on no day, and nothing is before its law is.
    """
    day = as_of or today
    law = known_laws().get(chunk["law_id"])
    if law and law.begins and day < law.begins:
        return False
    if not is_of_day(chunk, day):
        return False
    if chunk["status"] in REPEALED and chunk["valid_to"] is None and day >= today:
        return False
    return not _is_mark_of_repeal(chunk["text"])


@lru_cache(MAX_TEXTS)
def _is_mark_of_repeal(text: str) -> bool:
    return is_repealed(list(filter(None, text.splitlines())))
