"""The check of claims by a model, as a stage: warnings, costs, and what is never asked about."""

import json

import pytest
from langgraph.runtime import Runtime
from support.doubles import QueueChat, make_chunk
from support.states import begun

from articulado.language.languages import language
from articulado.models.retry import QuestionTime
from articulado.retrieval.fusion import candidate
from articulado.values.answers import question_of
from articulado.values.errors import ModelTimeout
from nodes.check_claims import check_claims
from state.context import ResolvedContext

LAW = "Las vacaciones no serán inferiores a treinta días naturales."
DRAFT = "Las vacaciones son de veinte días [C1]."
ERROR = {"check": "figure", "kind": "x", "severity": "error", "where": "y", "start": 2, "end": 3, "message": ""}


def reply(evidence="no serán inferiores a treinta días", verdict="contradicted"):
    return json.dumps({"verdicts": [{"claim": 1, "evidence": evidence, "verdict": verdict}]})


async def check(checker, draft=DRAFT, *, grounded_prompting=True, **values):
    state = {
        **begun(),
        "draft": draft,
        "answer": draft,
        "context": [candidate(make_chunk(1, "Artículo 38", text=LAW), 1.0, "hybrid")],
        "question": "¿Cuántos días son?",
        "turn_question": question_of("¿Cuántos días son?"),
        "deadline": 1100.0,
        **values,
    }
    return await check_claims(
        state,
        Runtime(context=ResolvedContext(grounded_prompting=grounded_prompting)),
        checker=checker,
        prompts={"check_claims": "Compara."},
        language=language("es"),
        question_time=QuestionTime(120.0, clock=lambda: 1000.0),
    )


async def test_a_warning_joins_the_errors_in_the_order_of_the_text():
    checker = QueueChat(reply())
    update = await check(checker, findings=[ERROR])
    assert [(each["severity"], each["start"]) for each in update["findings"]] == [("warning", 0), ("error", 2)]
    assert update["findings"][1] == ERROR
    assert (update["findings"][0]["mark"], update["findings"][0]["evidence"]) == ("C1", LAW)
    assert update["cost"] == {"requests": 1, "input_tokens": 10, "output_tokens": 3}
    assert "warnings" not in update
    assert "answer" not in update


async def test_one_call_has_a_share_of_the_time_and_a_limit_on_its_length():
    checker = QueueChat(reply(verdict="supported"))
    assert (await check(checker))["findings"] == []
    assert (len(checker.calls), checker.deadlines, checker.limits) == (1, [1030.0], [450])
    assert checker.calls[0][0] == "Compara."


async def test_findings_name_only_displayed_markers():
    [finding] = (await check(QueueChat(reply()), answer="Las vacaciones son de veinte días."))["findings"]
    assert finding["mark"] == ""


async def test_a_failure_leaves_the_answer_with_a_warning():
    failure = ModelTimeout("no ha llegado a tiempo")
    failure.attempts = 2
    update = await check(QueueChat(failure), findings=[ERROR])
    assert update["warnings"] == [
        "No se ha podido hacer la comprobación de la respuesta con un modelo: no ha llegado a tiempo"
    ]
    assert update["cost"]["requests"] == 2
    assert "findings" not in update


@pytest.mark.parametrize(
    "values",
    [
        {"abstained": True},
        {"refusal": "bare"},
        {"turn_question": question_of("¡Muchas gracias!", kind="courtesy")},
        {"draft": "No cita nada de lo leído."},
        {"grounded_prompting": False},
    ],
)
async def test_refusals_thanks_and_unmarked_answers_are_not_checked(values):
    checker = QueueChat(reply())
    assert await check(checker, **values) == {}
    assert checker.calls == []
