"""Dates of a case as people write them, as of Monday, November 23, 2026."""

from datetime import date

import pytest
from support.case_fields import field, read

from articulado.guides.data_values import Days

OPEN, PAST = field("x", "date"), field("x", "date", max="today")
BORN = field("x", "date", min="today - 110 years", max="today - 14 years")


def day(text, spec=OPEN, code="es"):
    days = read([spec], {"x": text}, code=code).readings["x"].value
    assert days == Days(days.first, days.first)
    return days.first


def problem(text, spec=OPEN):
    return read([spec], {"x": text}).rejected[0]["problem"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3/11/26", date(2026, 11, 3)),
        ("03-11-26", date(2026, 11, 3)),
        ("3 de noviembre de '26", date(2026, 11, 3)),
        ("1/1/00", date(2000, 1, 1)),
        ("1/1/69", date(2069, 1, 1)),
        ("1/1/70", date(1970, 1, 1)),
        ("31-12-99", date(1999, 12, 31)),
        ("lunes 2 de noviembre de 2026", date(2026, 11, 2)),
        ("Monday, Nov 2, 2026", date(2026, 11, 2)),
        ("Mon. Nov 2, 2026", date(2026, 11, 2)),
        ("el viernes 20/11/2026", date(2026, 11, 20)),
        ("el miércoles, día 4 de noviembre de 2026", date(2026, 11, 4)),
        ("on May 3rd, 2026", date(2026, 5, 3)),
        ("2026-11-03T10:30:00+01:00", date(2026, 11, 3)),
        ("2026-11-03 10:30", date(2026, 11, 3)),
        ("ayer", date(2026, 11, 22)),
        ("yesterday", date(2026, 11, 22)),
    ],
)
def test_a_day_is_read_with_a_weekday_a_time_or_two_digits_of_its_year(text, expected):
    assert day(text) == expected


def test_where_a_date_cannot_be_to_come_two_digits_of_a_year_are_of_the_last_century_if_need_be():
    assert day("23/11/26", PAST) == date(2026, 11, 23)
    assert day("24/11/26", PAST) == date(1926, 11, 24)
    assert day("3/5/65", BORN) == date(1965, 5, 3)
    assert day("3/5/65", field("x", "date", max="today + 50 years")) == date(2065, 5, 3)


def test_where_a_date_may_be_today_at_the_latest_a_day_without_a_year_is_the_latest_one():
    assert day("3 de noviembre", PAST) == date(2026, 11, 3)
    assert day("Nov 23", PAST) == date(2026, 11, 23)
    assert day("el martes 24 de noviembre", PAST) == date(2025, 11, 24)
    assert day("29 de febrero", PAST) == date(2024, 2, 29)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20/11", date(2026, 11, 20)),
        ("hace tres días", date(2026, 11, 20)),
        ("two weeks ago", date(2026, 11, 9)),
        ("hace un mes", date(2026, 10, 23)),
        ("20/11/2026 (carta recibida el mismo día)", date(2026, 11, 20)),
    ],
)
def test_a_day_may_be_numbers_without_a_year_or_counted_in_words_or_explained(text, expected):
    assert day(text, PAST) == expected


def test_a_day_to_come_may_be_named():
    assert day("mañana") == day("tomorrow") == date(2026, 11, 24)


@pytest.mark.parametrize("spec", [OPEN, BORN, field("x", "date", max="today + 30 days")])
def test_elsewhere_the_year_is_asked_for(spec):
    assert problem("3 de noviembre", spec) == "does not say the year"


@pytest.mark.parametrize("text", ["31/02/26", "31 de febrero", "29/2/25", "el lunes 31/11/2026"])
def test_a_day_that_there_is_not_is_told(text):
    assert problem(text, PAST) == "is a date that does not exist"


def test_which_of_two_numbers_is_the_month_is_a_matter_of_the_language():
    assert day("03/05/2026", code="es") == date(2026, 5, 3)
    assert day("03/05/2026", code="en") == date(2026, 3, 5)
    assert day("25/05/2026", code="en") == day("05/25/2026", code="es") == date(2026, 5, 25)


@pytest.mark.parametrize("text", ["viernes", "5 years", "noviembre", "el", "26"])
def test_what_is_no_day_is_no_date(text):
    assert problem(text) == "cannot be read as a date"
