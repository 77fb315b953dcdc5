"""Dated reference values: their figures, the days that were verified, and the law that states them."""

import re
import tomllib
from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError
from support.paths import REPOSITORY

from articulado.calculations.parameters import (
    DatedValue,
    ParameterKind,
    Unverified,
    asks_for_value_alone,
    days_of_value,
    kinds_named,
    parameter_kinds,
    values_on,
)
from articulado.language.languages import language

TODAY = date(2026, 11, 29)
ES = language("es")
LAWS = REPOSITORY.parent / "shared" / "corpus" / "laws"
KIND = """
name = "IPREM"
title = "Indicador"
words = ["IPREM"]
[units.monthly]
es = "euros al mes"
[[period]]
from = 2024-01-01
until = 2024-12-31
norm = "Ley 1/2023"
verified_on = 2025-01-01
verified_until = {until}
values = {{ {quantity} = "600" }}
[[period]]
from = {begins}
norm = "Ley 1/2024"
verified_on = 2025-01-01
verified_until = 2025-06-30
values = {{ monthly = "610" }}
"""


def kind_of(*, begins="2025-01-01", until="2024-12-31", quantity="monthly"):
    return ParameterKind.model_validate(tomllib.loads(KIND.format(begins=begins, until=until, quantity=quantity)))


def named(name):
    return next(kind for kind in parameter_kinds() if kind.name == name)


@pytest.mark.parametrize(
    ("name", "day", "quantity", "value"),
    [
        ("IPREM", "2024-07-01", "monthly", "600"),
        ("IPREM", "2026-12-31", "annual_12", "7200"),
        ("IPREM", "2026-01-01", "annual_14", "8400"),
        ("SMI", "2024-12-31", "monthly", "1134"),
        ("SMI", "2025-01-01", "daily", "39.47"),
        ("SMI", "2026-06-01", "household_hourly", "9.55"),
    ],
)
def test_a_value_is_that_of_its_day(name, day, quantity, value):
    assert named(name).period_on(date.fromisoformat(day)).values[quantity] == Decimal(value)


@pytest.mark.parametrize("day", ["2023-12-31", "2025-07-01"])
def test_a_day_outside_the_verified_span_is_refused_with_its_reason(day):
    kind = kind_of()
    [value] = values_on([kind], [date.fromisoformat(day)])
    assert value == Unverified(kind, date.fromisoformat(day))
    assert "del 1 de enero de 2024 al 30 de junio de 2025" in value.reason(ES)
    assert "from 2024-01-01 to 2025-06-30" in value.reason(language("en"))


def test_a_period_that_several_days_share_is_returned_once():
    values = values_on([kind_of()], [date(2024, 1, 1), date(2024, 5, 1), date(2025, 1, 1)])
    assert [value.period.values["monthly"] for value in values] == [600, 610]


@pytest.mark.parametrize(
    "broken",
    [{"begins": "2024-12-31"}, {"until": "2025-01-01"}, {"until": "2023-01-01"}, {"quantity": "daily"}],
)
def test_a_file_that_breaks_the_schema_is_rejected(broken):
    with pytest.raises(ValidationError):
        kind_of(**broken)


def test_a_value_says_its_days_its_norm_and_the_day_of_the_check():
    kind = named("SMI")
    value = DatedValue(kind, kind.period_on(date(2025, 3, 1)))
    text = value.text(ES)
    assert "39,47 euros al día, 1.184 euros al mes en 14 pagas, 16.576 euros al año" in text
    assert "del 1 de enero de 2025 al 31 de diciembre de 2025. Norma: Real Decreto 87/2025" in text
    chunk = value.candidate(ES)["chunk"]
    assert (chunk["law_id"], chunk["provision_key"], chunk["source"]) == ("BOE-A-2025-2576", "art:1", "plain_language")
    assert chunk["url"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2025-2576#a1"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("el 80 % del iprem", ["IPREM"]),
        ("El INDICADOR PUBLICO de renta de efectos múltiples", ["IPREM"]),
        ("los salarios mínimos y el IPREM", ["IPREM", "SMI"]),
        ("smith cobra el salario", []),
    ],
)
def test_a_kind_is_known_by_its_words(text, kinds):
    assert [kind.name for kind in kinds_named([text])] == kinds


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("¿cuánto es el IPREM en 2026?", True),
        ("¿A cuánto asciende el salario mínimo interprofesional este año?", True),
        ("SMI 2024", True),
        ("How much was the minimum wage in 2025?", True),
        ("¿Me pueden embargar el SMI?", False),
        ("¿Cuánto cobro de subsidio?", False),
        ("¿Cuánto dinero es?", False),
    ],
)
def test_a_question_that_only_asks_for_a_value(question, alone):
    assert asks_for_value_alone(question) is alone


@pytest.mark.parametrize(
    ("question", "as_of", "days"),
    [
        ("¿Cuánto es el IPREM?", None, [TODAY]),
        ("¿Cuánto es el IPREM en 2026?", None, [TODAY]),
        ("¿Cuánto era el SMI en 2024?", date(2024, 12, 31), [date(2024, 12, 31)]),
        ("IPREM 2024 y 2030", None, [date(2024, 12, 31), date(2030, 1, 1)]),
        ("Me echaron en 2024: ¿puede mi paro bajar del IPREM?", date(2024, 5, 1), [date(2024, 5, 1)]),
        ("¿Es el IPREM la medida del Real Decreto 87/2025 en 2031?", None, [TODAY]),
    ],
)
def test_the_days_whose_value_is_asked_for(question, as_of, days):
    assert days_of_value(question, as_of, TODAY) == days


@pytest.mark.skipif(not LAWS.is_dir(), reason="the texts of the laws are not beside the repository")
@pytest.mark.parametrize("boe", ["BOE-A-2025-2576", "BOE-A-2026-3815"])
def test_a_value_that_a_law_of_the_corpus_states_stands_in_its_text(boe):
    text = (LAWS / f"{boe}.md").read_text(encoding="utf-8")
    # Thousands are set apart by a blank, or by nothing: "1 221 euros/mes", "1184 euros/mes".
    amounts = re.findall(r"(\d{1,3}(?:\s\d{3})+|\d+)(,\d+)?\seuros", text)
    stated = {Decimal("".join(whole.split()) + part.replace(",", ".")) for whole, part in amounts}
    [period] = [period for kind in parameter_kinds() for period in kind.period if period.boe == boe]
    assert set(period.values.values()) <= stated
    assert f"entre el 1 de enero y el 31 de diciembre de {period.begins.year}" in text
    assert (period.begins, period.until) == (date(period.begins.year, 1, 1), date(period.begins.year, 12, 31))
