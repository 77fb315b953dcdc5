"""When something began: a date, a year, or how long it has lasted."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field, read

from articulado.guides.data_values import Days

LEFT = field("left", "date", required=False, max="today")
SINCE = field("since", "date", unit="years", min="today - 60 years", max="left", accepts="a start or years")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3/5/2018 (indefinido)", Days(date(2018, 5, 3), date(2018, 5, 3))),
        ("desde mayo de 2018", Days(date(2018, 5, 1), date(2018, 5, 31))),
        ("contratado en 2018", Days(date(2018, 1, 1), date(2018, 12, 31))),
        ("2026", Days(date(2026, 1, 1), date(2026, 12, 31))),
        ("más de diez años", Decimal(10)),
        ("10 años (desde 2016)", Decimal(10)),
        ("6 meses", Decimal("0.5")),
        ("5", Decimal(5)),
    ],
)
def test_a_beginning_is_a_date_a_year_or_a_length_in_the_unit_of_its_field(text, value):
    assert read([LEFT, SINCE], {"since": text}, code="es").readings["since"].value == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("500 años", "is more than 60"),
        ("-3 años", "is less than 0"),
        ("15 %", "cannot be read as a date nor as a length of time"),
        ("20 €", "cannot be read as a date nor as a length of time"),
        ("toda la vida", "cannot be read as a date nor as a length of time"),
        ("1960", "is before November 23, 1966"),
        ("March 2, 2027", "is after “left” (November 20, 2026)"),
        ("2026-11-21", "is after “left” (November 20, 2026)"),
    ],
)
def test_a_beginning_is_bounded_as_a_date_and_as_a_length(text, problem):
    (rejected,) = read([LEFT, SINCE], {"left": "2026-11-20", "since": text}).rejected
    assert (rejected["problem"], rejected["accepted"]) == (problem, "a start or years")


@given(st.text() | st.lists(st.sampled_from(["2018", "mayo", " de ", "3", "años", ",", "(", "-", "/"])).map("".join))
def test_no_text_is_too_much(text):
    read([LEFT, SINCE], {"since": text})
