"""How long a fault is waited for: seconds of the wall, where tests only count.

    python -m benchmarks.faults

A model that accepts and never answers, and one that drips, against a question of three seconds; and a hundred clients
that leave in the middle of an answer, until the last of their models is left, too. What comes out stands in
docs/reliability.md.
"""

import asyncio
import json
import socket
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.loopback import serving
from support.openai_server import OpenAIServer, Reply, running_server
from support.wired import QUESTION, Wired, wired

from server.app import create_app
from server.guards import Guards
from server.settings import ServerSettings
from services.conversations.kept import MEMORY
from services.settings import Settings

SECONDS = 3.0
CLIENTS = 100


async def waited(server: OpenAIServer, role: str, reply: Reply) -> tuple[float, str]:
    """Return the seconds that a question takes whose model of a role does not end, and how it ends."""
    settings = Settings.read(env_file=None, question_timeout=SECONDS)
    async with wired(server, settings=settings) as rig:
        server.script(role, reply)
        began = time.perf_counter()
        _, error = await rig.until_it_fails()
        return time.perf_counter() - began, type(error).__name__ if error else "answer"


def left(server: OpenAIServer) -> tuple[float, float]:
    """Return the seconds from the leaving of a hundred clients until half, and until all, of their models are left."""
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
    with serving(create_app(rig.graph, guards=Guards(room), close=rig.close)) as url:
        address = urlsplit(url)
        head = f"POST /v1/ask HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: application/json\r\n"
        with ExitStack() as stack:
            for _ in range(CLIENTS):
                client = stack.enter_context(socket.create_connection((address.hostname, address.port)))
                client.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
            for _ in range(CLIENTS):
                writing.acquire()
            began = time.perf_counter()
        while len(gone) < CLIENTS:
            time.sleep(0.01)
    times = sorted(moment - began for moment in gone)
    return times[CLIENTS // 2], times[-1]


def main() -> None:
    with running_server() as server:
        asyncio.run(waited(server, "reader", Reply("[]")))  # what is loaded once
    silent, dripping = Reply("", held=True), Reply(dribble=True)
    cases = [("principal", silent), ("principal", dripping), ("reader", dripping)]
    for role, reply in cases:
        with running_server() as server:
            seconds, end = asyncio.run(waited(server, role, reply))
        what = "drips" if reply.dribble else "says nothing"
        print(f"{role} {what}: {seconds:.2f} s of {SECONDS:.0f}: {end}")
    with running_server() as server:
        half, last = left(server)
    print(f"{CLIENTS} clients leave: half of the models are left after {half:.2f} s, all after {last:.2f} s")


if __name__ == "__main__":
    main()
