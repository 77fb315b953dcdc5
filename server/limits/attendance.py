"""End a request that nobody waits for any more: its client has left, or its time is up."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articulado.language.translation import translate
from server.errors import answer_failure
from server.limits.work import is_run


class Attendance:
    """Cancel a run whose client leaves before it is answered, and one that takes more than ``seconds``.

    What has begun to stream is ended by its route when the client leaves; late, it ends with an ``error`` event.
    """

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if not is_run(scope):
            await self._app(scope, receive, send)
            return
        await _Attended(receive, send).run(self._app, scope, self._seconds)


class _Attended:
    """One request: its body is read ahead, so that what comes after it, that the client left, is seen at once."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        # One message at a time: a body is not read faster than the application takes it.
        self._inbox: asyncio.Queue[Message] = asyncio.Queue(maxsize=1)
        self._left = asyncio.Event()
        self._started = False
        self._ended = False
        self._streams = False

    async def run(self, app: ASGIApp, scope: Scope, seconds: float) -> None:
        """Run the application until it has answered, the client has left, or the time is up."""
        serving = asyncio.ensure_future(app(scope, self._inbox.get, self._sent))
        watching = asyncio.create_task(self._watch())
        leaving = asyncio.create_task(self._left.wait())
        try:
            done, _ = await asyncio.wait({serving, leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if leaving in done and self._started and serving not in done:
                # The route of a stream hears of it by itself.
                done, _ = await asyncio.wait({serving}, timeout=seconds)
            if serving in done:
                await serving
                return
            await _cancelled(serving)
            if leaving not in done and not self._left.is_set():
                await self._answer_late(scope, seconds)
        finally:
            for task in (serving, watching, leaving):
                await _cancelled(task)

    async def _watch(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self._left.set()
            await self._inbox.put(message)
            if self._left.is_set():
                return

    async def _sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            self._streams = any(
                name.lower() == b"content-type" and value.startswith(b"text/event-stream")
                for name, value in message.get("headers", ())
            )
        self._ended = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)

    async def _answer_late(self, scope: Scope, seconds: float) -> None:
        detail = translate("server.late", seconds=seconds)
        if not self._started:
            await answer_failure(504, {"detail": detail, "error": "DeadlineExceeded"})(scope, self._receive, self._send)
        elif not self._ended:
            payload = {"status_code": 504, "message": detail, "error": "DeadlineExceeded"}
            event = f"event: error\r\ndata: {json.dumps(payload, ensure_ascii=False)}\r\n\r\n" if self._streams else ""
            await self._send({"type": "http.response.body", "body": event.encode(), "more_body": False})


async def _cancelled(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait until it has ended; what it raises was told, or nobody is there to hear it."""
    if task.done():
        return
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
