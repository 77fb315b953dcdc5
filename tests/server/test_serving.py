"""Parts of the server that need no client."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
from support.doubles import FakeStore, QueueChat, make_services
from support.loopback import serving
from support.waiting import PATIENCE

from articulado.values.errors import ConfigurationError
from graph.open_graphs import OpenGraphs
from server.app import app_over, serve
from server.langserve_routes import with_failures
from server.runnable import cancellable_stream
from server.settings import is_loopback, listen


def nothing_to_open() -> NoReturn:
    raise AssertionError("opened too early")


def test_a_taken_port_is_named_before_anything_is_opened() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf"El puerto {port} de 127\.0\.0\.1 ya está en uso.*--port"):
            serve(nothing_to_open, port=port)


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [
        ("127.0.0.1", 70_000, "El puerto 70000 no existe"),
        ("192.0.2.1", 0, r"No se puede escuchar en 192\.0\.2\.1, puerto 0"),
    ],
)
def test_an_address_that_cannot_be_used_is_explained(host: str, port: int, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        listen(host, port)


def test_the_default_socket_is_of_this_machine_only() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.family == socket.AF_INET
        assert listening.getsockname()[0] == "127.0.0.1"


def test_the_playground_stays_on_loopback() -> None:
    with pytest.raises(ConfigurationError, match=r"solo se ofrece en esta máquina, no en 0\.0\.0\.0"):
        serve(nothing_to_open, "0.0.0.0", playground=True)


@pytest.mark.parametrize(
    ("host", "is_it"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False), ("host.lan", False)],
)
def test_loopback_addresses_are_recognised(host: str, is_it: bool) -> None:
    assert is_loopback(host) is is_it


class ClosingStore(FakeStore):
    """Records that it was closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


def test_the_services_are_open_while_it_serves_and_closed_when_it_stops() -> None:
    store = ClosingStore([])
    with serving(app_over(OpenGraphs.over(make_services(store, QueueChat("a"), QueueChat("b"))))) as base:
        assert httpx.get(f"{base}/health").status_code == 200
        assert not store.closed
    assert store.closed


async def two_numbers() -> AsyncIterator[int]:
    yield 0
    yield 1
    raise ValueError("fin")


async def one_number(waiting: asyncio.Event, cancelled: asyncio.Event) -> AsyncIterator[int]:
    yield 0
    waiting.set()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        cancelled.set()
        raise


async def test_a_detached_stream_gives_all_items_and_then_the_error() -> None:
    stream = cancellable_stream(two_numbers())
    assert [await anext(stream), await anext(stream)] == [0, 1]
    with pytest.raises(ValueError, match="fin"):
        await anext(stream)


async def test_closing_a_detached_stream_cancels_its_source() -> None:
    waiting, cancelled = asyncio.Event(), asyncio.Event()
    stream = cancellable_stream(one_number(waiting, cancelled))
    assert await anext(stream) == 0
    await waiting.wait()
    await stream.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(cancelled.wait(), PATIENCE)


async def like_langserve() -> AsyncIterator[dict[str, Any]]:
    """Answer any exception with one more event, as LangServe's stream does."""
    try:
        yield {"event": "data", "data": "1"}
        yield {"event": "data", "data": "2"}
    except BaseException:
        yield {"event": "error", "data": "{}"}
        raise


async def test_a_stream_is_closed_without_noise() -> None:
    source = like_langserve()
    stream = with_failures(source)  # type: ignore[arg-type]
    assert (await anext(stream))["data"] == "1"
    await stream.aclose()  # type: ignore[attr-defined]
    with pytest.raises(StopAsyncIteration):
        await anext(source)


def test_langserve_and_the_development_server_import_together(tmp_path: Path) -> None:
    script = "import langserve, langgraph_runtime_inmem; from langgraph_api.cli import run_server"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_application_builds_nothing() -> None:
    script = "import sys, server.app; assert 'graph.compose' not in sys.modules; server.app.nothing"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "has no attribute 'nothing'" in done.stderr
