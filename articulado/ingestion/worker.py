"""Pool of worker processes that run calls within time and memory limits, and concurrent helpers."""

import asyncio
import atexit
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from signal import Signals
from typing import Any, TypeVar

from articulado import ONE_THREAD
from articulado.config.files import Limits, mebibytes
from articulado.ingestion.worker_process import IDLE_SECONDS, OUT_OF_MEMORY
from articulado.language.formats import written
from articulado.language.translation import current_language, translate
from articulado.values.errors import InvalidInput

T = TypeVar("T")

Answer = tuple[str, Any]  # outcome of a call (of ``worker_process``, ``time``, or ``died``) and its value

_PROGRAM = "import sys; sys.path[:] = {path!r}; from articulado.ingestion.worker_process import main; main()"
_WAITING = 10  # real time of a call, in multiples of its limit of processor time
_END_SECONDS = 10.0  # seconds for a process to end after it has closed its output


class Workers:
    """Processes for one call at a time, reused while free. They are no sandbox, but contain damaged files."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free: list[_Worker] = []

    async def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Run a module-level function in a process, in the caller's language, and return its result.

        Raises the function's ``ArticuladoError``; ``InvalidInput`` if it fails otherwise or passes a limit.
        """
        try:
            worker = self._free.pop()
        except IndexError:
            worker = _Worker(self._limits)
        try:
            outcome, value = await asyncio.to_thread(worker.ask, (function, arguments, current_language()))
        except BaseException:  # a cancelled call ends with its process
            worker.kill()
            raise
        self._free.append(worker)
        match outcome:
            case "value":
                return value  # type: ignore[no-any-return]
            case "refused":
                kind, message = value
                raise kind(message)
            case "time":
                raise InvalidInput(
                    translate(
                        "bounds.time", seconds=written(self._limits.seconds, 0 if self._limits.seconds >= 1 else 1)
                    )
                )
            case "memory":
                raise InvalidInput(translate("bounds.memory", limit=mebibytes(self._limits.memory)))
            case "depth":
                raise InvalidInput(translate("bounds.depth"))
            case "died":
                raise InvalidInput(translate("bounds.died", how=value))
            case _:
                raise InvalidInput(translate("bounds.failed", error=value))

    def close(self) -> None:
        while self._free:
            self._free.pop().end()


class _Worker:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._used_at = 0.0
        self._killed = self._expired = False

    def ask(self, call: object) -> Answer:
        """Send a call, and return the answer; retry in a new process if a reused one lacks memory."""
        request = pickle.dumps(call)
        if self._is_ready():
            outcome, value = self._asked(request)
            if outcome in ("value", "refused", "time") or self._killed:
                return outcome, value
        self._start()
        return self._asked(request)

    def kill(self) -> None:
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def end(self) -> int:
        """End the process, and return its exit code, or minus the signal."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return process.wait()

    def _is_ready(self) -> bool:
        idle = time.monotonic() - self._used_at
        return self._process is not None and self._process.poll() is None and idle < IDLE_SECONDS / 2

    def _start(self) -> None:
        self.end()
        # spawned, not forked: this process has threads
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            start_new_session=True,  # this process handles Ctrl-C and ends its workers
        )
        self._send(pickle.dumps(self._limits))

    def _asked(self, request: bytes) -> Answer:
        """Return the answer of the process; end it if there is none or its state may be damaged."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._expired = False
        timer = threading.Timer(_WAITING * self._limits.seconds, self._expire)
        timer.daemon = True
        try:
            if self._killed:
                self._process.kill()
            self._send(request)
            pickle.load(self._process.stdout)
            timer.start()
            answer: Answer = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            answer = "died", self._death()
        finally:
            timer.cancel()
            self._used_at = time.monotonic()
        if answer[0] not in ("value", "refused", "failed"):
            self.end()
        if self._expired or answer == ("died", "SIGPROF"):
            return "time", ""
        return ("memory", "") if answer == ("died", str(OUT_OF_MEMORY)) else answer

    def _death(self) -> str:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        code = self.end()
        return Signals(-code).name if code < 0 else str(code)

    def _expire(self) -> None:
        self._expired = True
        if self._process is not None:
            self._process.kill()

    def _send(self, message: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(message)
            self._process.stdin.flush()


@cache
def workers(limits: Limits) -> Workers:
    """Return the shared processes with these limits: each takes long to start."""
    shared = Workers(limits)
    atexit.register(shared.close)
    return shared


R = TypeVar("R")


async def in_order(
    items: Iterable[T] | AsyncIterable[T], work: Callable[[T], Awaitable[R]], ahead: int
) -> AsyncGenerator[tuple[T, asyncio.Future[R]], None]:
    """Yield items with their finished work, in order; the first runs alone (a wrong key costs one request)."""
    running: deque[tuple[T, asyncio.Future[R]]] = deque()
    try:
        alone = True
        async for item in _each(items):
            running.append((item, asyncio.ensure_future(work(item))))
            if alone or len(running) > ahead:
                yield await _first_done(running)
            alone = False
        while running:
            yield await _first_done(running)
    finally:
        for _, future in running:
            future.cancel()
        await asyncio.gather(*(future for _, future in running), return_exceptions=True)


async def in_thread(items: Iterator[T]) -> AsyncIterator[T]:
    """Yield the items of a blocking iterator, each fetched off the event loop."""
    end = object()
    while (item := await asyncio.to_thread(next, items, end)) is not end:
        yield item  # type: ignore[misc]


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


async def _first_done(running: deque[tuple[T, asyncio.Future[R]]]) -> tuple[T, asyncio.Future[R]]:
    await asyncio.wait([running[0][1]])
    return running.popleft()
