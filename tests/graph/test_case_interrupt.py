"""A case on a thread asks for missing data, goes on with the answer, and has free text typed by the reader model."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.doubles import QueueChat
from support.fake_time import FakeTime
from support.openai_server import failure, running_server
from support.small_case import ALIEN, ARTICLE, FIELDS, RELEVANT, SmallBase, case_services, log_odds_of

from articulado.cases.rules import stated_data
from articulado.config.settings import ModelSettings
from articulado.models.openai import chat_model
from articulado.models.retry import Retrier
from articulado.values.errors import ConfigurationError
from graph.case import build_generate_response

INQUIRY = "How much may I borrow from my account?"
THREAD: Any = {"configurable": {"thread_id": "1"}}


def case(checkpointer=None, reader=None, **more):
    services = case_services(base=SmallBase(RELEVANT), **more)
    return build_generate_response(replace(services, reader_model=reader), checkpointer)


@pytest.fixture
def on_thread():
    return case(InMemorySaver())


async def test_a_case_on_a_thread_asks_for_what_it_lacks_and_keeps_what_it_has(on_thread):
    paused = await on_thread.ainvoke({"inquiry": INQUIRY, "collected_data": {"birth_date": "1980-02-03"}}, THREAD)
    asked = paused["__interrupt__"][0].value
    assert (asked["type"], asked["article_id"]) == ("missing_data", ARTICLE)
    assert asked["fields"] == [
        {
            "field": "vested_balance",
            "description": FIELDS[0]["description"],
            "why_needed": FIELDS[0]["why_needed"],
            "json_schema": {
                "type": "number",
                "description": FIELDS[0]["description"],
                "minimum": 0.0,
                "maximum": 100_000_000.0,
            },
        }
    ]
    result = await on_thread.ainvoke(Command(resume={"vested_balance": "$5,000"}), THREAD)
    assert (result["decision"], result["metadata"]["missing_data"]) == ("can_proceed", [])
    state = await on_thread.aget_state(THREAD)
    assert state.values["collected"] == {"birth_date": "1980-02-03", "vested_balance": "$5,000"}


async def test_an_answer_of_another_type_is_asked_for_again_with_what_is_wrong(on_thread):
    await on_thread.ainvoke({"inquiry": INQUIRY}, THREAD)
    paused = await on_thread.ainvoke(Command(resume={"vested_balance": "a lot"}), THREAD)
    (field,) = paused["__interrupt__"][0].value["fields"]
    assert (field["given"], field["problem"] != "") == ("a lot", True)
    # As Studio sends it.
    result = await on_thread.ainvoke(Command(resume=json.dumps({"vested_balance": 1500})), THREAD)
    assert result["decision"] == "out_of_scope"


@pytest.mark.parametrize("nothing", [False, "", {"birth_date": "1980-02-03"}])
async def test_what_is_left_open_is_not_asked_again(on_thread, nothing):
    await on_thread.ainvoke({"inquiry": INQUIRY}, THREAD)
    result = await on_thread.ainvoke(Command(resume=nothing), THREAD)
    assert "__interrupt__" not in result
    assert (result["decision"], result["metadata"]["missing_data"]) == ("uncertain", ["vested_balance"])


async def test_an_answer_that_is_no_object_is_refused_and_can_be_given_again(on_thread):
    await on_thread.ainvoke({"inquiry": INQUIRY}, THREAD)
    paused = await on_thread.ainvoke(Command(resume=["$5,000"]), THREAD)
    assert "JSON" in paused["__interrupt__"][0].value["message"]
    result = await on_thread.ainvoke(Command(resume={"vested_balance": "$5,000"}), THREAD)
    assert result["decision"] == "can_proceed"


def test_a_case_resumes_without_an_event_loop(on_thread):
    on_thread.invoke({"inquiry": INQUIRY}, THREAD)
    assert on_thread.invoke(Command(resume={"vested_balance": "$5,000"}), THREAD)["decision"] == "can_proceed"


@pytest.mark.parametrize(
    ("checkpointer", "config", "context", "log_odds"),
    [
        (False, {}, {}, 50.0),
        (True, THREAD, {"ask_missing": False}, 50.0),
        (True, THREAD, {}, log_odds_of(0.6)),
        (True, THREAD, {}, ALIEN),
    ],
    ids=["without a thread", "turned off", "with little confidence", "out of scope"],
)
async def test_nothing_is_asked(checkpointer, config, context, log_odds):
    graph = case(InMemorySaver() if checkpointer else None, log_odds={ARTICLE: log_odds})
    result = await graph.ainvoke({"inquiry": INQUIRY}, config, context=context or None)
    assert "__interrupt__" not in result
    assert result["decision"] != "can_proceed"


async def test_a_reader_model_types_free_text_on_the_wire():
    with running_server() as server:
        settings = ModelSettings(provider="compatible", model="reader", base_url=server.url)
        reader = chat_model("reader", settings, partial(Retrier, sleep=FakeTime().sleep))
        server.script("reader", json.dumps({"vested_balance": "5000"}))
        given = {"vested_balance": "five grand or so, it says on my statement of October"}
        result = await case(reader=reader).ainvoke({"inquiry": INQUIRY, "collected_data": given})
        (request,) = [each for each in server.requests if each.body.get("model") == "reader"]
        told = json.loads(request.body["messages"][-1]["content"])
        await reader.close()
    assert told["data"][0]["text"] == given["vested_balance"]
    assert told["data"][0]["schema"]["type"] == "number"
    assert result["decision"] == "can_proceed"
    assert any("5000" in warning and "five grand" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    "reply", [json.dumps({"vested_balance": None}), json.dumps({"vested_balance": "-3"}), failure(500)]
)
async def test_what_the_model_does_not_type_is_missing(reply):
    with running_server() as server:
        settings = ModelSettings(provider="compatible", model="reader", base_url=server.url)
        reader = chat_model("reader", settings, partial(Retrier, sleep=FakeTime().sleep))
        server.answer("reader", lambda _: reply)
        given = {"vested_balance": "enough"}
        result = await case(reader=reader).ainvoke({"inquiry": INQUIRY, "collected_data": given})
        await reader.close()
    assert (result["decision"], result["metadata"]["missing_data"]) == ("uncertain", ["vested_balance"])


async def test_a_reader_that_cannot_fill_in_a_schema_costs_no_case():
    reader = QueueChat(ConfigurationError("no schema"))
    given = {"vested_balance": "enough"}
    result = await case(reader=reader).ainvoke({"inquiry": INQUIRY, "collected_data": given})
    assert (result["decision"], result["metadata"]["missing_data"]) == ("uncertain", ["vested_balance"])
    assert "no schema" in result["warnings"]


def test_stated_data_are_the_inputs_that_the_rules_take():
    rules: Any = [
        {"calculation": {"kind": "deadline/dismissal", "inputs": {"dismissal_date": "fecha", "now": "today"}}},
        {"calculation": {"kind": "compensation/dismissal", "inputs": {"start_date": "alta"}}},
    ]
    worked: Any = [
        {"calculation": "deadline/dismissal", "inputs": {"dismissal_date": "2026-11-03", "now": "2026-11-20"}}
    ]
    assert stated_data(rules, worked) == {"fecha": "2026-11-03"}
