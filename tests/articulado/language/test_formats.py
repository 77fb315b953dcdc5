"""Figures and days are written as in Spanish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.formats import figure, long_day
from articulado.language.numerals import parse_amount


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
