"""What may be found: day and place of the question, and the options that go before them."""

from datetime import date

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, WrittenTurns

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.models.retry import QuestionTime
from articulado.retrieval.question import IndexContents
from articulado.retrieval.search import search_filter
from articulado.values.protocols import SearchFilter
from nodes.analyze_question import AnalyzeQuestionUpdate, analyze_question
from state.context import ResolvedContext
from state.run import days_of


async def analyzed(question: str, context: ResolvedContext) -> AnalyzeQuestionUpdate:
    return await analyze_question(
        {"question": question},
        Runtime(context=context),
        index=IndexContents(FakeStore([])),
        profile=load_profile("laboral"),
        leaning=WrittenTurns(language("es")),
        domain=SPANISH_LAW,
        question_time=QuestionTime(60, calendar=lambda: date(2026, 11, 21)),
    )


async def filtered(question: str, **options: object) -> SearchFilter:
    context = ResolvedContext(**options)
    analyzed_question = await analyzed(question, context)
    return search_filter(analyzed_question["turn_question"], days_of(analyzed_question).as_of, context.territory)


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
async def test_filter_from_the_question(question, as_of, territory):
    assert await filtered(question) == SearchFilter(as_of=as_of, territory=territory)


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
async def test_the_territory_of_the_caller(option, territory):
    assert (await filtered("festivos en Sevilla", territory=option)).territory == territory


async def test_the_day_of_the_caller():
    assert (await filtered("me despidieron en 2019", as_of=date(2020, 1, 1))).as_of == date(2020, 1, 1)


async def test_the_days_and_the_store_stand_in_the_state_as_plain_data():
    update = await analyzed("me despidieron en Vigo el 3/3/22", ResolvedContext())
    assert (update["as_of"], update["today"], update["store"]) == ("2022-03-03", "2026-11-21", "index")
    assert update["turn_question"]["territory"] == "Vigo"
    other = await analyzed("me despidieron", ResolvedContext(rag_enabled=False, as_of=date(2020, 1, 1)))
    assert (other["as_of"], other["store"]) == ("2020-01-01", "records")
    assert (await analyzed("me despidieron", ResolvedContext()))["as_of"] is None
