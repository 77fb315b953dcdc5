import pytest

from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.ranking.comparison import named_words, names_a_row, words_of_names

TABLE = (
    "Puesto | Salario base | Plus de asistencia\n"
    "Grupo I – Guarda de finca | 1.100,00 | 90,00\nPastor | 1.000,00 | 80,00"
)


@pytest.mark.parametrize(
    "question", ["¿Cuánto cobra un guarda de finca?", "plus de asistencia pastor", "¿Qué salario tienen los pastores?"]
)
def test_a_question_that_names_a_row_and_asks_for_an_amount_or_a_column(question):
    assert names_a_row(question, TABLE, SPANISH_LAW)


@pytest.mark.parametrize(
    "question", ["¿Cuánto cobra un guarda?", "¿Pueden despedir a un pastor?", "¿Cuánto es el plus de asistencia?"]
)
def test_a_question_that_names_no_row_or_asks_for_something_else(question):
    assert not names_a_row(question, TABLE, SPANISH_LAW)


GROUPS = (
    "Grupo | Puesto | 2025\nGrupo 1 | Guarda, oficial 1.ª | 1.100,00\nGrupo 2 | Oficial 2.ª | 1.000,00\n | III | 900,00"
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("¿Cuánto gana un oficial de segunda?", [False, True, False]),
        ("¿Cuánto gana un guarda?", [True, False, False]),
        ("¿Cuánto gana el grupo II?", [False, True, False]),
        ("¿Cuánto gana el de 3 años?", [False, False, False]),
    ],
)
def test_each_cell_before_the_amounts_has_names_and_numbers_may_be_in_letters(question, named):
    asked = words_of_names(question, SPANISH_LAW)
    rows = GROUPS.splitlines()[1:]
    assert [bool(named_words(row, (), asked, SPANISH_LAW)) for row in rows] == named


def test_a_text_without_a_table_has_no_rows():
    assert not names_a_row("¿Cuánto cobra un pastor?", "Un pastor cobra 1.000,00 euros.", SPANISH_LAW)


@pytest.mark.parametrize(
    ("question", "named"), [("¿Cuánto cobra el nivel 3?", True), ("¿Cuánto cobro a los 3 años?", False)]
)
def test_a_row_that_is_a_number_goes_by_the_name_of_its_column_too(question, named):
    assert names_a_row(question, "Nivel | Salario\n3 | 1.100,00\n4 | 1.000,00", SPANISH_LAW) is named


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("¿Cuánto cobra el nivel 3?", "3 | 1.100,00\n4 | 1.000,00"),
        ("¿Cuánto es el salario de este año 2026?", "Año | Cuota\n2026 | 1,15\n2027 | 1,25"),
    ],
)
def test_neither_a_number_without_a_column_nor_a_year_names_a_row(question, table):
    assert not names_a_row(question, table, SPANISH_LAW)
