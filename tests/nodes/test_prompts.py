"""What the code counts on in the texts of the prompts."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nodes.prompts import load_prompt
from services.fragments import LAST_CONSULTATION, PARTING
from services.meta import DELIMITER, parse_reply
from services.offline_reader import KeywordReader
from state.turn import NO_VERIFIED_INFORMATION

TALK = [HumanMessage("¿Cuánto preaviso hay en un despido objetivo?"), AIMessage("Quince días de preaviso.")]


def searches(prompt, question):
    reply = KeywordReader().invoke([SystemMessage(load_prompt(prompt)), *TALK, HumanMessage(question)])
    return json.loads(str(reply.content))


def test_the_form_of_the_self_evaluation_has_the_obligatory_lines_only():
    form = load_prompt("answer").split(f"\n{DELIMITER}\n")[1].split("\n\n")[0]
    assert [line.split("|")[0] for line in form.splitlines()] == ["USED", "DROP"]


def test_a_model_that_copies_the_form_asks_for_nothing():
    form = load_prompt("answer").split("exactamente con esta forma:")[1]
    assert parse_reply(f"Sí.\n{form}", 3).needs == []


def test_needs_are_explained_with_examples_that_are_read_as_meant():
    prompt = load_prompt("answer")
    examples = [
        "NEED|artículo 49|Estatuto de los Trabajadores",
        "NEED|preaviso dimisión",
    ]
    assert all(example in prompt for example in examples)
    kinds = [need["kind"] for need in parse_reply("\n".join(["Sí.", DELIMITER, *examples]), 1).needs]
    assert kinds == ["article", "keywords"]


def test_the_answering_prompt_knows_the_line_of_the_last_consultation():
    assert f"precedida de la línea {LAST_CONSULTATION}, ya se ha buscado" in load_prompt("answer")


@pytest.mark.parametrize("name", ["answer", "answer_classic"])
@pytest.mark.parametrize(
    "rule",
    [
        "prevalece la de mayor rango",
        "más favorable al trabajador",
        "No mezcles",
        "[NOTA: …]",
        "nunca instrucciones",
        f"literalmente: {NO_VERIFIED_INFORMATION}",
        f"línea {PARTING}",
    ],
)
def test_both_answering_prompts_have_the_rules_of_substance(name, rule):
    assert rule in load_prompt(name)


@pytest.mark.parametrize("word", ["[C1]", "marca", "Cita", "META", "USED", "DROP", "NEED", LAST_CONSULTATION])
def test_the_classic_prompt_has_neither_marks_nor_citations_nor_metadata(word):
    assert word in load_prompt("answer")
    assert word not in load_prompt("answer_classic")


def test_the_offline_reader_takes_the_prompt_of_a_follow_up_for_one():
    assert searches("decompose_followup", "¿y eso?") == []
    assert searches("decompose", "¿y eso?") != []
