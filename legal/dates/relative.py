"""Days that a question counts from today: "ayer", "el año pasado", "hace dos años"; and amounts of a year."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from articulado.language.numerals import numeral
from legal.dates.forms import DateMention

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
    """Find the days that a folded text counts from today; they count only with something that happened then.

    "El año pasado" means its last day, "hace dos años" the same day two years ago.
    """
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
    """Find the amounts of a past year that a folded text names: "SMI de 2025", "pensión mínima 2024"."""
    for match in _OF_YEAR.finditer(folded):
        year = int(match["year"]) if match["year"] else today.year - 1
        if year < today.year:
            yield DateMention(match.start(), match.end(), date(year, 12, 31), of_amount=True)


def _time_ago(match: re.Match[str]) -> tuple[int, int] | None:
    """Return how many months and days ago something was; ``None`` where the text does not count them."""
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
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return (
        day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1])) if year > 0 else None
    )
