"""The calendar of working days."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from articulado.config.profile import load_profile
from articulado.config.sections import Calendar

DAYS = st.dates(date(1990, 1, 1), date(2060, 12, 31))
# Written out by hand: what the rules below mean in these two years.
RULES = ("01-01", "2026-04-02", "easter-2", "easter+1", "mon3-01", "mon-1-05", "thu4-11", "02-29")
OFF = {
    *(date(2026, 1, 1), date(2026, 4, 2), date(2026, 4, 3), date(2026, 4, 6), date(2026, 1, 19), date(2026, 5, 25)),
    *(date(2026, 11, 26), date(2027, 1, 1), date(2027, 3, 26), date(2027, 3, 29), date(2027, 1, 18)),
    *(date(2027, 5, 31), date(2027, 11, 25)),
}


def day_by_day(since: date, until: date, off: set[date]) -> int:
    days = [since + timedelta(days=number) for number in range(1, (until - since).days + 1)]
    return len([day for day in days if day.isoweekday() <= 5 and day not in off])


@given(st.dates(date(2026, 1, 1), date(2027, 12, 31)), st.dates(date(2026, 1, 1), date(2027, 12, 31)))
def test_working_days_are_those_that_a_count_day_by_day_finds(one, other):
    since, until = sorted((one, other))
    assert Calendar(days_off=RULES).working_days(since, until) == day_by_day(since, until, OFF)
    assert Calendar(days_off=RULES).working_days(until, since) == -day_by_day(since, until, OFF)


@given(DAYS, DAYS, DAYS)
def test_counts_add_up(first, second, third):
    calendar = Calendar(days_off=RULES)
    first, second, third = sorted((first, second, third))
    assert calendar.working_days(first, third) == calendar.working_days(first, second) + calendar.working_days(
        second, third
    )


def test_any_two_days_can_be_counted():
    assert Calendar(days_off=("easter", "fri5-02")).working_days(date(1, 1, 1), date(9999, 1, 1)) > 2_600_000


def test_a_day_off_that_is_there_twice_is_taken_off_once():
    twice = Calendar(days_off=("05-01", "2026-05-01", "fri1-05"))
    assert twice.working_days(date(2026, 4, 30), date(2026, 5, 4)) == 1


def test_a_fifth_weekday_is_only_in_months_that_have_one():
    fifth = Calendar(days_off=("mon5-03", "mon5-04"))
    # March 2026 has five Mondays, the last on the 30th; April four.
    assert fifth.working_days(date(2026, 3, 29), date(2026, 3, 30)) == 0
    assert fifth.working_days(date(2026, 4, 1), date(2026, 5, 8)) == 27


@pytest.mark.parametrize(
    "written", ["13-01", "02-30", "2026-02-29", "easter2", "easter-80", "mon6-01", "mon0-01", "lun1-01", "mon1-13"]
)
def test_what_is_no_day_is_refused_with_how_days_are_written(written):
    with pytest.raises(ValidationError, match=f"«{written}» no es un día; se escribe como 12-25"):
        Calendar(days_off=(written,))


def test_the_packaged_calendars_have_the_holidays_that_they_name():
    spain, plans = (load_profile(name).case.calendar for name in ("laboral", "plan_401k"))
    # 2026 has 261 weekdays. In Spain 15 August, 1 November and 6 December fall on a weekend, in the US 4 July.
    year = date(2025, 12, 31), date(2026, 12, 31)
    assert (spain.working_days(*year), plans.working_days(*year)) == (261 - 9, 261 - 10)
    # Good Friday is a working day of the federal government.
    assert spain.working_days(date(2026, 4, 2), date(2026, 4, 3)) == 0
    assert plans.working_days(date(2026, 4, 2), date(2026, 4, 3)) == 1
    assert "festivos nacionales" in spain.name
    assert "federal holidays" in plans.name
