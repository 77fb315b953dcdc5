import pytest

from language.languages import language
from services.domain.question import earlier_question, is_courtesy, points_back, topic_of, without_protocol

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


@pytest.mark.parametrize("text", ["gracias", "Vale.", "ok, muchas gracias", "¡Perfecto! Hasta luego"])
def test_courtesies(text):
    assert is_courtesy(text, ES)


@pytest.mark.parametrize("text", ["", "vale de comida", "gracias, ¿y el paro?", "muchas vacaciones"])
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


def test_the_earlier_question_is_the_last_that_stands_by_itself():
    earlier = ["¿Cuántos días de vacaciones tengo?", "¿y si enfermo?", "gracias"]
    assert earlier_question("¿y las horas extraordinarias de los domingos?", earlier, ES) == earlier[0]
    assert earlier_question("¿cuánto?", earlier, ES) == earlier[0]
    assert earlier_question("indemnización del despido improcedente", earlier, ES) == ""
    assert earlier_question("¿cuánto?", [], ES) == ""
    assert earlier_question("¿cuánto?", earlier[1:2], ES) == earlier[1]
