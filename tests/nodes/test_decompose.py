"""What is asked of a reader, and what is searched by its reply."""

import pytest
from support.doubles import QueueChat
from support.states import begun

from articulado.answering.reader import ChatReader
from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.prompting.prompts import load_prompts
from articulado.values.errors import ModelError
from nodes.decompose import decompose

PROMPTS = load_prompts(load_profile("laboral"))


def state(**values):
    return begun(**{"question": "¿Vacaciones?", "deadline": 0.0, "today": "2026-11-29", "as_of": None, **values})


def matter_and_topic(update):
    return update["turn_question"]["other_matter"], update["turn_question"]["new_topic"]


async def decomposed(reader, domain=None, **values):
    domain = domain or PlainDomain(language("es"))
    return await decompose(state(**values), None, reader=ChatReader(reader, PROMPTS, domain), domain=domain)


async def test_first_question_sends_system_and_user():
    reader = QueueChat("[]")
    await decomposed(reader)
    system, messages = reader.calls[0]
    assert "De 1 a 4 búsquedas" in system
    assert messages == [{"role": "user", "content": "¿Vacaciones?"}]


async def test_history_without_carryover_keeps_the_first_prompt_and_four_short_messages():
    reader = QueueChat("[]")
    history = [{"role": "user", "content": f"{n}" * 300} for n in range(6)]
    await decomposed(reader, conversation=history)
    system, messages = reader.calls[0]
    assert "De 1 a 4 búsquedas" in system
    assert [message["content"] for message in messages[:-1]] == [f"{n}" * 200 for n in (2, 3, 4, 5)]


async def test_follow_up_has_its_own_prompt_and_at_most_three_searches():
    reader = QueueChat('["a", "b", "c", "d"]')
    update = await decomposed(reader, carried=[{"chunk": {}}])
    assert update["queries"] == ["a", "b", "c"]
    assert "De 0 a 3 búsquedas" in reader.calls[0][0]


@pytest.mark.parametrize(
    "mapping",
    [
        "suspensión del contrato por nacimiento y cuidado del menor",
        "extinción del contrato",
        "prestación por desempleo",
        "incapacidad temporal",
        "jubilación, incapacidad permanente, viudedad",
        "no contributiva",
        "ingreso mínimo vital",
        "liquidación de haberes",
    ],
)
def test_prompts_name_the_legal_terms_of_colloquial_words(mapping):
    assert mapping in PROMPTS["decompose"]
    assert mapping in PROMPTS["decompose_followup"]


@pytest.mark.parametrize(
    ("code", "said"),
    [("es", "Se ha buscado la pregunta tal cual: Sin red."), ("en", "The question was searched as it is: Sin red.")],
)
async def test_a_reader_that_fails_leaves_the_question_and_says_so_in_the_language_of_the_profile(code, said):
    update = await decomposed(QueueChat(ModelError("Sin red.")), PlainDomain(language(code)), warnings=["antes"])
    assert update["queries"] == update["searches"] == ["¿Vacaciones?"]
    assert update["warnings"] == [said]


CARRIED = [{"chunk": {}}]


async def test_a_first_question_of_another_field_is_searched_with_its_own_words():
    update = await decomposed(QueueChat("[] OTRA_MATERIA: derecho fiscal"))
    assert update["queries"] == update["searches"] == ["¿Vacaciones?"]
    assert matter_and_topic(update) == ("derecho fiscal", False)


async def test_a_follow_up_of_another_field_leaves_the_subject_and_is_searched_with_its_own_words():
    update = await decomposed(QueueChat("[] OTRA_MATERIA"), carried=CARRIED)
    assert update["queries"] == update["searches"] == ["¿Vacaciones?"]
    assert matter_and_topic(update) == ("", True)


async def test_a_new_topic_is_searched_like_a_first_question():
    update = await decomposed(QueueChat('["TEMA_NUEVO", "smi cuantía"]'), carried=CARRIED)
    assert update["queries"] == ["smi cuantía"]
    assert update["searches"] == ["smi cuantía", "¿Vacaciones?"]
    assert matter_and_topic(update) == (None, True)


@pytest.mark.parametrize("reply", ["[]", "No hace falta buscar nada."])
async def test_a_follow_up_with_nothing_new_searches_nothing(reply):
    update = await decomposed(QueueChat(reply), carried=CARRIED)
    assert update["queries"] == update["searches"] == []
    assert matter_and_topic(update) == (None, False)


async def test_a_reply_without_searches_searches_the_question():
    update = await decomposed(
        QueueChat("Lo siento, pero antes de buscar necesito saber qué contrato tiene usted y desde cuándo.")
    )
    assert update["queries"] == ["¿Vacaciones?"]


async def test_numbers_of_provisions_are_not_searched():
    reply = '["artículo 38 ET vacaciones", "indemnización 33 días por año", "art. 49.1.c) del ET"]'
    update = await decomposed(QueueChat(reply), SPANISH_LAW, carried=CARRIED)
    assert update["queries"] == ["vacaciones", "indemnización 33 días por año"]


async def test_searches_of_provisions_only_are_replaced_by_the_question():
    update = await decomposed(QueueChat('["artículo 38 ET"]'), SPANISH_LAW)
    assert update["queries"] == ["¿Vacaciones?"]
