"""Structured replies: the schema that is sent, how replies are read, and the whole way over a real loopback server."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import pytest
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field
from support.fake_time import FakeTime
from support.openai_server import OpenAIServer, Recorded, Reply, failure, running_server
from support.waiting import PATIENCE, Limits
from typing_extensions import TypedDict

from articulado.config.settings import ModelSettings
from articulado.models.chat import LangChainChat
from articulado.models.openai import chat_model
from articulado.models.retry import Retrier
from articulado.models.structured import (
    ERRORS_SHOWN,
    REPLY_SHOWN,
    SchemaViolation,
    parse_structured,
    repair_messages,
    strict_schema,
)
from articulado.values.errors import ConfigurationError, ContentFiltered, ModelError, ModelRateLimited, ModelTimeout


class Amount(BaseModel):
    """An amount of the case; one of its fields is called like a keyword of JSON Schema."""

    default: str = Field("EUR", min_length=3, description="Moneda")
    value: float
    kind: Literal["bruto", "neto"] = "bruto"


class Case(BaseModel):
    """Datos del caso."""

    worker: str = Field(max_length=40)
    amounts: list[Amount] = []
    highest: Amount | None = Field(default=None, description="El mayor de los importes")
    end: str | None = None


GOOD = (
    '{"worker": "Ana", "amounts": [{"default": "EUR", "value": 1200.5, "kind": "neto"}], "highest": null, "end": null}'
)
CASE = Case(worker="Ana", amounts=[Amount(value=1200.5, kind="neto")])
PARTLY = '{"amounts": [{"value": 1200.5, "kind": "anual"}]}'
MESSAGES = [{"role": "user", "content": "Ana cobra 1200,50 netos."}]


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an object, wherever it stands."""
    if isinstance(node, dict):
        if "properties" in node and node.get("type") == "object":
            yield node
        for part in node.values():
            yield from objects(part)
    elif isinstance(node, list):
        for part in node:
            yield from objects(part)


def test_the_schema_is_one_that_strict_mode_accepts():
    schema = strict_schema(Case)
    schemas = list(objects(schema))
    assert len(schemas) >= 2
    for described in schemas:
        assert described["additionalProperties"] is False
        assert described["required"] == list(described["properties"])
    assert schema["title"] == "Case"
    assert schema["properties"]["worker"] == {"type": "string", "title": "Worker"}
    assert schema["properties"]["highest"]["description"] == "El mayor de los importes"
    assert schema["properties"]["end"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    amount = schema["$defs"]["Amount"]["properties"]
    assert amount == {
        "default": {"type": "string", "title": "Default", "description": "Moneda"},
        "value": {"type": "number", "title": "Value"},
        "kind": {"type": "string", "title": "Kind", "enum": ["bruto", "neto"]},
    }
    assert "default" not in schema["properties"]["amounts"]


def test_the_name_of_a_schema_is_one_that_providers_accept():
    class Año(BaseModel):
        number: int

    assert strict_schema(Año)["title"] == "A_o"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n\n\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Estos son los datos:\n```json\n{GOOD}\n```\nFaltaría el salario.",
    ],
)
def test_a_json_object_is_parsed_out_of_surrounding_text(text):
    assert parse_structured(text, Case) == CASE


def test_a_fence_inside_a_text_is_left_alone():
    assert parse_structured('```json\n{"worker": "```json\\n{}\\n```"}\n```', Case).worker == "```json\n{}\n```"


def test_a_whole_reply_that_ran_into_the_limit_is_accepted():
    assert parse_structured(GOOD + "\n" * 50, Case, cut=True) == CASE


def violation(text: str, **options: Any) -> SchemaViolation:
    with pytest.raises(SchemaViolation) as caught:
        parse_structured(text, Case, **options)
    return caught.value


def test_errors_are_shown_by_path_without_the_text_of_the_reply():
    shown = violation('{"amounts": [{"value": "secreto", "kind": "anual"}], "highest": 3}')
    lines = shown.request.splitlines()
    assert [line.partition(":")[0] for line in lines[1:-1]] == [
        "- worker",
        "- amounts.0.value",
        "- amounts.0.kind",
        "- highest",
    ]
    assert "'bruto' or 'neto'" in lines[3]
    assert "secreto" not in shown.request
    assert shown.cause == "faltan o no son válidos: worker, amounts.0.value, amounts.0.kind, highest"


def test_only_the_first_errors_are_shown():
    text = json.dumps({"worker": "Ana", "amounts": [{}] * 30})
    assert violation(text).request.count("\n- ") == ERRORS_SHOWN


@pytest.mark.parametrize("text", ["", "No lo sé.", "}{", '["Ana"]', "null", '{"worker": "Ana"', '{"worker": "a\nb"}'])
def test_a_reply_without_an_object_is_sent_back_with_the_reason(text):
    shown = violation(text)
    assert "- reply: " in shown.request
    assert shown.cause == "no es un objeto JSON"


def test_json_that_is_no_object_is_told_from_what_is_no_json():
    assert "should be an object" in violation('["Ana"]').request
    assert "Invalid JSON" in violation("Ana").request


def test_a_runaway_reply_is_not_sent_back_whole():
    reply, request = repair_messages("{" * (REPLY_SHOWN + 1), violation("{"))
    assert reply.content == "{" * REPLY_SHOWN
    assert "- reply: Invalid JSON" in str(request.content)


def test_a_cut_reply_is_told_to_be_shorter():
    shown = violation('{"worker": "An', cut=True)
    assert "cut off" in shown.request
    assert "shorter" in shown.request
    assert shown.cause == "se ha cortado por su longitud"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with running_server() as running:
        yield running


class Asker:
    """Asks for a case, with pauses that take no time, and closes its chats."""

    def __init__(self, server: OpenAIServer) -> None:
        self.server = server
        self.time = FakeTime(time.time())
        self.chats: list[LangChainChat] = []

    def chat(self, provider: str = "openai", model: str = "gpt-4o-mini") -> LangChainChat:
        azure = {"api_version": "2024-10-21", "deployment": "mi-despliegue"} if provider == "azure" else {}
        base_url = self.server.root if provider == "azure" else self.server.url
        settings = ModelSettings(provider=provider, model=model, base_url=base_url, api_key="k-1", **azure)
        self.chats.append(
            chat_model("principal", settings, partial(Retrier, sleep=self.time.sleep, clock=self.time.clock))
        )
        return self.chats[-1]

    async def __call__(self, provider: str = "openai", model: str = "gpt-4o-mini", **options: Any) -> Any:
        return await self.chat(provider, model).structured("Reglas", MESSAGES, Case, **options)

    def turns(self, number: int) -> list[tuple[str, str]]:
        return [(turn["role"], turn["content"]) for turn in self.server.requests[number].body["messages"]]


@pytest.fixture
async def ask(server):
    asker = Asker(server)
    yield asker
    for chat in asker.chats:
        await chat.close()


async def test_a_good_reply_takes_one_request(server, ask):
    server.script("gpt-4o-mini", GOOD)
    reply = await ask()
    assert (reply.value, reply.repaired) == (CASE, False)
    assert (reply.requests, reply.input_tokens, reply.output_tokens) == (1, 11, 7)
    assert ask.turns(0) == [("system", "Reglas"), ("user", "Ana cobra 1200,50 netos.")]
    (request,) = server.requests
    assert request.body["temperature"] == 0
    assert not request.body["stream"]
    sent = request.body["response_format"]
    assert (sent["type"], sent["json_schema"]["name"], sent["json_schema"]["strict"]) == ("json_schema", "Case", True)
    assert sent["json_schema"]["description"] == "Datos del caso."
    expected = strict_schema(Case)
    assert {key: expected[key] for key in sent["json_schema"]["schema"]} == sent["json_schema"]["schema"]
    assert {"type", "properties", "required", "additionalProperties", "$defs"} <= set(sent["json_schema"]["schema"])


async def test_a_malformed_reply_is_sent_back_with_what_is_wrong(server, ask):
    server.script("gpt-4o-mini", Reply(PARTLY, usage=(20, 5)), Reply(GOOD, usage=(40, 9)))
    reply = await ask()
    assert (reply.value, reply.repaired) == (CASE, True)
    assert (reply.requests, reply.input_tokens, reply.output_tokens) == (2, 60, 14)
    first, second = ask.turns(0), ask.turns(1)
    assert second[:2] == first
    assert second[2] == ("assistant", PARTLY)
    role, complaint = second[3]
    assert role == "user"
    assert "- worker: Field required" in complaint
    assert "- amounts.0.kind: Input should be 'bruto' or 'neto'" in complaint
    assert server.requests[1].body["response_format"] == server.requests[0].body["response_format"]


@pytest.mark.parametrize(
    ("text", "says"), [('{"worker"', "no es un objeto JSON"), (PARTLY, "no son válidos: worker, amounts.0.kind")]
)
async def test_a_reply_malformed_twice_is_an_error(server, ask, text, says):
    server.script("gpt-4o-mini", *[text] * 9)
    with pytest.raises(ModelError, match=says) as caught:
        await ask()
    assert type(caught.value) is ModelError
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 2
    assert "ARTICULADO_PRINCIPAL_MODEL" in str(caught.value)
    assert ask.time.pauses == []


async def test_missing_fields_with_a_default_are_no_fault(server, ask):
    server.script("gpt-4o-mini", '{"worker": "Ana"}')
    assert (await ask()).value == Case(worker="Ana")


async def test_thoughts_and_a_fence_are_no_part_of_the_reply(server, ask):
    server.script("qwen3", f"<think>{{Ana}}?</think>\n```json\n{GOOD}\n```")
    reply = await ask("compatible", "qwen3")
    assert (reply.value, reply.requests) == (CASE, 1)


async def test_the_model_is_not_shown_its_thoughts_again(server, ask):
    server.script("qwen3", f"<think>anual</think>{PARTLY}", GOOD)
    await ask("compatible", "qwen3")
    assert ask.turns(1)[2] == ("assistant", PARTLY)


async def test_an_empty_reply_is_repaired_too(server, ask):
    server.script("gpt-4o-mini", "", GOOD)
    assert (await ask()).repaired
    assert ask.turns(1)[2] == ("assistant", "(empty)")


@pytest.mark.parametrize(("provider", "scripted"), [("openai", "gpt-4o-mini"), ("azure", "mi-despliegue")])
async def test_a_cut_reply_is_asked_for_shorter(server, ask, provider, scripted):
    server.script(
        scripted, Reply('{"worker": "An', finish_reason="length", usage=(20, 500)), Reply(GOOD, usage=(540, 40))
    )
    reply = await ask(provider, max_tokens=500)
    assert (reply.value, reply.repaired) == (CASE, True)
    assert (reply.requests, reply.input_tokens, reply.output_tokens) == (2, 560, 540)
    assert ask.turns(1)[2] == ("assistant", '{"worker": "An')
    assert "cut off" in ask.turns(1)[3][1]


async def test_a_reply_cut_twice_is_an_error(server, ask):
    server.script("gpt-4o-mini", *[Reply('{"worker": "An', finish_reason="length", usage=None)] * 9)
    with pytest.raises(ModelError, match="se ha cortado por su longitud") as caught:
        await ask(max_tokens=500)
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 2
    assert [request.body["max_completion_tokens"] for request in server.requests] == [500, 500]


async def test_a_limit_that_thoughts_used_up_is_lifted(server, ask):
    server.script("qwen3", Reply("<think>Ana, pero", finish_reason="length"), GOOD)
    assert (await ask("compatible", "qwen3", max_tokens=500)).value == CASE
    assert [request.body.get("max_tokens") for request in server.requests] == [500, None]


REFUSAL = Reply(refusal="I cannot help with that.")
FILTERED = Reply("Tre", finish_reason="content_filter")


@pytest.mark.parametrize(("provider", "scripted"), [("openai", "gpt-4o-mini"), ("azure", "mi-despliegue")])
@pytest.mark.parametrize(("refusing", "says"), [(REFUSAL, "se ha negado"), (FILTERED, "filtro de contenido")])
async def test_a_refusal_is_not_repaired(server, ask, provider, scripted, refusing, says):
    server.script(scripted, refusing, GOOD)
    with pytest.raises(ContentFiltered, match=says) as caught:
        await ask(provider)
    assert caught.value.attempts == server.calls(scripted) == 1


async def test_a_refusal_to_repair_counts_both_attempts(server, ask):
    server.script("gpt-4o-mini", PARTLY, REFUSAL)
    with pytest.raises(ContentFiltered) as caught:
        await ask()
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 2


async def test_attempts_of_the_network_are_counted_with_those_of_the_model(server, ask):
    server.script("gpt-4o-mini", failure(429, retry_after="3"), PARTLY, failure(500), GOOD)
    reply = await ask()
    assert (reply.value, reply.repaired, reply.requests) == (CASE, True, 4)
    # Usage is that of the two replies that came.
    assert (reply.input_tokens, reply.output_tokens) == (22, 14)
    assert ask.time.pauses[0] == 3.0


async def test_a_provider_that_fails_at_the_repair_counts_every_attempt(server, ask):
    server.script("gpt-4o-mini", PARTLY, *[failure(429)] * 9)
    with pytest.raises(ModelRateLimited) as caught:
        await ask()
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 4


@pytest.mark.parametrize("kind", ["application/json", "text/html"])
@pytest.mark.parametrize(
    "raw",
    ["<html>proxy</html>", "{}", '{"choices": null}', '{"choices": []}', '{"choices": [{"message": null}]}', "[]"],
)
async def test_an_unreadable_response_is_not_retried(server, ask, raw, kind):
    server.script("gpt-4o-mini", *[Reply(raw=raw, headers={"Content-Type": kind})] * 9)
    with pytest.raises(ModelError, match="no se puede leer") as caught:
        await ask()
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 1


async def test_one_deadline_bounds_reply_and_repair(server, ask):
    def slow(request: Recorded) -> str:
        ask.time.now += 70
        return PARTLY

    server.answer("gpt-4o-mini", slow)
    with pytest.raises(ModelTimeout) as caught:
        await ask(deadline=ask.time.now + 60)
    assert caught.value.attempts == server.calls("gpt-4o-mini") == 1


async def test_without_a_deadline_the_default_one_bounds_both(server, ask):
    def slow(request: Recorded) -> str:
        ask.time.now += 130
        return PARTLY

    server.answer("gpt-4o-mini", slow)
    with pytest.raises(ModelTimeout):
        await ask()
    assert server.calls("gpt-4o-mini") == 1


@pytest.mark.parametrize("before", [[], [PARTLY]])
async def test_a_slow_reply_does_not_outlive_the_deadline(server, before):
    server.script("gpt-4o-mini", *before, Reply(dribble=True))
    limits = Limits()
    model = chat_model(
        "principal",
        ModelSettings(provider="openai", model="gpt-4o-mini", base_url=server.url, api_key="k-1"),
        partial(Retrier, time_limit=limits),
    )
    asking = asyncio.create_task(model.structured("", MESSAGES, Case, deadline=time.time() + PATIENCE))
    assert await asyncio.to_thread(server.dribbling.wait, PATIENCE)
    limits.end()
    with pytest.raises(ModelTimeout) as caught:
        await asking
    assert caught.value.attempts == server.calls("gpt-4o-mini") == len(before) + 1
    await model.close()


LIMITS = {"max_tokens", "max_completion_tokens", "max_output_tokens"}


@pytest.mark.parametrize(
    ("provider", "model", "name"),
    [
        ("openai", "gpt-4o-mini", "max_completion_tokens"),
        ("openai", "gpt-5.2", None),
        ("openai", "o3", None),
        ("azure", "gpt-4o-mini", "max_tokens"),
        ("azure", "gpt-5.2", None),
        ("compatible", "gemma3", "max_tokens"),
        ("compatible", "openai/gpt-5-mini", None),
    ],
)
async def test_the_limit_is_sent_where_the_model_takes_one(server, ask, provider, model, name):
    scripted = "mi-despliegue" if provider == "azure" else model
    server.script(scripted, GOOD, GOOD)
    chat = ask.chat(provider, model)
    assert chat.takes_limit is (name is not None)
    await chat.structured("", MESSAGES, Case, max_tokens=500)
    await chat.structured("", MESSAGES, Case)
    limited, free = [{key: request.body[key] for key in LIMITS & set(request.body)} for request in server.requests]
    assert limited == ({name: 500} if name else {})
    assert free == {}
    # The models that refuse a limit refuse a temperature, too.
    assert [request.body.get("temperature") for request in server.requests] == [0 if name else None] * 2


async def test_azure_is_asked_at_its_deployment(server, ask):
    server.script("mi-despliegue", PARTLY, GOOD)
    assert (await ask("azure")).value == CASE
    assert {request.path for request in server.requests} == {"/openai/deployments/mi-despliegue/chat/completions"}
    assert all("response_format" in request.body for request in server.requests)


def way_of(request: Recorded) -> str:
    """Return the way in which a request asks for a structure."""
    kind = request.body.get("response_format", {}).get("type", "")
    return {"json_schema": "json_schema", "json_object": "json_mode"}.get(kind) or (
        "tool_call" if "tools" in request.body else "prompt"
    )


def taking(*ways: str, otherwise: Reply | str) -> Callable[[Recorded], Reply | str]:
    """Return a server that fills in a schema where it is asked in one of some ways, and else replies as it is told."""

    def respond(request: Recorded) -> Reply | str:
        way = way_of(request)
        if way not in ways:
            return otherwise
        return Reply(called_with=GOOD) if way == "tool_call" else GOOD

    return respond


ALL_WAYS = ["json_schema", "tool_call", "json_mode", "prompt"]


@pytest.mark.parametrize("way", ALL_WAYS[1:])
@pytest.mark.parametrize("otherwise", [*(failure(status, None, "not here") for status in (400, 404, 422)), "¡Hola!"])
async def test_a_server_is_asked_in_the_next_way_where_it_does_not_take_one(server, ask, way, otherwise):
    server.answer("gemma3", taking(way, otherwise=otherwise))
    reply = await ask("compatible", "gemma3")
    assert (reply.value, reply.repaired) == (CASE, False)
    tried = ALL_WAYS[: ALL_WAYS.index(way) + 1]
    assert [way_of(request) for request in server.requests] == tried
    assert reply.requests == len(tried)


async def test_the_way_that_worked_is_remembered_for_the_model_at_its_address(server, ask):
    server.answer("gemma3", taking("json_mode", otherwise=failure(400, None, "not here")))
    server.answer("qwen3", taking("json_schema", otherwise=failure(400, None, "not here")))
    await ask("compatible", "gemma3")
    assert (await ask("compatible", "gemma3")).requests == 1
    assert (await ask("compatible", "qwen3")).requests == 1
    assert [way_of(request) for request in server.requests] == [*ALL_WAYS[:3], "json_mode", "json_schema"]


async def test_a_server_that_refuses_all_methods_rejects_the_request(server, ask):
    server.answer("gemma3", taking(otherwise=failure(400, None, "not here")))
    with pytest.raises(ModelError, match="rechaza la petición") as caught:
        await ask("compatible", "gemma3")
    assert caught.value.attempts == len(server.requests) == len(ALL_WAYS)


async def test_a_tool_has_the_schema_and_other_ways_have_it_in_the_prompt(server, ask):
    server.answer("gemma3", taking("prompt", otherwise=failure(422, None, "not here")))
    await ask("compatible", "gemma3")
    schema, tool, mode, prompt = (request.body for request in server.requests)
    function = tool["tools"][0]["function"]
    assert function["parameters"]["properties"] == schema["response_format"]["json_schema"]["schema"]["properties"]
    assert (function["name"], function["description"]) == ("Case", "Datos del caso.")
    assert tool["tool_choice"] == {"type": "function", "function": {"name": "Case"}}
    assert tool["messages"] == schema["messages"]
    for body in (mode, prompt):
        assert body["messages"][1:] == schema["messages"][1:]
        assert body["messages"][0]["content"].startswith("Reglas\n\nReply with one JSON object")
        assert '"worker"' in body["messages"][0]["content"]
    assert "response_format" not in prompt


async def test_an_error_of_every_method_is_not_retried(server, ask):
    server.script("gemma3", failure(404, "model_not_found"), GOOD)
    with pytest.raises(ConfigurationError, match="ARTICULADO_PRINCIPAL_MODEL"):
        await ask("compatible", "gemma3")
    assert len(server.requests) == 1


async def test_arguments_that_are_no_json_are_repaired(server, ask):
    server.script("gpt-4", Reply(called_with='{"worker": "An'), Reply(called_with=GOOD))
    reply = await ask(model="gpt-4")
    assert (reply.value, reply.repaired) == (CASE, True)
    assert ask.turns(1)[2] == ("assistant", '{"worker": "An')


@pytest.mark.parametrize("model", ["gpt-4", "gpt-4-turbo", "gpt-3.5-turbo"])
async def test_a_model_too_old_for_a_schema_calls_a_tool(server, ask, model):
    server.script(model, Reply(called_with=GOOD))
    assert (await ask(model=model)).value == CASE
    assert [way_of(request) for request in server.requests] == ["tool_call"]


class State(TypedDict, total=False):
    """State of the graph below."""

    worker: str


async def test_raw_tokens_stay_out_of_the_graph_s_message_stream(server, ask):
    server.script("gpt-4o-mini", GOOD)

    async def node(state: State) -> State:
        return {"worker": (await ask()).value.worker}

    graph = StateGraph(State).add_node("extract", node).add_edge(START, "extract").add_edge("extract", END).compile()
    parts = [part async for part in graph.astream({}, stream_mode=["messages", "values"])]
    assert [mode for mode, _ in parts if mode == "messages"] == []
    assert parts[-1] == ("values", {"worker": "Ana"})
    assert not server.requests[0].body["stream"]
