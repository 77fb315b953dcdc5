"""Read numbers in Spanish: digits with points and a comma ("1.200,50"), and cardinals in words below a million."""

import re
from decimal import Decimal

# fmt: off
_SMALL = (
    "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece",
    "catorce", "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiuno", "veintidos",
    "veintitres", "veinticuatro", "veinticinco", "veintiseis", "veintisiete", "veintiocho", "veintinueve",
)
_TENS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
_HUNDREDS = (
    "doscient", "trescient", "cuatrocient", "quinient", "seiscient", "setecient", "ochocient", "novecient",
)
# fmt: on
_WORDS = (
    {word: value for value, word in enumerate(_SMALL, start=1)}
    | {"un": 1, "una": 1, "veintiun": 21, "veintiuna": 21, "cien": 100, "ciento": 100}
    | {word: 10 * value for value, word in enumerate(_TENS, start=3)}
    | {stem + ending: 100 * value for value, stem in enumerate(_HUNDREDS, start=2) for ending in ("os", "as")}
)
_THOUSAND = "mil"
_MILLIONS = re.compile(r"\s+millon(?:es)?\b(?:\s+de\b)?")

_WORD = "|".join(sorted([*_WORDS, _THOUSAND], key=len, reverse=True))
_START = re.compile(
    rf"(?<![\w.,/])(?:(?P<digits>\d{{1,3}}(?:\.\d{{3}})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)?)|(?P<word>{_WORD})\b)"
)
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
_NEXT = re.compile(rf"(?P<and>\s+y)?\s+(?P<word>{_WORD})\b")


def read_number(folded: str, position: int = 0) -> tuple[int, int, Decimal] | None:
    """Return start, end and value of the first number of a folded text from the position on; ``None`` without one.

    A point before three digits parts thousands; any other, and a comma, decimals.
    """
    found = _START.search(folded, position)
    if found is None:
        return None
    value, end = _digits(found["digits"]), found.end()
    if found["word"]:
        value, end = _words(folded, found["word"], found.end())
    if millions := _MILLIONS.match(folded, end):
        value, end = value * 1_000_000, millions.end()
    return found.start(), end, value


def _digits(written: str | None) -> Decimal:
    whole, _, decimals = (written or "0").partition(",")
    if _GROUPED.fullmatch(whole):
        whole = whole.replace(".", "")
    return Decimal(f"{whole}.{decimals}" if decimals else whole)


def _words(folded: str, first: str, end: int) -> tuple[Decimal, int]:
    """Read on as long as the words make one number; return its value and its end."""
    thousands, current = (1, 0) if first == _THOUSAND else (0, _WORDS[first])
    last = 1_000 if first == _THOUSAND else current
    while following := _NEXT.match(folded, end):
        word, joined = following["word"], bool(following["and"])
        if word == _THOUSAND and not thousands and not joined:
            thousands, current, last = current, 0, 1_000
        elif word != _THOUSAND and _WORDS[word] < _limit(last, joined):
            last = _WORDS[word]
            current += last
        else:
            break
        end = following.end()
    return Decimal(1_000 * thousands + current), end


def _limit(last: int, joined: bool) -> int:
    """Return what the next part must be below: after "mil", a hundred, or a ten and "y"; 0 where nothing may follow."""
    if joined:
        return 10 if 30 <= last < 100 and last % 10 == 0 else 0
    return last if last == 1_000 else 100 if last >= 100 else 0
