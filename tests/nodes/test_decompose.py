"""What a reader may write, and what is searched then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import QueueChat

from language.languages import language
from nodes.decompose import MAX_QUERY_CHARACTERS, decompose, parse_queries
from services.domain.base import PlainDomain
from services.profile.profile import load_profile
from services.prompting.prompts import load_prompts
from state.errors import ModelError

PROMPTS = load_prompts(load_profile("laboral"))


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ('["despido embarazo"]', ["despido embarazo"]),
        ('```json\n["a b", "c d"]\n```', ["a b", "c d"]),
        ('Aquí tiene: ["a b"] Espero que sirva.', ["a b"]),
        ('["a", 3, null, {"x": 1}, ["y"], "b"]', ["a", "b"]),
        ('["a", "b", "c", "d", "e"]', ["a", "b", "c", "d"]),
        ('["a", "a", " ", ""]', ["a"]),
        ("[]", []),
        ("[[[[", ["[[[["]),
        ("despido por embarazo", ["despido por embarazo"]),
        ('{"queries": ["a b"]}', ["a b"]),
        ("", []),
    ],
)
def test_parse(reply, queries):
    assert parse_queries(reply, 4) == queries


@given(st.text(), st.integers(1, 4))
def test_any_text_gives_few_short_searches(text, limit):
    queries = parse_queries(text, limit)
    assert len(queries) <= limit
    assert all(query.strip() and len(query) <= MAX_QUERY_CHARACTERS for query in queries)


def state(**values):
    return {
        "question": "¿Vacaciones?",
        "contextualized_question": "¿Vacaciones?",
        "conversation": [],
        "warnings": [],
        "deadline": 0.0,
        **values,
    }


async def decomposed(reader, code="es", **values):
    return await decompose(state(**values), None, reader=reader, prompts=PROMPTS, domain=PlainDomain(language(code)))


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
        "jubilación, prestación contributiva",
        "liquidación de haberes",
    ],
)
def test_the_prompts_name_the_mappings(mapping):
    assert mapping in PROMPTS["decompose"]
    assert mapping in PROMPTS["decompose_followup"]


@pytest.mark.parametrize(
    ("code", "said"),
    [("es", "Se ha buscado la pregunta tal cual: Sin red."), ("en", "The question was searched as it is: Sin red.")],
)
async def test_a_reader_that_fails_leaves_the_question_and_says_so_in_the_language_of_the_profile(code, said):
    update = await decomposed(QueueChat(ModelError("Sin red.")), code, warnings=["antes"])
    assert update["queries"] == update["searches"] == ["¿Vacaciones?"]
    assert update["warnings"] == ["antes", said]
