"""Read the apartado and the letter of a citation, in the words before or after it: "letra n) del artículo 49.1".

Works on folded text (see ``articulado.language.folding``).
"""

import re

from articulado.language.numerals import CARDINALS, ORDINAL_STEMS, read_words
from legal.labels import SUFFIXES

_VALUE = (
    rf"(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\.?[ºª])?(?:[. ](?:{SUFFIXES})\b)?(?:\.?\s?[a-zñ]\))*(?![\w/%])"
    r"|[a-zñ](?:\s(?:bis|ter))?\)|[a-zñ](?!\w)"
    rf"|(?:{'|'.join(ORDINAL_STEMS)}|ultim)[oa]?s?\b|in fine|final\b|anterior(?:es)?\b"
    rf"|(?:{'|'.join(CARDINALS[:10])})\b)"
)
_SUBDIVISIONS = (
    r"(?:apartados?|aptdos?\.?|aps?\.|parrafos?|letras?|numeros?|num\.|reglas?|incisos?|puntos?|epigrafes?"
    r"|ordinal(?:es)?)"
)
# In "34, apartado 7, 36, apartado 1" the 36 has an apartado of its own.
_VALUES = rf"{_VALUE}(?:(?:\s*,\s*(?![yo]\s|\d+\s*,\s*{_SUBDIVISIONS})|\s+(?:y|o|e|u|a)\s+){_VALUE})*"
_MORE_SUBDIVISIONS = (
    r"\s*,?\s+(?:y\s+|o\s+)?(?:respectivamente\s*,\s+)?(?:(?:de\s+)?(?:el|la|los|las|del)\s+)?"
    rf"(?:(?:citad|referid|mencionad)[oa]s?\s+)?{_SUBDIVISIONS}\s+{_VALUES}"
)
_BEFORE = re.compile(
    rf"(?:{_SUBDIVISIONS}\s+{_VALUES}(?:{_MORE_SUBDIVISIONS})*"
    r"(?:\s*,?\s+(?:respectivamente\s*,\s+)?(?:del|de\s+la|de\s+las|de\s+los|de)|\s+(?:al?|en\s+(?:el|la)))\s+"
    r"(?:(?:citad|referid|mencionad|propi)[oa]s?\s+)?)$"
)
QUALIFIER = re.compile(
    rf"\s*,?\s*(?:(?:en\s+)?sus?\s+)?(?:{_SUBDIVISIONS}\s+{_VALUES}|(?:primer|segundo|tercer|ultimo)\s+parrafo)"
    # "…, apartado 3 del artículo 216" belongs to what follows.
    r"(?!\s*,?\s+del?\s+(?:la\s+|los\s+|las\s+)?(?:articulo|disposicion))"
)
"""What follows a provision and says which part of it is meant: ", apartado 3, letra b)"."""

_FIRST_NUMBER = re.compile(r"\d{1,2}")
_FIRST_LETTER = re.compile(r"(?<![a-zñ])([a-zñ])(?![a-zñ])")
_NUMBERED_SUBDIVISION = re.compile(
    rf"(?:apartados?|aptdos?\.?|aps?\.|numeros?|num\.)\s+"
    rf"(?:(?P<number>\d{{1,2}})(?:[. ](?P<suffix>{SUFFIXES})\b)?|(?P<word>[a-z]{{3,}}))"
)
# A letter without a bracket may be a conjunction: "apartados 1 y 2".
_LETTERED_SUBDIVISION = re.compile(
    r"(?:letras?\s+([a-zñ])(?![a-zñ])|(?:parrafos?|apartados?|incisos?|puntos?|reglas?)\s+([a-zñ])\)"
    r"|\d\.?\s?([a-zñ])\))"
)


def words_before(folded: str, head: int) -> re.Match[str] | None:
    """Find the words before a citation's head that say which part is meant ("apartado 2 del" artículo anterior)."""
    return _BEFORE.search(folded, max(0, head - 120), head)


def named_subdivision(words: str) -> tuple[str | None, str | None]:
    """Return the apartado ("4 bis") and the letter that words name, each ``None`` without one; of several the first.

    >>> named_subdivision("letra b) del apartado 4 bis del")
    ('4 bis', 'b')
    """
    letter = _LETTERED_SUBDIVISION.search(words)
    return _apartado(words), letter[letter.lastindex or 0] if letter else None


def suffixed_subdivision(suffix: str) -> tuple[str | None, str | None]:
    """Return the apartado and the letter that are written behind a number.

    >>> suffixed_subdivision(".1.c)"), suffixed_subdivision(".dos")
    (('1', 'c'), ('2', None))
    """
    letter = _FIRST_LETTER.search(suffix)
    digits, words = _FIRST_NUMBER.search(suffix), read_words(suffix, 1)
    return digits[0] if digits else str(words[0]) if words else None, letter[1] if letter else None


def _apartado(words: str) -> str | None:
    """Return the apartado of "apartado 4 bis, párrafo segundo" or "apartado tercero"."""
    match = _NUMBERED_SUBDIVISION.search(words)
    if match is None:
        return None
    if match["number"]:
        return match["number"] + (f" {match['suffix']}" if match["suffix"] else "")
    value = read_words(match["word"])
    return str(value[0]) if value else None
