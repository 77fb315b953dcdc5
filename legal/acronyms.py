"""Acronyms of the field that a question uses, as the synonym table knows them."""

import re
from functools import cache

from legal.synonyms import load_synonyms

_CAPITALS = re.compile(r"\b([A-ZÑ]{2,})s?\b")


def find_acronyms(text: str) -> list[str]:
    """Return the known acronyms written in capitals ("ERTE", "ERTEs"), each once, in order."""
    return [name for name in dict.fromkeys(_CAPITALS.findall(text)) if name in _known()]


@cache
def _known() -> frozenset[str]:
    synonyms = load_synonyms().synonym
    return frozenset(term for entry in synonyms for term in (*entry.terms, *entry.legal) if term.isupper())
