"""Compensations by days of service, against an implementation that shares nothing with the rules.

Months are counted day by day, amounts are fractions: slow and plain.
"""

from datetime import date, timedelta
from fractions import Fraction
from random import Random

import pytest

from articulado.calculations.engine import calculate
from articulado.calculations.values import Result
from articulado.calculations.wordings import CALCULATIONS

DAYS = {
    "compensation/objective": (20, 12),
    "compensation/collective": (20, 12),
    "compensation/transfer": (20, 12),
    "compensation/substantial_modification": (20, 9),
}
"""Days of salary a year, and the cap in months of salary."""
REFORM = date(2012, 2, 12)
CASES = 60


def started_months(first: date, last: date) -> int:
    """Count the months that have begun between two days, both worked."""
    months, day, begins = 0, first, first.day
    while day <= last:
        is_last_of_month = (day + timedelta(days=1)).day == 1
        if day.day == begins or (day == first) or (is_last_of_month and day.day < begins):
            months += 1
        day += timedelta(days=1)
    return months


def cents(amount: Fraction) -> str:
    whole = int(amount * 100 + Fraction(1, 2))
    return f"{whole // 100}.{whole % 100:02d}"


def of_days(kind: str, first: date, last: date, salary: Fraction) -> str:
    days, cap = DAYS[kind]
    day = salary / (366 if last.year % 4 == 0 else 365)
    return cents(min(Fraction(days * started_months(first, last), 12) * day, salary / 12 * cap))


def of_unfair(first: date, last: date, salary: Fraction) -> str:
    day = salary / (366 if last.year % 4 == 0 else 365)
    if first >= REFORM:
        return cents(min(Fraction(33 * started_months(first, last), 12) * day, salary / 12 * 24))
    before = Fraction(45 * started_months(first, min(last, REFORM - timedelta(days=1))), 12)
    since = Fraction(33 * started_months(REFORM, last), 12) if last >= REFORM else Fraction(0)
    if before > 720:
        return cents(min(before * day, salary / 12 * 42))
    return cents(min(before + since, Fraction(720)) * day)


def drawn() -> list[tuple[date, date, int]]:
    random = Random(20120212)
    cases = []
    while len(cases) < CASES:
        # No contract begins after the 28th: how a month without its day is counted is told by the worked cases.
        first = date(random.randint(1996, 2025), random.randint(1, 12), random.randint(1, 28))
        last = date(random.randint(2016, 2026), random.randint(1, 12), random.randint(1, 28))
        if first < last:
            cases.append((first, last, random.randint(14_000, 60_000)))
    return cases


def amount(kind: str, first: date, last: date, salary: int) -> str:
    outcome = calculate(CALCULATIONS[kind], {"start": first, "end": last, "annual_salary": salary})
    assert isinstance(outcome, Result), outcome
    return str(outcome.values[0].value)


@pytest.mark.parametrize("kind", sorted(DAYS))
def test_compensations_by_days_are_those_of_the_plain_count(kind: str) -> None:
    for first, last, salary in drawn():
        assert amount(kind, first, last, salary) == of_days(kind, first, last, Fraction(salary)), (first, last, salary)


@pytest.mark.parametrize("kind", ["compensation/unfair", "compensation/art50"])
def test_unfair_dismissals_with_one_and_two_tranches_are_those_of_the_plain_count(kind: str) -> None:
    for first, last, salary in drawn():
        assert amount(kind, first, last, salary) == of_unfair(first, last, Fraction(salary)), (first, last, salary)
