"""Replace the characters of a text: fold case and accents, remove invisible characters, memoise values per word.

``fold`` keeps the length of the text: offsets found in the folded text are valid in the original.
``without_accents`` may change the length. ``without_invisible`` and ``as_rendered`` undo two tricks that hide a
marker such as ``[C1]`` from a search: a zero-width character within it, or character references
(``&#91;C1&#93;``). ``CharacterTable`` replaces each character by another one, in an 8-bit encoding if the text
fits one. ``MemoTable`` computes the value of a word at its first look-up and empties itself when it holds
``MAX_WORDS`` words. ``read_list`` and ``word_families`` read the word lists of ``articulado/language/data``, which
have one entry a line; lines that begin with # are comments.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from importlib import resources
from typing import TypeVar

_CODECS = ("latin-1", "cp1252")
"""Encodings of one byte a character, the faster first; together they hold almost all that Spanish law is written in."""


class CharacterTable:
    """Does to a text what ``replace`` does, which replaces characters one by one, each always by the same one.

    In an encoding of ``_CODECS`` that takes a hundredth of the time; what stands for a character of one must be of it,
    too. A text with any other character is given to ``replace``.

    >>> CharacterTable(lambda text: text.replace("á", "a"))("cláusula — €")
    'clausula — €'
    """

    def __init__(self, replace: Callable[[str], str]) -> None:
        self._replace = replace
        self._tables = [(codec, _table(replace, codec)) for codec in _CODECS]

    def __call__(self, text: str) -> str:
        """Return the text with its characters replaced."""
        for codec, table in self._tables:
            try:
                return text.encode(codec).translate(table).decode(codec)
            except UnicodeEncodeError:
                continue
        return self._replace(text)


def _table(replace: Callable[[str], str], codec: str) -> bytes:
    """Return what becomes of each byte of an encoding; one that stands for no character stays."""
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
    """Return a text without control characters and those that have no width or turn the direction of writing."""
    return _INVISIBLE.sub("", text)


def as_rendered(text: str) -> str:
    r"""Return a text with its character references read, however often they are wrapped, and nothing invisible.

    >>> as_rendered("&amp;#91;C\u200b1&#93; R&D")
    '[C1] R&D'
    """
    while (read := _REFERENCE.sub(lambda match: html.unescape(match.group()), text)) != text:
        text = read
    return without_invisible(text)


V = TypeVar("V")

MAX_WORDS = 131_072
"""Words that are kept; about 15 MB. The 66 laws have 40,000, with those of their readers' questions."""


class MemoTable(dict[str, V]):
    """What ``work_out`` says of each word; looked up by index, and worked out where the word is new.

    Full, it begins anew: that costs a second once, and no bookkeeping at each word.

    >>> table = MemoTable(lambda word: word.removesuffix("s"))
    >>> table["plazos"], len(table)
    ('plazo', 1)
    """

    def __init__(self, work_out: Callable[[str], V]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, word: str) -> V:
        """Work out what is said of a word and keep it."""
        if len(self) >= MAX_WORDS:
            self.clear()
        value = self[word] = self._work_out(word)
        return value


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
_WORD = re.compile(r"[^\W_]+")


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


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order, lower case and without accents; numbers and stop words are words, too.

    >>> words_of("¿Me corresponden 30 días?")
    ['me', 'corresponden', '30', 'dias']
    """
    return _WORD.findall(fold(text))


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text, whatever their case and accents: what two spellings of a name share.

    >>> letters_and_digits("Fecha_de alta: 1.ª")
    'fechadealta1ª'
    """
    return _NO_LETTER_OR_DIGIT.sub("", without_accents(text).casefold())


def read_list(name: str) -> list[str]:
    """Return the lines of a word list that are neither empty nor comments."""
    lines = resources.files("articulado.language").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def word_families(name: str, stem: Callable[[str], str]) -> dict[str, str]:
    """Return the stem that words of one family share, by the stem that each would have by itself.

    A line is "head: member member …"; ``stem`` is the stemmer's own algorithm.
    """
    table: dict[str, str] = {}
    for line in read_list(name):
        head, _, members = line.partition(":")
        table.update({stem(member): stem(head) for member in members.split()})
    return table
