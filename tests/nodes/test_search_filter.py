"""What may be found: day and place of the question, and the options that go before them."""

from datetime import date

import pytest

from nodes.analyze_question import read_question
from nodes.search import search_filter
from services.protocols import SearchFilter
from state.context import ResolvedContext

TODAY = date(2026, 11, 21)
ET = "BOE-A-2015-11430"


def filtered(question: str, **context: object) -> SearchFilter:
    options = ResolvedContext(**context)
    return search_filter(options, read_question(question, [], ET, TODAY, options.as_of))


@pytest.mark.parametrize(
    ("question", "as_of", "territory"),
    [
        ("¿Cuántos días de vacaciones tengo?", None, None),
        ("me despidieron en Sevilla el 3/3/22", date(2022, 3, 3), "Sevilla"),
        ("permisos en la Comunidad de Madrid antes de la reforma", date(2021, 12, 30), "Comunidad de Madrid"),
        ("mi jefe León me contrató en 2015", None, None),
        ("SMI de 2025", date(2025, 12, 31), None),
    ],
)
def test_what_the_question_says(question, as_of, territory):
    assert filtered(question) == SearchFilter(as_of=as_of, territory=territory)


@pytest.mark.parametrize(
    ("option", "territory"),
    [
        ("galicia", "Galicia"),
        ("León", "León"),
        ("Andalucía", "Sevilla"),
        ("provincia de Cádiz", "Sevilla"),
        ("Cádiz", "Cádiz"),
        ("", "Sevilla"),
    ],
)
def test_the_territory_of_the_caller(option, territory):
    assert filtered("festivos en Sevilla", territory=option).territory == territory


def test_the_day_of_the_caller():
    assert filtered("me despidieron en 2019", as_of=date(2020, 1, 1)).as_of == date(2020, 1, 1)


def test_the_analysis_is_plain_data():
    analysis = read_question("me despidieron en Vigo el 3/3/22", [], ET, TODAY)
    assert (analysis["as_of"], analysis["territory"]) == ("2022-03-03", "Vigo")
