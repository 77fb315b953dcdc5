"""Days, months and figures are read and written as people write them."""

import re
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.formats import (
    MONTHS,
    exact,
    figure,
    long_day,
    month_name,
    month_number,
    parse_day,
)
from articulado.language.numerals import parse_amount


@given(st.dates())
def test_a_day_is_read_as_it_was_written(written):
    assert parse_day(long_day(written.isoformat())) == (written if written.year >= 1000 else None)
    assert parse_day(written.isoformat()) == written


@given(st.integers(min_value=1, max_value=12))
def test_a_month_has_one_number_by_all_its_names(number):
    english = f"{date(2026, number, 1):%B}".lower()
    names = {month_name(number), month_name(number)[:3], english, english[:3]}
    assert {month_number(name) for name in names} == {number}


def test_a_pattern_of_months_has_all_their_spanish_names():
    written = "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre"
    assert re.findall(rf"\b(?:{MONTHS})\b", written) == written.split()
    assert month_number("setiembre") == 9


@given(st.text(max_size=30))
def test_parse_day_never_raises(written):
    parse_day(written)


@pytest.mark.parametrize(
    "written",
    ["2026-05-03", "2026-05-03T10:00", "03/05/2026", "3-5-2026", "3 de mayo de 2026", "el 3 de mayo del 2026",
     "3 mayo 2026", "May 3, 2026", "3rd May 2026", "May 3rd, 2026", "3 de MAYO de 2026"],
)  # fmt: skip
def test_a_day_is_read(written):
    assert parse_day(written) == date(2026, 5, 3)


def test_accepts_month_first_if_the_second_number_is_no_month():
    assert parse_day("5/25/2026") == date(2026, 5, 25)


@pytest.mark.parametrize(
    "written",
    ["ayer", "mayo de 2026", "2026-13-01", "31/02/2026", "3 de brumario de 2026", "0/0/2026", "0000-01-01", "5 years"],
)
def test_texts_that_are_no_days_give_none(written):
    assert parse_day(written) is None


@pytest.mark.parametrize("written", ["3/5/26", "3 de mayo", "May 3rd", "May 3, '26"])
def test_a_day_without_all_of_its_year_is_none(written):
    assert parse_day(written) is None


def test_a_day_and_a_number_are_written_in_both_languages():
    assert (long_day("2026-05-03"), long_day("2026-05-03", "en")) == ("3 de mayo de 2026", "May 3, 2026")
    assert [exact(Decimal("7000.50"), code) for code in ("es", "en")] == ["7.000,5", "7,000.5"]
    assert exact(Decimal(100)) == "100"


def test_months_have_their_names_in_both_languages():
    assert (month_name(5), month_name(5, "en"), month_name(9, "en")) == ("mayo", "May", "September")


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [
        (25012, 0, "25.012"),
        (14.2, 1, "14,2"),
        (1234567.891, 2, "1.234.567,89"),
        (-1500, 0, "-1.500"),
        (0.5, 3, "0,500"),
    ],
)
def test_a_figure_has_points_and_a_comma(value, decimals, written):
    assert figure(value, decimals) == written


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_a_figure_is_read_as_it_was_written(value):
    assert parse_amount(figure(value)) == value


def test_a_day_is_written_in_full():
    assert long_day("2018-12-07") == "7 de diciembre de 2018"
    assert long_day("2024-09-01") == "1 de septiembre de 2024"
