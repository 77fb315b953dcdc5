"""Several processes behind one port, as the command line starts them."""

import asyncio
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from support.program import started
from support.served_law import NEW, index_law
from support.waiting import PATIENCE

from articulado.config.settings import Settings
from server.settings import ServerSettings
from server.workers import SharedPortLoop, WorkerPlan, _share_of

pytestmark = pytest.mark.integration

QUESTION = "¿Cuántos días de permiso por boda da el artículo 1 de la Ley 9/2001?"


@contextmanager
def workers_over(settings: Settings, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["serve", "--workers", "2", "--port", str(port)]
    command += ["--index", str(settings.index_folder), "--profile", settings.profile]
    environment["ARTICULADO_HOME"] = str(settings.home)
    process = started(*command, env=environment, stdout=subprocess.DEVNULL, text=True)
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)


def next_server(process: subprocess.Popen[str]) -> int:
    """Return the id of the next process that begins to serve."""
    assert process.stderr is not None
    for line in process.stderr:
        if begun := re.search(r"Started server process .*?(\d+)", line):
            return int(begun[1])
    raise AssertionError("no more processes")


def ask(url: str, thread: str) -> dict[str, object]:
    # Each on a connection of its own: any worker may take it.
    return httpx.post(f"{url}/v1/ask", json={"question": QUESTION, "thread_id": thread}, timeout=PATIENCE).json()


def test_workers_share_port_conversations_and_metrics_and_are_replaced(tmp_path: Path) -> None:
    with workers_over(index_law(tmp_path)) as (url, process):
        # The port is taken before they begin: what is asked meanwhile waits until one is ready.
        first, second = next_server(process), next_server(process)
        answers = [ask(url, "una") for _ in range(4)]
        assert [answer["usage"]["turn"] for answer in answers] == [1, 2, 3, 4]  # type: ignore[index]
        assert all(NEW in str(answer["answer"]) for answer in answers)
        figures = httpx.get(f"{url}/metrics", timeout=PATIENCE).text
        assert re.search(r'articulado_requests_total\{path="/v1/ask",status="200"\} 4\.0', figures)
        os.kill(first, signal.SIGKILL)
        assert next_server(process) not in (first, second)
        assert ask(url, "una")["usage"]["turn"] == 5  # type: ignore[index]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{url}/healthz")


class Closing(asyncio.Protocol):
    """Closes the connections that a worker takes, and counts them."""

    def __init__(self, lost: list[None], all_lost: asyncio.Event, number: int) -> None:
        self._lost, self._all_lost, self._number = lost, all_lost, number

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost.append(None)
        if len(self._lost) == self._number:
            self._all_lost.set()


@pytest.mark.parametrize(("pause", "taken"), [(PATIENCE, 1), (0.0, 8)])
def test_a_worker_leaves_others_the_time_to_take_a_connection(
    monkeypatch: pytest.MonkeyPatch, pause: float, taken: int
) -> None:
    monkeypatch.setattr("server.workers._PAUSE", pause)
    loop, lost, all_lost = SharedPortLoop(), list[None](), asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as stack:
        made = loop.create_server(lambda: Closing(lost, all_lost, taken), sock=listening, backlog=16)
        serving = loop.run_until_complete(made)
        clients = [stack.enter_context(socket.create_connection(listening.getsockname())) for _ in range(8)]
        loop.run_until_complete(asyncio.wait_for(all_lost.wait(), PATIENCE))
        # What another process would take now.
        for _ in clients[taken:]:
            stack.enter_context(listening.accept()[0])
        with pytest.raises(BlockingIOError):
            listening.accept()
        serving.close()
        loop.run_until_complete(serving.wait_closed())
    loop.close()


def test_a_failed_start_is_reported_once(tmp_path: Path) -> None:
    settings = index_law(tmp_path)
    with workers_over(settings, ARTICULADO_SERVER_CONVERSATIONS="memory") as (_, process):
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "--workers 1" in said
    assert "Traceback" not in said


def test_the_limits_of_a_key_are_shared_out() -> None:
    plan = WorkerPlan(Settings.read(env_file=None), ServerSettings(per_minute=60, at_once=3), False)
    share = _share_of(plan, 4).limits
    assert (share.per_minute, share.at_once) == (15, 1)
