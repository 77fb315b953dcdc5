"""Numbers and figures are read alike in digits and in words."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.answer_figures import figures_in, table_numbers
from evaluation.number_words import read_number
from legal.folding import fold

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


def value(text: str) -> Decimal | None:
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
    assert value(f"{number:,}".replace(",", ".") + f",{cents:02}") == number + Decimal(cents) / 100


@given(st.text(alphabet="mil cientoydsrqua.,0123456789%", max_size=40))
def test_reading_goes_forward_in_any_text(text):
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
    assert value(text) == first


def test_a_number_inside_a_word_is_none():
    assert value("familiar, unidos, A2, millar") is None


def read(text: str) -> list[tuple[str, str, str]]:
    return [(f"{one.value.normalize():f}", one.unit, one.written) for one in figures_in(text)]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("33 días de salario", [("33", "día", "33 días")]),
        ("treinta y tres días", [("33", "día", "treinta y tres días")]),
        ("4,70 por ciento y 1.200,50 €", [("4.7", "%", "4,70 por ciento"), ("1200.5", "euro", "1.200,50 €")]),
        ("el 100 por 100", [("100", "%", "100 por 100")]),
        ("50 o más trabajadores", [("50", "persona", "50 o más trabajadores")]),
        ("los tres primeros meses", [("3", "mes", "tres primeros meses")]),
        ("entre 15 y 30 días", [("15", "día", "15"), ("30", "día", "30 días")]),
        ("de seis a doce meses", [("6", "mes", "seis"), ("12", "mes", "doce meses")]),
        ("un año y una semana", [("1", "año", "un año"), ("1", "semana", "una semana")]),
    ],
)
def test_figures_have_a_value_and_a_unit(text, figures):
    assert read(text) == figures


@pytest.mark.parametrize(
    "text",
    ["artículo 38", "la Ley 20/2007", "una persona", "el 3 de marzo de 2022", "apartado 2", "dos motivos"],
)
def test_what_counts_nothing_is_no_figure(text):
    assert read(text) == []


def test_the_number_of_an_article_does_not_take_the_unit_of_the_next_number():
    assert read("según el artículo 38 y 30 días") == [("30", "día", "30 días")]


def test_numbers_of_a_table_are_those_of_its_rows():
    text = "Hay 5 casos.\n| Desde 360 hasta 539 | 120 |\n| Desde 1.080 | 360 |"
    assert table_numbers(text) == {360, 539, 120, 1_080}
