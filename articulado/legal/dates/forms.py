"""Date expressions in folded text: full dates, months, years, relative days, amounts of a year."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from dateutil.relativedelta import relativedelta

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, month_number, parse_day
from articulado.language.numerals import numeral

_EARLIER = ("antes", "anterior", "previ")
_PERIODS = {"principios": 1, "comienzos": 1, "inicios": 1, "mediados": 6, "finales": 12}

_YEAR = r"(?:19|20)\d\d(?![\d/])"
_OF = r"\s*,?\s*(?:del?\s+)?(?:ano\s+)?"
_CUE = (
    r"(?P<cue>antes\s+del?|anterior(?:es|idad)?\s+al?|previ[oa]s?\s+al?|hasta|desde|durante|vigente\s+(?:en|el|a)|a|en|el|al"
    r"|(?:a|con|en)\s+fecha(?:\s+de)?|(?:(?:a|en|de)\s+)?(?P<period>principios|comienzos|inicios|mediados|finales)\s+de)"
    r"\s+(?:el\s+)?(?:(?:ano|mes(?:\s+de)?|dia)\s+)?(?:de\s+)?"
)
_FULL = (
    rf"(?:(?P<day>\d{{1,2}}|primero|uno)(?:\.?º)?\s+(?:de\s+)?(?P<month>{MONTHS}){_OF}(?P<year>{_YEAR}|'?\d\d(?![\d/]))"
    r"|(?P<d>\d{1,2})(?P<sep>[/.-])(?P<m>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d|\d\d)(?![\d/]|[.-]\d)"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d)(?!\d))"
)
_MONTH = rf"(?P<only_month>{MONTHS})(?:{_OF}(?P<of_month>{_YEAR})|\s+(?:del\s+|de\s+')(?P<short>\d\d)(?![\d/]))"
_ONLY = (
    r"(?P<only>(?:19|20)\d\d)(?![\d/]|\.\d|,\d|\s*(?:euros?|€|horas?|dias|trabajador|personas?|empresas?|empleados?))"
)
_FORM = re.compile(rf"(?<![\w/.-])(?:{_CUE})?(?:{_FULL}|{_MONTH}|{_ONLY})")
_OF_ARTICLE = re.compile(r"(?:\b(?:art|arts|apdo|num|n)\.?|articulos?|apartados?|numeros?)\s*$")

Counts = Literal["by_itself", "if_asked", "with_event", "if_lasting"]
"""Condition on which a date counts: always ("en 2019"), if the text asks for past law ("antes de 2019"), with an event
of that day ("marzo de 2022", "ayer"), or with an event that lasts since ("desde 2022").
"""


@dataclass(frozen=True)
class DateMention:
    """A day in ``text[start:end]``, and its condition; ``of_amount``: the year of an amount."""

    start: int
    end: int
    day: date
    counts: Counts = "by_itself"
    of_amount: bool = False


def dates_in(folded: str, *, today: date) -> Iterator[DateMention]:
    """Find the possible dates of a folded text.

    A year or a month means its last day, "antes de" the day before. The current year alone is no date.
    """
    for match in _FORM.finditer(folded):
        if match["sep"] and _OF_ARTICLE.search(folded, max(0, match.start() - 12), match.start()):
            continue
        cue = match["cue"] or ""
        day = _day(match, cue, today)
        if day is not None:
            yield DateMention(match.start(), match.end(), day, _counts(match, cue))


def _counts(match: re.Match[str], cue: str) -> Counts:
    if cue == "desde":
        return "if_lasting"
    if cue.startswith((*_EARLIER, "hasta")):
        return "if_asked"
    return "by_itself" if cue or not match["only_month"] else "with_event"


def _day(match: re.Match[str], cue: str, today: date) -> date | None:
    # "El 2021" of a law or "al 2021" is no date; "en 2026" of the current year is today.
    if match["only"] and (int(match["only"]) >= today.year or cue in ("", "el", "al", "a")):
        return None
    if match["sep"] == "." and match["y"] and len(match["y"]) == 2 and not len(match["d"]) == len(match["m"]) == 2:
        return None
    try:
        first, month, whole = _first_day(match, today)
    except ValueError:
        return None
    if cue.startswith(_EARLIER):
        return first - timedelta(days=1)
    if whole:
        return first
    last = month or _PERIODS.get(match["period"], 12)
    return date(first.year, last, monthrange(first.year, last)[1])


def _first_day(match: re.Match[str], today: date) -> tuple[date, int, bool]:
    if match["iso"]:
        return date.fromisoformat(match["iso"]), 0, True
    if match["only"]:
        return date(int(match["only"]), 1, 1), 0, False
    if match["only_month"]:
        month = month_number(match["only_month"])
        return date(_century(match["of_month"] or match["short"], today), month, 1), month, False
    month = month_number(match["month"]) if match["month"] else int(match["m"])
    written = match["day"] or match["d"]
    day = int(written) if written.isdigit() else 1
    return date(_century(match["year"] or match["y"], today), month, day), month, True


def _century(written: str, today: date) -> int:
    """Return the year of two or four digits; "22" is the last year that ends so."""
    digits = written.lstrip("'")
    if len(digits) == 4:
        return int(digits)
    return today.year - (today.year - int(digits)) % 100


_AGO = re.compile(
    r"(?<!\w)(?<!desde )(?<!de )hace\s+(?:(?:ya|unos|unas|casi|mas\s+de)\s+)?"
    r"(?:(?P<count>\d{1,3}|medio|[a-z]+(?:\s+y\s+[a-z]+)?)\s+)?(?P<unit>dias?|semanas?|mes(?:es)?|anos?)(?P<half>\s+y\s+medi[oa])?(?!\w)"
)
_LAST = re.compile(
    r"(?<!\w)(?:(?P<day>anteayer|antes\s+de\s+ayer|ayer|anoche)|(?:el|la)\s+(?:(?P<unit>semana|mes|ano)\s+pasad[oa]"
    r"|pasad[oa]\s+(?P<other>semana|mes|ano)))(?!\w)"
)
_AMOUNT = (
    r"(?:smi|salarios?\s+minimos?(?:\s+interprofesional(?:es)?)?|iprem|pension(?:es)?\s+(?:minimas?|maximas?)"
    r"|bases?\s+(?:de\s+cotizacion|minimas?|maximas?)(?:\s+(?:minimas?|maximas?))?|tipos?\s+de\s+cotizacion"
    r"|topes?(?:\s+(?:de\s+cotizacion|minimos?|maximos?))?|cotizacion|cuotas?\s+de\s+autonomos?|interes(?:es)?\s+legal(?:es)?"
    r"|revalorizacion(?:\s+de\s+(?:las\s+)?pensiones)?)"
)
_OF_YEAR = re.compile(
    rf"(?<!\w){_AMOUNT}\s+(?:(?:vigentes?|fijad[oa]s?|diari[oa]|mensual|anual)\s+)?(?:(?:del?|para|en|a)\s+)?"
    r"(?:el\s+)?(?:ano\s+)?(?:(?P<year>(?:19|20)\d\d)(?![\d/]|\s*(?:euros?|€))|(?P<last>pasado))"
)
_DAYS_BACK = {"ayer": 1, "anoche": 1}


def relative_dates(folded: str, *, today: date) -> Iterator[DateMention]:
    """Find days relative to today: "el año pasado" is its last day, "hace dos años" the same day two years ago."""
    for match in _AGO.finditer(folded):
        if (ago := _time_ago(match)) and (day := _months_before(today - timedelta(days=ago[1]), ago[0])):
            yield DateMention(match.start(), match.end(), day, "with_event")
    for match in _LAST.finditer(folded):
        unit = match["unit"] or match["other"]
        if match["day"]:
            day = today - timedelta(days=_DAYS_BACK.get(match["day"], 2))
        elif unit == "semana":
            day = today - timedelta(days=7)
        else:
            day = today.replace(day=1, month=today.month if unit == "mes" else 1) - timedelta(days=1)
        yield DateMention(match.start(), match.end(), day, "with_event")


def amounts_of_a_year(folded: str, *, today: date) -> Iterator[DateMention]:
    """Find amounts of a past year: "SMI de 2025", "pensión mínima 2024"."""
    for match in _OF_YEAR.finditer(folded):
        year = int(match["year"]) if match["year"] else today.year - 1
        if year < today.year:
            yield DateMention(match.start(), match.end(), date(year, 12, 31), of_amount=True)


def _time_ago(match: re.Match[str]) -> tuple[int, int] | None:
    count, unit, half = match["count"], match["unit"][0], 1 if match["half"] else 0
    if count is None and not half:
        return None
    if count == "medio":
        number, half = 0, 1
    else:
        value = 1 if count in (None, "un", "una") else int(count) if count.isdigit() else numeral(count)
        if value is None:
            return None
        number = value
    if unit in "am":
        months = 12 if unit == "a" else 1
        return number * months + half * (months // 2), half * 15 if unit == "m" else 0
    return 0, number * (7 if unit == "s" else 1)


def _months_before(day: date, months: int) -> date | None:
    try:
        before: date = day - relativedelta(months=months)
    except ValueError:  # before the year 1
        return None
    return before


LONGEST_DAY = 60
_NOON = time(12)


def read_day(written: str, today: date) -> date | None:
    """Read a text that is one day: as ``parse_day`` reads it, or relative to today in Spanish or English.

    >>> today = date(2026, 11, 30)
    >>> [str(read_day(written, today)) for written in ("anteayer", "yesterday", "31/3/2024", "marzo de 2024")]
    ['2026-11-28', '2026-11-29', '2024-03-31', 'None']
    """
    if len(written) > LONGEST_DAY:
        return None
    folded = " ".join(fold(written).split()).rstrip(".")
    return parse_day(folded) or _day_from(folded, today)


def _day_from(folded: str, today: date) -> date | None:
    for mention in relative_dates(folded, today=today):
        if (mention.start, mention.end) == (0, len(folded)):
            return mention.day
    # The import takes a third of a second.
    from dateparser import parse

    settings = {"PARSERS": ["relative-time"], "RELATIVE_BASE": datetime.combine(today, _NOON)}
    parsed: datetime | None = parse(folded, languages=["es", "en"], settings=settings)
    return parsed.date() if parsed else None
