"""Reforms that people name without a date: "antes de la reforma"."""

from datetime import date

import pytest
from pydantic import ValidationError

from articulado.language.formats import MONTHS
from articulado.legal.dates.finder import find_date, known_reforms, load_reforms

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("¿Qué contratos temporales había antes de la reforma?", date(2021, 12, 30)),
        ("antes de la reforma laboral", date(2021, 12, 30)),
        ("antes de la última reforma laboral", date(2021, 12, 30)),
        ("hasta la reforma laboral de 2021", date(2021, 12, 30)),
        ("con anterioridad a la reforma laboral", date(2021, 12, 30)),
        ("la normativa previa a la reforma laboral", date(2021, 12, 30)),
        ("antes de la reforma laboral de 2012", date(2012, 2, 11)),
        ("antes de la reforma del 2012", date(2012, 2, 11)),
        ("antes de la reforma de 2010", date(2010, 6, 17)),
        ("antes de la Ley 35/2010", date(2010, 9, 18)),
        ("antes del RDL 32/2021", date(2021, 12, 30)),
        ("antes de la entrada en vigor del Real Decreto-ley 32/2021, de 28 de diciembre", date(2021, 12, 30)),
        ("antes del Real Decreto-ley 3/2012", date(2012, 2, 11)),
        ("antes de la Ley 3/2012", date(2012, 7, 7)),
        ("antes de la reforma de las pensiones de 2011", date(2012, 12, 31)),
        ("antes de la reforma de 2011", date(2012, 12, 31)),
        ("antes de la reforma de las pensiones", date(2023, 3, 17)),
        ("antes de la reforma del subsidio de desempleo", date(2024, 10, 31)),
        ("antes de la reforma de las empleadas de hogar", date(2022, 9, 8)),
        ("me despidieron en 2013, antes de la reforma", date(2013, 12, 31)),
    ],
)
def test_the_day_before_a_reform_became_law(question, day):
    assert find_date(question, today=TODAY) == day


@pytest.mark.parametrize(
    "question",
    [
        "tras la reforma laboral",
        "después de la reforma de 2021",
        "con la reforma de 2012",
        "qué cambió la reforma laboral",
        "antes y después de la reforma",
        "antes de la reforma fiscal",
        "antes de la reforma de la vivienda",
        "antes de la reforma de 1977",
        "antes de la reforma de las pensiones de 2012",
        "antes de la Ley 99/2012",
        "antes de la Ley 32/2021",
        "antes de la reformatorio",
        "contrato firmado antes de la reforma laboral",
        "mi contrato es anterior a la reforma de 2012",
        "tengo un contrato de antes de la reforma",
        "estaba viuda antes de la reforma, ¿qué pensión me queda?",
        "entré a trabajar antes de la reforma de 2012",
    ],
)
def test_no_reform_or_none_that_asks_for_the_law_before_it(question):
    assert find_date(question, today=TODAY) is None


def test_a_reform_that_is_still_to_come_is_not_the_last_one():
    assert find_date("antes de la reforma laboral", today=date(2020, 1, 1)) == date(2012, 2, 11)
    assert find_date("antes del RDL 32/2021", today=date(2021, 12, 30)) is None
    assert find_date("antes de la reforma", today=date(1990, 1, 1)) is None


def test_norms_and_years_of_the_table_agree():
    for reform in known_reforms().reform:
        assert reform.number.endswith(f"/{reform.year}")
        assert reform.norm.rpartition(" de ")[2] in MONTHS.split("|")
        assert 0 <= reform.in_force.year - reform.year <= 2


TABLE = """
[[subject]]
id = "laboral"
names = ["laboral"]

[[reform]]
subject = "laboral"
norm = "Ley 1/2000, de 2 de enero"
year = 2000
in_force = 2000-01-03
"""


def test_a_table_is_read():
    assert load_reforms(TABLE).by_subject(None, None, TODAY).in_force == date(2000, 1, 3)


def test_a_reform_of_no_subject_is_told():
    with pytest.raises(ValueError, match="«Ley 1/2000, de 2 de enero»: la materia «fiscal» no existe"):
        load_reforms(TABLE.replace('subject = "laboral"', 'subject = "fiscal"'))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in_force = 2000-01-03", 'in_force = "pronto"'),
        ("Ley 1/2000, de 2", "Ley de"),
        ("year", "año"),
        ('["laboral"]', "[]"),
    ],
)
def test_rejects_tables_that_break_the_schema(old, new):
    with pytest.raises((ValidationError, ValueError)):
        load_reforms(TABLE.replace(old, new))
