"""Amounts of money: no counts of things, nothing by the month."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import field, read

from articulado.cases.data.amounts import read_money
from articulado.guides.data_values import UnusableValue
from articulado.language.languages import language

AMOUNT = field("x", "currency")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("30000", 30000),
        ("30.000 brutos al año", 30000),
        ("about 12,000 vested", 12000),
        ("$45,000 (as of 9/30/2026)", 45000),
        ("$5,000 in my account", 5000),
        *((text, 0) for text in ("no loan", "no outstanding loans", "nil", "none currently", "paid off")),
        *((text, 0) for text in ("no quedan", "ninguno pendiente", "ya está devuelto")),
    ],
)
def test_an_amount_has_a_currency_or_nothing_that_is_counted(text, amount):
    assert read([AMOUNT], {"x": text}).readings["x"].value == amount


@pytest.mark.parametrize(
    "text", ["2 nóminas", "2 loans", "repaid in 2024", "in 2024", "14 pagas", "2 nóminas (1.500 €)"]
)
def test_what_is_counted_or_dated_is_no_amount(text):
    assert read([AMOUNT], {"x": text}).rejected[0]["problem"] == "cannot be read as an amount"


@pytest.mark.parametrize("text", ["1.500 al mes", "$3,000 a month", "$3,000/mo", "14 pagas de 1.500 €", "20 € la hora"])
def test_of_an_amount_by_the_month_the_whole_is_asked_for(text):
    assert "the whole is needed" in read([AMOUNT], {"x": text}).rejected[0]["problem"]


def test_an_amount_has_an_upper_bound_without_one_in_the_article():
    assert read([AMOUNT], {"x": "$100,000,000"}).rejected == []
    assert read([AMOUNT], {"x": "$100,000,001"}).rejected[0]["problem"] == "is more than 100,000,000"


def test_zero_in_words_is_held_against_the_bounds():
    assert read([field("x", "currency", min=100.0)], {"x": "no loan"}).rejected[0]["problem"] == "is less than 100"


@given(st.text() | st.lists(st.sampled_from(["2", "$", "no", " ", "loans", "(", ")", "€", "al mes", "."])).map("".join))
def test_any_text_is_an_amount_or_told(text):
    with contextlib.suppress(UnusableValue):
        assert isinstance(read_money(text, language("en")), Decimal)
