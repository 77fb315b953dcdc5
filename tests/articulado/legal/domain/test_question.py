import pytest

from articulado.language.languages import language
from articulado.legal.domain.spanish_law import (
    asks_for_the_place,
    is_about_answer,
    is_courtesy,
    points_back,
    split_subject,
    topic_of,
    with_subject,
    without_protocol,
)

ES = language("es")


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("art 38 ET", ""),
        ("¿Qué decía el artículo 38.3 del E.T.?", ""),
        ("letra b) del apartado 5 del artículo 55 ET", ""),
        ("LGSS 205 jubilación", "jubilación"),
        ("base reguladora según el art. 209 LGSS", "base reguladora el"),
        ("prevención en el artículo 14 LPRL", "prevención en el"),
        ("vacaciones del ET", "vacaciones del ET"),
    ],
)
def test_the_topic_of_a_question_is_what_it_says_beside_the_provisions(question, topic):
    assert topic_of(question) == topic


def test_words_of_the_protocol_are_left_out():
    assert without_protocol("===META=== USED|1 DROP|ninguno vacaciones [C12] NEED|despido") == "vacaciones despido"
    assert without_protocol("la meta de 2030") == "la meta de 2030"


@pytest.mark.parametrize(
    "text",
    [
        "gracias",
        "Vale.",
        "ok, muchas gracias",
        "¡Perfecto! Hasta luego",
        "genial, me habéis ayudado mucho",
        "ah vale, ya lo pillo",
        "hola",
        "¡Hola, buenos días!",
    ],
)
def test_courtesies(text):
    assert is_courtesy(text, ES)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "vale de comida",
        "gracias, ¿y el paro?",
        "muchas vacaciones",
        "me han ayudado con el paro",
        "nada más llegar",
    ],
)
def test_other_messages_are_no_courtesies(text):
    assert not is_courtesy(text, ES)


@pytest.mark.parametrize(
    "text", ["¿Y si me caso?", "pero soy fijo", "entonces, ¿cobro?", "¿puedo partirlas?", "¿me las pagan?", "por eso"]
)
def test_what_points_back(text):
    assert points_back(text, ES)


@pytest.mark.parametrize("text", ["¿Cuántos días de vacaciones tengo?", "yo trabajo de noche", "despido nulo"])
def test_what_stands_by_itself(text):
    assert not points_back(text, ES)


def test_a_turn_about_the_answer_is_told_from_one_that_adds():
    about = with_subject("¿en qué artículo lo pone?", "¿Cuántas vacaciones tengo?", ES, about_answer=True)
    assert about == "¿en qué artículo lo pone? (sobre lo mismo: ¿Cuántas vacaciones tengo?)"
    assert split_subject(about, ES) == ("¿en qué artículo lo pone?", "¿Cuántas vacaciones tengo?")
    adds = with_subject("¿en qué artículo lo pone?", "¿Cuántas vacaciones tengo?", ES)
    explained = with_subject("explícamelo", "¿Cuántas vacaciones tengo?", ES, about_answer=True)
    assert [is_about_answer(text, ES) for text in (about, adds, explained)] == [True, False, True]
    assert [asks_for_the_place(text, ES) for text in (about, adds, explained)] == [True, False, False]


def test_a_question_and_what_it_leans_on_are_told_apart_again():
    text = with_subject("¿y de baja?", "¿Cuántas vacaciones (pagadas) tengo?", ES)
    assert text == "¿y de baja? (sobre: ¿Cuántas vacaciones (pagadas) tengo?)"
    assert split_subject(text, ES) == ("¿y de baja?", "¿Cuántas vacaciones (pagadas) tengo?")
    assert with_subject("¿y de baja?", "", ES) == "¿y de baja?"
    assert split_subject("¿y de baja?", ES) == ("¿y de baja?", "")
