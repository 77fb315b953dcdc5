"""A hundred clients that leave in the middle of an answer: nothing goes on for them."""

import asyncio
import gc
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from urllib.parse import urlsplit

from support.loopback import serving
from support.openai_server import OpenAIServer, Reply
from support.waiting import PATIENCE
from support.wired import QUESTION, Wired

from server.app import Site, create_app
from server.conversations.store import MEMORY
from server.guards import Guards
from server.settings import ServerSettings

CLIENTS, WARM = 100, 9
OBJECTS_OF_A_REQUEST = 400
"""That the collector of garbage knows of one that is held fast, measured; a connection more in a pool has some."""
MOST_ROUNDS = 7
SERVERS_OWN = {"Server.serve", "LifespanOn.main", "Threads.forget_daily", "_shutdown_watcher", "objects_at_rest"}
ROOM = ServerSettings(conversations=MEMORY, running=CLIENTS, waiting=CLIENTS, at_once=CLIENTS, per_minute=10_000)
ASKED = {"input": {"question": QUESTION}}
CHAT = {"model": "articulado", "messages": [{"role": "user", "content": QUESTION}]}
ROUTES = {
    "/rag/invoke": (ASKED, ""),
    "/rag/stream": (ASKED, ""),
    "/v1/ask": ({"question": QUESTION}, "accept: text/event-stream\r\n"),
    "/v1/chat/completions": (CHAT, ""),
    "/v1/chat/completions?": ({**CHAT, "stream": True}, ""),
}


class Unfinished:
    """A principal that begins to write and does not end, and counts for whom, and who has left."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.writing = self.left = 0

    def until(self, reached: str, number: int) -> bool:
        with self.changed:
            return self.changed.wait_for(lambda: getattr(self, reached) >= number, PATIENCE)

    @contextmanager
    def written(self) -> Iterator[None]:
        with self.changed:
            self.writing += 1
            self.changed.notify_all()
        try:
            yield
        finally:
            with self.changed:
                self.left += 1
                self.changed.notify_all()


def leave_in_the_middle(url: str, clients: int, unfinished: Unfinished) -> None:
    """Ask, the same part of the clients on each route, and leave when all are being written for; wait until none is."""
    address, before = urlsplit(url), unfinished.writing
    with ExitStack() as stack:
        for route, _ in zip(cycle(ROUTES), range(clients), strict=False):
            body, accept = ROUTES[route]
            content = json.dumps(body).encode()
            head = f"POST {route} HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: application/json\r\n{accept}"
            client = stack.enter_context(socket.create_connection((address.hostname, address.port)))
            client.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        assert unfinished.until("writing", before + clients)
    # All of them have left.
    assert unfinished.until("left", before + clients)


async def objects_at_rest() -> int:
    """Return how many objects there are once the server has nothing to do but its own; runs in its event loop."""
    if others := [
        task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__qualname__", "") not in SERVERS_OWN
    ]:
        await asyncio.wait(others)
    # They are gone before anything is counted.
    others.clear()
    gc.collect()
    return len(gc.get_objects())


def test_who_leaves_is_written_for_no_more_and_leaves_nothing_behind(server: OpenAIServer) -> None:
    rig, unfinished = Wired(server), Unfinished()
    server.while_held = unfinished.written
    server.answer("principal", lambda request: Reply("Son 30 días [C1]. ", held=True))
    loops: list[asyncio.AbstractEventLoop] = []
    bound = CLIENTS * OBJECTS_OF_A_REQUEST / 4

    async def keep_loop() -> None:
        loops.append(asyncio.get_running_loop())

    with serving(create_app(Site(rig.graph, guards=Guards(ROOM), warm_up=keep_loop, close=rig.close))) as url:

        def after(clients: int) -> int:
            leave_in_the_middle(url, clients, unfinished)
            server.requests.clear()
            return asyncio.run_coroutine_threadsafe(objects_at_rest(), loops[0]).result(PATIENCE)

        after(WARM)  # what is made once
        held = [after(WARM), after(CLIENTS)]
        # On a busy machine pools may grow with so many clients, a few times. What is left behind grows each time.
        while held[-1] - held[-2] >= bound and len(held) < MOST_ROUNDS:
            held.append(after(CLIENTS))
    assert unfinished.left == (len(held) - 1) * CLIENTS + 2 * WARM
    assert held[-1] - held[-2] < bound
