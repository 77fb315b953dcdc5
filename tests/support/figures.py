"""Figures of a Spanish text, in digits or in words, as numbers: what the machine checks of the corpus compare."""

import re

from articulado.language.folding import fold
from articulado.language.numerals import read_words

HUNDREDS = {"cuatro": 400, "quin": 500, "seis": 600, "sete": 700, "ocho": 800, "nove": 900}
DIGITS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?")
WORD = re.compile(r"[a-z]+")
HUNDRED = re.compile(r"(cuatro|quin|seis|sete|ocho|nove)(?:c|)ient[oa]s(?!\w)")
NUMBER_ONE = re.compile(r"\b(veinti|y )un\b")
PERCENT = re.compile(r"por cien(?:to)?\b")
SPACED_THOUSANDS = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")


def written(text: str) -> set[float]:
    """Return the figures that a text states, each whole; "uno", "una" and "primero" are no figures."""
    return digits(text) | {value for value in words(text, inside=False) if value != 1}


def readable(text: str) -> set[float]:
    """Return every figure that can be read off a text, parts of longer ones too (47.5 is also 47 and 5)."""
    parts = {number(part) for numeral in DIGITS.findall(spaced(text)) for part in numeral.split(".")}
    return digits(text) | parts | words(text, inside=True)


def digits(text: str) -> set[float]:
    return {number(numeral.replace(".", "")) for numeral in DIGITS.findall(spaced(text))}


def number(numeral: str) -> float:
    return float(numeral.replace(",", "."))


def spaced(text: str) -> str:
    return SPACED_THOUSANDS.sub(".", fold(text))


def words(text: str, *, inside: bool) -> set[float]:
    folded = PERCENT.sub("%", NUMBER_ONE.sub(r"\1uno", fold(text)))
    found: set[float] = set()
    end = 0
    for word in WORD.finditer(folded):
        if (inside or word.start() >= end) and (read := thousands(folded, word.start())):
            found.add(float(read[0]))
            end = read[1]
    return found


def thousands(folded: str, start: int) -> tuple[int, int] | None:
    head = (1, start) if following(folded, start) == "mil" else hundreds(folded, start)
    if head is None or following(folded, head[1]) != "mil":
        return head
    end = folded.index("mil", head[1]) + 3
    rest = hundreds(folded, after_blank(folded, end))
    return (head[0] * 1000 + rest[0], rest[1]) if rest else (head[0] * 1000, end)


def hundreds(folded: str, start: int) -> tuple[int, int] | None:
    head = HUNDRED.match(folded, start)
    if head is None:
        return read_words(folded, start)
    rest = read_words(folded, after_blank(folded, head.end()))
    return (HUNDREDS[head[1]] + rest[0], rest[1]) if rest and rest[0] < 100 else (HUNDREDS[head[1]], head.end())


def following(folded: str, start: int) -> str:
    word = re.compile(r"\s*([a-z]+)").match(folded, start)
    return word[1] if word else ""


def after_blank(folded: str, start: int) -> int:
    return start + len(folded[start:]) - len(folded[start:].lstrip(" "))
