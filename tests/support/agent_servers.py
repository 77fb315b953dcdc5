"""Agent Servers on the repository's own ``langgraph.json``: LangGraph's own one and Aegra, each its own process."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from support.paths import REPOSITORY
from support.postgres import postgres
from support.waiting import PATIENCE

from server.settings import listen

LANGGRAPH, AEGRA = "langgraph dev", "Aegra"
AEGRA_PYTHON = Path(os.environ.get("AEGRA_PYTHON", REPOSITORY / ".venv-aegra" / "bin" / "python"))
"""An interpreter that has Aegra, which needs Python 3.12 (``make aegra``)."""
UP = {LANGGRAPH: "/ok", AEGRA: "/healthz"}
"""The path that tells that a server is up, whether or not it has routes of ours."""
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}


@dataclass(frozen=True)
class AgentServer:
    """A server that runs: which one, where, and its log."""

    kind: str
    url: str
    log: Path

    @contextmanager
    def client(self, key: str = "") -> Iterator[SyncLangGraphClient]:
        """Open a client of the protocol, with an access key where it needs one."""
        with get_sync_client(url=self.url, api_key=key or None, timeout=PATIENCE) as client:
            yield client


@contextmanager
def agent_server(kind: str, folder: Path, **environment: str) -> Iterator[AgentServer]:
    """Run a server in a folder, which keeps its state and its ``log.txt``, not in the checkout."""
    begin = langgraph_dev if kind == LANGGRAPH else aegra
    with begin(folder, **environment) as server:
        yield server


@contextmanager
def langgraph_dev(folder: Path, **environment: str) -> Iterator[AgentServer]:
    """Run ``langgraph dev``."""

    def command(port: int) -> list[str]:
        return [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]

    with _running(LANGGRAPH, folder, command, QUIET | environment) as server:
        yield server
    assert "BlockingError" not in server.log.read_text()


@contextmanager
def aegra(folder: Path, **environment: str) -> Iterator[AgentServer]:
    """Run Aegra over a PostgreSQL of its own. Skips where one of them is missing."""
    if not AEGRA_PYTHON.exists():
        pytest.skip(f"Aegra needs Python 3.12 and «make aegra»: there is no {AEGRA_PYTHON}")

    def command(port: int) -> list[str]:
        where = ["--host", "127.0.0.1", "--port", str(port)]
        return [str(AEGRA_PYTHON), "-m", "uvicorn", "aegra_api.main:app", *where]

    with postgres() as database:
        own = {"DATABASE_URL": database, "AUTH_TYPE": "custom", "LANGSMITH_TRACING": "false"}
        with _running(AEGRA, folder, command, own | environment) as server:
            yield server


def _running(
    kind: str, folder: Path, command: Callable[[int], list[str]], environment: Mapping[str, str]
) -> AbstractContextManager[AgentServer]:
    @contextmanager
    def run() -> Iterator[AgentServer]:
        # A folder with a langgraph.json of its own serves the graphs that it names.
        if not (folder / "langgraph.json").exists():
            for name in ("langgraph.json", "server"):
                (folder / name).symlink_to(REPOSITORY / name)
        with listen("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        log = folder / "log.txt"
        everything = os.environ | {"PYTHONPATH": str(REPOSITORY)} | environment
        with (
            log.open("w") as output,
            subprocess.Popen(
                command(port), cwd=folder, env=everything, stdout=output, stderr=subprocess.STDOUT
            ) as process,
        ):
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_until_up(process, f"{url}{UP[kind]}", log)
                yield AgentServer(kind, url, log)
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()

    return run()


def _wait_until_up(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            pass
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"the server does not answer:\n{log.read_text()[-5_000:]}")
