"""Decide if a figure follows from known values by a bounded number of arithmetic steps."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from articulado.language.quantities import Quantity
from articulado.verification.computations import Calendar

Numbers = NDArray[np.float64]

_PERIODS = (1, 7, 12, 14, 30, 365, 366, 360, 100)
"""Days of a week, payments of a year, days of a month and of a year; 100 for shares."""
_DAILY = (1, 1 / 30, 12 / 365, 12 / 360, 14 / 365, 14 / 360, 1 / 365, 1 / 366, 1 / 360, 1 / 7, 12 / 366, 14 / 366)
"""Factors that turn a daily, monthly (12 or 14 payments), yearly or weekly amount into a daily one."""
_DAYS_A_YEAR = 60
MOST = 48
_MOST_ADDENDS = 11
_LEAST_AMOUNT = 100
_ADDED = 0.06


def tolerance_of(value: Decimal, *, rough: bool = False) -> float:
    """Return the largest rounding error of a written value: half of its last decimal, or 2 % if ``rough``."""
    exponent = int(value.as_tuple().exponent)
    unit = 10.0 ** min(exponent, 0)
    exact = 0.51 * unit + 3e-5 * abs(float(value)) * (unit < 1)
    return max(exact, 0.02 * abs(float(value))) if rough else exact


def _array(values: Iterable[float]) -> Numbers:
    return np.array(list(dict.fromkeys(values))[:MOST], float)


def _hits(values: Numbers, target: float, tolerance: float) -> bool:
    return bool(np.any(np.abs(values - target) <= tolerance))


def _factors(values: Iterable[Quantity]) -> list[float]:
    factors: list[float] = []
    for each in values:
        value = float(each.value)
        if each.unit == "percent":
            factors += [value / 100, 1 - value / 100, 1 + value / 100]
        elif each.unit != "date":
            factors.append(value)
    return factors


class Values:
    """The values from which an answer may compute: ``said`` by the user, derived, quoted, and in the sources."""

    def __init__(
        self,
        said: Sequence[Quantity],
        worked_out: Sequence[Quantity],
        written: Sequence[Quantity],
        sources: Sequence[Quantity],
        calendar: Calendar,
    ) -> None:
        self._own = [*said, *worked_out]
        self._page = [*self._own, *written]
        self._worked_out = worked_out
        self._sources = sources
        self._calendar = calendar

    def give(self, figure: Quantity, near: Sequence[Quantity], *, rough: bool, combined: bool) -> bool:
        """Return True if a figure follows from the values.

        ``near`` are values beside it. A ``rough`` figure may be off by 2 %. ``combined``: its sentence speaks of a sum
        or difference.
        """
        target, tolerance = float(figure.value), tolerance_of(figure.value, rough=rough)
        if figure.unit in ("day", "week", "month") and self._calendar.is_span(target, figure.unit, tolerance):
            return True
        if figure.unit in ("euro", "peseta"):
            return self._any_operation(figure.unit, target, tolerance) or self._pay(target, tolerance)
        if figure.value % 1 and self._any_operation(figure.unit, target, tolerance):
            return True
        if self._converted(figure, target, tolerance) or self._of_service(figure, target, tolerance):
            return True
        if self._of_one_kind(figure, near, target, tolerance, combined=combined):
            return True
        return self._beside(figure, near, target, tolerance, combined=combined)

    def give_factor(self, value: Decimal) -> bool:
        """Return True if a coefficient follows from two values.

        With at most one decimal it must be exactly a product or quotient of a said or derived value and a period.
        """
        if int(value.as_tuple().exponent) > -2:
            return _multiplied(_factors(self._own), _PERIODS, "#", float(value), 1e-9)
        return self._any_operation("#", float(value), tolerance_of(value))

    def _any_operation(self, unit: str, target: float, tolerance: float) -> bool:
        is_amount = unit in ("euro", "peseta")
        for firsts, seconds in ((self._page, self._page), (self._own, self._sources)):
            like, other = (
                _array(float(each.value) for each in values if each.unit == unit or _may_be(each, unit))
                for values in (firsts, seconds)
            )
            if _added(like, other, target, min(tolerance, _ADDED) if target % 1 == 0 else tolerance):
                return True
            if is_amount:
                firsts = [each for each in firsts if each.unit == unit or _may_be(each, unit)]
                seconds = [each for each in seconds if each.unit != unit]
            if _multiplied(_factors(firsts), [*_factors(seconds), *_PERIODS], unit, target, tolerance):
                return True
        return self._summed(unit, target, tolerance)

    def _summed(self, unit: str, target: float, tolerance: float) -> bool:
        addends = _array(float(each.value) for each in self._page if each.unit == unit)[-_MOST_ADDENDS:]
        sums = np.zeros(1)
        for addend in addends:
            sums = np.concatenate([sums, sums + addend])
        return _hits(sums, target, tolerance) or any(_hits(sums - each, target, tolerance) for each in addends)

    def _pay(self, target: float, tolerance: float) -> bool:
        """Try daily pay × days, days a year × years × daily pay, monthly pay × months, and shares of them."""
        amounts = _array(float(each.value) for each in self._page if each.unit in ("euro", "#"))
        if not len(amounts):
            return False
        days = _array(float(each.value) for each in self._page if each.unit in ("day", "#"))
        rules = [float(each.value) for each in self._sources if each.unit == "day" and each.value <= _DAYS_A_YEAR]
        days_a_year = _array([*days, *rules])
        of_service = np.multiply.outer(days_a_year, self._months / 12).ravel()
        daily = np.multiply.outer(amounts, np.array(_DAILY)).ravel()
        monthly = np.multiply.outer(amounts, np.array([1, 1 / 12, 14 / 12])).ravel()
        totals = [np.multiply.outer(daily, np.concatenate([days, of_service, np.ones(1)])).ravel()]
        totals.append(np.multiply.outer(monthly, np.concatenate([self._months, self._months / 12])).ravel())
        shares = _array([1.0, *_factors(each for each in self._page if each.unit == "percent")])
        return any(_hits(np.multiply.outer(each, shares), target, tolerance) for each in totals)

    @cached_property
    def _months(self) -> Numbers:
        own = [float(each.value) for each in self._page if each.unit == "month"]
        own += [float(each.value) * 12 for each in self._own if each.unit == "#" and each.value <= 60]
        return np.array(list(dict.fromkeys([*own, *self._calendar.months]))[: 2 * MOST], float)

    def _of_service(self, figure: Quantity, target: float, tolerance: float) -> bool:
        """Try days a year × the user's years of service."""
        if figure.unit != "day":
            return False
        months = [float(each.value) for each in self._own if each.unit == "month"]
        months += [float(each.value) * 12 for each in self._own if each.unit == "#" and each.value <= 60]
        rules = [*self._page, *self._sources]
        days = _array(float(each.value) for each in rules if each.unit == "day" and each.value <= _DAYS_A_YEAR)
        served = _array([*months, *self._calendar.months])
        years, begun = served[served % 12 == 0] / 12, served[served % 12 != 0] / 12
        return _hits(np.multiply.outer(days, years), target, 0.01) or _hits(
            np.multiply.outer(days, begun), target, max(tolerance, 0.51)
        )

    def _converted(self, figure: Quantity, target: float, tolerance: float) -> bool:
        pairs = {
            "day": [("week", 7.0), ("hour", 1 / 24)],
            "week": [("day", 1 / 7)],
            "minute": [("hour", 60.0)],
            "hour": [("minute", 1 / 60), ("day", 24.0)],
        }
        for unit, times in pairs.get(figure.unit, []):
            known = _array(float(each.value) * times for each in (*self._page, *self._sources) if each.unit == unit)
            if _hits(known, target, min(tolerance, 0.05)):
                return True
        # A month has thirty days of what the user says; a rule of the law counts them apart.
        own = {"day": ("month", (30.0, 365 / 12)), "month": ("day", (1 / 30, 12 / 365, 12 / 360))}
        unit, factors = own.get(figure.unit, ("", ()))
        known = _array(float(each.value) * times for each in self._own if each.unit == unit for times in factors)
        return _hits(known, target, max(tolerance, 0.51))

    def _of_one_kind(
        self, figure: Quantity, near: Sequence[Quantity], target: float, tolerance: float, *, combined: bool
    ) -> bool:
        unit = figure.unit
        own = _array(float(each.value) for each in self._own if each.unit in (unit, "#"))
        beside = _array(float(each.value) for each in near if each.unit == unit)
        every = _array(float(each.value) for each in (*self._page, *self._sources) if each.unit == unit)
        pairs = [(own, own), (own, beside)]
        if combined:
            pairs += [(own, every), (beside, beside)]
            if self._summed(unit, target, tolerance):
                return True
        return any(_added(one, other, target, min(tolerance, _ADDED)) for one, other in pairs)

    def _beside(
        self, figure: Quantity, near: Sequence[Quantity], target: float, tolerance: float, *, combined: bool
    ) -> bool:
        shares = [float(each.value) for each in (*near, *self._own) if each.unit == "percent"]
        if figure.unit == "percent" and combined and _hits(100 - _array(shares), target, tolerance):
            return True
        if figure.unit in ("day", "month") and _is_counted(figure.value, near):
            return True
        own = {each.value for each in self._own}
        like = [each for each in near if each.unit == figure.unit]
        times = [each for each in near if each.unit in ("#", "percent", "times") or each.is_count]
        return any(
            _multiplied(_factors(one), _factors(other), figure.unit, target, tolerance)
            for one, other in (
                ([each for each in like if each.value in own], times),
                (like, [each for each in times if each.value in own]),
            )
        )


def _is_counted(times: Decimal, near: Sequence[Quantity]) -> bool:
    shares = [each.value for each in near if each.unit == "percent" and each.value % 1]
    return any(share * times == each.value for share in shares for each in near if each.value % 1)


def _may_be(number: Quantity, unit: str) -> bool:
    return number.unit == "#" and (unit != "euro" or number.value >= _LEAST_AMOUNT)


def _added(one: Numbers, other: Numbers, target: float, tolerance: float) -> bool:
    if not (len(one) and len(other)):
        return False
    sums = np.add.outer(one, other)[np.not_equal.outer(one, other)]
    return _hits(sums, target, tolerance) or _hits(np.abs(np.subtract.outer(one, other)), target, tolerance)


def _multiplied(firsts: Iterable[float], seconds: Iterable[float], unit: str, target: float, tolerance: float) -> bool:
    one, other = _array(firsts), np.array(list(dict.fromkeys(seconds))[: 3 * MOST], float)
    one, other = one[one != 0], other[other != 0]
    if not (len(one) and len(other)):
        return False
    targets = [target, target / 100] if unit == "percent" else [target]
    for goal in targets:
        scaled = tolerance * goal / target if target else tolerance
        if _hits(np.multiply.outer(one, other), goal, scaled) or _hits(np.divide.outer(one, other), goal, scaled):
            return True
        if _hits(np.divide.outer(other, one), goal, scaled):
            return True
    return False
