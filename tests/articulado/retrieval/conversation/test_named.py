"""What a question takes over from its conversation: provisions, day and territory."""

from datetime import date

import pytest
from langgraph.runtime import Runtime
from support.doubles import FakeStore, WrittenTurns, make_chunk

from articulado.config.profile import domain_of, load_profile
from articulado.language.languages import language
from articulado.models.retry import QuestionTime
from articulado.retrieval.conversation.subject import contextualize
from articulado.retrieval.question import IndexContents
from articulado.values.errors import ConfigurationError
from nodes.analyze_question import analyze_question
from state.context import ResolvedContext

TODAY = date(2026, 11, 22)
ET = "Estatuto de los Trabajadores"
LOOKUP = f"¿Qué dice el artículo 38 del {ET}?"
OF_2019 = "¿Cuántos días de vacaciones había en 2019?"


def contextualized(question, *earlier):
    return contextualize(question, earlier, TODAY)


@pytest.mark.parametrize(
    ("question", "taken_over"),
    [
        ("¿y el 39?", f"artículo 39, {ET}"),
        ("¿y el 39 bis?", f"artículo 39 bis, {ET}"),
        ("¿y el 37.3?", f"artículo 37.3, {ET}"),
        ("¿y el 40 y el 41?", f"artículo 40, {ET}; artículo 41, {ET}"),
        ("¿y el apartado 2?", f"apartado 2 del artículo 38, {ET}"),
        ("¿y la letra b?", f"letra b del artículo 38, {ET}"),
        ("¿y qué decía en 2019?", f"artículo 38, {ET}"),
        ("¿y antes de la reforma laboral?", f"artículo 38, {ET}"),
        ("¿y el 39 en 2018?", f"artículo 39, {ET}"),
        ("¿y en Galicia?", f"artículo 38, {ET}"),
        ("¿y ahora?", f"artículo 38, {ET}"),
    ],
)
def test_bare_numbers_days_and_places_take_the_previous_provision(question, taken_over):
    assert contextualized(question, LOOKUP).question == f"{question} ({taken_over})"


@pytest.mark.parametrize(
    "question",
    [
        "¿y las vacaciones?",
        "¿y 3 meses de preaviso?",
        "¿y si me despiden en 2019?",
        "gracias",
        "¿y el artículo 205?",
        "¿y el 39 de la LGSS?",
        "¿y en la LGSS?",
        "¿y 2019?",
        "¿Cuánto dura el permiso por nacimiento?",
    ],
)
def test_questions_with_content_stay_unchanged(question):
    assert contextualized(question, LOOKUP).question == question


@pytest.mark.parametrize("question", ["explícamelo mejor", "¿por qué?", "¿y eso?"])
def test_empty_follow_ups_take_the_provision_of_a_lookup(question):
    assert contextualized(question, LOOKUP).question == f"{question} (artículo 38, {ET})"
    more = "¿Me pueden negar la excedencia voluntaria según el artículo 46.2 del ET?"
    assert contextualized(question, more).question == question
    assert contextualized("¿y en 2019?", more).question == f"¿y en 2019? (apartado 2 del artículo 46, {ET})"


def test_without_a_provision_before_there_is_none_to_take_over():
    assert contextualized("¿y el 39?").question == "¿y el 39?"
    assert contextualized("¿y el 39?", "¿Cuántos días de vacaciones tengo?").question == "¿y el 39?"
    # The topic has changed since.
    assert contextualized("¿y el 39?", LOOKUP, "¿y las vacaciones?").question == "¿y el 39?"


def test_follow_ups_build_on_one_another_and_courtesies_are_no_turn():
    conversation = (LOOKUP, "¿y el 39?", "gracias", "¿y el apartado 2?")
    assert (
        contextualized("¿y la letra c?", *conversation).question
        == f"¿y la letra c? (letra c del apartado 2 del artículo 39, {ET})"
    )


def test_the_apartado_is_kept_where_only_the_day_changes():
    assert (
        contextualized("¿y en 2015?", "art. 49.1.d) ET").question
        == f"¿y en 2015? (letra d del apartado 1 del artículo 49, {ET})"
    )


def test_old_provisions_are_not_taken_over():
    turns = ["¿y por horas?"] * 5
    assert contextualized("¿y se podían cobrar?", OF_2019, *turns).day == date(2019, 12, 31)
    assert contextualized("¿y se podían cobrar?", OF_2019, *turns, "¿y por horas?").day is None


def test_each_provision_is_taken_over_once():
    assert (
        contextualized("¿y en 2019?", f"art. 38 ET y artículo 38 del {ET}").question
        == f"¿y en 2019? (artículo 38, {ET})"
    )


def test_a_provision_without_a_law_is_taken_over_without_one():
    assert contextualized("¿y el 39?", "¿qué dice el artículo 38?").question == "¿y el 39? (artículo 39)"


@pytest.mark.parametrize(
    ("earlier", "question", "day"),
    [
        ((OF_2019,), "¿y se podían cobrar?", date(2019, 12, 31)),
        ((OF_2019, "¿y se podían cobrar?"), "¿y por horas?", date(2019, 12, 31)),
        ((LOOKUP, "¿y en 2019?"), "¿y el 39?", date(2019, 12, 31)),
        ((OF_2019,), "¿y en 2021?", date(2021, 12, 31)),
        ((OF_2019,), "¿y ahora?", None),
        ((OF_2019,), "¿y qué dice la redacción vigente?", None),
        ((OF_2019, "¿y ahora?"), "¿y se pueden cobrar?", None),
        ((OF_2019,), "¿Cuánto dura el periodo de prueba de un técnico titulado?", None),
        ((), "¿y se podían cobrar?", None),
    ],
)
def test_the_day_said_before_holds_for_follow_ups_until_another_is_said(earlier, question, day):
    assert contextualized(question, *earlier).day == day


@pytest.mark.parametrize(
    ("earlier", "question", "territory"),
    [
        (("¿Qué festivos hay en Galicia?",), "¿y cuántos son?", "Galicia"),
        (("¿Qué festivos hay en Galicia?",), "¿Cuánto dura el permiso por nacimiento?", "Galicia"),
        (("¿Qué festivos hay en Galicia?",), "¿y en Madrid?", "Madrid"),
        (("¿Qué festivos hay?",), "¿y cuántos son?", None),
    ],
)
def test_the_place_said_before_holds_until_another_is_said(earlier, question, territory):
    assert contextualized(question, *earlier).territory == territory


def test_a_first_question_is_as_it_is():
    asked = contextualized("¿Qué festivos hay en Galicia?")
    assert (asked.question, asked.day, asked.territory) == ("¿Qué festivos hay en Galicia?", None, "Galicia")


INDEXED = [
    make_chunk(1, "Artículo 38", valid_from="2015-10-24", valid_to="2022-03-30"),
    make_chunk(2, "Artículo 38", text="1. Uno.\n\n2. Dos.", valid_from="2022-03-30"),
    make_chunk(3, "Artículo 39", valid_from="2015-10-24"),
]


async def analyzed(question, *earlier, profile="laboral", **context):
    return await analyze_question(
        {"question": question, "history": [{"role": "user", "content": turn} for turn in earlier]},
        Runtime(context=ResolvedContext(**context)),
        index=IndexContents(FakeStore(INDEXED)),
        profile=load_profile(profile),
        leaning=WrittenTurns(language("es")),
        domain=domain_of(load_profile(profile)),
        question_time=QuestionTime(60, calendar=lambda: date(2026, 11, 22)),
    )


@pytest.mark.parametrize(
    ("question", "ids", "day"),
    [("¿y qué decía en 2019?", [1], "2019-12-31"), ("¿y el 39?", [3], None), ("¿y el apartado 2?", [2], None)],
)
async def test_taken_over_provisions_use_the_wording_of_the_day(question, ids, day):
    update = await analyzed(question, LOOKUP)
    assert [candidate["chunk"]["id"] for candidate in update["direct"]] == ids
    assert (update["turn_question"]["is_lookup"], update["as_of"]) == (True, day)
    assert update["question"] == question
    assert update["turn_question"]["text"].startswith(f"{question} (")
    assert update["warnings"].value == []


async def test_the_day_and_the_place_before_are_those_of_the_analysis_and_the_callers_day_goes_before():
    update = await analyzed("¿y el 38?", f"{LOOKUP} Trabajo en Galicia.", "¿y el 39 en 2019?")
    assert [candidate["chunk"]["id"] for candidate in update["direct"]] == [1]
    assert (update["as_of"], update["turn_question"]["territory"]) == ("2019-12-31", "Galicia")
    later = await analyzed("¿y el 38?", f"{LOOKUP} Trabajo en Galicia.", "¿y el 39 en 2019?", as_of=date(2023, 1, 1))
    assert [candidate["chunk"]["id"] for candidate in later["direct"]] == [2]


@pytest.mark.parametrize(
    ("question", "day"), [("¿y se podían cobrar?", "2019-12-31"), ("Otra cosa: ¿qué es un ERTE?", None)]
)
async def test_a_day_is_left_with_its_subject(question, day):
    assert (await analyzed(question, OF_2019))["as_of"] == day


async def test_another_profile_reads_nothing_off_a_question():
    update = await analyzed("¿y el artículo 39 del ET en Galicia en 2019?", LOOKUP, profile="plan_401k")
    question = "¿y el artículo 39 del ET en Galicia en 2019?"
    read = update["turn_question"]
    assert {key: value for key, value in read.items() if value} == {
        "asked": question,
        "text": question,
        "subject": LOOKUP,
        "kind": "adds",
        "read_from": [question, LOOKUP],
        "language": "es",
        "topic": question,
        "subject_topic": LOOKUP,
        "stems": read["stems"],
    }
    assert update["as_of"] is None
    assert update["question"] == question
    assert update["direct"] == update["warnings"].value == []
    assert (await analyzed("x", profile="plan_401k", as_of=date(2023, 1, 1)))["as_of"] == "2023-01-01"


async def test_without_retrieval_a_profile_without_records_says_what_to_do():
    with pytest.raises(ConfigurationError, match=r"«plan_401k» no trae resúmenes.*ARTICULADO_RAG_ENABLED=true"):
        await analyzed("x", profile="plan_401k", rag_enabled=False)
