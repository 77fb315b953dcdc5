"""Days that an article names: "2026-01-31", "today - 16 years", another of its date fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal, cast

from dateutil.relativedelta import relativedelta

from services.case.data.values import Days

TODAY = "today"
Unit = Literal["days", "weeks", "months", "years"]

_EXPRESSION = re.compile(
    r"(?P<base>\d{4}-\d{2}-\d{2}|[a-z][a-z0-9_]*)"
    r"(?:\s*(?P<sign>[+-])\s*(?:(?P<count>\d{1,4})\s*(?P<unit>day|week|month)|(?P<years>\d{1,3})\s*year)s?)?"
)


@dataclass(frozen=True)
class DateExpression:
    """A day: ``base`` is ``today``, a day (ISO 8601) or the name of a date field; ``count`` units are added to it."""

    base: str
    count: int = 0
    unit: Unit = "days"

    @property
    def field(self) -> str | None:
        """The date field that it rests on; ``None`` where it rests on none."""
        return None if self.base == TODAY or self.base[0].isdigit() else self.base

    def resolve(self, today: date, days_of: Mapping[str, Days]) -> Days | None:
        """Return the days that it means; ``None`` where its field has none, or they lie beyond the calendar."""
        offset = relativedelta(**{self.unit: self.count})
        if self.base == TODAY:
            base: Days | None = Days(today, today)
        elif self.field is None:
            base = Days(date.fromisoformat(self.base), date.fromisoformat(self.base))
        else:
            base = days_of.get(self.base)
        try:
            return Days(base.first + offset, base.last + offset) if base else None
        except (OverflowError, ValueError):
            return None


def parse_expression(written: str) -> DateExpression:
    """Read a date expression.

    >>> parse_expression("today - 16 years")
    DateExpression(base='today', count=-16, unit='years')

    Raises:
        ValueError: it is none.
    """
    match = _EXPRESSION.fullmatch(written.strip())
    if match is None:
        raise ValueError(f"no date expression: {written}")
    count = int(match["count"] or match["years"] or 0)
    unit = cast(Unit, f"{match['unit']}s" if match["unit"] else "years" if match["years"] else "days")
    expression = DateExpression(match["base"], -count if match["sign"] == "-" else count, unit)
    if expression.field is None and expression.resolve(date(2000, 1, 1), {}) is None:
        raise ValueError(f"beyond the calendar: {written}")
    return expression
