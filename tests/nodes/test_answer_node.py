"""The answer is numbered as it is read, while it streams, and the context follows."""

import json

import pytest
from support.doubles import QueueChat, make_chunk
from support.states import begun

from articulado.answering.principal import ChatPrincipal
from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.prompting.prompts import load_prompts
from nodes.answer import answer
from state.context import ResolvedContext

ES = language("es")


class Recorded:
    """A runtime that keeps what is streamed."""

    def __init__(self, **context):
        self.context = ResolvedContext(**context)
        self.events = []
        self.stream_writer = self.events.append

    @property
    def text(self):
        return "".join(event["text"] for event in self.events if event["type"] == "token")


def state(fragments=3):
    context = [
        {"chunk": make_chunk(n), "score": 0.5, "final_score": 0.9 - n / 100, "origins": ["hybrid"], "found_by": []}
        for n in range(1, fragments + 1)
    ]
    return begun(context=context, candidates=context, today="2026-11-23", as_of="2024-01-01")


async def run(reply, **context):
    model, runtime = QueueChat(reply), Recorded(**context)
    principal = ChatPrincipal(model, load_prompts(load_profile("laboral")), brief=False)
    update = await answer(state(), runtime, principal=principal, language=ES)
    return update, runtime, model


def ids(update):
    return [candidate["chunk"]["id"] for candidate in update["context"]]


async def test_marks_and_context_follow_the_reading():
    update, runtime, _ = await run("Uno [C3]. Dos [C1, C3].\n===META===\nUSED|3,1\nDROP|2")
    assert update["draft"] == runtime.text == "Uno [C1]. Dos [C2][C1]."
    assert ids(update) == [3, 1, 2]
    assert update["draft_context"] == update["context"]
    assert (update["used_chunk_ids"], update["dropped_chunk_ids"]) == ([3, 1], [2])


async def test_invalid_markers_stay_until_the_check():
    update, _, _ = await run("Uno [C9] y dos [C2].\n===META===\nUSED|2\nDROP|ninguno")
    assert update["draft"] == "Uno [C9] y dos [C1]."
    assert ids(update) == [2, 1, 3]


async def test_without_grounding_nothing_is_numbered():
    update, _, _ = await run("Uno [C3].", grounded_prompting=False)
    assert update["draft"] == "Uno [C3]."
    assert ids(update) == [1, 2, 3]


async def test_the_principal_is_told_the_day_and_the_day_whose_law_is_asked_for():
    _, _, principal = await run("Uno [C1].")
    [(system, messages, *_)] = principal.calls
    assert "FECHA DE HOY: 23 de noviembre de 2026\nDERECHO VIGENTE EN: 1 de enero de 2024" in messages[-1]["content"]
    assert "2026" not in system


@pytest.mark.parametrize("grounded", [True, False])
async def test_each_fragment_tells_its_relevance(grounded):
    _, _, principal = await run("Uno [C1].", grounded_prompting=grounded)
    assert "Relevancia: 0.89" in json.dumps(principal.calls, default=str)
