"""Figures of an answer are a number and its unit, in digits or in words."""

import pytest

from evaluation.answers.support import figures_in, table_numbers


def read(text: str) -> list[tuple[str, str, str]]:
    return [(f"{figure.value.normalize():f}", figure.unit, figure.written) for figure in figures_in(text)]


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
def test_a_number_without_a_unit_is_no_figure(text):
    assert read(text) == []


def test_the_number_of_an_article_does_not_take_the_unit_of_the_next_number():
    assert read("según el artículo 38 y 30 días") == [("30", "día", "30 días")]


def test_numbers_of_a_table_are_those_of_its_rows():
    text = "Hay 5 casos.\n| Desde 360 hasta 539 | 120 |\n| Desde 1.080 | 360 |"
    assert table_numbers(text) == {360, 539, 120, 1_080}
