"""Say days and figures in the language of a profile."""

from datetime import date
from decimal import Decimal

from articulado.guides.data_values import Days
from articulado.language.days import month_name
from articulado.language.formats import SPANISH_MARKS
from articulado.language.languages import Language


def say_day(day: date, language: Language) -> str:
    """Return a day as it is written: "3 de mayo de 2026", "May 3, 2026"."""
    return language.translate("case_day", day=day.day, month=month_name(day.month, language.code), year=day.year)


def say_days(days: Days, language: Language) -> str:
    """Return a day, or a month as it is written."""
    if days.first == days.last:
        return say_day(days.first, language)
    return language.translate("case_month", month=month_name(days.first.month, language.code), year=days.first.year)


def say_number(number: Decimal, language: Language) -> str:
    """Return a number with its marks of thousands and decimals: "7.000,5" in Spanish, "7,000.5" in English."""
    text = f"{number:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return plain.translate(SPANISH_MARKS) if language.translate("view_decimal_mark") == "," else plain
