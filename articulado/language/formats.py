"""Written form of days and figures: names of the months, a parser for dates, and formats of numbers and shares.

Dates are read in Spanish and English. Formats are Spanish by default, figures also in the current language.
"""

import re
from datetime import date
from typing import NamedTuple

from articulado.language.folding import without_accents
from articulado.language.translation import current_language

_MONTHS = (
    ("enero", "january", "ene", "jan"),
    ("febrero", "february", "feb"),
    ("marzo", "march", "mar"),
    ("abril", "april", "abr", "apr"),
    ("mayo", "may"),
    ("junio", "june", "jun"),
    ("julio", "july", "jul"),
    ("agosto", "august", "ago", "aug"),
    ("septiembre", "september", "setiembre", "sep", "sept"),
    ("octubre", "october", "oct"),
    ("noviembre", "november", "nov"),
    ("diciembre", "december", "dic", "dec"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}

MONTHS = "|".join((*(names[0] for names in _MONTHS), "setiembre"))
"""The Spanish names of the months, as alternatives of a pattern."""

_YEAR = r"(?P<year>\d{4}|['’]?\d{2})"
_NUMERIC = re.compile(rf"(?P<first>\d{{1,2}})[/.-](?P<second>\d{{1,2}})[/.-]{_YEAR}")
_WITHOUT_YEAR = re.compile(r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?P<year>)")
_DAY_FIRST = re.compile(
    rf"(?:el )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|º)?[ -]+(?:de )?(?P<month>[a-z]+)\.?(?:[ -]+(?:de |del )?{_YEAR})?"
)
_MONTH_FIRST = re.compile(rf"(?P<month>[a-z]+)\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? {_YEAR})?")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[t ].*)?")


def month_name(number: int, code: str = "es") -> str:
    """Return the name of a month from 1 to 12, in Spanish ("es") or English ("en").

    >>> month_name(9), month_name(9, "en")
    ('septiembre', 'September')
    """
    spanish, english = _MONTHS[number - 1][:2]
    return spanish if code == "es" else english.capitalize()


def month_number(name: str) -> int:
    """Return the number of a month by its name in lower case, whole or cut; 0 where it is none.

    >>> month_number("setiembre"), month_number("dec"), month_number("brumario")
    (9, 12, 0)
    """
    return _NUMBER_OF.get(name, 0)


class WrittenDay(NamedTuple):
    """A day as it is written; it need not be one of the calendar.

    ``month`` is 0 where its name is none. ``year`` has four digits, or the last two, or none.
    """

    year: str
    month: int
    day: int


def written_day(written: str, *, month_first: bool = False) -> WrittenDay | None:
    """Return the day of a text that has the form of one, also with two digits of its year or none; else ``None``.

    Of two numbers that may both be a month, the first is taken for the day, or with ``month_first`` for the month.

    >>> written_day("3/5/26"), written_day("May 3"), written_day("soon")
    (WrittenDay(year='26', month=5, day=3), WrittenDay(year='', month=5, day=3), None)
    """
    text = " ".join(without_accents(written).casefold().split())
    if match := _ISO.fullmatch(text):
        return WrittenDay(match[1], int(match[2]), int(match[3]))
    if match := _NUMERIC.fullmatch(text) or _WITHOUT_YEAR.fullmatch(text):
        first, second = int(match["first"]), int(match["second"])
        month, day = (first, second) if (first <= 12 if month_first else second > 12) else (second, first)
        return WrittenDay(_year(match), month, day)
    if match := _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text):
        day_of_month = WrittenDay(_year(match), month_number(match["month"]), int(match["day"]))
        # Any word goes with a number ("5 years"); only a whole year makes a date of it.
        return day_of_month if day_of_month.month or len(day_of_month.year) == 4 else None
    return None


def parse_day(written: str) -> date | None:
    """Read one day: ISO 8601, two numbers and a year in either order, or with the name of the month; else ``None``.

    Of two numbers that may both be a month, the first is taken for the day. The year has four digits.

    >>> parse_day("3 de mayo de 2026") == parse_day("May 3rd, 2026") == parse_day("03/05/2026") == date(2026, 5, 3)
    True
    """
    day = written_day(written)
    if day is None or len(day.year) != 4:
        return None
    try:
        return date(int(day.year), day.month, day.day)
    except ValueError:
        return None


def _year(match: re.Match[str]) -> str:
    return (match["year"] or "").lstrip("'’")


NONE = "–"
"""What stands for a figure that there is not."""

SPANISH_MARKS = str.maketrans(",.", ".,")
"""From the marks of thousands and decimals that Python writes to those of Spanish."""


def figure(value: float, decimals: int = 0) -> str:
    """Return a number with a point for the thousands and a comma for the decimals.

    >>> figure(25012), figure(14.2, 1)
    ('25.012', '14,2')
    """
    return f"{value:,.{decimals}f}".translate(SPANISH_MARKS)


def written(value: float, decimals: int = 0, language: str | None = None) -> str:
    """Return a number as a language (ISO 639-1) writes it, by default the one that is spoken now.

    >>> written(25012), written(14.2, 1), written(25012.5, 1, "en")
    ('25.012', '14,2', '25,012.5')
    """
    return figure(value, decimals) if (language or current_language()) == "es" else f"{value:,.{decimals}f}"


def format_share(count: int, total: int) -> str:
    """Write a share with its numbers, and a dash of nothing.

    >>> format_share(12, 15), format_share(0, 0)
    ('12/15 (80 %)', '–')
    """
    return f"{count}/{total} ({figure(100 * count / total)} %)" if total else NONE


def long_day(day: str) -> str:
    """Return a day (ISO 8601) as it is written.

    >>> long_day("2018-12-07")
    '7 de diciembre de 2018'
    """
    parsed = date.fromisoformat(day)
    return f"{parsed.day} de {month_name(parsed.month)} de {parsed.year}"
