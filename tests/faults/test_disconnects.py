"""A hundred clients that leave in the middle of an answer: nothing goes on for them."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest
from support.loopback import serving
from support.openai_server import OpenAIServer, Reply
from support.waiting import PATIENCE
from support.wired import QUESTION, Wired

from server.app import create_app
from server.guards import Guards
from server.settings import ServerSettings
from services.conversations.kept import MEMORY

CLIENTS = 100
ROOM = ServerSettings(conversations=MEMORY, running=CLIENTS, waiting=CLIENTS, at_once=CLIENTS, per_minute=10_000)
ASKED = {"input": {"question": QUESTION}}
ROUTES = {
    "/rag/invoke": (ASKED, ""),
    "/rag/stream": (ASKED, ""),
    "/v1/ask": ({"question": QUESTION}, "accept: text/event-stream\r\n"),
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


@pytest.mark.parametrize("route", ROUTES)
def test_who_leaves_is_written_for_no_more(server: OpenAIServer, route: str) -> None:
    rig, unfinished = Wired(server), Unfinished()
    server.while_held = unfinished.written
    server.answer("principal", lambda request: Reply("Son 30 días [C1]. ", held=True))
    body, accept = ROUTES[route]
    content = json.dumps(body).encode()
    tasks: list[int] = []

    async def count_tasks() -> None:
        tasks.append(len(asyncio.all_tasks()))
        await rig.close()

    with serving(create_app(rig.graph, guards=Guards(ROOM), close=count_tasks)) as url:
        address = urlsplit(url)
        head = f"POST {route} HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-type: application/json\r\n{accept}"
        with ExitStack() as stack:
            for _ in range(CLIENTS):
                client = stack.enter_context(socket.create_connection((address.hostname, address.port)))
                client.sendall(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
            assert unfinished.until("writing", CLIENTS)
        # All of them have left.
        assert unfinished.until("left", CLIENTS)
    assert (unfinished.writing, unfinished.left) == (CLIENTS, CLIENTS)
    # The server's own: its main task, the lifespan, the one that forgets old conversations.
    assert tasks[0] <= 4
