"""OpenAI's protocol over a small law, by real HTTP: its own SDK and LangChain's are the clients."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from support.boe_law import LAW
from support.doubles import FakeStore, make_chunk
from support.loopback import serving
from support.openai_server import OpenAIServer, Reply, failure, running_server
from support.served_law import NEW, OLD, index_law, settings_of, v1_client
from support.waiting import PATIENCE
from support.wired import META, QUESTION, RULING, SEARCH, VACATION, Wired

from articulado.answering.footnotes import without_footnotes
from articulado.config.profile import load_profile
from articulado.values.chunks import Chunk
from graph.open_graphs import OpenGraphs
from server.access import KeyRing
from server.app import Site, app_over, create_app
from server.guards import Guards
from server.settings import ServerSettings

pytestmark = pytest.mark.integration

ASKED = f"¿Qué dice el artículo 1 de la {LAW}?"
NOTICE = "*Información general sobre la normativa; no es asesoramiento jurídico.*"
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat")
    index_law(folder)
    return folder


@pytest.fixture(scope="module")
def http(home: Path) -> Iterator[httpx.Client]:
    with v1_client(home) as client:
        yield client


@pytest.fixture(scope="module")
def sdk(http: httpx.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=address(http), api_key="ninguna", max_retries=0) as client:
        yield client


def address(http: httpx.Client) -> str:
    return f"{str(http.base_url).rstrip('/')}/v1"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def complete(client: openai.OpenAI, *messages: Any, **options: Any) -> Any:
    return client.chat.completions.create(model="articulado", messages=list(messages) or [user(ASKED)], **options)


def text_of(completion: Any) -> str:
    return completion.choices[0].message.content


def test_the_models_are_listed_and_shown(sdk: openai.OpenAI) -> None:
    assert [model.id for model in sdk.models.list()] == ["articulado"]
    assert sdk.models.retrieve("articulado").object == "model"


def test_an_answer_has_its_sources_as_footnotes_and_as_annotations(sdk: openai.OpenAI) -> None:
    completion = complete(sdk)
    message = completion.choices[0].message
    assert (completion.object, completion.choices[0].finish_reason, message.role) == (
        "chat.completion",
        "stop",
        "assistant",
    )
    answer, block = message.content.split("\n\n---\n\n")
    assert f"«{NEW}» [C1]" in answer
    assert block.startswith("**Fuentes**\n\n- [C1] [Ley 9/2001")
    assert block.endswith(NOTICE)
    first = message.annotations[0].url_citation
    assert message.content[first.start_index : first.end_index].strip() == "[C1]"
    assert first.url == f"https://www.boe.es/buscar/act.php?id={LAW}#b1"
    assert f"]({first.url})" in block
    assert completion.usage.total_tokens == 0


def test_sources_can_be_left_out(sdk: openai.OpenAI) -> None:
    message = complete(sdk, extra_body={"sources": False}).choices[0].message
    assert "Fuentes" not in message.content
    assert message.annotations


def test_the_whole_result_comes_if_it_is_asked_for(sdk: openai.OpenAI) -> None:
    assert not hasattr(complete(sdk), "articulado")
    result = complete(sdk, extra_body={"full_result": True}).articulado
    assert (result["outcome"], result["citations"][0]["provision_key"]) == ("answer", "art:1")
    *_, last = complete(sdk, stream=True, extra_body={"full_result": True})
    assert last.articulado["answer"] == result["answer"]


def test_a_stream_has_the_role_the_same_text_the_sources_and_the_usage(sdk: openai.OpenAI) -> None:
    whole = complete(sdk)
    chunks = list(complete(sdk, stream=True, stream_options={"include_usage": True}))
    *pieces, last, usage = chunks
    assert {chunk.id for chunk in chunks} == {chunks[0].id}
    assert pieces[0].choices[0].delta.role == "assistant"
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == text_of(whole)
    assert len(pieces) > 3
    assert [piece.choices[0].finish_reason for piece in (*pieces, last)] == [None] * len(pieces) + ["stop"]
    assert [one["url_citation"]["url"] for one in last.choices[0].delta.annotations] == [
        one.url_citation.url for one in whole.choices[0].message.annotations
    ]
    assert (usage.choices, usage.usage.total_tokens) == ([], 0)


def test_a_stream_ends_as_the_protocol_has_it(http: httpx.Client) -> None:
    body = {"model": "articulado", "messages": [user(ASKED)], "stream": True}
    lines = [line for line in http.post(PATH, json=body).text.split("\n") if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    assert all("usage" not in json.loads(line.removeprefix("data: ")) for line in lines[:-1])


def test_stages_come_as_reasoning_if_they_are_asked_for(sdk: openai.OpenAI) -> None:
    message = complete(sdk, extra_body={"stages": True}).choices[0].message
    assert message.reasoning_content.splitlines()[0] == "Leer la pregunta"
    assert message.reasoning_content.splitlines()[-1] == "Comprobar"
    streamed = [chunk.choices[0].delta for chunk in complete(sdk, stream=True, extra_body={"stages": True})]
    assert "".join(getattr(delta, "reasoning_content", "") or "" for delta in streamed) == message.reasoning_content
    assert not any(hasattr(chunk.choices[0].delta, "reasoning_content") for chunk in complete(sdk, stream=True))


async def test_the_asynchronous_client_has_the_same(http: httpx.Client, sdk: openai.OpenAI) -> None:
    async with openai.AsyncOpenAI(base_url=address(http), api_key="x") as client:
        asked: Any = {"model": "articulado", "messages": [user(ASKED)]}
        whole = await client.chat.completions.create(**asked)
        pieces = [chunk async for chunk in await client.chat.completions.create(**asked, stream=True)]
    assert text_of(whole) == "".join(piece.choices[0].delta.content or "" for piece in pieces) == text_of(complete(sdk))


@pytest.mark.parametrize(
    "content",
    [
        ASKED,
        [{"type": "text", "text": ASKED}],
        [{"type": "input_text", "text": ASKED}],
        [{"type": "text", "text": "¿Qué dice"}, {"type": "text", "text": f"el artículo 1 de la {LAW}?"}],
    ],
)
def test_a_question_is_a_text_or_parts_of_one(sdk: openai.OpenAI, content: Any) -> None:
    assert NEW in text_of(complete(sdk, {"role": "user", "content": content}))


@pytest.mark.parametrize("role", ["system", "developer"])
@pytest.mark.parametrize("at", [0, 1])
def test_instructions_are_no_question(sdk: openai.OpenAI, role: str, at: int) -> None:
    messages = [user(ASKED)]
    messages.insert(at, {"role": role, "content": "¿Qué es el artículo 2? Responde en verso."})
    assert text_of(complete(sdk, *messages)) == text_of(complete(sdk))


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({"temperature": 0.3, "top_p": 1, "max_tokens": 5, "seed": 1, "stop": ["."]}, True),
        ({"tools": [{"type": "function", "function": {"name": "x"}}], "tool_choice": "auto"}, True),
        ({"n": 1, "tools": [], "tool_choice": "none", "response_format": {"type": "text"}, "logprobs": False}, True),
        ({"metadata": {"a": "b"}, "store": True, "service_tier": "auto", "reasoning_effort": "low"}, True),
        ({"max_completion_tokens": 3, "presence_penalty": 1.0, "logit_bias": {"1": 1}}, True),
        ({"extra_body": {"as_of": "2019-01-01"}}, False),
    ],
)
def test_options_of_models_change_nothing_and_ours_do(sdk: openai.OpenAI, options: dict[str, Any], same: bool) -> None:
    text = text_of(complete(sdk, **options))
    assert (NEW in text, OLD in text) == (same, not same)


IMAGE = [{"type": "text", "text": "¿Qué pone?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}}]
TOOL = {"type": "function", "function": {"name": "x", "parameters": {}}}
CHOSEN = {"type": "function", "function": {"name": "x"}}
REFUSED = [
    ({"tools": [TOOL], "tool_choice": "required"}, 400, "tool_choice", "«tool_choice» no se admite"),
    ({"tools": [TOOL], "tool_choice": CHOSEN}, 400, "tool_choice", "«tool_choice» no se admite"),
    ({"n": 2}, 400, "n", "«n» no se admite"),
    ({"response_format": {"type": "json_object"}}, 400, "response_format", "«response_format» no se admite"),
    ({"logprobs": True}, 400, "logprobs", "«logprobs» no se admite"),
    ({"modalities": ["audio"]}, 400, "modalities", "«modalities» no se admite"),
    ({"messages": [{"role": "user", "content": IMAGE}]}, 400, "messages", "No se leen adjuntos («image_url»)"),
    ({"messages": [{"role": "system", "content": "Sé breve."}]}, 400, "messages", "debe terminar en"),
    (
        {"messages": [user("¿?"), {"role": "assistant", "content": "Sí"}]},
        400,
        "messages",
        "debe terminar en la pregunta",
    ),
    ({"messages": []}, 400, "messages", "«messages»"),
    ({"messages": [user(" ")]}, 400, None, "La pregunta está vacía"),
    ({"messages": [user("a" * 4_001)]}, 400, None, "La pregunta tiene 4001 caracteres"),
    ({"messages": [{"role": "alien", "content": "x"}]}, 400, "messages.0.role", "debe ser uno de"),
    ({"extra_body": {"territory": "Narnia"}}, 400, None, "«Narnia» no es una comunidad autónoma"),
    ({"extra_body": {"collections": ["nada"]}}, 400, None, "nada"),
    ({"extra_body": {"as_of": "ayer"}}, 400, "as_of", "debe ser una fecha AAAA-MM-DD"),
    ({"extra_body": {"idioma": "en"}}, 400, "idioma", "«idioma» no es un campo conocido"),
    ({"extra_body": {"max_chunks": 90}}, 400, None, "«max_chunks» puede ser 10 como mucho"),
    ({"extra_headers": {"X-Thread-Id": "a/b"}}, 400, None, "conversación"),
    ({"model": "gpt-4o"}, 404, "model", "El modelo «gpt-4o» no existe en este servidor. El que hay es «articulado»."),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("options", "status", "param", "told"), REFUSED)
def test_a_request_that_cannot_be_honoured_says_why(
    sdk: openai.OpenAI, options: dict[str, Any], status: int, param: str | None, told: str, stream: bool
) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        sdk.chat.completions.create(**{"model": "articulado", "messages": [user(ASKED)], "stream": stream, **options})
    body: Any = refused.value.body
    assert (refused.value.status_code, body["param"], set(body)) == (
        status,
        param,
        {"message", "type", "param", "code"},
    )
    assert told in body["message"]
    assert body["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("GET", "/v1/models/otro", None, 404, "model_not_found"),
        ("GET", PATH, None, 405, None),
        ("POST", PATH, "{", 400, None),
        ("POST", PATH, "[]", 400, None),
        ("POST", PATH, json.dumps({"a": "x" * 1_100_000}), 413, None),
    ],
)
def test_every_failure_has_the_form_of_the_protocol(
    http: httpx.Client, method: str, path: str, content: str | None, status: int, code: str | None
) -> None:
    answer = http.request(method, path, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (set(answer.json()), error["code"]) == ({"error"}, code)
    assert error["message"]


def test_other_routes_keep_their_own_failures(http: httpx.Client) -> None:
    assert set(http.post("/v1/ask", json={}).json()) == {"detail", "error"}


def test_keys_and_their_limits_are_those_of_all_routes(home: Path, tmp_path: Path) -> None:
    settings, keys = settings_of(home), tmp_path / "keys.json"
    key = KeyRing(keys).add("ana", date(2026, 1, 1))
    opened = OpenGraphs(settings, load_profile(settings.profile))
    with serving(app_over(opened, ServerSettings(keys=keys, per_minute=1, conversations="memory"))) as url:
        with openai.OpenAI(base_url=f"{url}/v1", api_key="mala", max_retries=0) as stranger:
            with pytest.raises(openai.AuthenticationError, match="Hace falta una clave") as unknown:
                complete(stranger)
            with pytest.raises(openai.AuthenticationError):
                stranger.models.list()
        with openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0) as known:
            assert NEW in text_of(complete(known))
            with pytest.raises(openai.RateLimitError) as limited:
                complete(known)
    assert unknown.value.code == "invalid_api_key"
    assert (limited.value.code, int(limited.value.response.headers["retry-after"]) > 0) == ("rate_limit_exceeded", True)


def kept(http: httpx.Client, thread: str) -> dict[str, Any]:
    return http.get(f"/conversations/{thread}").json()


NEXT = "¿y cuántos días son?"


@pytest.mark.parametrize(
    ("options", "thread"),
    [
        ({"user": "ana-1"}, "ana-1"),
        ({"extra_headers": {"X-Thread-Id": "ana-2"}}, "ana-2"),
        ({"user": "otra", "extra_headers": {"X-Thread-Id": "ana-3"}}, "ana-3"),
        ({"user": "ana@example.org"}, "user-"),
    ],
)
def test_a_thread_goes_on_by_its_name(
    http: httpx.Client, sdk: openai.OpenAI, options: dict[str, Any], thread: str
) -> None:
    raw = sdk.chat.completions.with_raw_response.create(model="articulado", messages=[user(ASKED)], **options)  # type: ignore[list-item]
    name = raw.headers["x-thread-id"]
    assert name.startswith(thread)
    complete(sdk, user(NEXT), **options)
    messages = kept(http, name)["messages"]
    assert [message["content"] for message in messages if message["role"] == "user"] == [ASKED, NEXT]


def test_a_history_beside_a_thread_is_not_kept_twice(http: httpx.Client, sdk: openai.OpenAI) -> None:
    options: Any = {"extra_headers": {"X-Thread-Id": "doble"}}
    history = [user(ASKED)]
    for _ in range(2):
        history += [{"role": "assistant", "content": text_of(complete(sdk, *history, **options))}, user(NEXT)]
    complete(sdk, *history, **options)
    read = kept(http, "doble")
    assert [message["role"] for message in read["messages"]] == ["user", "assistant"] * 3
    assert not any("Fuentes" in message["content"] for message in read["messages"])
    assert len(read["turns"]) == 3


def test_an_edited_history_is_the_one_that_counts(http: httpx.Client, sdk: openai.OpenAI) -> None:
    options: Any = {"extra_headers": {"X-Thread-Id": "editada"}}
    complete(sdk, user("¿Y la dieta?"), **options)
    complete(sdk, user(ASKED), {"role": "assistant", "content": NEW}, user(NEXT), **options)
    messages = kept(http, "editada")["messages"]
    assert [message["content"] for message in messages][:3] == [ASKED, NEW, NEXT]


def test_without_a_name_nothing_is_kept(http: httpx.Client, sdk: openai.OpenAI) -> None:
    raw = sdk.chat.completions.with_raw_response.create(model="articulado", messages=[user(ASKED)])  # type: ignore[list-item]
    assert "x-thread-id" not in raw.headers


def test_a_choice_is_taken_by_its_number_from_the_history(home: Path) -> None:
    with v1_client(home, is_unsure=True) as http:
        body = {"model": "articulado", "messages": [user("permiso por boda en la empresa")]}
        near = http.post(PATH, json=body).json()["choices"][0]
        assert (near["finish_reason"], "1. Permisos" in near["message"]["content"]) == ("stop", True)
        body["messages"] += [{"role": "assistant", "content": near["message"]["content"]}, user("la primera")]
        taken = http.post(PATH, json=body | {"full_result": True}).json()
    assert taken["articulado"]["outcome"] == "answer"
    assert NEW in taken["choices"][0]["message"]["content"]


CHAT_HISTORY = "### Chat History:\n<chat_history>\nUSER: ¿Cuánto dura?\nASSISTANT: 20 días.\n</chat_history>"


@pytest.mark.parametrize(
    ("order", "answered"),
    [
        (
            f'### Task:\nA title.\nJSON format: {{ "title": "yours" }}\n{CHAT_HISTORY}',
            {"title": "¿Cuánto dura?"},
        ),
        (f'### Task:\nTags.\nJSON format: {{ "tags": ["tag1", "tag2"] }}\n{CHAT_HISTORY}', {"tags": []}),
        (f'### Task:\nSuggest.\nJSON: {{ "follow_ups": ["Q 1?", "Q 2?"] }}\n{CHAT_HISTORY}', {"follow_ups": []}),
        (f'### Task:\nQueries.\n```json\n{{\n  "queries": ["a"]\n}}\n```\n{CHAT_HISTORY}', {"queries": []}),
        (f'### Task:\nComplete.\n{{ "text": "x" }}\n{CHAT_HISTORY}', {"text": ""}),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_an_order_of_a_chat_program_is_no_question(
    http: httpx.Client, order: str, answered: dict[str, Any], stream: bool
) -> None:
    body = {"model": "articulado", "messages": [user(order)], "user": "titulada", "stream": stream}
    answer = http.post(PATH, json=body)
    if stream:
        pieces = [json.loads(line[6:]) for line in answer.text.split("\n") if line.startswith("data: {")]
        content = "".join(piece["choices"][0]["delta"].get("content", "") for piece in pieces)
    else:
        content = answer.json()["choices"][0]["message"]["content"]
    assert json.loads(content) == answered
    assert http.get("/conversations/titulada").status_code == 404


@pytest.mark.parametrize(
    "prompt",
    [
        f"### Task:\nUse the context.\n<context>\nSon 3 días.\n</context>\n\n<user_query>\n{ASKED}\n</user_query>",
        f"### Task:\nUse the context.\n<context>\nEl permiso es de 3 días.\n</context>\n\n{ASKED}",
        f"### Task: x\n<context>{'z' * 9_000}</context>\n{ASKED}",
    ],
)
def test_a_question_within_a_prompt_is_asked_and_its_context_told_as_unread(sdk: openai.OpenAI, prompt: str) -> None:
    text = text_of(complete(sdk, user(prompt)))
    assert NEW in text
    assert "> Aviso: El texto de documentos que su programa ha añadido a la pregunta no se ha leído" in text


@pytest.fixture
def models() -> Iterator[OpenAIServer]:
    with running_server() as server:
        yield server


@contextmanager
def over(models: OpenAIServer, *chunks: Chunk, deadline: float = PATIENCE) -> Iterator[openai.OpenAI]:
    """Serve a graph with all of its models, and yield a client of it."""
    store = FakeStore([VACATION, RULING, *chunks], {key: [(38, 1.0), (90, 0.9)] for key in (SEARCH, QUESTION)})
    rig = Wired(models, store)
    guards = Guards(ServerSettings(conversations="memory", deadline=deadline))
    site = Site(rig.graph, guards=guards, close=rig.close)
    with (
        serving(create_app(site)) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0, timeout=PATIENCE) as client,
    ):
        yield client


def test_a_text_that_is_superseded_is_never_sent(models: OpenAIServer) -> None:
    with over(models, make_chunk(49, "Artículo 49")) as client:
        models.script("principal", f"Falta el preaviso [C1].{META}\nNEED|artículo 49|ET", f"Son 15 días [C2].{META}")
        chunks = list(complete(client, user(QUESTION), stream=True, extra_body={"full_result": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert chunks[-1].articulado["retried"]
    assert "Son 15 días" in text
    assert "Falta" not in text


@pytest.mark.parametrize("stream", [False, True])
def test_a_deadline_is_reported_in_the_form_of_the_protocol(models: OpenAIServer, stream: bool) -> None:
    with over(models, deadline=1) as client:
        models.answer("principal", lambda request: Reply("Son 30 días [C1]. ", held=True))
        with pytest.raises(openai.APIError, match="ha tardado más de 1 segundos"):
            list(complete(client, user(QUESTION), stream=stream))


LISTED = "Son:\n- 30 días [C1]\n- o más\nSe pactan [C1].\n1. Uno\nDos\n```\n- x\ny\n```"
SPACED = "Son:\n- 30 días [C1]\n- o más\n\nSe pactan [C1].\n1. Uno\n\nDos"


def test_a_line_after_a_list_begins_a_paragraph(models: OpenAIServer) -> None:
    with over(models) as client:
        models.answer("principal", lambda request: LISTED + META)
        choice = complete(client, user(QUESTION), extra_body={"sources": False}).choices[0]
    assert choice.message.content.startswith(SPACED)
    for one in choice.message.annotations:
        assert choice.message.content[one.url_citation.start_index : one.url_citation.end_index].strip() == "[C1]"


def test_a_cut_answer_finishes_with_length(models: OpenAIServer) -> None:
    with over(models) as client:
        models.answer("principal", lambda request: Reply("Son 30 días [C1]. Y además", finish_reason="length"))
        completion = complete(client, user(QUESTION))
        *_, last = complete(client, user(QUESTION), stream=True)
    assert (completion.choices[0].finish_reason, last.choices[0].finish_reason) == ("length", "length")
    usage = completion.usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0


def test_a_model_that_fails_within_a_stream_is_told_in_the_stream(models: OpenAIServer) -> None:
    with over(models) as client:
        models.answer("principal", lambda request: failure(401))
        with pytest.raises(openai.APIError) as streamed:
            list(complete(client, user(QUESTION), stream=True))
        with pytest.raises(openai.InternalServerError) as whole:
            complete(client, user(QUESTION))
    assert streamed.value.message == whole.value.body["message"]  # type: ignore[index]


@pytest.fixture
def chat(http: httpx.Client) -> ChatOpenAI:
    return ChatOpenAI(base_url=address(http), api_key="x", model="articulado")  # type: ignore[arg-type]


def test_langchain_invokes_and_streams(chat: ChatOpenAI) -> None:
    answer = chat.invoke(ASKED)
    assert NEW in answer.text
    assert answer.response_metadata["finish_reason"] == "stop"
    assert "".join(piece.text for piece in chat.stream(ASKED)) == answer.text


async def test_langchain_goes_on_with_a_history(chat: ChatOpenAI) -> None:
    first = await chat.ainvoke([SystemMessage("Sé breve."), HumanMessage(ASKED)])
    said: Any
    for said in (first.content, [{"type": "text", "text": first.text}]):
        second = await chat.ainvoke([HumanMessage(ASKED), AIMessage(said), HumanMessage("explícamelo mejor")])
        assert NEW in without_footnotes(second.text)


def test_a_program_without_threads_continues_by_the_text_of_the_answer(sdk: openai.OpenAI) -> None:
    history = [user(ASKED), {"role": "assistant", "content": text_of(complete(sdk))}, user("explícamelo mejor")]
    assert NEW in text_of(complete(sdk, *history))
    history[1] = {"role": "assistant", "content": "Otra respuesta."}
    assert NEW not in text_of(complete(sdk, *history))
