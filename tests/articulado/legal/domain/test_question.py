from datetime import date

import pytest

from articulado.language.languages import language
from articulado.legal.domain.spanish_law import (
    is_courtesy,
    points_back,
    without_protocol,
)
from articulado.legal.reading import read

ES, TODAY = language("es"), date(2026, 7, 1)


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
    assert read(question, TODAY).topic == topic


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
def test_recognises_follow_ups(text):
    assert points_back(text, ES)


@pytest.mark.parametrize("text", ["¿Cuántos días de vacaciones tengo?", "yo trabajo de noche", "despido nulo"])
def test_questions_that_stand_alone(text):
    assert not points_back(text, ES)
