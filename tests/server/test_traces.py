"""Traces of a server, as a collector on loopback gets them when the server has shut down."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from support.collector import Collector, attributes_of, collecting
from support.doubles import FakeStore, QueueChat, make_chunk, make_services
from support.loopback import serving
from support.paths import REPOSITORY
from support.small_graph import Hang, small_graph
from support.waiting import PATIENCE

from articulado.values.errors import ConfigurationError
from graph.rag import build_rag
from server.access import KeyRing
from server.app import Site, create_app, serve
from server.guards import Guards
from server.operations.traces import FLUSH, Traces

pytestmark = pytest.mark.integration

ENDPOINT, TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
QUESTION, LAW, REPLY = "¿Cuántos días de vacaciones tiene Berenguela?", "Texto altramuz, y son 30 días.", "Berenjenal"
TEXTS = ("vacaciones", "Berenguela", "altramuz", REPLY)
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
ANSWER = f"{REPLY} [C1].\n===META===\nUSED|1\nDROP|ninguno"
EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that the environment names, to FastAPI as well, whose own telemetry must stay off."""
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    with collecting() as collector:
        monkeypatch.setenv(ENDPOINT, collector.url)
        yield collector


def patient() -> Traces:
    return Traces.read(flush_seconds=PATIENCE)


def rag_app(reply: str | Exception = ANSWER, ring: KeyRing | None = None) -> FastAPI:
    found = {"vacaciones anuales": [(38, 1.0)]}
    store = FakeStore([make_chunk(38, "Artículo 38", text=LAW)], found)
    services = make_services(store, QueueChat('["vacaciones anuales"]'), QueueChat(reply))
    return create_app(Site(build_rag(services), guards=Guards(ring=ring, traces=patient())))


def ask(url: str, path: str = "/rag/invoke", **headers: str) -> httpx.Response:
    return httpx.post(url + path, json={"input": {"question": QUESTION}}, headers=headers, timeout=PATIENCE)


def servers_and_stages(collector: Collector) -> tuple[list[Span], list[Span]]:
    servers = [span for span in collector.spans if span.kind == Span.SPAN_KIND_SERVER]
    return servers, [span for span in collector.spans if span.kind != Span.SPAN_KIND_SERVER]


def check_no_text(collector: Collector, *more: str) -> None:
    sent = b"".join(collector.bodies)
    assert sent
    assert [text for text in (*TEXTS, *more) if text.encode() in sent] == []


@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
def test_a_request_is_a_span_and_its_stages_are_children(collector: Collector, tmp_path: Path, endpoint: str) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    key = ring.add("nóminas", date(2026, 1, 1))
    headers = {"x-api-key": key, "x-request-id": "una-1", "traceparent": f"00-{TRACE}-{PARENT}-01"}
    with serving(rag_app(ring=ring)) as url:
        answer = ask(url, f"/rag/{endpoint}?question=vacaciones", **headers)
    assert REPLY in answer.text
    (request,), stages = servers_and_stages(collector)
    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
    assert request.name == f"POST /rag/{endpoint}"
    assert attributes_of(request) == {
        "http.request.method": "POST",
        "http.route": f"/rag/{endpoint}",
        "http.response.status_code": 200,
        "articulado.request_id": "una-1",
        "articulado.caller": "nóminas",
        "articulado.outcome": "answer",
    }
    assert {stage.name for stage in stages} >= {"analyze_question", "decompose", "answer", "verify", "finalize"}
    for stage in stages:
        assert (stage.trace_id, stage.parent_span_id) == (request.trace_id, request.span_id)
        assert request.start_time_unix_nano <= stage.start_time_unix_nano
        assert stage.end_time_unix_nano <= request.end_time_unix_nano
    told = {stage.name: attributes_of(stage) for stage in stages}
    # The queue says of each reply: one request, ten tokens in, three out.
    for stage, calls in {"decompose": 1, "answer": 1, "verify": 0}.items():
        assert told[stage] == {
            "articulado.stage": stage,
            "articulado.model_calls": calls,
            "gen_ai.usage.input_tokens": 10 * calls,
            "gen_ai.usage.output_tokens": 3 * calls,
        }
    assert collector.service_names() == {"articulado"}
    assert set(collector.paths) == {"/v1/traces"}
    check_no_text(collector, key)


@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
def test_an_error_is_its_class_and_not_its_message(collector: Collector, endpoint: str) -> None:
    error = RuntimeError(f"no hay respuesta a {QUESTION}")
    with serving(rag_app(error)) as url:
        ask(url, f"/rag/{endpoint}")
    (request,), stages = servers_and_stages(collector)
    failed = [stage for stage in stages if stage.status.code == Status.STATUS_CODE_ERROR]
    assert {(stage.name, attributes_of(stage)["error.type"]) for stage in failed} == {("answer", "RuntimeError")}
    if endpoint == "invoke":
        assert request.status.code == Status.STATUS_CODE_ERROR
        assert attributes_of(request)["http.response.status_code"] == 500
    assert not any(span.events or span.status.message for span in collector.spans)
    check_no_text(collector)


def test_an_unknown_path_leaves_no_text_in_a_span(collector: Collector) -> None:
    with serving(rag_app()) as url:
        for method, path in (("GET", "/vacaciones?q=Berenguela"), ("GET", "/conversations/Berenguela")):
            httpx.request(
                method, url + path, headers={"user-agent": "altramuz", "x-request-id": "¿vacaciones?".encode()}
            )
    requests, stages = servers_and_stages(collector)
    assert [request.name for request in requests][:2] == ["GET", "GET /conversations/{thread_id}"]
    assert stages == []
    check_no_text(collector)


async def test_an_unknown_method_leaves_no_text_in_a_span(collector: Collector) -> None:
    app = rag_app()
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        await client.request("BERENGUELA", "/rag")
    assert [span.name for span in collector.spans] == ["_OTHER"]
    check_no_text(collector, "BERENGUELA")


def test_requests_are_traces_of_their_own_and_the_sampler_is_the_callers(collector: Collector) -> None:
    with serving(rag_app()) as url:
        ask(url)
        ask(url, traceparent=f"00-{TRACE}-{PARENT}-00")
        ask(url)
    requests, stages = servers_and_stages(collector)
    assert len(requests) == 2
    assert not any(request.parent_span_id for request in requests)
    names = [sorted(stage.name for stage in stages if stage.parent_span_id == request.span_id) for request in requests]
    assert names[0] == names[1] != []


def test_the_names_are_those_of_the_standard_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv(TRACES_ENDPOINT, f"{collector.url}/mis/trazas")
        monkeypatch.setenv("OTEL_SERVICE_NAME", "bot")
        with serving(rag_app()) as url:
            httpx.get(f"{url}/healthz")
        assert (collector.service_names(), collector.paths) == ({"bot"}, ["/mis/trazas"])
        monkeypatch.delenv("OTEL_SERVICE_NAME")
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=otro")
        with serving(rag_app()) as url:
            httpx.get(f"{url}/healthz")
        assert collector.service_names() == {"bot", "otro"}


def test_a_client_that_leaves_is_told(collector: Collector) -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang), guards=Guards(traces=patient())))) as url:
        with httpx.stream("POST", f"{url}/rag/stream", json={"input": {"question": QUESTION}}) as answer:
            # The run hangs once it has written this.
            assert any("Quince" in line for line in answer.iter_lines())
        assert hang.cancelled.wait(PATIENCE)
    (request,), _ = servers_and_stages(collector)
    assert attributes_of(request)["http.route"] == "/rag/stream"


def test_a_collector_that_does_not_answer_does_not_hold_the_server_up(collector: Collector) -> None:
    collector.answers.clear()
    try:
        with serving(create_app(Site(small_graph(), guards=Guards(traces=Traces.read(flush_seconds=0.01))))) as url:
            assert httpx.get(f"{url}/healthz").status_code == 200
        (flush,) = (thread for thread in threading.enumerate() if thread.name == FLUSH)
    finally:
        collector.answers.set()
    flush.join()
    assert [span.name for span in collector.spans] == ["GET /healthz"]


@pytest.mark.parametrize("off", [{"OTEL_SDK_DISABLED": "True"}, {"OTEL_TRACES_EXPORTER": "none"}, {ENDPOINT: ""}])
def test_without_a_destination_no_span_is_sent(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, off: dict[str, str]
) -> None:
    for name, value in off.items():
        monkeypatch.setenv(name, value)
    with serving(rag_app()) as url:
        assert ask(url).status_code == 200
    assert collector.bodies == []


def test_without_the_variables_nothing_of_it_is_imported() -> None:
    script = """
import asyncio, sys, httpx
from support.small_graph import small_graph
from server.app import Site, create_app

async def ask():
    app = create_app(Site(small_graph()))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.post("/rag/invoke", json={"input": {"question": "¿Y?"}})
    assert answer.status_code == 200, answer.text
    # The API comes with FastAPI, and LangSmith's client imports the SDK where there is one.
    print([name for name in sys.modules if name.startswith(("opentelemetry.exporter", "opentelemetry.proto"))])

asyncio.run(ask())
"""
    paths = f"{REPOSITORY}:{REPOSITORY / 'tests'}"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={"PYTHONPATH": paths}, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "[]\n"), ran.stderr


def test_a_missing_package_is_said_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, EXPORTER, None)
    with pytest.raises(ConfigurationError, match=r"pip install 'articulado\[otel\]'"):
        serve(lambda: pytest.fail("opened too early"), port=1)
    with pytest.raises(ConfigurationError, match=r"articulado\[otel\]"):
        create_app(Site(small_graph()))
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert create_app(Site(small_graph()))


@pytest.mark.parametrize(
    ("environment", "destination"),
    [
        ({}, ""),
        ({ENDPOINT: "  "}, ""),
        ({ENDPOINT: "http://c:4318"}, "http://c:4318"),
        ({ENDPOINT: "http://c:4318", TRACES_ENDPOINT: "https://u:secreta@d/v1?clave=secreta"}, "https://d"),
        ({ENDPOINT: "http://c:4318", "OTEL_SDK_DISABLED": " TRUE "}, ""),
        ({ENDPOINT: "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, ""),
        ({ENDPOINT: "http://c:4318", "OTEL_SDK_DISABLED": "false", "OTEL_TRACES_EXPORTER": "otlp"}, "http://c:4318"),
    ],
)
def test_the_environment_says_where_traces_go(environment: dict[str, Any], destination: str) -> None:
    assert Traces.read(environment).destination == destination


def test_another_protocol_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="http/protobuf, y no por grpc"):
        Traces.read({ENDPOINT: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
