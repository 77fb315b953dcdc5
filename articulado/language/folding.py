"""Character operations: folding of case and accents, removal of invisible characters, memoised word values."""

import html
import re
import unicodedata
from collections.abc import Callable
from importlib import resources
from typing import TypeVar

_CODECS = ("latin-1", "cp1252")  # One-byte encodings, the faster first, that hold almost all Spanish law


class CharacterTable:
    """Fast equivalent of a ``replace`` that maps each character of Latin-1 or CP1252 to one of the same encoding."""

    def __init__(self, replace: Callable[[str], str]) -> None:
        self._replace = replace
        self._tables = [(codec, _table(replace, codec)) for codec in _CODECS]

    def __call__(self, text: str) -> str:
        for codec, table in self._tables:
            try:
                return text.encode(codec).translate(table).decode(codec)
            except UnicodeEncodeError:
                continue
        return self._replace(text)


def _table(replace: Callable[[str], str], codec: str) -> bytes:
    return b"".join(
        replace(character).encode(codec) if (character := byte.decode(codec, "ignore")) else byte
        for byte in (bytes([number]) for number in range(256))
    )


_INVISIBLE = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});", re.IGNORECASE)


def without_invisible(text: str) -> str:
    """Remove control characters, and those without width or that turn the direction of writing."""
    return _INVISIBLE.sub("", text)


def as_rendered(text: str) -> str:
    r"""Resolve nested character references and remove invisible characters, which hide marks such as ``[C1]``.

    >>> as_rendered("&amp;#91;C\u200b1&#93; R&D")
    '[C1] R&D'
    """
    while (read := _REFERENCE.sub(lambda match: html.unescape(match.group()), text)) != text:
        text = read
    return without_invisible(text)


V = TypeVar("V")

MAX_WORDS = 131_072  # About 15 MB; the 66 laws and the questions of their readers have 40,000 words


class MemoTable(dict[str, V]):
    """Table of ``work_out(word)``, computed at the first look-up of a word; emptied when full, then computed again."""

    def __init__(self, work_out: Callable[[str], V]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, word: str) -> V:
        if len(self) >= MAX_WORDS:
            self.clear()
        value = self[word] = self._work_out(word)
        return value


_FROM = "áàäâéèëêíìïîóòöôúùüûñçº°ª\u00a0\u202f\u2009\t\n\r’‘“”–—"
_TO = "aaaaeeeeiiiioooouuuuncººª      ''\"\"--"
_TABLE = str.maketrans(_FROM, _TO)


class _Marks(dict[int, int | None]):
    """Table that removes marks from decomposed text by ``str.translate``, filled on demand."""

    def __missing__(self, code: int) -> int | None:
        self[code] = kept = None if unicodedata.combining(chr(code)) else code
        return kept


_MARKS = _Marks()
_NO_LETTER_OR_DIGIT = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Return a text of the same length in lower case, without accents, with plain blanks, dashes and quotation marks.

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
    """Return a text without diacritics ("ñ" becomes "n"); case stays, the length may change."""
    return text if text.isascii() else unicodedata.normalize("NFD", text).translate(_MARKS)


def words_of(text: str) -> list[str]:
    """Return the folded words of a text, numbers and stop words included."""
    return _WORD.findall(fold(text))


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text without case and accents ("fechadealta1ª"), to compare names."""
    return _NO_LETTER_OR_DIGIT.sub("", without_accents(text).casefold())


def read_list(name: str) -> list[str]:
    lines = resources.files("articulado.language").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def word_families(name: str, stem: Callable[[str], str]) -> dict[str, str]:
    """Return the shared stem of each word family by the stem of its members; a line is "head: member member …"."""
    table: dict[str, str] = {}
    for line in read_list(name):
        head, _, members = line.partition(":")
        table.update({stem(member): stem(head) for member in members.split()})
    return table
