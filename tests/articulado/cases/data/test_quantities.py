"""Numbers in figures and in words, and time in the unit of its field."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field, read

from articulado.cases.data.amounts import read_quantity
from articulado.language.languages import language

SPANISH, ENGLISH = language("es"), language("en")


@pytest.mark.parametrize(
    ("text", "code", "number"),
    [("tres", "es", 3), ("dos años", "es", 2), ("veinte", "es", 20), ("two", "en", 2), ("twenty-one months", "en", 21)],
)
def test_a_number_may_be_in_words_of_the_language(text, code, number):
    assert read_quantity(text, None, language(code)) == number


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("2 años y 3 meses", "years", "2.25"),
        ("2 años y 3 meses", "months", "27"),
        ("2 años 3 meses", "months", "27"),
        ("un año", "months", "12"),
        ("medio año", "months", "6"),
        ("38 y medio", "years", "38.5"),
        ("dos años y medio", "months", "30"),
        ("unos 20 días hábiles", "days", "20"),
        ("3 semanas", "days", "21"),
        ("1 mes", "days", "30.4375"),
        ("1.461 días", "years", "4"),
        ("3 semanas", "working_days", "15"),
        ("3 semanas y 2 días", "working_days", "17"),
        ("1 year, 2 months", "months", "14"),
        ("18 years old", "years", "18"),
        ("3 mil días", "days", "3000"),
        ("-3 meses", "months", "-3"),
        ("18", "years", "18"),
        ("20 horas", "days", "20"),
        ("ninguno", "months", "0"),
    ],
)
def test_time_is_converted_and_added_up_in_the_unit_of_the_field(text, unit, number):
    assert read_quantity(text, unit, SPANISH) == Decimal(number)


def test_what_is_converted_is_not_rounded():
    months = read_quantity("8 meses", "years", SPANISH)
    assert round(months, 2) == Decimal("0.67")
    # Under a limit of one year, a day less than one year stays less.
    assert read_quantity("364 días", "years", SPANISH) < 1


def test_a_half_is_added_in_english_too():
    assert read_quantity("two and a half years", "months", ENGLISH) == 30
    assert read_quantity("2 years and a half", "months", ENGLISH) == 30


def test_without_a_unit_of_the_field_that_of_the_value_says_nothing():
    assert read_quantity("8 meses", None, SPANISH) == 8


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("entre 2 y 3 años", "years"),
        ("2-3 años", "years"),
        ("2 años o 3 meses", "years"),
        ("3 meses y 2 años", "years"),
        ("1 año y 30", "years"),
        ("dos o tres", None),
        ("2 años y 3 meses", None),
        ("uno y medio", None),
        ("dos mil", None),
        ("muchos", "years"),
    ],
)
def test_what_is_no_number_or_several_is_none(text, unit):
    assert read_quantity(text, unit, SPANISH) is None


def test_a_range_holds_for_what_was_converted_and_is_told_with_its_unit():
    spec = field("service", "number", unit="years", max=60.0)
    assert read([spec], {"service": "61 months"}).readings["service"].value < 6
    (rejected,) = read([spec], {"service": "800 months"}).rejected
    assert (rejected["problem"], rejected["accepted"]) == ("is more than 60", "a number of years between 0 and 60")


UNITS = st.sampled_from([None, "working_days", "days", "weeks", "months", "years"])
PIECES = st.lists(
    st.sampled_from(["2", "un", "a", "½", "1.2.3", "dos", "k", "-", " ", " ", "años", "months", "y", "and"])
)


@given(st.text() | PIECES.map("".join), UNITS, st.sampled_from([SPANISH, ENGLISH]))
def test_no_text_is_too_much(text, unit, spoken):
    number = read_quantity(text, unit, spoken)
    assert number is None or number.is_finite()
