"""Dates as people write them, in Spanish and in English."""

import re
from datetime import date

from services.text import fold

_MONTHS = (
    ("enero", "january", "ene", "jan"),
    ("febrero", "february", "feb"),
    ("marzo", "march", "mar"),
    ("abril", "april", "abr", "apr"),
    ("mayo", "may"),
    ("junio", "june", "jun"),
    ("julio", "july", "jul"),
    ("agosto", "august", "ago", "aug"),
    ("septiembre", "setiembre", "september", "sep", "sept"),
    ("octubre", "october", "oct"),
    ("noviembre", "november", "nov"),
    ("diciembre", "december", "dic", "dec"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}
_NUMBERS = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_DAY_FIRST = re.compile(r"(?:el )?(\d{1,2})(?:st|nd|rd|th|º)?[ -]+(?:de )?([a-z]+)\.?[ -]+(?:de |del )?(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[t ].*)?")


def day(written: str) -> date | None:
    """Read one day: ISO 8601, two numbers and a year in either order, or with the name of the month; else ``None``.

    Of two numbers that may both be a month, the first is taken for the day.
    """
    text = " ".join(fold(written).casefold().split())
    try:
        if _ISO.fullmatch(text):
            return date.fromisoformat(text[:10])
        if found := _NUMBERS.fullmatch(text):
            first, second, year = map(int, found.groups())
            return date(year, second, first) if second <= 12 else date(year, first, second)
        if found := _DAY_FIRST.fullmatch(text):
            number, month, year_ = found.groups()
        elif found := _MONTH_FIRST.fullmatch(text):
            month, number, year_ = found.groups()
        else:
            return None
        return date(int(year_), _NUMBER_OF.get(month, 0), int(number))
    except ValueError:
        return None
