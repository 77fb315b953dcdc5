"""Dates and durations that follow from known days: spans, deadlines, "5 años y 8 meses".

``Calendar`` holds the days that are known to an answer. It tells if a duration is the span between two of them
(``is_span``), and if a day is reached from one of them by a known duration (``is_reached``). Working days are Monday to
Friday; the holidays of a span are not known, so a tolerance stands in for them.
"""

import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import combinations

import numpy as np

from articulado.language.folding import fold
from articulado.language.quantities import DATE, Quantity, bare_numbers, quantities

_JOINED = re.compile(r"(?:\s?,\s|\s(?:y|mas|con)\s|\s?,?\sy\s|\s)(?:un\s|una\s)?")
_HOLIDAYS_A_YEAR = 14
_NEXT_WORKING_DAY = 5
"""Days from a known day to the next working day, past a weekend and two holidays."""
MOST_DAYS = 16
"""Known days of which all pairs are compared."""
_AUGUST, _CHRISTMAS = 23, 10
"""Working days of the months and weeks in which no procedural deadline runs (LRJS, art. 43.4; LEC, art. 130.2)."""


@dataclass(frozen=True)
class Compound:
    """A duration in several units ("5 años, 8 meses y 3 días"): whole months, days beyond them, and its parts."""

    months: Decimal
    days: Decimal
    parts: tuple[Quantity, ...]


def compounds(text: str, found: Sequence[Quantity]) -> list[Compound]:
    """Return the durations of a text that are written in several units, in order."""
    folded = fold(text)
    times = [each for each in found if each.unit in ("month", "week", "day") and not each.kind]
    runs: list[list[Quantity]] = []
    for each in times:
        is_joined = runs and _JOINED.fullmatch(folded, runs[-1][-1].end, each.start)
        if is_joined and _rank(folded, runs[-1][-1]) > _rank(folded, each):
            runs[-1].append(each)
        else:
            runs.append([each])
    return [
        Compound(
            sum((each.value for each in run if each.unit == "month"), Decimal(0)),
            sum((each.value * (7 if each.unit == "week" else 1) for each in run if each.unit != "month"), Decimal(0)),
            tuple(run),
        )
        for run in runs
        if len(run) > 1
    ]


@lru_cache(maxsize=4096)
def whole_durations(text: str) -> tuple[Quantity, ...]:
    """Return the durations of a text in several units, each as one quantity in months."""
    return tuple(
        Quantity(each.months, "month", "", each.parts[0].start, each.parts[-1].end)
        for each in compounds(text, quantities(text))
        if each.months
    )


def _rank(folded: str, quantity: Quantity) -> int:
    """Return the size of a unit as it is written: years, months, weeks, days."""
    if quantity.unit == "month":
        return 4 if re.search(r"\ban(?:o|ualidad)", folded[quantity.start : quantity.end]) else 3
    return 2 if quantity.unit == "week" else 1


def day_of(quantity: Quantity, years: Iterable[int]) -> Iterator[date]:
    """Yield the day of a quantity that is a date; one without a year in each of the years."""
    value = int(quantity.value)
    for year in [value // 10_000] if value >= 10_000 else years:
        try:
            yield date(year, value // 100 % 100, value % 100)
        except ValueError:
            continue


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or its last day (Código Civil, art. 5.1)."""
    whole = day.year * 12 + day.month - 1 + months
    year, month = min(max(whole // 12, 1), 9998), whole % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


class Calendar:
    """The days that an answer may reckon from: those of the user, of the answer itself, and today."""

    def __init__(self, said: Collection[date], others: Collection[date]) -> None:
        self._said = sorted(said)[:MOST_DAYS]
        self._days = sorted({*self._said, *sorted(others)[:MOST_DAYS]})
        pairs = [(start, end) for start, end in combinations(self._days, 2) if end.year - start.year < 100]
        self._spans = pairs
        self._lengths = {unit: np.array([_length(pair, unit) for pair in pairs], float) for unit in ("day", "month")}

    @property
    def months(self) -> list[float]:
        """The spans between two days, in whole months: ended ones, and with the one that has begun."""
        whole = self._lengths["month"]
        return sorted({*whole.tolist(), *(whole + 1).tolist()})[:60]

    def is_span(self, value: float, unit: str, tolerance: float, kind: str = "") -> bool:
        """Tell whether a duration lies between two known days, with or without the first and the last."""
        days, months = self._lengths["day"], self._lengths["month"]
        if not len(days):
            return False
        if unit == "month":
            fraction = days / 365.25 * 12
            ended = (value >= months - 1e-6) & (value <= months + 1 + tolerance)
            years = (value % 12 == 0) & (np.abs(value - fraction) < 12)
            return bool(np.any(ended | years | (np.abs(fraction - value) <= max(tolerance, 0.07))))
        if unit == "week":
            return bool(np.any(np.abs(days / 7 - value) <= 1))
        if unit != "day":
            return False
        if kind != "working" and np.any(np.abs(days - value) <= 1.01 + tolerance):
            return True
        return kind != "natural" and any(
            -1 <= _working_days(start, end) - value <= 2 + _suspended(start, end) for start, end in self._spans
        )

    def is_reached(self, day: date, days: Collection[float], months: Collection[float]) -> bool:
        """Tell whether a day lies a known duration after or before a known day, or begins or ends a known period."""
        is_bound = day.day == 1 or day.day == monthrange(day.year, day.month)[1]
        if self._said and is_bound and self._said[0].year - 1 <= day.year <= self._days[-1].year + 1:
            return True
        for start in self._days:
            gap = (day - start).days
            if abs(gap) <= (_NEXT_WORKING_DAY if start in self._said else 1):
                return True
            if any(abs(abs(gap) - count) <= 1 for count in days):
                return True
            if any(abs((day - add_months(start, sign * int(n))).days) <= 1 for n in months for sign in (1, -1)):
                return True
            if 0 < gap < 400:
                run, slack = _working_days(start, day), 2 + _suspended(start, day)
                if any(-1 <= run - count <= slack for count in days):
                    return True
        return False


def _length(pair: tuple[date, date], unit: str) -> int:
    start, end = pair
    if unit == "day":
        return (end - start).days
    # The last day counts: from the 1st of March to the 28th of February is a year.
    after = end + timedelta(days=1)
    return (after.year - start.year) * 12 + after.month - start.month - (after.day < start.day)


def _working_days(start: date, end: date) -> int:
    """Return the days from Monday to Friday after the first day, up to the last one."""
    return int(np.busday_count(start + timedelta(days=1), end + timedelta(days=1)))


def _suspended(start: date, end: date) -> float:
    """Return the most working days of a span that may not count: holidays, August and Christmas."""
    slack = _HOLIDAYS_A_YEAR * (end - start).days / 365 + 2
    if any(start <= date(year, 8, 31) and end >= date(year, 8, 1) for year in range(start.year, end.year + 1)):
        slack += _AUGUST
    if end >= date(start.year, 12, 24) or start <= date(start.year, 1, 6):
        slack += _CHRISTMAS
    return slack


def dates_in(found: Iterable[Quantity]) -> list[Quantity]:
    """Return those of quantities that are days of the calendar."""
    return [each for each in found if each.unit == DATE]


def bare_quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text beside which no unit stands, with the unit "#"."""
    numbers = sorted(bare_numbers(text), key=lambda each: each.start)
    return [Quantity(each.value, "#", "", each.start, each.end) for each in numbers]


def with_numbers(text: str) -> list[Quantity]:
    """Return the quantities of a text, its durations in several units as one, and its numbers without a unit."""
    return [*quantities(text), *whole_durations(text), *bare_quantities(text)]
