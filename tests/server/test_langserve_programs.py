"""LangServe as LangChain programs use it: batches, events, and options in the configuration."""

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest
from support.loopback import aremote, remote, serving
from support.small_graph import TOKENS, Hang, small_graph

from articulado.values.errors import ContentFiltered, StoreUnavailable
from server.access import KeyRing
from server.app import Site, create_app
from server.guards import Guards
from server.limits import MAX_BATCH
from server.settings import ServerSettings

pytestmark = pytest.mark.integration

QUESTION = {"question": "¿Cuántos días de vacaciones?"}
OTHER = {"question": "¿Y de permiso?"}
ANSWER = "".join(TOKENS)
NO_OPTIONS = "sin contexto"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(create_app(Site(small_graph()))) as base:
        yield base


def options_of(result: dict[str, Any]) -> dict[str, Any]:
    """Return the options that the graph was run with, which it repeats as its warning."""
    [told] = result["warnings"]
    return {} if told == NO_OPTIONS else json.loads(told)


def test_a_batch_answers_each_question_in_order(url: str) -> None:
    with remote(url) as client:
        results = client.batch([QUESTION, OTHER])
    assert [result["question"] for result in results] == [QUESTION["question"], OTHER["question"]]
    assert {result["answer"] for result in results} == {ANSWER}


async def test_abatch_takes_a_configuration_for_each_question(url: str) -> None:
    async with aremote(url) as client:
        configured: Any = [{"configurable": {"as_of": "2024-01-01"}}, {"configurable": {"territory": "Madrid"}}]
        results = await client.abatch([QUESTION, OTHER], configured)
    assert [options_of(result) for result in results] == [{"as_of": "2024-01-01"}, {"territory": "Madrid"}]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"inputs": [QUESTION] * (MAX_BATCH + 1)}, "20 preguntas como mucho, y se han enviado 21"),
        ({"inputs": [QUESTION, {"question": 3}]}, "«inputs.1.question» debe ser un texto"),
        ({"inputs": [QUESTION, "vacaciones"]}, "«inputs.1» debe ser un objeto"),
        ({"inputs": [QUESTION, {"question": "a", "foo": 1}]}, "«inputs.1.foo» no es un campo conocido"),
        ({"inputs": [QUESTION, OTHER], "config": [{}]}, "1 configuraciones para 2 preguntas"),
        ({"inputs": [QUESTION, OTHER | {"context": {"rerank_strategy": "llm"}}]}, "rerank_strategy: llm"),
        ({"inputs": "vacaciones"}, "«inputs» debe ser una lista"),
        ({}, "«inputs» es obligatorio"),
    ],
)
def test_a_batch_that_cannot_be_run_is_explained(url: str, body: dict[str, Any], said: str) -> None:
    response = httpx.post(f"{url}/rag/batch", json=body)
    assert response.status_code == 422
    assert said in response.json()["detail"]


ODD = [
    {"input": QUESTION, "inputs": [QUESTION], "config": 5},
    {"input": QUESTION, "inputs": [QUESTION], "config": [1]},
    {"input": QUESTION, "inputs": [QUESTION], "config": [None]},
    {"input": QUESTION, "inputs": [QUESTION], "config": {"configurable": 5}},
    {"input": None, "inputs": [None], "config": {"configurable": {"as_of": "2024-01-01"}}},
    {"input": {"question": "a", "context": 5}, "inputs": [1], "config": {"configurable": {"as_of": "2024-01-01"}}},
    {"input": QUESTION, "inputs": [QUESTION], "kwargs": [1]},
    [1],
    5,
]


@pytest.mark.parametrize("endpoint", ["invoke", "batch", "stream", "stream_events"])
@pytest.mark.parametrize("body", ODD, ids=str)
def test_malformed_bodies_are_client_errors(url: str, endpoint: str, body: Any) -> None:
    assert httpx.post(f"{url}/rag/{endpoint}", json=body).status_code in (200, 422)


def test_an_empty_batch_has_no_results(url: str) -> None:
    assert httpx.post(f"{url}/rag/batch", json={"inputs": []}).json()["output"] == []


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (StoreUnavailable("El almacén no responde."), 503, "El almacén no responde."),
        (ContentFiltered("El filtro ha parado la respuesta."), 422, "El filtro ha parado la respuesta."),
        (ValueError("secreto"), 500, "Ha ocurrido un error inesperado"),
    ],
)
def test_a_batch_says_which_question_failed(error: Exception, status: int, said: str) -> None:
    failing = iter((None, error, None))
    with serving(create_app(Site(small_graph(fail=lambda: next(failing))))) as base:
        response = httpx.post(f"{base}/rag/batch", json={"inputs": [QUESTION, OTHER, QUESTION]})
    assert response.status_code == status
    assert response.json()["detail"].startswith("La pregunta 2 de 3 ha fallado")
    assert said in response.json()["detail"]
    assert "secreto" not in response.text


def test_a_question_of_a_batch_has_the_time_of_a_run() -> None:
    hang = Hang()
    settings = ServerSettings(conversations="memory", deadline=2.0)
    with serving(create_app(Site(small_graph(hang=hang), guards=Guards(settings)))) as base:
        response = httpx.post(f"{base}/rag/batch", json={"inputs": [QUESTION, OTHER]})
    assert response.status_code == 504
    assert response.json()["error"] == "DeadlineExceeded"
    assert "pregunta 1 de 2" in response.json()["detail"]
    assert hang.cancelled.is_set()


def test_every_question_of_a_batch_counts_as_a_run(tmp_path: Any) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    key = {"x-api-key": ring.add("nóminas", date(2026, 1, 2))}
    guards = Guards(ServerSettings(conversations="memory", per_minute=5), ring)
    with serving(create_app(Site(small_graph(), guards=guards))) as base:
        sent = [httpx.post(f"{base}/rag/batch", json={"inputs": [QUESTION] * n}, headers=key) for n in (3, 3, 1)]
    assert [response.status_code for response in sent] == [200, 429, 200]
    assert int(sent[1].headers["retry-after"]) > 0


async def test_events_are_those_of_one_chain_without_the_texts_between(url: str) -> None:
    async with aremote(url) as client:
        events = [event async for event in client.astream_events(QUESTION, {"configurable": {"territory": "Madrid"}})]
    kinds = [event["event"] for event in events]
    assert kinds == ["on_chain_start", *["on_chain_stream"] * (len(events) - 2), "on_chain_end"]
    assert len({event["run_id"] for event in events}) == 1
    chunks = [event["data"]["chunk"] for event in events[1:-1]]
    assert [chunk["type"] for chunk in chunks] == ["stage", "stage", "token", "retry", *["token"] * 3, "final"]
    assert "".join(chunk["text"] for chunk in chunks if chunk["type"] == "token") == "Quince" + ANSWER
    assert events[-1]["data"]["output"]["answer"] == ANSWER
    assert options_of(events[-1]["data"]["output"]) == {"territory": "Madrid"}


async def test_events_are_filtered_as_langchain_does(url: str) -> None:
    async with aremote(url) as client:
        assert [event async for event in client.astream_events(QUESTION, exclude_types=["chain"])] == []


async def test_a_failure_among_the_events_has_its_message() -> None:
    with serving(create_app(Site(small_graph(fail=lambda: StoreUnavailable("El almacén no responde."))))) as base:
        async with aremote(base) as client:
            with pytest.raises(httpx.HTTPStatusError, match="El almacén no responde") as raised:
                async for _ in client.astream_events(QUESTION):
                    pass
    assert raised.value.response.status_code == 503


CONFIGURED = [
    {"as_of": "2024-05-01"},
    {"territory": "Madrid"},
    {"max_chunks_in_prompt": 4},
    {"collections": ["normativa"], "as_of": "2019-12-31"},
    {"grounded_prompting": False, "rerank_strategy": "heuristic"},
]


@pytest.mark.parametrize("options", CONFIGURED, ids=str)
def test_options_in_the_configuration_reach_every_form_of_run(url: str, options: dict[str, Any]) -> None:
    config: Any = {"configurable": options}
    with remote(url) as client:
        bound = client.with_config(configurable=options)
        results = [
            client.invoke(QUESTION, config),
            bound.invoke(QUESTION),
            *client.batch([QUESTION, OTHER], config),
            *bound.batch([QUESTION]),
            list(client.stream(QUESTION, config))[-1]["result"],
            list(bound.stream(QUESTION))[-1]["result"],
        ]
    assert [options_of(result) for result in results] == [options] * 7


async def test_options_reach_the_asynchronous_forms(url: str) -> None:
    options = {"as_of": "2024-05-01"}
    async with aremote(url) as client:
        bound = client.with_config(configurable=options)
        results = [await bound.ainvoke(QUESTION), *await bound.abatch([QUESTION])]
        results.append([event async for event in bound.astream(QUESTION)][-1]["result"])
        results.append([event async for event in bound.astream_events(QUESTION)][-1]["data"]["output"])
    assert [options_of(result) for result in results] == [options] * 4


@pytest.mark.parametrize("endpoint", ["invoke", "stream", "stream_events", "batch"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"foo": 1}, "«foo» no es un campo conocido. Las que hay son: rerank_strategy"),
        ({"fecha": "2024-01-01"}, "territory"),
        ({"as_of": "ayer"}, "«as_of» debe ser una fecha AAAA-MM-DD"),
        ({"max_chunks_in_prompt": 41}, "40 como mucho"),
        ({"rerank_strategy": "llm"}, "Aquí se admite: auto"),
        ({"as_of": "2024-01-02"}, "«as_of» viene dos veces con valores distintos"),
        (["as_of"], "«configurable» debe ser un objeto"),
    ],
    ids=str,
)
def test_options_that_cannot_be_used_are_explained(url: str, endpoint: str, options: Any, said: str) -> None:
    asked = QUESTION | {"context": {"as_of": "2024-01-01"}}
    sent = {"inputs": [asked]} if endpoint == "batch" else {"input": asked}
    response = httpx.post(f"{url}/rag/{endpoint}", json=sent | {"config": {"configurable": options}})
    assert response.status_code == 422
    assert said in response.json()["detail"]


def test_the_same_value_twice_is_one(url: str) -> None:
    with remote(url) as client:
        asked = QUESTION | {"context": {"as_of": "2024-01-01", "territory": None}}
        result = client.invoke(asked, {"configurable": {"as_of": "2024-01-01", "territory": "Ceuta"}})
    assert options_of(result) == {"as_of": "2024-01-01", "territory": "Ceuta"}


def test_a_thread_in_the_configuration_is_the_conversation(url: str) -> None:
    with remote(url) as client:
        config: Any = {"configurable": {"thread_id": "una", "as_of": "2024-01-01"}}
        client.invoke(QUESTION, config)
        client.batch([OTHER], config)
        with pytest.raises(httpx.HTTPStatusError, match="«thread_id» viene dos veces"):
            client.invoke(QUESTION | {"thread_id": "otra"}, config)
    assert httpx.delete(f"{url}/conversations/una").status_code == 204
    assert httpx.delete(f"{url}/conversations/otra").status_code == 404


def test_the_thread_of_an_outer_graph_is_ignored(url: str) -> None:
    outer: Any = {"configurable": {"thread_id": "fuera", "checkpoint_ns": "ask:1", "__pregel_x": 1, "as_of": None}}
    with remote(url) as client:
        assert options_of(client.invoke(QUESTION, outer)) == {}
    assert httpx.delete(f"{url}/conversations/fuera").status_code == 404


def test_named_arguments_are_refused_instead_of_dropped(url: str) -> None:
    with remote(url) as client, pytest.raises(httpx.HTTPStatusError):
        list(client.stream(QUESTION, as_of="2024-01-01"))
    response = httpx.post(f"{url}/rag/stream", json={"input": QUESTION, "kwargs": {"as_of": "2024-01-01"}})
    assert "argumentos con nombre (as_of)" in response.json()["detail"]


async def test_a_client_that_leaves_a_batch_cancels_it() -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang)))) as base:
        async with httpx.AsyncClient() as client:
            sending = asyncio.create_task(client.post(f"{base}/rag/batch", json={"inputs": [QUESTION, OTHER]}))
            assert await asyncio.to_thread(hang.begun.wait, 60)
            sending.cancel()
        assert await asyncio.to_thread(hang.cancelled.wait, 60)
