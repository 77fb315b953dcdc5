import pytest
from hypothesis import given
from hypothesis import strategies as st

from legal.folding import fold
from legal.numerals import numeral, read_words


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("treinta y tres", 33),
        ("undécima", 11),
        ("vigésima tercera", 23),
        ("vigesimotercera", 23),
        ("decimoctava", 18),
        ("Quincuagésima cuarta", 54),
        ("ciento treinta y cuatro", 134),
        ("curenta y tres", 43),
        ("7ª", 7),
        ("7.ª", 7),
        ("4.º", 4),
        ("11", 11),
        ("VII", 7),
        ("XLIV", 44),
        ("setima", 7),
    ],
)
def test_reads_a_numeral(written, value):
    assert numeral(written) == value


@pytest.mark.parametrize("written", ["", "hola", "treinta y", "VIX", "7 días"])
def test_refuses_what_is_no_numeral(written):
    assert numeral(written) is None


def test_an_enumeration_is_not_one_number():
    assert read_words("treinta y uno y treinta y dos") == (31, 13)
    assert read_words("décima y tercera".replace("é", "e")) == (10, 6)


@given(st.text())
def test_folding_keeps_every_offset(text):
    assert len(fold(text)) == len(text)


@given(st.text())
def test_never_raises(text):
    assert numeral(text) is None or numeral(text) >= 0
