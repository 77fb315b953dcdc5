"""Take on a bounded number of runs, let a bounded number wait, and refuse the rest before all of them are late."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.language.translation import translate
from server.limits.refusal import come_back
from server.limits.work import is_run

_MEMORY = 0.2
"""How much the last run counts in the mean of how long one takes."""


class Busy(Exception):
    """There is no room; ``seconds`` is when there may be some."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Room:
    """Room for ``running`` runs at once and ``waiting`` more that wait up to ``patience`` seconds."""

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
        """Let a watcher be told how many run and how many wait, whenever that changes."""
        self._told = told

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Hold room for one run.

        Raises:
            Busy: too many wait, or none ended in time.
        """
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
    """Refuse runs for which there is no room with HTTP 503 and ``Retry-After``."""

    def __init__(self, app: ASGIApp, room: Room) -> None:
        self._app = app
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if not is_run(scope):
            await self._app(scope, receive, send)
            return
        try:
            async with self._room.taken():
                await self._app(scope, receive, send)
        except Busy as busy:
            await come_back(503, translate("server.busy"), busy.seconds)(scope, receive, send)
