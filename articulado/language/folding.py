"""Fold case and accents of a text for comparison, with or without keeping character offsets.

``fold`` keeps the length of the text: offsets found in the folded text are valid in the original.
``without_accents`` may change the length.
"""

import re
import unicodedata

from articulado.language.characters import CharacterTable

_FROM = "áàäâéèëêíìïîóòöôúùüûñçº°ª\u00a0\u202f\u2009\t\n\r’‘“”–—"
_TO = "aaaaeeeeiiiioooouuuuncººª      ''\"\"--"
_TABLE = str.maketrans(_FROM, _TO)


class _Marks(dict[int, int | None]):
    """Takes marks out of decomposed text, by ``str.translate``; it fills itself, with the characters that there are."""

    def __missing__(self, code: int) -> int | None:
        self[code] = kept = None if unicodedata.combining(chr(code)) else code
        return kept


_MARKS = _Marks()
_NO_LETTER_OR_DIGIT = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return a text in lower case, without accents, every kind of blank a space; of the same length.

    It is what patterns search: offsets found in the folded text are valid in the original.

    >>> fold("Artículo 48 BIS")
    'articulo 48 bis'
    """
    return _folded(text)


def _fold_characters(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    return lower.translate(_TABLE)


_folded = CharacterTable(_fold_characters)


def without_accents(text: str) -> str:
    """Return the text without any diacritic ("ñ" becomes "n"); the case stays, the length may not.

    >>> without_accents("Peñíscola")
    'Peniscola'
    """
    return text if text.isascii() else unicodedata.normalize("NFD", text).translate(_MARKS)


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text, whatever their case and accents: what two spellings of a name share.

    >>> letters_and_digits("Fecha_de alta: 1.ª")
    'fechadealta1ª'
    """
    return _NO_LETTER_OR_DIGIT.sub("", without_accents(text).casefold())
