"""A principal that is down: what was found comes with the error, on every front, and no secret does."""

import io
import json
import logging
import traceback
from collections.abc import Iterator

import httpx
import pytest
from support.loopback import serving
from support.openai_server import OpenAIServer, failure, stream_error
from support.waiting import PATIENCE
from support.wired import KEY, QUESTION, Wired, wired

from cli.failures import report
from server.app import Site, create_app
from server.guards import Guards

FOUND = ["Artículo 38", "Sentencia 90"]
CANARY = "canario-del-sistema-77c1"


@pytest.fixture
def down(server: OpenAIServer) -> Iterator[tuple[httpx.Client, Guards]]:
    """Serve a graph whose principal refuses, and quotes key and prompt."""
    rig = Wired(server)
    server.answer("principal", lambda request: failure(400, KEY, f"{KEY} {CANARY} {request.body['messages']}"))
    guards = Guards()
    with (
        serving(create_app(Site(rig.graph, guards=guards, close=rig.close))) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as http,
    ):
        yield http, guards


def test_bodies_and_events_have_the_sources(down: tuple[httpx.Client, Guards]) -> None:
    http, _ = down
    plain = http.post("/v1/ask", json={"question": QUESTION})
    assert (plain.status_code, plain.json()["error"]) == (503, "ModelError")
    invoked = http.post("/rag/invoke", json={"input": {"question": QUESTION}})
    streams = [
        http.post("/v1/ask", json={"question": QUESTION}, headers={"accept": "text/event-stream"}),
        http.post("/rag/stream", json={"input": {"question": QUESTION}}),
    ]
    bodies = [plain.json(), invoked.json()]
    for stream in streams:
        [_, told] = stream.text.replace("\r\n", "\n").split("event: error\n")
        bodies.append(json.loads(told.partition("data: ")[2].partition("\n")[0]))
        assert bodies[-1]["status_code"] == 503
    for body in bodies:
        assert [one["provision"] for one in body["citations"]] == FOUND
        assert "principal (compatible) [principal]" in body.get("detail", body.get("message"))


def test_neither_key_nor_prompt_is_told_or_logged(
    down: tuple[httpx.Client, Guards], caplog: pytest.LogCaptureFixture
) -> None:
    http, _ = down
    with caplog.at_level(logging.INFO):
        told = [http.post("/v1/ask", json={"question": QUESTION}).text, http.get("/metrics").text]
        told.append(http.post("/rag/stream", json={"input": {"question": QUESTION}}).text)
    everything = "\n".join([*told, caplog.text, *(str(vars(record)) for record in caplog.records)])
    for secret in (KEY, CANARY, "Eres una persona experta"):
        assert secret not in everything
    assert QUESTION not in caplog.text


@pytest.mark.parametrize("as_json", [False, True])
async def test_the_command_line_lists_them(
    server: OpenAIServer, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    async with wired(server) as rig:
        server.answer("principal", lambda request: failure(401, KEY, KEY))
        _, error = await rig.until_it_fails()
    assert isinstance(error, Exception)
    assert report(error, as_json=as_json) == 1
    out, told = capsys.readouterr()
    assert all(name in told for name in FOUND)
    assert KEY not in out + told
    if as_json:
        assert [one["provision"] for one in json.loads(out)["citations"]] == FOUND


@pytest.mark.parametrize("fault", [failure(400, KEY, CANARY), failure(500, KEY, CANARY), stream_error(KEY, CANARY)])
async def test_a_traceback_has_no_word_of_the_provider(server: OpenAIServer, fault: object) -> None:
    async with wired(server) as rig:
        server.answer("principal", lambda request: fault)  # type: ignore[return-value, arg-type]
        _, error = await rig.until_it_fails()
    written = io.StringIO()
    traceback.print_exception(error, file=written)
    assert "ProviderFailure" in written.getvalue()
    assert KEY not in written.getvalue()
    assert CANARY not in written.getvalue()
