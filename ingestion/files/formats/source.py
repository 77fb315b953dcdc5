"""Read the bytes of a file, tell which format they are, and decode their text."""

import codecs
from pathlib import Path

from language.current import say
from language.system import reason
from state.errors import InvalidInput

SUFFIX = ".article.yaml"
"""How the name of an article's file ends."""

_SIGNATURES = {
    b"%PDF-": "file.kind_pdf",
    b"PK\x03\x04": "file.kind_zip",
    b"\xd0\xcf\x11\xe0": "file.kind_old_office",
}
"""The first bytes of formats that are no text, and the keys of what messages call these."""

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

_MIN_LIKELIHOOD = 0.9
"""Share of the characters beyond ASCII that must be expected ones."""


def is_article(file: Path | str) -> bool:
    """Tell by its name whether a file is an article; any other YAML belongs to the document beside it.

    >>> is_article("profiles/laboral/despido.article.yaml"), is_article("sentencia.pdf.yaml")
    (True, False)
    """
    return Path(file).name.lower().endswith(SUFFIX)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InvalidInput: it cannot be read, or is empty.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(say("file.unreadable", path=path, reason=reason(error))) from error
    if not data.strip():
        raise InvalidInput(say("file.empty", path=path))
    return data


def decode(data: bytes, path: Path, declared: str | None = None) -> str:
    """Return the text: by its byte order mark, else UTF-8, else as declared, else in the encoding that gives Spanish.

    Raises:
        InvalidInput: the bytes are no text, or in an encoding that cannot be told.
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            if (text := _decoded(data, encoding)) is None:
                raise _unknown_encoding(path)
            return text
    if b"\0" in data:
        raise InvalidInput(say("file.not_text", path=path))
    for encoding in filter(None, ("utf-8", declared)):
        if (text := _decoded(data, encoding)) is not None:
            return text
    candidates = [text for encoding in _EIGHT_BITS if (text := _decoded(data, encoding)) is not None]
    best = max(candidates, key=_likelihood)
    if _likelihood(best) < _MIN_LIKELIHOOD:
        raise _unknown_encoding(path)
    return best


def _decoded(data: bytes, encoding: str) -> str | None:
    # What calls itself Latin-1 is cp1252, as in every browser (WHATWG Encoding Standard).
    encoding = "cp1252" if encoding.lower().replace("_", "-") in ("iso-8859-1", "latin-1", "latin1") else encoding
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _likelihood(text: str) -> float:
    """Return which share of the characters beyond ASCII is one of a Spanish text, in [0, 1]."""
    beyond = [character for character in text if character > "\x7f"]
    return sum(character in _EXPECTED for character in beyond) / len(beyond) if beyond else 1.0


def _unknown_encoding(path: Path) -> InvalidInput:
    return InvalidInput(say("file.encoding", path=path))


def known_format(data: bytes) -> str:
    """Return the key of what a file is by its first bytes ("file.kind_pdf"); empty where they tell nothing."""
    return next((name for signature, name in _SIGNATURES.items() if data.startswith(signature)), "")


def refuse_other_formats(path: Path, data: bytes) -> None:
    """Refuse bytes that are no text, for a file whose name says that it is one.

    Raises:
        InvalidInput: they are of a known other format.
    """
    if known_format(data):
        raise other_format(path, data)


def other_format(path: Path, data: bytes) -> InvalidInput:
    """Return the error for a file that is not what its extension says."""
    name = known_format(data)
    what = say("file.is_kind", kind=say(name)) if name else say("file.is_not")
    return InvalidInput(say("file.other_format", path=path, suffix=path.suffix, what=what))


def no_text(path: Path) -> InvalidInput:
    """Return the error for a file in which there is no text."""
    return InvalidInput(say("file.no_text", path=path))
