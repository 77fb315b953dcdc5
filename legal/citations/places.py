"""Read the apartado and the letter of a citation, in the words before or after it: "letra n) del artículo 49.1".

Works on folded text (see ``language.folding``).
"""

import re

from language.numerals import CARDINALS, ORDINAL_STEMS, read_words
from legal.labels import SUFFIXES

_VALUE = (
    rf"(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\.?[ºª])?(?:[. ](?:{SUFFIXES})\b)?(?:\.?\s?[a-zñ]\))*(?![\w/%])"
    r"|[a-zñ](?:\s(?:bis|ter))?\)|[a-zñ](?!\w)"
    rf"|(?:{'|'.join(ORDINAL_STEMS)}|ultim)[oa]?s?\b|in fine|final\b|anterior(?:es)?\b"
    rf"|(?:{'|'.join(CARDINALS[:10])})\b)"
)
_PLACES = (
    r"(?:apartados?|aptdos?\.?|aps?\.|parrafos?|letras?|numeros?|num\.|reglas?|incisos?|puntos?|epigrafes?"
    r"|ordinal(?:es)?)"
)
# In "34, apartado 7, 36, apartado 1" the 36 has an apartado of its own.
_VALUES = rf"{_VALUE}(?:(?:\s*,\s*(?![yo]\s|\d+\s*,\s*{_PLACES})|\s+(?:y|o|e|u|a)\s+){_VALUE})*"
_MORE_PLACES = (
    r"\s*,?\s+(?:y\s+|o\s+)?(?:respectivamente\s*,\s+)?(?:(?:de\s+)?(?:el|la|los|las|del)\s+)?"
    rf"(?:(?:citad|referid|mencionad)[oa]s?\s+)?{_PLACES}\s+{_VALUES}"
)
_BEFORE = re.compile(
    rf"(?:{_PLACES}\s+{_VALUES}(?:{_MORE_PLACES})*"
    r"(?:\s*,?\s+(?:respectivamente\s*,\s+)?(?:del|de\s+la|de\s+las|de\s+los|de)|\s+(?:al?|en\s+(?:el|la)))\s+"
    r"(?:(?:citad|referid|mencionad|propi)[oa]s?\s+)?)$"
)
QUALIFIER = re.compile(
    rf"\s*,?\s*(?:(?:en\s+)?sus?\s+)?(?:{_PLACES}\s+{_VALUES}|(?:primer|segundo|tercer|ultimo)\s+parrafo)"
    # "…, apartado 3 del artículo 216" belongs to what follows.
    r"(?!\s*,?\s+del?\s+(?:la\s+|los\s+|las\s+)?(?:articulo|disposicion))"
)
"""What follows a provision and is a place in it: ", apartado 3, letra b)"."""

_FIRST_NUMBER = re.compile(r"\d{1,2}")
_FIRST_LETTER = re.compile(r"(?<![a-zñ])([a-zñ])(?![a-zñ])")
_NUMBERED_PLACE = re.compile(
    rf"(?:apartados?|aptdos?\.?|aps?\.|numeros?|num\.)\s+"
    rf"(?:(?P<number>\d{{1,2}})(?:[. ](?P<suffix>{SUFFIXES})\b)?|(?P<word>[a-z]{{3,}}))"
)
# A letter without a bracket may be a conjunction: "apartados 1 y 2".
_LETTERED_PLACE = re.compile(
    r"(?:letras?\s+([a-zñ])(?![a-zñ])|(?:parrafos?|apartados?|incisos?|puntos?|reglas?)\s+([a-zñ])\)"
    r"|\d\.?\s?([a-zñ])\))"
)


def before(folded: str, head: int) -> re.Match[str] | None:
    """Find the words before a citation's head that belong to it ("apartado 2 del" artículo anterior)."""
    return _BEFORE.search(folded, max(0, head - 120), head)


def place(words: str) -> tuple[str | None, str | None]:
    """Return the apartado ("4 bis") and the letter that the words name; of several the first."""
    letter = _LETTERED_PLACE.search(words)
    return _numbered(words), letter[letter.lastindex or 0] if letter else None


def sub_place(sub: str) -> tuple[str | None, str | None]:
    """Return the apartado and the letter that are written behind a number: ".1.c)", ".dos"."""
    letter = _FIRST_LETTER.search(sub)
    digits, words = _FIRST_NUMBER.search(sub), read_words(sub, 1)
    return digits[0] if digits else str(words[0]) if words else None, letter[1] if letter else None


def _numbered(words: str) -> str | None:
    """Return the apartado of "apartado 4 bis, párrafo segundo" or "apartado tercero"."""
    found = _NUMBERED_PLACE.search(words)
    if found is None:
        return None
    if found["number"]:
        return found["number"] + (f" {found['suffix']}" if found["suffix"] else "")
    value = read_words(found["word"])
    return str(value[0]) if value else None
