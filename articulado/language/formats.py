"""Written form of days and figures: names of the months, a parser for dates, and formats of numbers and shares.

Dates are read in Spanish and English. Formats are Spanish by default, figures also in the current language.
"""

import re
from datetime import date
from decimal import Decimal

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

_NUMERIC = re.compile(r"(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4})")
_DAY_FIRST = re.compile(
    r"(?:el )?(?P<day>\d{1,2})(?:st|nd|rd|th|º)?[ -]+(?:de )?(?P<month>[a-z]+)\.?[ -]+(?:de |del )?(?P<year>\d{4})"
)
_MONTH_FIRST = re.compile(r"(?P<month>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})")
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


def parse_day(written: str) -> date | None:
    """Read one day: ISO 8601, two numbers and a year in either order, or with the name of the month; else ``None``.

    Of two numbers that may both be a month, the first is taken for the day. The year has four digits.

    >>> parse_day("3 de mayo de 2026") == parse_day("May 3rd, 2026") == parse_day("03/05/2026") == date(2026, 5, 3)
    True
    """
    text = " ".join(without_accents(written).casefold().split())
    if match := _ISO.fullmatch(text):
        year, month, day = map(int, match.groups())
    elif match := _NUMERIC.fullmatch(text):
        day, month, year = int(match["first"]), int(match["second"]), int(match["year"])
        if month > 12:
            day, month = month, day
    elif match := _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text):
        year, month, day = int(match["year"]), month_number(match["month"]), int(match["day"])
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


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


def long_day(day: str, language: str = "es") -> str:
    """Return a day (ISO 8601) as it is written in Spanish ("es") or English ("en").

    >>> long_day("2018-12-07"), long_day("2018-12-07", "en")
    ('7 de diciembre de 2018', 'December 7, 2018')
    """
    parsed = date.fromisoformat(day)
    month = month_name(parsed.month, language)
    return f"{parsed.day} de {month} de {parsed.year}" if language == "es" else f"{month} {parsed.day}, {parsed.year}"


def exact(number: Decimal, language: str = "es") -> str:
    """Return a number with all its decimals, and the marks of thousands and decimals of its language.

    >>> exact(Decimal("7000.50")), exact(Decimal("7000.50"), "en")
    ('7.000,5', '7,000.5')
    """
    text = f"{number:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return plain.translate(SPANISH_MARKS) if language == "es" else plain
