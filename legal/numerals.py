"""Read Spanish numerals as laws write them: cardinals, ordinals, digits with or without º/ª, Roman."""

import re

from legal.folding import fold

# fmt: off
_CARDINALS = (
    "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece",
    "catorce", "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiuno", "veintidos",
    "veintitres", "veinticuatro", "veinticinco", "veintiseis", "veintisiete", "veintiocho", "veintinueve",
)
# fmt: on
_CARDINAL_TENS = {"treinta": 30, "cuarenta": 40, "curenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70}
_CARDINAL_TENS |= {"ochenta": 80, "noventa": 90, "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300}
_ORDINAL_UNITS = ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven")
_ORDINAL_TENS = {"decim": 10, "vigesim": 20, "trigesim": 30, "cuadragesim": 40, "quincuagesim": 50}
_ORDINAL_TENS |= {"sexagesim": 60, "septuagesim": 70, "octogesim": 80, "nonagesim": 90, "centesim": 100}
_WORD = re.compile(r"[a-z]+")
_NEXT_CARDINAL = re.compile(r"\s+(?:y\s+)?([a-z]+)")
_NEXT_ORDINAL = re.compile(r"\s+([a-z]+)")
_DIGITS = re.compile(r"(\d{1,4})(?:\.?\s?[ºª])?(?![\w])")
_ROMAN = re.compile(r"(?=[ivxlc])(c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def _ordinals() -> dict[str, int]:
    table: dict[str, int] = {"primer": 1, "tercer": 3, "undecimo": 11, "undecima": 11, "duodecimo": 12, "duodecima": 12}
    for value, stem in [*enumerate(_ORDINAL_UNITS, 1), (7, "setim")]:
        for gender in "oa":
            table[stem + gender] = value
            for tens, base in _ORDINAL_TENS.items():
                table[tens + "o" + stem + gender] = base + value
                # "decimoctavo", "vigesimoctava": the two o's may be written as one.
                table[tens + stem + gender] = base + value
    for stem, value in _ORDINAL_TENS.items():
        table[stem + "o"] = table[stem + "a"] = value
    return table


_ORDINALS = _ordinals()
_CARDINAL_TABLE = {word: value for value, word in enumerate(_CARDINALS, 1)} | {"una": 1} | _CARDINAL_TENS


def read_words(folded: str, position: int = 0) -> tuple[int, int] | None:
    """Read a numeral in words that starts at the position of a folded text; return its value and its end."""
    first = _WORD.match(folded, position)
    if first is None:
        return None
    table, more = (_ORDINALS, _NEXT_ORDINAL) if first[0] in _ORDINALS else (_CARDINAL_TABLE, _NEXT_CARDINAL)
    if first[0] not in table:
        return None
    value, end = table[first[0]], first.end()
    while value % 10 == 0:
        following = more.match(folded, end)
        addend = table.get(following[1], 0) if following else 0
        if following is None or not 0 < addend < (100 if value % 100 == 0 else 10):
            break
        value, end = value + addend, following.end()
    return value, end


def _roman(folded: str) -> int | None:
    if not folded or _ROMAN.fullmatch(folded) is None:
        return None
    values = [_ROMAN_VALUES[letter] for letter in folded]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def numeral(text: str) -> int | None:
    """Return the value of a whole numeral ("undécima", "treinta y tres", "7.ª", "VII"), ``None`` if it is none."""
    folded = fold(text).strip(" .")
    if digits := _DIGITS.fullmatch(folded):
        return int(digits[1])
    words = read_words(folded)
    if words is not None and words[1] == len(folded):
        return words[0]
    return _roman(folded)
