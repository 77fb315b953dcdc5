"""The one place where a failed model call is tried again, under one deadline."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeVar

from services.errors import ArticuladoError, ModelError
from services.model_failures import Endpoint, explain, timed_out

T = TypeVar("T")

MAX_ATTEMPTS = 3
"""One try and two retries."""

FIRST_PAUSE = 0.5
"""Seconds before the first retry, on average; doubled for each later one."""

DEFAULT_TIMEOUT = 120.0
"""Seconds for all attempts of a call that has no deadline of its own."""


@dataclass(frozen=True)
class Retrier:
    """Runs a call to one endpoint until it succeeds, fails for good, or its time is up.

    The SDKs below must not retry by themselves, or attempts multiply. ``clock`` gives the Unix time in
    seconds, ``jitter`` a number in [0, 1).
    """

    endpoint: Endpoint
    max_attempts: int = MAX_ATTEMPTS
    timeout: float = DEFAULT_TIMEOUT
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    async def run(self, attempt: Callable[[], Awaitable[T]], deadline: float | None = None) -> tuple[T, int]:
        """Return the result of the first attempt that succeeds, and how many it took.

        ``deadline`` is a Unix time in seconds. It bounds each attempt whole, since the time-outs of an HTTP client
        start anew with every byte, and the pauses: one that would outlast it is not begun.

        Raises:
            ModelError: the provider failed for good; its ``attempts`` says how often it was asked.
            ConfigurationError: the provider does not accept the key or does not know the model.
        """
        end = self.clock() + self.timeout if deadline is None else deadline
        for number in range(1, self.max_attempts + 1):
            remaining = end - self.clock()
            if remaining <= 0:
                raise _counted(timed_out(self.endpoint), number - 1)
            limit = asyncio.timeout(remaining)
            try:
                async with limit:
                    return await attempt(), number
            except ArticuladoError as error:
                _counted(error, number)
                raise
            except Exception as error:
                if limit.expired():
                    raise _counted(timed_out(self.endpoint), number) from error
                failure = explain(error, self.endpoint)
                if failure is None:
                    raise
                pause = self._pause(number, error)
                if not failure.transient or number == self.max_attempts or self.clock() + pause >= end:
                    raise _counted(failure.error, number) from error
            await self.sleep(pause)
        raise AssertionError("max_attempts is at least 1")

    def _pause(self, number: int, error: Exception) -> float:
        """Return the seconds to wait: as the provider asks, else doubling, spread over ±50 % so that callers part."""
        asked = retry_after(error, self.clock())
        return FIRST_PAUSE * 2.0 ** (number - 1) * (0.5 + self.jitter()) if asked is None else asked


def _counted(error: ArticuladoError, attempts: int) -> ArticuladoError:
    if isinstance(error, ModelError):
        error.attempts = attempts
    return error


def retry_after(error: Exception, now: float) -> float | None:
    """Read ``retry-after-ms`` or ``Retry-After`` (seconds, or a date); ``None`` where there is none."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return max(0.0, float(headers[name]) * unit)
    with suppress(KeyError, ValueError):
        moment = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
    return None
