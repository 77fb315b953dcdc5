"""Decode the bytes of a text without ever guessing a character wrong in silence."""

import codecs
from pathlib import Path

from state.errors import InvalidInput

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_EXPECTED = frozenset("áéíóúüñçÁÉÍÓÚÜÑÇàèòïÀÈÒÏ¿¡ºª°·«»“”‘’–—…•€§\xa0\xad")
"""What a Spanish text has beside ASCII, in any of the languages of Spain."""

_EIGHT_BITS = ("cp1252", "cp850", "mac_roman")
"""Encodings that any bytes could be in; cp1252 is Latin-1 and more."""

_ENOUGH = 0.9
"""Share of the characters beyond ASCII that must be expected ones."""


def decode(data: bytes, path: Path, declared: str | None = None) -> str:
    """Return the text: by its byte order mark, else UTF-8, else as declared, else in the code that gives Spanish.

    Raises:
        InvalidInput: the bytes are no text, or in an encoding that cannot be told.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            if (marked := _decoded(data, encoding)) is None:
                raise _unknown(path)
            return marked
    if b"\0" in data:
        raise InvalidInput(
            f"El fichero «{path}» no es de texto, o está en UTF-16 sin marca. Guárdelo con la codificación UTF-8."
        )
    for named in filter(None, ("utf-8", declared)):
        if (text := _decoded(data, named)) is not None:
            return text
    readings = [text for encoding in _EIGHT_BITS if (text := _decoded(data, encoding)) is not None]
    best = max(readings, key=_likelihood)
    if _likelihood(best) < _ENOUGH:
        raise _unknown(path)
    return best


def _decoded(data: bytes, encoding: str) -> str | None:
    # What calls itself Latin-1 is cp1252, as in every browser (WHATWG Encoding Standard).
    encoding = "cp1252" if encoding.lower().replace("_", "-") in ("iso-8859-1", "latin-1", "latin1") else encoding
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _likelihood(text: str) -> float:
    """Return which share of the characters beyond ASCII a Spanish text may well have."""
    beyond = [character for character in text if character > "\x7f"]
    return sum(character in _EXPECTED for character in beyond) / len(beyond) if beyond else 1.0


def _unknown(path: Path) -> InvalidInput:
    return InvalidInput(
        f"No se reconoce la codificación del fichero «{path}», o mezcla varias. Guárdelo en UTF-8 y reinténtelo."
    )
