"""Questions as people type them, on the demo index: answered as if spelt right, and told how they were read."""

import pytest

from articulado.config.settings import Settings
from graph.compose import open_services
from graph.rag import build_rag
from nodes.stage import wait_for

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def graph(demo_index):
    services = wait_for(open_services(Settings.read(env_file=None, index=demo_index)))
    yield build_rag(services)
    wait_for(services.close())


async def opened(graph, **asked):
    """Return the question of a turn as the first stage reads it, and the end of the turn."""
    async for step in graph.astream(asked, stream_mode="updates"):
        if "analyze_question" in step:
            question = step["analyze_question"]["turn_question"]
        if "finalize" in step:
            ended = step["finalize"]
    return question, ended


@pytest.mark.parametrize(
    ("typed", "provision"),
    [
        ("cuantos dias de vacasiones me corresponden", "Artículo 38"),
        ("CUANTOS DIAS DE BACACIONES ME TOCAN", "Artículo 38"),
        ("cuanto dura el periodo de prueva", "Artículo 14"),
        ("puedo pedir una esedencia para cuidar a mi madre", "Artículo 46"),
        ("cuantas oras puedo trabajar ala semana", "Artículo 34"),
        ("cuando pagan el aguinaldo", "Artículo 31"),
        ("dias por falesimiento de un familiar", "Artículo 37"),
    ],
)
async def test_a_misspelt_question_is_answered(graph, typed, provision):
    _, ended = await opened(graph, question=typed)
    assert ended["outcome"] == "answer"
    assert provision in [citation["provision"] for citation in ended["citations"][:2]]


async def test_corrected_words_are_in_the_state_and_warned_once(graph):
    typed = "vacasiones: cuantas vacasiones me corresponden"
    result = await graph.ainvoke({"question": typed})
    question, _ = await opened(graph, question=typed)
    assert question["asked"] == typed
    assert question["text"] == "vacaciones: cuantas vacaciones me corresponden"
    assert [(word["start"], word["written"], word["read"]) for word in question["mended"]] == [
        (0, "vacasiones", "vacaciones"),
        (20, "vacasiones", "vacaciones"),
    ]
    assert "He leído «vacasiones» como «vacaciones»." in result["warnings"]
    assert result["question"] == typed


async def test_a_question_that_is_spelt_right_is_read_as_it_is(graph):
    question, ended = await opened(graph, question="¿Cuántos días de vacaciones me corresponden?")
    assert question["mended"] == []
    assert question["text"] == question["asked"] == "¿Cuántos días de vacaciones me corresponden?"
    assert not any("He leído" in warning for warning in ended["warnings"])


async def test_a_follow_up_leans_on_the_question_before_as_it_was_read(graph):
    history = [
        {"role": "user", "content": "cuantos dias de vacasiones me corresponden"},
        {"role": "assistant", "content": "Treinta días naturales."},
    ]
    question, ended = await opened(graph, question="¿y si trabajo media jornada?", history=history)
    assert question["subject"] == "cuantos dias de vacaciones me corresponden"
    assert ended["transcript"][0]["content"] == "cuantos dias de vacasiones me corresponden"


async def test_a_question_in_english_is_not_read_as_spanish(graph):
    question, _ = await opened(graph, question="How many days of holiday do I get, and can my boss say no?")
    assert question["mended"] == []
    assert question["language"] == "en"


async def test_laws_acronyms_and_numbers_are_not_corrected(graph):
    question, _ = await opened(graph, question="qué dice el art. 38 ET, el RD 2001/1983 y la LRJS sobre 1.234,56 €")
    assert question["mended"] == []
