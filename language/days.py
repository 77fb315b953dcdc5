"""The names of the months, and dates as people write them, in Spanish and in English."""

import re
from datetime import date

from language.folding import without_accents

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

_NUMERIC = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_DAY_FIRST = re.compile(r"(?:el )?(\d{1,2})(?:st|nd|rd|th|º)?[ -]+(?:de )?([a-z]+)\.?[ -]+(?:de |del )?(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[t ].*)?")


def month_name(number: int) -> str:
    """Return the Spanish name of a month from 1 to 12.

    >>> month_name(9)
    'septiembre'
    """
    return _MONTHS[number - 1][0]


def month_number(name: str) -> int:
    """Return the number of a month by its name in lower case, whole or cut; 0 where it is none.

    >>> month_number("setiembre"), month_number("dec"), month_number("brumario")
    (9, 12, 0)
    """
    return _NUMBER_OF.get(name, 0)


def parse_day(written: str) -> date | None:
    """Read one day: ISO 8601, two numbers and a year in either order, or with the name of the month; else ``None``.

    Of two numbers that may both be a month, the first is taken for the day.

    >>> parse_day("3 de mayo de 2026") == parse_day("May 3rd, 2026") == parse_day("03/05/2026") == date(2026, 5, 3)
    True
    """
    text = " ".join(without_accents(written).casefold().split())
    try:
        if _ISO.fullmatch(text):
            return date.fromisoformat(text[:10])
        if match := _NUMERIC.fullmatch(text):
            first, second, year = map(int, match.groups())
            return date(year, second, first) if second <= 12 else date(year, first, second)
        if match := _DAY_FIRST.fullmatch(text):
            number, month, year_ = match.groups()
        elif match := _MONTH_FIRST.fullmatch(text):
            month, number, year_ = match.groups()
        else:
            return None
        return date(int(year_), month_number(month), int(number))
    except ValueError:
        return None
