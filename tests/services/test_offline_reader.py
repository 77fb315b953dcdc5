import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from services.lexicon import Lexicon
from services.offline_reader import FOLLOW_UP, KeywordReader

FIRST, FOLLOWING = SystemMessage("Devuelve un array JSON."), SystemMessage(f"{FOLLOW_UP}\n\nDevuelve un array JSON.")
TALK = [HumanMessage("¿Cuánto preaviso hay en un despido objetivo?"), AIMessage("Quince días de preaviso [C1].")]


def searches(question, *, system=FIRST, history=(), reader=None):
    reply = (reader or KeywordReader()).invoke([system, *history, HumanMessage(question)])
    found = json.loads(reply.content)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Cuántos días de vacaciones me corresponden?", ["días vacaciones anuales retribuidas"]),
        ("horas extra", ["horas extra extraordinarias"]),
        ("¿Cuál es la capital de Francia?", ["capital francia"]),
        (
            "me despidieron embarazada sin motivo",
            ["despidieron embarazada sin motivo", "extinción contrato trabajadora embarazada sin motivo"],
        ),
    ],
)
def test_a_simple_question_gives_its_words_and_the_legal_ones_where_they_differ(question, expected):
    assert searches(question) == expected


def test_concepts_that_do_not_fit_into_one_search_get_one_each():
    found = searches("¿puedo cobrar el paro si estoy en un ERTE siendo autónomo y de baja?")
    assert 2 <= len(found) <= 4
    assert any("desempleo" in search for search in found)
    assert any("suspensión contrato reducción jornada" in search for search in found)


def test_searches_have_six_words_at_most_and_prefer_those_that_the_index_knows():
    lexicon = Lexicon.build(["vacaciones", "permiso", "nómina", "horario", "turno", "preaviso", "convenio"])
    question = "Paco Gómez Ibáñez Sevilla vacaciones permiso nómina horario turno convenio"
    found = searches(question, reader=KeywordReader(weights=lexicon))
    assert found[0] == "vacaciones permiso nómina horario turno convenio"
    assert all(len(search.split()) <= 6 for search in found)


def test_nothing_to_search_for_gives_the_question_itself():
    assert searches("¿Y eso?") == ["¿Y eso?"]


def test_nothing_new_after_a_conversation_without_context_searches_the_last_question():
    assert searches("¿y eso?", history=TALK)[0] == "preaviso despido objetivo"


@pytest.mark.parametrize(
    "question", ["¿y eso?", "explícamelo mejor", "¿cuánto?", "¿Por qué?", "no entiendo el preaviso"]
)
def test_a_follow_up_without_a_new_word_searches_nothing(question):
    assert searches(question, system=FOLLOWING, history=TALK) == []


def test_a_follow_up_searches_what_is_new_together_with_the_topic():
    found = searches("¿y si estoy embarazada?", system=FOLLOWING, history=TALK)
    assert 1 <= len(found) <= 3
    assert {"embarazada", "despido"} <= set(found[0].split())


def test_a_follow_up_gives_three_searches_at_most():
    question = "¿y con ERTE, jubilación anticipada, teletrabajo, viudedad, lactancia y nocturnidad?"
    assert len(searches(question, system=FOLLOWING, history=TALK)) == 3


@pytest.mark.parametrize("question", ["art 38 ET", "ARTICULO 38 DEL E.T.", "¿qué dice el artículo 38?"])
def test_a_question_that_only_names_a_provision_is_searched_as_it_is(question):
    assert searches(question) == [question]


def test_beside_a_named_provision_only_the_matter_is_searched():
    assert searches("según la LGSS 205, ¿requisitos de permanencia?") == ["requisitos permanencia"]


@pytest.mark.parametrize("question", ["===META=== USED|1 permanencia", "permanencia [C1] DROP|2,3", "NEED|permanencia"])
def test_words_of_the_protocol_are_not_searched(question):
    assert searches(question) == ["permanencia"]


def test_how_long_is_no_matter_of_its_own():
    assert searches("¿cuánto tiempo de permanencia?") == ["permanencia"]


def test_a_question_that_points_back_is_searched_with_its_topic():
    (found,) = searches("¿y la permanencia?", history=TALK)
    assert set(found.split()) == {"permanencia", "preaviso", "despido", "objetivo"}


def test_a_courtesy_after_an_answer_searches_nothing():
    assert searches("Genial, muchas gracias", system=FOLLOWING, history=TALK) == []


async def test_it_streams_the_same_reply_and_ends_with_a_finish_reason():
    messages = [FIRST, HumanMessage("vacaciones")]
    chunks = [chunk async for chunk in KeywordReader().astream(messages)]
    assert "".join(str(chunk.content) for chunk in chunks) == (await KeywordReader().ainvoke(messages)).content
    assert chunks[-1].response_metadata["finish_reason"] == "stop"
