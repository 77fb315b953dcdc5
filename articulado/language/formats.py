"""Formats of figures, shares and days: Spanish by default, figures also in the current language."""

from datetime import date

from articulado.language.days import month_name
from articulado.language.translation import current_language

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
