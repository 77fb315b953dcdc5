"""Range checks of numbers and dates, accepted-value messages, and flattening of collected data.

``check_range`` raises ``UnusableValue`` for a value outside its range. A field without ``min`` or ``max``
has default limits: dates from 1900 to 60 years ahead, amounts up to 100,000,000, numbers up to 1,000,000,
durations up to 100 years. ``flatten`` dissolves groups, nested up to 3 deep. ``sent_values`` finds a field
by its name or its aliases.
"""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from dateutil.relativedelta import relativedelta

from articulado.cases.data.amounts import in_unit
from articulado.cases.data.phrases import say_day, say_days, say_number
from articulado.guides.data_values import (
    TODAY,
    Circumstances,
    DateExpression,
    Days,
    UnusableValue,
    Value,
    is_placeholder,
    parse_expression,
)
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.values.cases import LEAST_NUMBER, Elapsed, FieldSpec

EARLIEST = date(1900, 1, 1)
"""Of a date without ``min``."""
YEARS_AHEAD = 60
"""How far ahead of today a date without ``max`` may lie."""
MOST = {"currency": Decimal(100_000_000), "number": Decimal(1_000_000)}
"""Of an amount or a number without ``max``, by its type."""
LONGEST_YEARS = 100
"""Of time without ``max``."""
LONGEST_SERVICE_YEARS = 60
"""Of what is given as a beginning or as its length."""


@dataclass(frozen=True)
class _DateBound:
    """The earliest or the latest days; ``expression`` is ``None`` where the article gives none.

    ``is_open`` where the expression rests on a field without a day: the days are then those of any date.
    """

    days: Days
    expression: DateExpression | None = None
    is_open: bool = False

    def in_words(self, language: Language) -> str:
        days = say_days(self.days, language)
        if self.is_open and self.expression:
            return _say_expression(self.expression, language)
        if self.expression == DateExpression(TODAY):
            return language.translate("case_today")
        if self.expression is None or self.expression.field is None:
            return days
        return language.translate("case_bound_field", field=language.quoted(self.expression.field), day=days)


def check_range(spec: FieldSpec, value: Value, days_of: Mapping[str, Days], circumstances: Circumstances) -> None:
    """Check that a value is in the range of its field; ``days_of`` are the other dates of the case.

    Raises:
        UnusableValue: it is not, or it is a month and the day decides.
    """
    if isinstance(value, Decimal):
        least, most = _duration_range(spec["unit"]) if spec["data_type"] == "date" else (_least(spec), _most(spec))
        _check_number(value, least, most, circumstances.language)
    elif isinstance(value, Days):
        _check_days(spec, value, days_of, circumstances)


def say_accepted(spec: FieldSpec, days_of: Mapping[str, Days], circumstances: Circumstances) -> str:
    """Return what a field accepts: in the words of its article, or else by its type, its list and its range."""
    language = circumstances.language
    if "accepts" in spec:
        return spec["accepts"].rstrip(".")
    if "values" in spec:
        return language.translate("case_accepts_choice", choices=", ".join(spec["values"]))
    match spec["data_type"]:
        case "text":
            return spec["description"].rstrip(".")
        case "date":
            return _accepted_dates(spec, days_of, circumstances)
        case "currency" | "number" as kind:
            if "unit" in spec:
                what = language.translate(
                    "case_accepts_number_of", unit=language.translate(f"case_unit_{spec['unit']}")
                )
            else:
                what = language.translate(f"case_accepts_{kind}")
            return f"{what} {_number_range(spec, language)}"
        case "boolean":
            return language.translate("case_accepts_boolean")


def _least(spec: FieldSpec) -> Decimal:
    return Decimal(str(spec.get("min", LEAST_NUMBER)))


def _most(spec: FieldSpec) -> Decimal:
    if "max" in spec:
        return Decimal(str(spec["max"]))
    return in_unit(LONGEST_YEARS, "years", spec["unit"]) if "unit" in spec else MOST[spec["data_type"]]


def _number_range(spec: FieldSpec, language: Language) -> str:
    least, most = say_number(_least(spec), language), _most(spec)
    return language.translate("case_between_numbers", least=least, most=say_number(most, language))


def _duration_range(unit: Elapsed) -> tuple[Decimal, Decimal]:
    """Return the shortest and the longest that what began on a date may have lasted."""
    return Decimal(LEAST_NUMBER), in_unit(LONGEST_SERVICE_YEARS, "years", unit)


def _check_number(value: Decimal, least: Decimal, most: Decimal, language: Language) -> None:
    if value < least:
        raise UnusableValue(language.translate("case_problem_below", bound=say_number(least, language)))
    if value > most:
        raise UnusableValue(language.translate("case_problem_above", bound=say_number(most, language)))


def _date_range(
    spec: FieldSpec, days_of: Mapping[str, Days], circumstances: Circumstances
) -> tuple[_DateBound, _DateBound]:
    """Return the earliest and the latest days of a field; those of a field without value bound nothing."""
    latest = circumstances.today + relativedelta(years=YEARS_AHEAD)
    bounds = []
    for written, default in ((spec.get("min"), EARLIEST), (spec.get("max"), latest)):
        expression = None if written is None else parse_expression(str(written))
        days = expression.resolve(circumstances.today, days_of) if expression else None
        bounds.append(_DateBound(days or Days(default, default), expression, is_open=days is None))
    return bounds[0], bounds[1]


def _closed(bound: _DateBound) -> _DateBound:
    """Return a bound as it is checked: of one that is open only its days are."""
    return _DateBound(bound.days) if bound.is_open else bound


def _say_expression(expression: DateExpression, language: Language) -> str:
    """Return a date expression as it is written, with the units of the language."""
    offset = f" {expression.count:+d} {language.translate(f'case_unit_{expression.unit}')}" if expression.count else ""
    return language.quoted(f"{expression.base}{offset}")


def _check_days(spec: FieldSpec, value: Days, days_of: Mapping[str, Days], circumstances: Circumstances) -> None:
    language = circumstances.language
    earliest, latest = (_closed(bound) for bound in _date_range(spec, days_of, circumstances))
    today = DateExpression(TODAY)
    if value.last < earliest.days.first:
        key = "case_problem_past" if earliest.expression == today else "case_problem_before"
        raise UnusableValue(language.translate(key, bound=earliest.in_words(language)))
    if value.first > latest.days.last:
        key = "case_problem_future" if latest.expression == today else "case_problem_after"
        raise UnusableValue(language.translate(key, bound=latest.in_words(language)))
    # Of a beginning the year is enough.
    if "unit" not in spec and (value.first < earliest.days.first or value.last > latest.days.last):
        raise UnusableValue(language.translate("case_problem_needs_day"))


def _accepted_dates(spec: FieldSpec, days_of: Mapping[str, Days], circumstances: Circumstances) -> str:
    language, (earliest, latest) = circumstances.language, _date_range(spec, days_of, circumstances)
    limits = [
        language.translate(key, bound=bound.in_words(language))
        for key, bound in (("case_from_day", earliest), ("case_to_day", latest))
        if bound.expression
    ]
    example = max(min(circumstances.today, latest.days.last), earliest.days.first)
    such_as = language.translate("case_example", example=say_day(example, language))
    return f"{' '.join((language.translate('case_accepts_date'), *limits))}, {such_as}"


MAX_DEPTH = 3
"""Nesting of groups: a form has sections, no more."""


def flatten(collected: Mapping[str, Any], depth: int = MAX_DEPTH) -> dict[str, str]:
    """Return collected data by name, groups dissolved; what is empty is left out, and a placeholder beside a value.

    >>> flatten({"plan_data": {"balance": 1500}, "left": None, "married": True})
    {'balance': '1500', 'married': 'true'}

    Raises:
        ValueError: groups are nested more than ``depth`` times, a list holds others or groups, a number is not
            finite, or the same name has two values.
    """
    if depth < 0:
        raise ValueError("too many groups in one another")
    values: dict[str, str] = {}
    for name, value in collected.items():
        flat = flatten(value, depth - 1) if isinstance(value, Mapping) else {str(name): _text_of(value)}
        for key, text in flat.items():
            if not text or (key in values and is_placeholder(text)):
                continue
            if values.get(key, text) != text and not is_placeholder(values[key]):
                raise ValueError(f"{key} twice")
            values[key] = text
    return values


def _text_of(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise ValueError("not a finite number")
        plain = format(Decimal(repr(value)), "f")
        # Three decimals would be read as thousands.
        return f"{plain}0" if re.search(r"\.\d{3}$", plain) else plain
    if isinstance(value, list | tuple):
        if any(isinstance(element, list | tuple | Mapping) for element in value):
            raise ValueError("a list of lists or groups")
        return ", ".join(filter(None, map(_text_of, value)))
    return " ".join(unicodedata.normalize("NFC", str(value)).split())


def sent_values(field: FieldSpec, collected: Mapping[str, str]) -> dict[str, str]:
    """Return what was collected for a field, by the names under which it was sent: its own first, then its aliases.

    Case, accents and marks of the names do not count.
    """
    sent_names = {letters_and_digits(name): name for name in collected}
    keys = dict.fromkeys(map(letters_and_digits, (field["field"], *field["aliases"])))
    return {sent_names[key]: collected[sent_names[key]] for key in keys if key in sent_names}
