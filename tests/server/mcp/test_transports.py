"""The server as programs reach it: over its standard streams, and over HTTP within the guards."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any, Literal

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from support.boe_law import LAW
from support.loopback import serving
from support.paths import REPOSITORY
from support.program import started
from support.waiting import PATIENCE

from articulado.config.settings import Settings
from cli.main import run
from server.access import KeyRing
from server.app import app_over
from server.conversations.store import MEMORY
from server.guards import KEYS_FILE
from server.mcp.app import mcp_app
from server.settings import ServerSettings

from .conftest import NEW, WaitingGraphs, opened_over

pytestmark = pytest.mark.integration

ARTICLE = {"law": LAW, "provision": "1"}
ASKED = {"question": "¿Cuántos días?"}


def limits(**chosen: Any) -> ServerSettings:
    return ServerSettings(conversations=MEMORY, **chosen)


# Standard streams.


def environment(settings: Settings) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "ARTICULADO_PROFILE": settings.profile}


async def test_a_program_reads_provisions_over_the_standard_streams(small_settings: Settings) -> None:
    command = ["-c", "from cli.main import main; main()", "mcp", "--index", str(small_settings.index)]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment(small_settings))
    async with Client(server) as client:
        assert len((await client.list_tools()).tools) == 10
        served = (await client.call_tool("provision", ARTICLE)).structured_content
        asked = {"question": f"¿Qué dice el artículo 1 de la {LAW}?"}
        answered = (await client.call_tool("ask", asked)).structured_content
    assert (served["text"], served["in_force"]) == (NEW, True)
    assert "20 días" in answered["answer"]


def test_nothing_but_the_protocol_is_written(small_settings: Settings, tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "prueba", "version": "1"}}
    sent = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "provision", "arguments": ARTICLE}},
        {"id": 3, "method": "tools/call", "params": {"name": "provision", "arguments": {}}},
    ]
    process = started("mcp", "--index", str(tmp_path / "nada"), stdin=subprocess.PIPE, env=environment(small_settings))
    answers = []
    try:
        for message in sent:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        rest, told = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, b"")
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert "No hay ningún índice en" in answers[1]["result"]["content"][0]["text"]
    assert answers[2]["result"]["isError"] is True
    assert b"Traceback" not in told


def test_an_address_without_http_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--port", "9000"]) == 2
    assert "Sin --http no se escucha" in capsys.readouterr().err


def test_a_public_address_needs_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--http", "--host", "0.0.0.0"]) == 1
    assert "cree antes una clave de acceso" in capsys.readouterr().err


# HTTP.


@asynccontextmanager
async def with_key(url: str, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"x-api-key": key}, timeout=PATIENCE) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def post(url: str, body: dict[str, Any], **headers: str) -> httpx.Response:
    return await asyncio.to_thread(httpx.post, f"{url}/mcp", json=body, headers=headers, timeout=PATIENCE)


@pytest.mark.parametrize("build", [mcp_app, app_over])
async def test_the_tools_are_served_alone_and_beside_the_rest(
    small_settings: Settings, build: Callable[..., Any]
) -> None:
    with serving(build(opened_over(small_settings), limits())) as url:
        for mode in ("legacy", "auto"):
            await tools_are_served(url, mode)
        figures = await asyncio.to_thread(httpx.get, f"{url}/metrics")
    assert 'path="/mcp"' in figures.text


async def tools_are_served(url: str, mode: Literal["legacy", "auto"]) -> None:
    told: list[str | None] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with Client(f"{url}/mcp", mode=mode) as client:
        served = (await client.call_tool("provision", ARTICLE)).structured_content
        answered = await client.call_tool("ask", {"question": "¿Permiso por boda?"}, progress_callback=heard)
        refused = await client.call_tool("provision", {"law": "XX", "provision": "1"})
    assert (served["text"], served["index_day"]) == (NEW, date.today().isoformat())
    assert answered.structured_content["outcome"]
    assert told[0] == "Leyendo la pregunta"
    assert (refused.is_error, "«XX» no es una norma" in refused.content[0].text) == (True, True)


async def test_a_key_is_needed_where_there_are_any(small_settings: Settings) -> None:
    ring = KeyRing(small_settings.home / KEYS_FILE)
    key = ring.add("nóminas", date.today())
    try:
        with serving(mcp_app(opened_over(small_settings), limits(per_minute=12))) as url:
            for mode in ("legacy", "auto"):
                async with with_key(url, key, mode) as client:
                    assert (await client.call_tool("provision", ARTICLE)).structured_content["in_force"] is True
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            without = await post(url, body)
            statuses = [(await post(url, body, **{"x-api-key": key})).status_code for _ in range(12)]
    finally:
        ring.revoke("nóminas")
    assert (without.status_code, 429 in statuses) == (401, True)


async def test_a_session_is_of_the_key_that_began_it(small_settings: Settings) -> None:
    ring = KeyRing(small_settings.home / KEYS_FILE)
    keys = [ring.add(name, date.today()) for name in ("una", "otra")]
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "prueba", "version": "1"}}
    accepts = {"accept": "application/json, text/event-stream"}
    try:
        with serving(mcp_app(opened_over(small_settings), limits())) as url:
            begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
            begun = await post(url, begin, **{"x-api-key": keys[0]}, **accepts)
            session = {"mcp-session-id": begun.headers["mcp-session-id"], **accepts}
            ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
            statuses = [(await post(url, ping, **{"x-api-key": key}, **session)).status_code for key in keys]
    finally:
        for name in ("una", "otra"):
            ring.revoke(name)
    assert statuses == [200, 404]


def test_guards_of_other_routes_apply_to_mcp(small_settings: Settings) -> None:
    refused = [
        ({"origin": "https://otra.example"}, 403),
        ({"host": "otra.example"}, 403),
        ({"content-type": "text/plain"}, 415),
    ]
    with serving(mcp_app(opened_over(small_settings), limits())) as url:
        for headers, status in refused:
            sent = {"content-type": "application/json", **headers}
            assert httpx.post(f"{url}/mcp", content="{}", headers=sent).status_code == status
        too_large = b'"' + b"a" * (1024 * 1024) + b'"'
        sent = {"content-type": "application/json"}
        assert httpx.post(f"{url}/mcp", content=too_large, headers=sent).status_code == 413


async def until_written(client: Client) -> "asyncio.Task[Any]":
    """Ask, and return the call once its answer is being written."""
    writes = asyncio.Event()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        if message == "Redactando la respuesta":
            writes.set()

    asked = asyncio.create_task(client.call_tool("ask", ASKED, progress_callback=heard))
    await writes.wait()
    return asked


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_call_that_is_cancelled_ends_its_run(waiting: WaitingGraphs, mode: str) -> None:
    with serving(mcp_app(waiting, limits())) as url:  # type: ignore[arg-type]
        async with Client(f"{url}/mcp", mode=mode) as client:
            asked = await until_written(client)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
            assert await asyncio.to_thread(waiting.hang.cancelled.wait, PATIENCE)


async def test_a_call_whose_client_leaves_ends_its_run(waiting: WaitingGraphs) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "prueba", "version": "1"}}
    accepts = {"accept": "application/json, text/event-stream"}
    with serving(mcp_app(waiting, limits())) as url:  # type: ignore[arg-type]
        async with httpx.AsyncClient(base_url=url, headers=accepts, timeout=PATIENCE) as http:
            begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
            session = {"mcp-session-id": (await http.post("/mcp", json=begin)).headers["mcp-session-id"]}
            await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
            params = {"name": "ask", "arguments": ASKED, "_meta": {"progressToken": 1}}
            call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
            async with http.stream("POST", "/mcp", json=call, headers=session) as streamed:
                async for line in streamed.aiter_lines():
                    if "Redactando" in line:
                        break
        assert await asyncio.to_thread(waiting.hang.cancelled.wait, PATIENCE)


async def test_a_call_ends_when_its_time_is_up(waiting: WaitingGraphs) -> None:
    with serving(mcp_app(waiting, limits(deadline=2.0))) as url:  # type: ignore[arg-type]
        async with Client(f"{url}/mcp") as client:
            late = await client.call_tool("ask", ASKED)
    assert (late.is_error, "más de 2" in late.content[0].text) == (True, True)
    assert waiting.hang.cancelled.is_set()


async def test_a_call_for_which_there_is_no_room_is_refused(waiting: WaitingGraphs) -> None:
    with serving(mcp_app(waiting, limits(running=1, waiting=0))) as url:  # type: ignore[arg-type]
        async with Client(f"{url}/mcp") as client:
            asked = await until_written(client)
            refused = await client.call_tool("ask", ASKED)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
    assert (refused.is_error, "El servidor está ocupado" in refused.content[0].text) == (True, True)
