"""How long a fault is waited for: seconds of the wall, where tests only count.

    python -m benchmarks.faults

A model that accepts and never answers, and one that drips, against a question of three seconds; and a hundred clients
that leave in the middle of an answer, until the last of their models is left, too, and what memory that leaves behind.
docs/figures.md has the results.
"""

import asyncio
import gc
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.loopback import serving
from support.openai_server import OpenAIServer, Reply, running_server
from support.wired import QUESTION, Wired, wired

from articulado.config.settings import Settings
from server.app import Site, create_app
from server.conversations.store import MEMORY
from server.guards import Guards
from server.settings import ServerSettings

SECONDS = 3.0
CLIENTS = 100
ROUNDS = 5
SETTLED = 1.0
"""Seconds until what ran for them has ended."""


async def waited(server: OpenAIServer, role: str, reply: Reply) -> tuple[float, str]:
    """Return the seconds that a question takes whose model of a role does not end, and how it ends."""
    settings = Settings.read(env_file=None, question_timeout=SECONDS)
    async with wired(server, settings=settings) as rig:
        server.script(role, reply)
        began = time.perf_counter()
        _, error = await rig.until_it_fails()
        return time.perf_counter() - began, type(error).__name__ if error else "answer"


def resident() -> float:
    """Return the megabytes of memory that this process has."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def left(server: OpenAIServer) -> Iterator[tuple[float, float, float]]:
    """Let a hundred clients leave, ``ROUNDS`` times.

    Yields the seconds from then until half, and until all, of their models are left, and the memory in megabytes.
    """
    rig, gone, writing = Wired(server), [], threading.Semaphore(0)

    @contextmanager
    def held():
        writing.release()
        yield
        gone.append(time.perf_counter())

    server.while_held = held
    server.answer("principal", lambda request: Reply("Son 30 días [C1]. ", held=True))
    room = ServerSettings(conversations=MEMORY, running=CLIENTS, waiting=CLIENTS, at_once=CLIENTS, per_minute=10_000)
    content = json.dumps({"question": QUESTION}).encode()
    with serving(create_app(Site(rig.graph, guards=Guards(room), close=rig.close))) as url:
        address = urlsplit(url)
        head = f"POST /v1/ask HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: application/json\r\n"
        for _ in range(ROUNDS):
            gone.clear()
            with ExitStack() as stack:
                for _ in range(CLIENTS):
                    client = stack.enter_context(socket.create_connection((address.hostname, address.port)))
                    client.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
                for _ in range(CLIENTS):
                    writing.acquire()
                began = time.perf_counter()
            while len(gone) < CLIENTS:
                time.sleep(0.01)
            server.requests.clear()
            times = sorted(moment - began for moment in gone)
            time.sleep(SETTLED)
            yield times[CLIENTS // 2], times[-1], resident()


def main() -> None:
    with running_server() as server:
        asyncio.run(waited(server, "reader", Reply("[]")))  # what is loaded once
    silent, dripping = Reply("", held=True), Reply(dribble=True)
    cases = [
        ("principal", silent),
        ("principal", dripping),
        ("reader", dripping),
        ("reader", silent),
        ("embedder", silent),
    ]
    for role, reply in cases:
        with running_server() as server:
            seconds, end = asyncio.run(waited(server, role, reply))
        what = "drips" if reply.dribble else "says nothing"
        print(f"{role} {what}: {seconds:.2f} s of {SECONDS:.0f}: {end}")
    with running_server() as server:
        for half, last, memory in left(server):
            print(
                f"{CLIENTS} clients leave: models left after {half:.2f} s (half), {last:.2f} s (all); {memory:.0f} MB"
            )


if __name__ == "__main__":
    main()
