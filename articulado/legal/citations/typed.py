"""Rewriting of typed and dictated citations into the form that the parser reads.

It separates "art.164.1LGSS" and writes points for "46/3" and "37-3-d)", figures for "treinta y siete tres ge", letters
for "ele i ese o ese", and Spanish for foreign words (``data/citation_words.toml``).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from articulado.language.folding import fold
from articulado.language.numerals import CARDINALS, numeral, read_words
from articulado.legal.data import read_table
from articulado.legal.labels import ADJECTIVES, SUFFIXES
from articulado.legal.laws.registry import acronyms

_New = Callable[[re.Match[str], str], str | None]
"""Return the replacement of a match, given the match and the text; ``None`` leaves it."""


@dataclass(frozen=True)
class Printed:
    """A rewritten text; ``places`` has the original span of each character."""

    text: str
    places: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a span."""
        if end <= start:
            position = self.places[start][0] if start < len(self.places) else self.places[-1][1]
            return position, position
        return self.places[start][0], self.places[end - 1][1]

    def replaced(self, pattern: re.Pattern[str], new: _New, within: re.Pattern[str] | None = None) -> "Printed":
        """Replace the matches of a pattern, with ``within`` only inside its groups named ``run``."""
        folded = fold(self.text)
        spans = [run.span("run") for run in within.finditer(folded)] if within else [(0, len(folded))]
        text, places, done = "", list[tuple[int, int]](), 0
        for match in (match for span in spans for match in pattern.finditer(folded, *span)):
            written = new(match, self.text)
            if written is None or match.start() < done:
                continue
            text += self.text[done : match.start()] + written
            # What is put between two characters stands for none.
            start, end = self.span(*match.span())
            places += [*self.places[done : match.start()], *[(start, end)] * len(written)]
            done = match.end()
        if not done and not text:
            return self
        return Printed(text + self.text[done:], (*places, *self.places[done:]))


def as_printed(text: str) -> Printed:
    """Return a text with its citations in the form that the parser reads.

    >>> as_printed("arts.14.2,15.4y17LPRL y ocho punto trece bis de la ele i ese o ese").text
    'arts.14.2, 15.4 y 17 LPRL y 8.13 bis de la LISOS'
    """
    printed = Printed(text, tuple((place, place + 1) for place in range(len(text))))
    if not text:
        return printed
    for sign, words, spanish in _languages():
        if sign.search(fold(printed.text)):
            printed = printed.replaced(words, partial(_translated, spanish))
    printed = printed.replaced(_SPOKEN, _figures).replaced(_SPOKEN_LETTER, _letter).replaced(_SPELLED, _acronym)
    for pattern, new, within in _STEPS:
        printed = printed.replaced(pattern, new, within)
    return printed.replaced(_matters(), lambda match, written: f"{written[slice(*match.span('number'))]} de la ley de ")


@cache
def _words() -> dict[str, Any]:
    return read_table("citation_words.toml")


@cache
def _languages() -> tuple[tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]], ...]:
    return tuple(
        (
            re.compile(rf"(?<!\w)(?:{table['sign']})(?!\w)"),
            re.compile(rf"(?<![\w-])(?:{'|'.join(f'({key})' for key, _ in table['words'])})(?:(?<=['’])|(?!\w))"),
            tuple(spanish for _, spanish in table["words"]),
        )
        for table in _words().values()
        if "sign" in table
    )


_FUNCTION_WORD = 3


def _translated(spanish: tuple[str, ...], match: re.Match[str], text: str) -> str | None:
    written = text[match.start() : match.end()]
    is_acronym = len(written) <= _FUNCTION_WORD and written.isupper()
    return spanish[(match.lastindex or 1) - 1] if not is_acronym else None


_LETTERS = {
    "a": "a", "be": "b", "ce": "c", "de": "d", "e": "e", "efe": "f", "ge": "g", "hache": "h", "i": "i", "jota": "j",
    "ka": "k", "ele": "l", "eme": "m", "ene": "n", "o": "o", "pe": "p", "cu": "q", "erre": "r", "ere": "r", "ese": "s",
    "te": "t", "u": "u", "uve": "v", "equis": "x", "zeta": "z",
}  # fmt: skip
_LETTER = rf"(?:{'|'.join(sorted(_LETTERS, key=len, reverse=True))})"
_TENS = "treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa"
_UNIT = "|".join(CARDINALS[:9])
_BELOW_HUNDRED = rf"(?:(?:{_TENS})(?:\s+y\s+(?:{_UNIT}))?|{'|'.join(sorted(CARDINALS, key=len, reverse=True))})"
_CARDINAL = rf"(?:(?:ciento|doscientos|trescientos)(?:\s+{_BELOW_HUNDRED})?|cien|{_BELOW_HUNDRED})"
_SPOKEN = re.compile(
    rf"\b(?P<article>{_CARDINAL})(?:\s+(?P<suffix>{SUFFIXES}))?\s+(?:punto\s+)?"
    rf"(?P<apartado>{_BELOW_HUNDRED})\b(?:\s+(?P<inserted>{SUFFIXES})\b)?"
    # The name of a letter may be a word before the law, or before another number.
    rf"(?:\s+(?:letra\s+)?(?P<letter>{_LETTER})(?=\s*$|\s*[,;.?)]|\s+(?:del?|y)\s|\s+(?:{_LETTER}\s+){{2}}))?"
    r"(?!\s+(?:mil|millones|euros|dias|meses|anos|horas|por\s+ciento)\b)"
)
"""Two numbers that make no single one: "noventa y seis uno"."""
_SPOKEN_LETTER = re.compile(
    rf"(?<=articulo\s)(?P<article>{_CARDINAL})(?P<suffix>\s(?:{SUFFIXES}))?\s(?:letra\s)?(?P<letter>(?![eoiu]\b){_LETTER})"
    r"(?=\s+del?\s|\s*[,;.?)]|\s*$)"
)
"""The name of a letter behind an article: "artículo cincuenta y dos ce", where "CE" is no law."""
_SPELLED = re.compile(rf"(?<!\w)(?:{_LETTER}\s+)+{_LETTER}(?!\w)")


def _figures(match: re.Match[str], text: str) -> str | None:
    article, apartado = read_words(match["article"]), read_words(match["apartado"])
    number = read_words(match.string, match.start())
    # "Doscientos cinco" is one number.
    if not article or not apartado or not number or number[1] != match.end("article"):
        return None
    suffix, inserted = (f" {match[name]}" if match[name] else "" for name in ("suffix", "inserted"))
    letter = f".{_LETTERS[match['letter']]})" if match["letter"] else ""
    return f"{article[0]}{suffix}.{apartado[0]}{inserted}{letter}"


def _letter(match: re.Match[str], text: str) -> str | None:
    article = read_words(match["article"])
    return f"{article[0]}{match['suffix'] or ''}.{_LETTERS[match['letter']]})" if article else None


def _acronym(match: re.Match[str], text: str) -> str | None:
    names = list(re.finditer(r"\S+", match[0]))
    for first in range(len(names) - 1):
        joined = "".join(_LETTERS[name[0]] for name in names[first:])
        before = match.string[: match.start() + names[first].start()]
        if joined in acronyms() and (len(joined) > 2 or re.search(r"(?:\bdel?|\bla|\d\)?)\s+$", before)):
            return text[match.start() : match.start() + names[first].start()] + joined.upper()
    return None


def _put(written: str) -> _New:
    return lambda _match, _text: written


def _separator(match: re.Match[str], text: str) -> str | None:
    """Write the point between article and apartado; a number that is not less is another article."""
    article, apartado = int(match["article"]), int(match["apartado"])
    if apartado < article:
        return f"{match['article']}.{match['apartado']}"
    return f"{match['article']}, {match['apartado']}" if match["mark"] == "," else None


def _ordinal_behind(match: re.Match[str], text: str) -> str | None:
    number = match["number"]
    is_ordinal = number[-1] in "aªº" and number != "una" and numeral(number) is not None
    return f"{text[match.start('noun') : match.end('noun')]} {number}" if is_ordinal else None


@cache
def _acronym_pattern() -> str:
    return "|".join(sorted(acronyms(), key=len, reverse=True))


_INTRODUCED = (
    r"(?:(?:aplic|invoc|acog|acoj|ampar)\w*\s+(?:en\s+)?|(?:segun|sino|por|conforme|con\s+arreglo|en\s+virtud)\s+)"
    r"(?:el|al|del)\s"
)
_UNNAMED = re.compile(
    # "el 37.6", "del 156.3", "sino el 47 bis.1.b)"
    rf"(?:(?<=\bel\s)|(?<=\bal\s)|(?<=\bdel\s))(?=\d{{2,3}}\.1?\d(?![\w.]*\d)|\d{{1,3}}\s(?:{SUFFIXES})\b)"
    # "48 bis permiso parental"
    rf"|^(?=\d{{2,3}}\s(?:{SUFFIXES})(?:\s+[a-z]|\.\d))"
    # "excedencia voluntaria, 46.2 y 46.5"
    r"|(?<=[,:]\s)(?=\d{2,3}\.1?\d(?:\s+y\s+(?:el\s+)?\d{2,3}\.1?\d)?[\s?.]*$)"
    # "me han aplicado el 41"
    rf"|(?P<by>{_INTRODUCED})(?=\d{{2,3}}(?:[,;:?)](?!\d)|\s+y\s+(?!\d)))"
)
"""Omitted "artículo": before a number with an apartado or a suffix, or one that is applied."""
_QUANTITY = re.compile(
    r"[\d.]+\s*(?:%|€|por\s?cien|\w*\s?(?:euros?|horas?|dias?|mes(?:es)?|anos?|puntos?|grados?|semanas?)\b|a\s+la\b"
    r"|de\s+(?:la|lo|los|mi|su|cada|base)\b(?!\s+(?:ley|lgss|lisos|constitucion|lrjs|lprl)))"
)
_DAY = re.compile(r"(?:[12]?\d|3[01])\.(?:0?[1-9]|1[0-2])\b(?!\s+(?:y|e)\s+(?:el\s+)?\d)")
_FOLLOWS_UP = re.compile(r"[\s¿]*y\s+(?:en\s+)?(?:el|al|del)\s")
_BY_LAW = re.compile(rf"{_INTRODUCED}$")
_SHARES = re.compile(
    r"%|por\s?cien|\bper\s?cent|\b(?:ipc|iva|irpf|porcentaje|inflacion|interes|nomina|sub[ei]\w*|tipo|coeficiente)\b"
)


def _named(match: re.Match[str], text: str) -> str | None:
    """Add "art." before a number, except in a text on shares, before a quantity, and in a day ("25.12")."""
    folded = match.string
    day = _DAY.match(folded, match.end()) and not _BY_LAW.search(folded, 0, match.end())
    # "¿Y el 39 bis?" is of the law that was spoken of.
    if day or _FOLLOWS_UP.match(folded) or _SHARES.search(folded) or _QUANTITY.match(folded, match.end()):
        return None
    return text[match.start() : match.end()] + "art. "


@cache
def _matters() -> re.Pattern[str]:
    """Return a pattern of "de" before the matter of a law: "art. 15 de prevención…"."""
    matters = "|".join(_words()["matters"]["names"])
    number = rf"\d[\d.]*(?:\s(?:{SUFFIXES})[\d.]*)?(?:[\s.]?[a-z]\))?"
    return re.compile(rf"(?P<number>(?:{_HEAD}{number}|\d\.{number}))(?P<of>\s+de\s+(?:la\s+)?)(?=(?:{matters})\b)")


_HEAD = r"(?<![\w.])(?:art(?:iculo)?s?\.?|§)\s*"
_RUN = re.compile(
    rf"(?:{_HEAD}|(?<![\w.])(?:{_acronym_pattern()})\s?)(?P<run>\d(?![\d,]*\s?[%€])[^\s;:]*(?:\s+[yeo]\s+\d[^\s;:]*)*)"
)
"""Citation without blanks after "art." or after an acronym."""
_STEPS: tuple[tuple[re.Pattern[str], _New, re.Pattern[str] | None], ...] = (
    (re.compile(r"(?<![\w.])aa\.?\s?(?=\d)"), _put("arts. "), None),
    (re.compile(r"(?:^|(?<=[\s(]))a\.\s?(?=(?:\d{2,3}|\d\.\d)(?![\d/-]))"), _put("art. "), None),
    (
        re.compile(rf"(?<!\w)(?P<number>[\w.]+[aªº])\s+(?P<noun>disposicion\s+(?:{ADJECTIVES}))(?!\w)"),
        _ordinal_behind,
        None,
    ),
    # "30.2 y .3"
    (re.compile(r"(?<=\d [yeo] )\.(?=\d)"), _put(""), None),
    # "art. 10. Tres, letra d)"
    (
        re.compile(rf"(?<=\d)\.\s+(?=(?:{'|'.join(CARDINALS[:20])})\s*,?\s*(?:letras?\s|[a-z]\)|del?\s))"),
        _put("."),
        re.compile(rf"{_HEAD}(?P<run>\d{{1,3}}\.\s+\w+\s*,?\s*\w+[\s)]?)"),
    ),
    # "14.2,15.4y17LPRL"
    (re.compile(r"(?<=\d)y(?=\d)"), _put(" y "), _RUN),
    (
        re.compile(r"(?<![\d.,/-])(?P<article>\d{1,3})(?P<mark>[,/])(?P<apartado>\d{1,2})(?![\dºª]|[/]\d|\.\d)"),
        _separator,
        _RUN,
    ),
    (
        re.compile(r"(?<![\d.,/-])(?P<article>\d{1,3})(?P<mark>-)(?P<apartado>\d{1,2})(?=-[a-z]\b|\s|$)"),
        _separator,
        _RUN,
    ),
    (re.compile(r"(?<=\d),(?=\d)"), _put(", "), _RUN),
    (re.compile(r"(?<=\.\d)[,-](?=[a-z](?:\)|\s|$))"), _put("."), _RUN),
    (
        re.compile(rf"(?<=\d)(?P<suffix>{SUFFIXES})(?P<law>(?=(?:{_acronym_pattern()})(?!\w)))?(?(law)|\b)"),
        lambda match, _text: f" {match['suffix']}{'' if match['law'] is None else ' '}",
        None,
    ),
    (_UNNAMED, _named, None),
    (re.compile(rf"(?<=[\dºª)])(?=(?:{_acronym_pattern()})(?!\w))"), _put(" "), None),
    (
        re.compile(rf"(?<![\w.])(?:{_acronym_pattern()})(?=\d{{1,3}}(?![\d/]))"),
        lambda m, t: f"{t[m.start() : m.end()]} ",
        None,
    ),
)
