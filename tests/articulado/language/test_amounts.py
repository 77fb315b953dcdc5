"""Amounts as people write them, in two languages."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.numerals import parse_amount


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("$10,000", "10000"),
        ("10.000 €", "10000"),
        ("1.234,56 €", "1234.56"),
        ("$1,234.56", "1234.56"),
        ("$1,234.567", "1234.567"),
        ("1.234.567,891", "1234567.891"),
        ("10.000,000", "10000"),
        ("1,234,567", "1234567"),
        ("12 345", "12345"),
        ("10 000 €", "10000"),
        ("59.5", "59.5"),
        ("59,5", "59.5"),
        ("59½", "59.5"),
        ("0.001", "0.001"),
        ("0,125", "0.125"),
        ("-3", "-3"),
        ("-$500", "-500"),
        ("($500)", "-500"),
        ("USD500", "500"),
        ("$10k", "10000"),
        ("$1.5 million", "1500000"),
        ("2 millones de euros", "2000000"),
        ("3 mil", "3000"),
        ("33 días", "33"),
        ("none", "0"),
        ("nada", "0"),
    ],
)
def test_an_amount_is_read(written, value):
    assert parse_amount(written) == Decimal(value)


@pytest.mark.parametrize(
    "written", ["a lot", "", "between 5 and 10", "2 loans of $500", "1.2.3,4,5", "1e16", "1,23.456,7"]
)
def test_texts_without_a_single_amount_give_none(written):
    assert parse_amount(written) is None


@given(st.decimals(0, 10**9, places=2))
def test_spanish_and_english_separators_give_the_same_amount(value):
    american = f"{value:,.2f}"
    assert parse_amount(american) == parse_amount(american.translate(str.maketrans(",.", ".,"))) == value


@given(st.text(max_size=30))
def test_parse_amount_never_raises(written):
    parse_amount(written)
