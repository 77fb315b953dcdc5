from collections.abc import Iterator

import httpx
import pytest
from support.loopback import aremote, remote, serving
from support.small_graph import TOKENS, USAGE, Hang, small_graph
from support.waiting import PATIENCE

from articulado.values.errors import (
    ArticuladoError,
    ConfigurationError,
    ContentFiltered,
    IndexMissing,
    ModelRateLimited,
    StoreUnavailable,
)
from server.app import Site, create_app
from server.guards import MAX_BODY_BYTES

pytestmark = pytest.mark.integration

JSON = {"content-type": "application/json"}
QUESTION = {"question": "¿Cuántos días de vacaciones?"}
ANSWER = "".join(TOKENS)
RESULT = {
    "question": QUESTION["question"],
    "queries": [QUESTION["question"]],
    "answer": ANSWER,
    "language": "",
    "choices": [],
    "calculations": [],
    "guides": [],
    "suggestions": [],
    "outcome": "answer",
    "relevance": None,
    "citations": [],
    "used_chunk_ids": [],
    "dropped_chunk_ids": [],
    "context_chunk_ids": [7],
    "needs": [],
    "retried": False,
    "abstained": False,
    "unpinned": False,
    "cut": False,
    "verdicts": [],
    "unread": [],
    "provisions": [],
    "findings": [],
    "checked": [],
    "remissions": [],
    "precedence": [],
    "freshness": None,
    "certificate": None,
    "warnings": ["sin contexto"],
    "usage": USAGE,
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(create_app(Site(small_graph()))) as base:
        yield base


def test_invoke_gives_the_output_of_the_graph(url: str) -> None:
    with remote(url) as client:
        assert client.invoke(QUESTION) == RESULT


async def test_ainvoke_carries_ids_and_history(url: str) -> None:
    sent = QUESTION | {"previous_chunk_ids": [3], "history": [{"role": "user", "content": "Hola"}]}
    async with aremote(url) as client:
        assert (await client.ainvoke(sent))["context_chunk_ids"] == [3, 7]


def test_the_options_of_the_run_reach_the_graph(url: str) -> None:
    sent = QUESTION | {"context": {"as_of": "2024-05-01", "max_chunks_in_prompt": 4}}
    with remote(url) as client:
        assert client.invoke(sent)["warnings"] == ['{"max_chunks_in_prompt":4,"as_of":"2024-05-01"}']


def check_stream(events: list[dict[str, object]]) -> None:
    assert [event["type"] for event in events] == ["stage", "stage", "token", "retry", *["token"] * 3, "final"]
    assert events[3] == {"type": "retry", "reason": "Se rehace."}
    assert "".join(str(event["text"]) for event in events[4:7]) == ANSWER
    assert events[-1]["result"] == RESULT


def test_stream_gives_the_typed_events(url: str) -> None:
    with remote(url) as client:
        check_stream(list(client.stream(QUESTION)))


async def test_astream_gives_the_typed_events(url: str) -> None:
    async with aremote(url) as client:
        check_stream([event async for event in client.astream(QUESTION)])


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"input": {"question": "  "}}, "La pregunta está vacía."),
        ({"input": {}}, "«question» es obligatorio"),
        ({}, "«input» es obligatorio"),
        ({"input": {"question": 5}}, "«question» debe ser un texto"),
        ({"input": {"question": "a", "previous_chunks": [1]}}, "«previous_chunks» no es un campo conocido"),
        ({"input": {"question": "a", "previous_chunk_ids": ["x"]}}, "«previous_chunk_ids.0» debe ser un número entero"),
        (
            {"input": {"question": "a", "history": [{"role": "system", "content": ""}]}},
            "«history.0.role» debe ser uno de: 'user' o 'assistant'",
        ),
        (
            {"input": {"question": "a", "context": {"max_chunks_in_prompt": 0}}},
            "«context.max_chunks_in_prompt» debe ser 1 o más",
        ),
        ({"input": {"question": "a", "context": {"as_of": "ayer"}}}, "debe ser una fecha AAAA-MM-DD"),
    ],
)
def test_invalid_requests_are_explained(url: str, sent: dict[str, object], said: str) -> None:
    response = httpx.post(f"{url}/rag/invoke", json=sent)
    assert response.status_code == 422
    assert response.json()["error"] == "InvalidInput"
    assert said in response.json()["detail"]


@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "el cuerpo no es JSON"),
        (b"", "el cuerpo no es JSON"),
        (b'{"input": {"question": "a\xff"}}', "el cuerpo no es JSON"),
        (b'{"input": {"question": "\\ud83d"}}', "caracteres incompletos"),
        (b'{"input": ' + b"[" * 50 + b"]" * 50 + b"}", "más de 50 niveles"),
        (b'{"input": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "más de 50 niveles"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(url: str, endpoint: str, body: bytes, said: str) -> None:
    response = httpx.post(f"{url}/rag/{endpoint}", content=body, headers=JSON)
    assert response.status_code == 422
    assert said in response.json()["detail"]


def test_fifty_levels_are_read(url: str) -> None:
    body = b'{"input": ' + b"[" * 49 + b"]" * 49 + b"}"
    assert "niveles" not in httpx.post(f"{url}/rag/invoke", content=body, headers=JSON).json()["detail"]


def test_a_graph_alone_has_no_cases_beside_it(url: str) -> None:
    assert httpx.post(f"{url}/required_data/invoke", json={"input": {"inquiry": "a"}}).status_code == 404


def test_a_blank_question_ends_the_stream_with_its_message(url: str) -> None:
    with remote(url) as client:
        events = client.stream({"question": " "})
        assert next(events) == {"type": "stage", "stage": "analyze"}
        with pytest.raises(httpx.HTTPStatusError, match="La pregunta está vacía") as raised:
            next(events)
    assert raised.value.response.status_code == 422


FAILURES = [
    (StoreUnavailable("El almacén no responde."), 503),
    (ModelRateLimited("El proveedor pide esperar."), 503),
    (ContentFiltered("El filtro del proveedor ha parado la respuesta."), 422),
    (ConfigurationError("Falta la clave."), 500),
    (IndexMissing("No hay índice."), 500),
    (ValueError("secreto"), 500),
]


@pytest.mark.parametrize(("error", "status"), FAILURES, ids=lambda value: type(value).__name__)
def test_failures_have_a_status_and_a_message(error: Exception, status: int) -> None:
    with serving(create_app(Site(small_graph(fail=lambda: error)))) as base, remote(base) as client:
        response = httpx.post(f"{base}/rag/invoke", json={"input": QUESTION})
        with pytest.raises(httpx.HTTPStatusError) as raised:
            list(client.stream(QUESTION))
    known = isinstance(error, ArticuladoError)
    detail = str(error) if known else "Ha ocurrido un error inesperado"
    assert response.status_code == raised.value.response.status_code == status
    assert response.json()["error"] == (type(error).__name__ if known else "InternalError")
    assert detail in response.json()["detail"]
    assert detail in str(raised.value)
    assert "secreto" not in response.text + str(raised.value)
    assert "Traceback" not in response.text


def test_a_client_that_leaves_cancels_the_run() -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang)))) as base:
        with httpx.stream("POST", f"{base}/rag/stream", json={"input": QUESTION}) as response:
            assert any("Quince" in line for line in response.iter_lines())
        assert hang.cancelled.wait(timeout=PATIENCE)


def body_of(size: int) -> bytes:
    start, end = b'{"input": {"question": "a", "history": [{"role": "user", "content": "', b'"}]}}'
    return start + b"x" * (size - len(start) - len(end)) + end


def test_the_largest_body_is_read(url: str) -> None:
    assert httpx.post(f"{url}/rag/invoke", content=body_of(MAX_BODY_BYTES), headers=JSON).status_code == 200


@pytest.mark.parametrize("declared", [True, False])
def test_a_larger_body_is_refused(url: str, declared: bool) -> None:
    body = body_of(MAX_BODY_BYTES + 1)
    response = httpx.post(
        f"{url}/rag/invoke", content=body if declared else iter([body[:40_000], body[40_000:]]), headers=JSON
    )
    assert response.status_code == 413
    assert response.json()["detail"].startswith("La petición es demasiado grande: el máximo son 65536 bytes.")


def test_health(url: str) -> None:
    assert httpx.get(f"{url}/health").json() == {"status": "ok"}


def test_the_schemas_are_published(url: str) -> None:
    accepted = httpx.get(f"{url}/rag/input_schema").json()
    assert set(accepted["$defs"]["ServedRagInput"]["properties"]) == {
        "question",
        "history",
        "previous_chunk_ids",
        "context",
        "thread_id",
        "keep_turns",
    }
    assert "context_chunk_ids" in httpx.get(f"{url}/rag/output_schema").json()["$defs"]["RagOutput"]["properties"]
    assert {"/rag/invoke", "/rag/stream", "/health"} <= set(httpx.get(f"{url}/openapi.json").json()["paths"])


@pytest.mark.parametrize(
    ("closed", "instead"),
    [
        ("stream_log", "stream_events"),
        ("playground/", "--playground"),
        ("config_schema", "config.configurable"),
        ("c/x/invoke", "/rag/invoke"),
        ("feedback", "/v1/feedback"),
        ("token_feedback", "/v1/feedback"),
    ],
)
def test_closed_endpoints_name_a_replacement(url: str, closed: str, instead: str) -> None:
    for answered in (httpx.get(f"{url}/rag/{closed}"), httpx.post(f"{url}/rag/{closed}", json={"input": QUESTION})):
        assert answered.status_code == 404
        assert "está cerrado en este servidor" in answered.json()["detail"]
        assert instead in answered.json()["detail"]


def test_an_unknown_path_is_not_called_closed(url: str) -> None:
    assert httpx.get(f"{url}/rag/nothing").json()["detail"].startswith("Esa dirección no existe")


@pytest.mark.filterwarnings("ignore:astream_log is deprecated")
def test_playground_and_stream_log_come_together() -> None:
    with serving(create_app(Site(small_graph(), playground=True))) as base:
        page = httpx.get(f"{base}/rag/playground/")
        log = httpx.post(f"{base}/rag/stream_log", json={"input": QUESTION})
    assert "previous_chunk_ids" in page.text
    assert "naturales [C1]." in log.text
    assert "event: error" not in log.text
