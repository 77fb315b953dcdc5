"""When a failed call is made again: the one home of pauses, of what a server asks to wait, and of deadlines."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential

T = TypeVar("T")


class DeadlinePassedError(Exception):
    """The time for all attempts of a call is up."""


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """Makes a call again after failures that may pass: how often, and with what pauses between.

    ``first_pause`` are the seconds before the first retry, on average; they double for each later one, and are spread
    over ±50 % so that callers part. Where the server says how long to wait, that is the pause; one that asks for more
    than ``longest_pause`` has failed. ``clock`` gives the Unix time in seconds, ``jitter`` a number in [0, 1), and
    ``time_limit`` ends an attempt after some seconds, or never.
    """

    max_attempts: int = 3
    first_pause: float = 0.5
    longest_pause: float = math.inf
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    time_limit: Callable[[float | None], asyncio.Timeout] = asyncio.timeout

    async def repeat(
        self,
        attempt: Callable[[], Awaitable[T]],
        transient: Callable[[BaseException], bool],
        deadline: float = math.inf,
        least_attempt: float = 0.0,
    ) -> T:
        """Return the result of the first attempt that succeeds; ``transient`` tells after which failures to try again.

        ``deadline`` is a Unix time in seconds. It bounds each attempt whole, since the time-outs of an HTTP client
        start anew with every byte, and the pauses: one that would leave no more than the ``least_attempt`` seconds
        that the call takes is not begun.

        Raises:
            DeadlinePassedError: an attempt did not end in time, or there was none left for it.
            Exception: what the last attempt raised.
        """

        async def bounded() -> T:
            remaining = deadline - self.clock()
            if remaining <= 0:
                raise DeadlinePassedError
            time_limit = self.time_limit(remaining if math.isfinite(remaining) else None)
            try:
                async with time_limit:
                    return await attempt()
            except Exception as error:
                if time_limit.expired():
                    raise DeadlinePassedError from error
                raise

        def is_last(state: RetryCallState) -> bool:
            pause = state.upcoming_sleep
            exhausted = state.attempt_number >= self.max_attempts
            too_late = self.clock() + pause + least_attempt >= deadline
            return exhausted or pause > self.longest_pause or too_late

        retrying = AsyncRetrying(
            retry=retry_if_exception(transient),
            wait=self._pause,
            stop=is_last,
            sleep=self.sleep,
            reraise=True,
        )
        return await retrying(bounded)

    def _pause(self, state: RetryCallState) -> float:
        """Return the seconds until the next attempt: what the server asks for, or else the doubled and spread ones."""
        requested = retry_after(state.outcome.exception(), self.clock()) if state.outcome else None
        return wait_exponential(self.first_pause)(state) * (0.5 + self.jitter()) if requested is None else requested


def retry_after(error: BaseException | None, now: float) -> float | None:
    """Return the seconds that a server asks to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds, or a date).

    ``error`` is that of an HTTP client, ``now`` the Unix time in seconds. ``None`` where the server asks for nothing.
    """
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return max(0.0, float(headers[name]) * unit)
    with suppress(KeyError, ValueError):
        moment = parsedate_to_datetime(headers["retry-after"])
        return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)
    return None
