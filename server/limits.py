"""Limits on runs: concurrency, queue, rate per key, and a deadline for each request."""

import asyncio
import json
import math
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from limits import RateLimitItemPerMinute
from limits.aio.storage import Storage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articulado.language.translation import translate
from server.access import CALLER
from server.errors import FailureResponse, openai_error, speaks_openai


def retry_later(status: int, detail: str, seconds: float) -> JSONResponse:
    response = FailureResponse(status, {"detail": detail, "error": "TooManyRequests" if status == 429 else "Busy"})
    response.headers["retry-after"] = str(max(1, math.ceil(seconds)))
    return response


_AGENT_SERVER = re.compile(r"/(assistants|threads|runs|store|mcp|a2a)(/|$)")
_COSTLY_READS = frozenset(("/v1/search",))  # paths that search although they take no body
_AGENT_RUN = re.compile(r"/(threads/[^/]+/)?runs(/(stream|wait|batch))?|/(mcp|a2a)(/.*)?")


def is_of_agent_server(scope: Scope) -> bool:
    return _AGENT_SERVER.match(scope["path"]) is not None


def is_run(scope: Scope) -> bool:
    return scope["type"] == "http" and _is_work(scope) and not is_of_agent_server(scope)


def begins_run(scope: Scope) -> bool:
    if scope["type"] != "http" or not _is_work(scope):
        return False
    return not is_of_agent_server(scope) or _AGENT_RUN.fullmatch(scope["path"].rstrip("/")) is not None


def _is_work(scope: Scope) -> bool:
    return scope["method"] == "POST" or scope["path"] in _COSTLY_READS


MAX_BATCH = 20  # largest number of questions in LangServe's ``batch``; they run one after another
_BATCH = re.compile(r"/[^/]+/batch/?")
_COUNT = "count_more_runs"


async def more_runs(scope: Scope, number: int) -> JSONResponse | None:
    """Count ``number`` further runs of a request; return the refusal if its key has no more."""
    count = scope.get("state", {}).get(_COUNT)
    return await count(number) if count else None


_MEMORY = 0.2


class Busy(Exception):
    """No run can start now; one may in ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Room:
    """Room for ``running`` runs at once, and ``waiting`` more that wait up to ``patience`` seconds."""

    def __init__(self, running: int, waiting: int, patience: float) -> None:
        self._most = running
        self._most_waiting = waiting
        self._patience = patience
        self._semaphore = asyncio.Semaphore(running)
        self._mean = 1.0
        self.running = 0
        self.waiting = 0
        self._told: Callable[[int, int], None] = lambda running, waiting: None

    def watch(self, told: Callable[[int, int], None]) -> None:
        """Call ``told`` with the numbers of running and waiting runs whenever they change."""
        self._told = told

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Hold room for one run; raise ``Busy`` if the queue is full or no run ends in time."""
        if self._semaphore.locked() and self.waiting >= self._most_waiting:
            raise Busy(self._mean * (self.waiting + 1) / self._most)
        self._count(waiting=1)
        try:
            await asyncio.wait_for(self._semaphore.acquire(), self._patience)
        except TimeoutError as error:
            raise Busy(self._mean * (self.waiting + 1) / self._most) from error
        finally:
            self._count(waiting=-1)
        self._count(running=1)
        began = time.monotonic()
        try:
            yield
        finally:
            self._count(running=-1)
            self._mean += _MEMORY * (time.monotonic() - began - self._mean)
            self._semaphore.release()

    def _count(self, running: int = 0, waiting: int = 0) -> None:
        self.running += running
        self.waiting += waiting
        self._told(self.running, self.waiting)


class Admission:
    """Refuse runs without room with HTTP 503 and ``Retry-After``."""

    def __init__(self, app: ASGIApp, room: Room) -> None:
        self._app = app
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_run(scope):
            await self._app(scope, receive, send)
            return
        try:
            async with self._room.taken():
                await self._app(scope, receive, send)
        except Busy as busy:
            await retry_later(503, translate("server.busy"), busy.seconds)(scope, receive, send)


_SOON = 1.0


class RateLimit:
    """Refuse runs of a key above its limits with HTTP 429; callers without a key, on this machine, have no limit."""

    def __init__(self, app: ASGIApp, per_minute: int, at_once: int, storage: str = "memory://") -> None:
        self._app = app
        self._limit = RateLimitItemPerMinute(per_minute)
        self._at_once = at_once
        counted = storage_from_string(f"async+{storage}", implementation="redispy")
        assert isinstance(counted, Storage)
        self._limiter = MovingWindowRateLimiter(counted)
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope.get("state", {}).get(CALLER, "")
        if not begins_run(scope) or not caller:
            await self._app(scope, receive, send)
            return
        if self._running[caller] >= self._at_once:
            detail = translate("server.too_many_at_once", limit=self._at_once)
            await retry_later(429, detail, _SOON)(scope, receive, send)
            return
        if refused := await self._counted(caller, 1):
            await refused(scope, receive, send)
            return
        scope["state"][_COUNT] = partial(self._counted, caller)
        self._running[caller] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]

    async def _counted(self, caller: str, runs: int) -> JSONResponse | None:
        if await self._limiter.hit(self._limit, caller, cost=runs):
            return None
        window = await self._limiter.get_window_stats(self._limit, caller)
        detail = translate("server.too_many", limit=self._limit.amount)
        return retry_later(429, detail, window.reset_time - time.time())


class RunDeadline:
    """Cancel a run whose client disconnects, or that takes more than ``seconds`` (for each question of a batch)."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_run(scope):
            await self._app(scope, receive, send)
            return
        questions = MAX_BATCH if _BATCH.fullmatch(scope["path"]) else 1
        await _TimedRequest(receive, send).run(self._app, scope, self._seconds * questions)


class _TimedRequest:
    """One request: its body is read ahead, to notice at once that the client has left."""

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
            await FailureResponse(504, {"detail": detail, "error": "DeadlineExceeded"})(
                scope, self._receive, self._send
            )
        elif not self._ended:
            payload: Mapping[str, Any] = {"status_code": 504, "message": detail, "error": "DeadlineExceeded"}
            name = "event: error\r\n"
            if speaks_openai(scope):
                payload, name = openai_error(504, {"detail": detail, "error": "DeadlineExceeded"}), ""
            event = f"{name}data: {json.dumps(payload, ensure_ascii=False)}\r\n\r\n" if self._streams else ""
            await self._send({"type": "http.response.body", "body": event.encode(), "more_body": False})


async def _cancelled(task: asyncio.Future[Any]) -> None:
    if task.done():
        return
    task.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await task
