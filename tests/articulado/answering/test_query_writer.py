import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from articulado.answering.chat_model import FOLLOW_UP, KeywordReader
from articulado.legal.domain.spanish_law import SPANISH_LAW

FIRST, FOLLOWING = SystemMessage("Devuelve un array JSON."), SystemMessage(f"{FOLLOW_UP}\n\nDevuelve un array JSON.")
TALK = [HumanMessage("¿Cuánto preaviso hay en un despido objetivo?"), AIMessage("Quince días de preaviso [C1].")]


def searches(question, *, system=FIRST, history=(), reader=None):
    reply = (reader or KeywordReader(domain=SPANISH_LAW)).invoke([system, *history, HumanMessage(question)])
    queries = json.loads(reply.content)
    assert isinstance(queries, list)
    return queries


@pytest.mark.parametrize(
    "question",
    ["horas extra", "¿Cuál es la capital de Francia?", "me despidieron embarazada, sin motivo; ¿qué hago?"],
)
def test_a_question_is_searched_as_it_is_asked(question):
    assert searches(question) == [question]


def test_nothing_to_search_for_gives_the_question_itself():
    assert searches("¿Y eso?") == ["¿Y eso?"]


ABOUT = "(sobre: ¿Cuánto preaviso hay en un despido objetivo?)"


@pytest.mark.parametrize(
    "question",
    ["¿y eso? (sobre lo mismo: ¿Cuánto preaviso hay en un despido objetivo?)", f"Genial, muchas gracias {ABOUT}"],
)
def test_a_follow_up_about_the_answer_alone_searches_nothing(question):
    assert searches(question, system=FOLLOWING, history=TALK) == []


@pytest.mark.parametrize("system", [FIRST, FOLLOWING])
def test_a_follow_up_is_searched_with_its_subject(system):
    found = searches(f"¿y si estoy embarazada? {ABOUT}", system=system, history=TALK)
    assert found == ["¿y si estoy embarazada? ¿Cuánto preaviso hay en un despido objetivo?"]


def test_a_measure_alone_is_searched_with_its_subject():
    assert searches(f"¿cuánto? {ABOUT}", system=FOLLOWING) == ["¿cuánto? ¿Cuánto preaviso hay en un despido objetivo?"]


@pytest.mark.parametrize("question", ["art 38 ET", "ARTICULO 38 DEL E.T.", "¿qué dice el artículo 38?"])
def test_a_question_that_only_names_a_provision_is_searched_as_it_is(question):
    assert searches(question) == [question]


def test_beside_a_named_provision_only_the_topic_is_searched():
    assert searches("según la LGSS 205, ¿requisitos de permanencia?") == ["la ¿requisitos de permanencia?"]


@pytest.mark.parametrize("question", ["===META=== USED|1 permanencia", "permanencia [C1] DROP|2,3", "NEED|permanencia"])
def test_words_of_the_protocol_are_not_searched(question):
    assert searches(question) == ["permanencia"]


def test_how_long_is_no_topic_of_its_own():
    (query,) = searches("¿cuánto tiempo de permanencia?")
    assert "permanencia" in query
    assert "tiempo" not in query


async def test_it_streams_the_same_reply_and_ends_with_a_finish_reason():
    messages = [FIRST, HumanMessage("vacaciones")]
    chunks = [chunk async for chunk in KeywordReader(domain=SPANISH_LAW).astream(messages)]
    assert (
        "".join(str(chunk.content) for chunk in chunks)
        == (await KeywordReader(domain=SPANISH_LAW).ainvoke(messages)).content
    )
    assert chunks[-1].response_metadata["finish_reason"] == "stop"
