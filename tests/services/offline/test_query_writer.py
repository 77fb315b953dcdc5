import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from language.spanish import stems
from services.domain.lexicon import Lexicon
from services.domain.spanish_law import SPANISH_LAW
from services.offline.query_writer import FOLLOW_UP, KeywordReader

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


def test_nothing_new_after_a_conversation_without_context_searches_the_last_question():
    assert searches("¿y eso?", history=TALK) == [TALK[0].content]


@pytest.mark.parametrize(
    "question", ["¿y eso?", "explícamelo mejor", "¿cuánto?", "¿Por qué?", "no entiendo el preaviso"]
)
def test_a_follow_up_without_a_new_word_searches_nothing(question):
    assert searches(question, system=FOLLOWING, history=TALK) == []


def test_a_follow_up_searches_what_is_new_together_with_the_topic():
    (query,) = searches("¿y si estoy embarazada?", system=FOLLOWING, history=TALK)
    assert query == "embarazada preaviso despido objetivo"


def test_the_topic_is_what_says_most_and_the_index_knows():
    lexicon = Lexicon.build(["vacaciones", "permiso de vacaciones", "permiso", "preaviso", "convenio", "nómina"], stems)
    talk = [HumanMessage("Paco Gómez: vacaciones, permiso, preaviso, convenio y nómina"), AIMessage("Sí [C1].")]
    (query,) = searches(
        "¿y el turno?", system=FOLLOWING, history=talk, reader=KeywordReader(domain=SPANISH_LAW, weights=lexicon)
    )
    assert query == "turno preaviso convenio nómina"


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


def test_a_question_that_points_back_is_searched_with_its_topic():
    assert searches("¿y la permanencia?", history=TALK) == ["¿y la permanencia? preaviso despido objetivo"]


def test_a_courtesy_after_an_answer_searches_nothing():
    assert searches("Genial, muchas gracias", system=FOLLOWING, history=TALK) == []


async def test_it_streams_the_same_reply_and_ends_with_a_finish_reason():
    messages = [FIRST, HumanMessage("vacaciones")]
    chunks = [chunk async for chunk in KeywordReader(domain=SPANISH_LAW).astream(messages)]
    assert (
        "".join(str(chunk.content) for chunk in chunks)
        == (await KeywordReader(domain=SPANISH_LAW).ainvoke(messages)).content
    )
    assert chunks[-1].response_metadata["finish_reason"] == "stop"
