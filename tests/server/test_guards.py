"""What stands around every route: who may call, how much is taken on, what is told of it. A real server each time."""

import asyncio
import json
import logging
import socket
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from support.loopback import serving
from support.small_graph import Hang, small_graph
from support.waiting import PATIENCE

from articulado.config.settings import Settings
from articulado.values.errors import ConfigurationError
from server.access import KeyRing
from server.app import Site, create_app, serve
from server.conversations.store import MEMORY
from server.guards import Guards, Policy
from server.limits import Busy, Room, begins_run, is_run
from server.settings import WAITING_FOR_MODELS, WORKING, ServerSettings

pytestmark = pytest.mark.integration

ASKED = {"input": {"question": "¿Cuántos días de vacaciones?"}}


def ask(url: str, sent: dict[str, Any] = ASKED, path: str = "/rag/invoke", **headers: str) -> httpx.Response:
    return httpx.post(url + path, json=sent, headers=headers, timeout=PATIENCE)


def limits(**chosen: Any) -> ServerSettings:
    """Return settings of a server that keeps conversations in memory."""
    return ServerSettings(conversations=MEMORY, **chosen)


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def open_url() -> Iterator[str]:
    with serving(create_app(Site(small_graph()))) as url:
        yield url


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "keys.json")


# Who may call.


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"host": "evil.example"}, 403, "«evil.example»"),
        ({"host": "127.0.0.1.evil.example:80"}, 403, "evil.example"),
        ({"origin": "https://evil.example"}, 403, "La página https://evil.example no puede"),
        ({"origin": "null"}, 403, "no puede usar este servidor"),
        ({"content-type": "text/plain"}, 415, "Content-Type: application/json"),
        ({"content-type": "application/x-www-form-urlencoded"}, 415, "debe ser JSON"),
    ],
)
def test_a_web_page_cannot_call(open_url: str, headers: dict[str, str], status: int, said: str) -> None:
    answer = httpx.post(
        f"{open_url}/rag/invoke", content=json.dumps(ASKED), headers={"content-type": "application/json"} | headers
    )
    assert answer.status_code == status
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:80", "LOCALHOST"])
def test_the_names_of_this_machine_are_served(open_url: str, host: str) -> None:
    assert ask(open_url, host=host, origin=f"http://{host}").status_code == 200


def test_pages_and_names_that_the_operator_allows_may_call(tmp_path: Path) -> None:
    settings = limits(hosts=("bot.example",), origins=("https://web.example",))
    guards = Guards.of(settings, Settings.read(env_file=None, home=tmp_path))
    with serving(create_app(Site(small_graph(), guards=guards))) as url:
        assert ask(url, host="bot.example", origin="https://web.example").status_code == 200
        assert ask(url, host="bot.example", origin="https://other.example").status_code == 403


@pytest.mark.parametrize("origin", ["https://web.example", "http://localhost:3000"])
def test_a_browser_lets_a_page_that_is_allowed_call(tmp_path: Path, origin: str) -> None:
    guards = Guards.of(limits(origins=(f"{origin}/",)), Settings.read(env_file=None, home=tmp_path))
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,x-api-key"}
    with serving(create_app(Site(small_graph(), guards=guards))) as url:
        allowed = httpx.options(f"{url}/rag/invoke", headers={"origin": origin, **asks})
        answer = ask(url, origin=origin)
        other = httpx.options(f"{url}/rag/invoke", headers={"origin": "https://other.example", **asks})
    assert (allowed.status_code, other.status_code) == (200, 403)
    assert allowed.headers["access-control-allow-headers"] == "content-type,x-api-key"
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)


def test_a_server_with_keys_serves_only_their_holders(ring: KeyRing) -> None:
    key = ring.add("web", date(2026, 1, 1))
    with serving(create_app(Site(small_graph(), guards=Guards(ring=ring)))) as url:
        refused = ask(url)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert "articulado keys add" in refused.json()["detail"]
        assert ask(url, **bearer("art_otra")).status_code == 401
        assert ask(url, **bearer(key)).status_code == 200
        assert ask(url, **{"x-api-key": key}).status_code == 200
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/health", 200), ("/metrics", 200), ("/docs", 401)):
            assert httpx.get(url + path).status_code == status
        ring.revoke("web")
        ring.add("otra", date(2026, 1, 1))
        assert ask(url, **bearer(key)).status_code == 401


def test_a_public_address_takes_keys(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cree antes una clave de acceso"):
        serve(lambda: pytest.fail("opened too early"), "0.0.0.0", keys=tmp_path / "keys.json")


async def test_without_keys_another_machine_is_refused() -> None:
    app = create_app(Site(small_graph()))
    transport = httpx.ASGITransport(app=app, client=("192.0.2.7", 1234))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/rag/invoke", json=ASKED)
    assert answer.status_code == 403
    assert "solo atiende a su propia máquina" in answer.json()["detail"]


# What a caller may ask.


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"max_chunks_in_prompt": 100}, "puede ser 40 como mucho"),
        ({"rerank_strategy": "cross_encoder"}, "solo lo puede elegir quien lleva el servidor"),
        ({"rerank_strategy": "llm"}, "auto, heuristic, learnt, none"),
    ],
)
@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
def test_the_operators_choices_are_refused(open_url: str, context: dict[str, Any], said: str, endpoint: str) -> None:
    answer = ask(open_url, {"input": ASKED["input"] | {"context": context}}, f"/rag/{endpoint}")
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_the_operator_allows_his_own_choice() -> None:
    policy = Policy(max_chunks=100, strategies=frozenset(("llm",)))
    with serving(create_app(Site(small_graph(), policy=policy))) as url:
        context = {"rerank_strategy": "llm", "max_chunks_in_prompt": 100}
        assert ask(url, {"input": ASKED["input"] | {"context": context}}).status_code == 200
        assert ask(url, {"input": ASKED["input"] | {"context": {"rerank_strategy": "auto"}}}).status_code == 422


def test_a_history_has_forty_messages(open_url: str) -> None:
    history = [{"role": "user", "content": "a"}] * 41
    assert ask(open_url, {"input": ASKED["input"] | {"history": history[:40]}}).status_code == 200
    refused = ask(open_url, {"input": ASKED["input"] | {"history": history}})
    assert (refused.status_code, "tiene 41 mensajes" in refused.json()["detail"]) == (422, True)


# How much is taken on.


class Held:
    """Requests that a graph holds until a client leaves."""

    def __init__(self, url: str, count: int, headers: dict[str, str] | None = None) -> None:
        self.statuses: list[int] = []
        self._threads = [threading.Thread(target=self._ask, args=(url, headers or {})) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _ask(self, url: str, headers: dict[str, str]) -> None:
        self.statuses.append(ask(url, **headers).status_code)

    def join(self) -> list[int]:
        for thread in self._threads:
            thread.join(PATIENCE)
        return sorted(self.statuses)


def test_a_key_has_so_many_runs_in_a_minute(ring: KeyRing) -> None:
    one, other = ring.add("una", date(2026, 1, 1)), ring.add("otra", date(2026, 1, 1))
    with serving(create_app(Site(small_graph(), guards=Guards(limits(per_minute=2), ring)))) as url:
        assert [ask(url, **bearer(one)).status_code for _ in range(3)] == [200, 200, 429]
        refused = ask(url, **bearer(one))
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert "más de 2 peticiones en un minuto" in refused.json()["detail"]
        assert ask(url, **bearer(other)).status_code == 200


def test_a_key_has_so_many_runs_at_once(ring: KeyRing) -> None:
    key, hang = ring.add("una", date(2026, 1, 1)), Hang()
    guards = Guards(limits(at_once=1, deadline=3.0), ring)
    with serving(create_app(Site(small_graph(hang=hang), guards=guards))) as url:
        assert Held(url, 3, bearer(key)).join() == [429, 429, 504]


def test_a_run_beyond_the_queue_is_refused_at_once() -> None:
    hang = Hang()
    guards = Guards(limits(running=1, waiting=1, deadline=3.0, patience=0.5))
    with serving(create_app(Site(small_graph(hang=hang), guards=guards))) as url:
        # One runs until its deadline, one waits until its patience ends, and two are turned away.
        assert Held(url, 4).join() == [503, 503, 503, 504]
        refused = httpx.get(f"{url}/metrics").text
    assert 'articulado_refusals_total{status="503"} 3.0' in refused
    assert "articulado_running 0.0" in refused


@pytest.mark.parametrize(
    ("chosen", "principal", "expected"),
    [
        ({}, {"provider": "offline"}, WORKING),
        ({}, {"provider": "compatible", "model": "m", "base_url": "http://127.0.0.1:1"}, WAITING_FOR_MODELS),
        ({"running": 7}, {"provider": "offline"}, 7),
    ],
)
def test_there_is_room_for_as_many_as_wait_for_a_model(
    chosen: dict[str, int], principal: dict[str, str], expected: int
) -> None:
    agent = Settings.read(env_file=None, principal=principal)
    assert limits(**chosen).fitted(agent).running == expected


async def test_room_is_given_in_turn_and_given_back() -> None:
    room, order = Room(1, 2, PATIENCE), []

    async def run(name: str) -> None:
        async with room.taken():
            order.append(name)
            await asyncio.sleep(0)

    await asyncio.gather(run("a"), run("b"), run("c"))
    assert order == ["a", "b", "c"]
    assert (room.running, room.waiting) == (0, 0)


async def test_a_full_room_says_when_to_come_back() -> None:
    room = Room(1, 0, PATIENCE)
    async with room.taken():
        with pytest.raises(Busy) as refused:
            async with room.taken():
                raise AssertionError("there is no room")
    assert refused.value.seconds > 0


# What nobody waits for.


@pytest.mark.parametrize("endpoint", ["invoke", "stream"])
def test_a_request_has_a_deadline(endpoint: str) -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang), guards=Guards(limits(deadline=2.0))))) as url:
        answer = ask(url, path=f"/rag/{endpoint}")
        assert hang.cancelled.wait(PATIENCE)
    if endpoint == "invoke":
        assert answer.status_code == 504
        assert answer.json()["error"] == "DeadlineExceeded"
    else:
        assert '"type":"token"' in answer.text.replace(" ", "")
        assert "event: error" in answer.text
        assert "DeadlineExceeded" in answer.text


def test_a_client_that_leaves_ends_its_invoke() -> None:
    hang = Hang()
    with serving(create_app(Site(small_graph(hang=hang)))) as url:
        address, body = urlsplit(url), json.dumps(ASKED).encode()
        head = f"POST /rag/invoke HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: application/json\r\n"
        with socket.create_connection((address.hostname, address.port)) as client:
            client.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            assert hang.begun.wait(PATIENCE)
        assert hang.cancelled.wait(PATIENCE)


# What is told.


def test_an_unexpected_error_has_a_neutral_message(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(Site(small_graph(fail=lambda: RuntimeError("avería"))))
    with caplog.at_level(logging.INFO, "articulado.requests"), serving(app) as url:
        assert ask(url).status_code == 500
        assert 'path="/rag/invoke",status="500"} 1.0' in httpx.get(f"{url}/metrics").text
    assert [line["status"] for line in lines(caplog)] == [500, 200]


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [json.loads(record.message) for record in caplog.records if record.name == "articulado.requests"]


class LineQueue(logging.Handler):
    """Hands the lines of requests out by their id: each is written after its response has been sent."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[str] = Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.put(record.getMessage())

    def of(self, request_id: str) -> dict[str, Any]:
        while (line := json.loads(self._lines.get(timeout=PATIENCE)))["id"] != request_id:
            pass
        return line


@pytest.fixture
def line_queue() -> Iterator[LineQueue]:
    handler, logger = LineQueue(), logging.getLogger("articulado.requests")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.mark.parametrize("with_questions", [False, True])
def test_a_request_is_a_line_with_its_question_only_where_that_is_allowed(
    caplog: pytest.LogCaptureFixture, ring: KeyRing, with_questions: bool
) -> None:
    key = ring.add("web", date(2026, 1, 1))
    guards = Guards(limits(log_questions=with_questions), ring)
    with (
        caplog.at_level(logging.INFO, "articulado.requests"),
        serving(create_app(Site(small_graph(), guards=guards))) as url,
    ):
        answer = ask(url, **bearer(key), **{"x-request-id": "mi-id"})
    assert answer.headers["x-request-id"] == "mi-id"
    (line,) = lines(caplog)
    assert line | {"time": "", "ms": 0} == {
        "time": "", "ms": 0, "id": "mi-id", "caller": "web", "method": "POST", "path": "/rag/invoke", "status": 200,
        "outcome": "answer", "tokens": {"input": 30, "output": 4},
    } | ({"question": ASKED["input"]["question"]} if with_questions else {})  # fmt: skip
    assert key not in caplog.text


@pytest.mark.parametrize(
    ("method", "headers", "noted"),
    [
        ("POST", {"origin": "https://agentchat.vercel.app"}, {"origin": "https://agentchat.vercel.app"}),
        ("POST", {"origin": "http://localhost:3000"}, {"origin": "http://localhost:3000"}),
        ("OPTIONS", {"origin": "http://192.168.1.20:3000"}, {"origin": "http://192.168.1.20:3000"}),
        ("GET", {"origin": "null"}, {"origin": "null"}),
        ("GET", {"origin": "https://" + "a" * 500}, {"origin": "https://" + "a" * 192}),
        ("POST", {"host": "evil.example"}, {"host": "evil.example"}),
    ],
)
def test_the_line_of_a_refused_page_names_it_and_the_variable_that_allows_it(
    open_url: str, line_queue: LineQueue, method: str, headers: dict[str, str], noted: dict[str, str]
) -> None:
    variable = "ARTICULADO_SERVER_HOSTS" if "host" in headers else "ARTICULADO_SERVER_ORIGINS"
    refused = httpx.request(method, f"{open_url}/rag/invoke", headers=headers)
    line = line_queue.of(refused.headers["x-request-id"])
    assert (refused.status_code, line["refused"]) == (403, {**noted, "allowed_by": variable})
    assert variable in refused.json()["detail"]


def test_a_request_gets_an_id_of_its_own_where_it_brings_none_that_can_be_used(open_url: str) -> None:
    given = [ask(open_url, **{"x-request-id": text}).headers["x-request-id"] for text in ("", "a b", "x" * 200)]
    assert len(set(given)) == 3
    assert all(len(text) == 32 for text in given)


def test_metrics_count_requests_stages_and_tokens() -> None:
    with serving(create_app(Site(small_graph()))) as url:
        ask(url)
        ask(url, path="/rag/stream")
        ask(url, {"input": {}})
        httpx.get(f"{url}/no-such-place/12345")
        figures = httpx.get(f"{url}/metrics").text
    for line in (
        'articulado_requests_total{path="/rag/invoke",status="200"} 1.0',
        'articulado_requests_total{path="/rag/stream",status="200"} 1.0',
        'articulado_requests_total{path="/rag/invoke",status="422"} 1.0',
        'articulado_requests_total{path="(otra)",status="404"} 1.0',
        'articulado_answers_total{outcome="answer"} 2.0',
        'articulado_tokens_total{direction="input"} 60.0',
        'articulado_stage_seconds_count{stage="answer"} 2.0',
    ):
        assert line in figures


def test_the_server_is_ready_when_it_is_warm() -> None:
    warm = threading.Event()

    async def warm_up() -> None:
        await asyncio.to_thread(warm.wait, PATIENCE)

    with serving(create_app(Site(small_graph(), warm_up=warm_up))) as url:
        starting = httpx.get(f"{url}/readyz")
        assert (starting.status_code, starting.json()) == (503, {"status": "starting"})
        assert httpx.get(f"{url}/healthz").status_code == 200
        warm.set()
        answers = (httpx.get(f"{url}/readyz").status_code for _ in range(10_000))
        assert 200 in answers


def test_a_server_that_cannot_warm_up_is_never_ready() -> None:
    failed = threading.Event()

    async def warm_up() -> None:
        try:
            raise ConfigurationError("Falta el índice.")
        finally:
            failed.set()

    with serving(create_app(Site(small_graph(), warm_up=warm_up))) as url:
        assert failed.wait(PATIENCE)
        answers = (httpx.get(f"{url}/readyz").json()["status"] for _ in range(10_000))
        assert "failed" in answers


# On an Agent Server.


@pytest.mark.parametrize(
    ("method", "path", "own", "begins"),
    [
        ("POST", "/rag/invoke", True, True),
        ("POST", "/runs/wait", False, True),
        ("POST", "/threads/1/runs/stream", False, True),
        ("POST", "/threads/1/runs", False, True),
        ("POST", "/mcp", False, True),
        ("POST", "/a2a/1", False, True),
        ("POST", "/threads/search", False, False),
        ("POST", "/threads/1/state", False, False),
        ("POST", "/threads/1/runs/2/cancel", False, False),
        ("GET", "/threads/1/runs/2/stream", False, False),
        ("GET", "/rag/input_schema", False, False),
    ],
)
def test_runs_are_recognised_by_method_and_path(method: str, path: str, own: bool, begins: bool) -> None:
    scope = {"type": "http", "method": method, "path": path}
    assert (is_run(scope), begins_run(scope)) == (own, begins)


async def test_in_process_calls_of_an_agent_server_pass(ring: KeyRing) -> None:
    ring.add("web", date(2026, 1, 1))
    app = create_app(Site(small_graph(), guards=Guards(ring=ring)))
    for root, status in (("", 401), ("/noauth", 200), ("/noauth/below", 200), ("/noauthentication", 401)):
        transport = httpx.ASGITransport(app=app, root_path=root)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get(f"{root}/rag/input_schema")).status_code == status


def test_a_browser_may_ask_whether_it_may_send_the_key(ring: KeyRing) -> None:
    ring.add("web", date(2026, 1, 1))
    guards = Guards(limits(origins=("https://web.example",)), ring)
    asks = {"access-control-request-method": "POST"}
    with serving(create_app(Site(small_graph(), guards=guards))) as url:
        allowed = httpx.options(f"{url}/rag/invoke", headers=asks | {"origin": "https://web.example"})
        refused = httpx.options(f"{url}/rag/invoke", headers=asks | {"origin": "https://other.example"})
        plain = httpx.options(f"{url}/rag/invoke", headers={"origin": "https://web.example"})
    assert (allowed.status_code, refused.status_code, plain.status_code) == (200, 403, 401)


def test_a_request_without_a_body_needs_no_content_type(open_url: str) -> None:
    assert httpx.post(f"{open_url}/threads/1/runs/2/cancel").status_code == 404


def test_whole_states_are_longer_than_questions(open_url: str) -> None:
    long = {"values": "a" * 100_000}
    sent = [httpx.post(open_url + path, json=long).status_code for path in ("/threads/1/state", "/rag/invoke")]
    longer = httpx.post(f"{open_url}/threads/1/state", json={"values": "a" * 1_100_000})
    assert (sent, longer.status_code) == ([404, 413], 413)
