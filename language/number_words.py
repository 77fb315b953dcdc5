"""Numbers in words, in Spanish and in English, turned into figures."""

import re

from language.numerals import read_number

_BELOW_TWENTY = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: value for value, word in enumerate(_BELOW_TWENTY, start=1)}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_ENGLISH = re.compile(
    rf"\b(?<!\bno )(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(_BELOW_TWENTY[:9])}))?"
    rf"|(?P<small>{'|'.join(sorted(_BELOW_TWENTY, key=len, reverse=True))}))\b"
)
_ARTICLES = ("un", "una")
_LIMIT = 100


def with_figures(folded: str, code: str) -> str:
    """Return a folded text with its numbers in words from 1 to 99 in figures, in Spanish ("es") or English ("en").

    What is an article as well ("un", "una", "a") stays, and so does "no one".

    >>> with_figures("treinta y dos anos y un mes", "es"), with_figures("twenty-one months", "en")
    ('32 anos y un mes', '21 months')
    """
    if code == "en":
        return _ENGLISH.sub(_english_figure, folded)
    written, position = "", 0
    while number := read_number(folded, position):
        start, end, value = number
        is_figure = folded[start].isdigit() or folded[start:end] in _ARTICLES or value >= _LIMIT
        written += folded[position:end] if is_figure else f"{folded[position:start]}{value}"
        position = end
    return written + folded[position:]


def _english_figure(match: re.Match[str]) -> str:
    if match["small"]:
        return str(_VALUES[match["small"]])
    return str(_VALUES[match["tens"]] + _VALUES.get(match["unit"] or "", 0))
