"""Numerals are read as laws number and as things are counted, in words, in digits and in Roman letters."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from articulado.language.folding import fold
from articulado.language.numerals import numeral, read_number, read_words, roman

UNITS = "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
SMALL = f"{UNITS} dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco".split()
SMALL += ["veintiséis", "veintisiete", "veintiocho", "veintinueve"]
TENS = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
HUNDREDS = ["doscientos", "trescientos", "cuatrocientos", "quinientos", "seiscientos", "setecientos", "ochocientos"]


def spelt(number: int) -> str:
    """Spell a number as a school grammar does: an implementation of its own to compare with."""
    if number < 30:
        return SMALL[number]
    if number < 100:
        tens = TENS[number // 10 - 3]
        return f"{tens} y {SMALL[number % 10]}" if number % 10 else tens
    if number == 100:
        return "cien"
    if number < 1_000:
        hundreds = ["ciento", *HUNDREDS, "novecientos"][number // 100 - 1]
        return f"{hundreds} {spelt(number % 100)}" if number % 100 else hundreds
    thousands = "mil" if number < 2_000 else f"{spelt(number // 1_000)} mil"
    return f"{thousands} {spelt(number % 1_000)}" if number % 1_000 else thousands


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
        ("novecientos noventa y nueve", 999),
        ("una", 1),
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


@pytest.mark.parametrize(
    "written", ["", "hola", "treinta y", "VIX", "7 días", "un", "veintiún", "doscientas", "mil", "MD"]
)
def test_rejects_texts_that_are_no_numerals(written):
    assert numeral(written) is None


def test_an_enumeration_is_not_one_number():
    assert read_words("treinta y uno y treinta y dos") == (31, 13)
    assert read_words("décima y tercera".replace("é", "e")) == (10, 6)


@given(st.text())
def test_never_raises(text):
    assert numeral(text) is None or numeral(text) >= 0


@given(st.integers(min_value=1, max_value=999))
def test_a_provision_numbered_in_words_is_read_whole(number):
    assert numeral(spelt(number)) == number


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "i"), (49, "xlix"), (400, "cd"), (3999, "mmmcmxcix"), (4000, "4000"), (0, "0"), (-5, "-5")],
)
def test_roman_numerals(number, written):
    assert roman(number) == written


@given(st.integers(min_value=1, max_value=399))
def test_a_roman_numeral_is_read_as_it_was_written(number):
    assert numeral(roman(number)) == numeral(roman(number).upper()) == number


def counted(text: str) -> Decimal | None:
    read = read_number(fold(text))
    return read[2] if read else None


@given(st.integers(min_value=1, max_value=999_999))
@example(1_000)
@example(100_000)
@example(101_101)
def test_a_number_in_words_is_read_whole(number):
    text = f"son {spelt(number)}, más o menos"
    start, end, read = read_number(fold(text))
    assert (read, text[start:end]) == (number, spelt(number))


@given(st.integers(min_value=0, max_value=10**9), st.integers(min_value=0, max_value=99))
def test_a_number_in_digits_is_read_with_points_and_comma(number, cents):
    assert counted(f"{number:,}".replace(",", ".") + f",{cents:02}") == number + Decimal(cents) / 100


@given(st.text(alphabet="mil cientoydsrqua.,0123456789%", max_size=40))
def test_read_number_moves_forward_in_any_text(text):
    position = 0
    while read := read_number(text, position):
        assert position <= read[0] < read[1] <= len(text)
        position = read[1]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("dos y tres", 2),  # two numbers: only tens are joined by "y"
        ("cien dos", 102),
        ("veintiún", 21),
        ("doscientas", 200),
        ("1,5 millones", 1_500_000),
        ("dos millones de", 2_000_000),
        ("4.70", Decimal("4.70")),
        ("1.200", 1_200),
        ("el 20/2007", 20),
    ],
)
def test_spellings(text, first):
    assert counted(text) == first


def test_a_number_inside_a_word_is_none():
    assert counted("familiar, unidos, A2, millar") is None
