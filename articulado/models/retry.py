"""Retry model calls after transient failures, within the deadline of the question.

Only this module retries: the SDKs must not. Deadlines are Unix times in seconds. ``Retrier`` honours the
waiting time that a server asks for. ``QuestionTime`` limits all other models to a share of
the question's seconds, so that time remains to write the answer.
"""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date
from email.utils import parsedate_to_datetime
from typing import Literal, TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential

from articulado.config.settings import Role
from articulado.models.failures import Endpoint, explain, late, silent, withheld
from articulado.values.errors import ModelError

Outcome = TypeVar("Outcome")


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
        attempt: Callable[[], Awaitable[Outcome]],
        transient: Callable[[BaseException], bool],
        deadline: float = math.inf,
        least_attempt: float = 0.0,
    ) -> Outcome:
        """Return the result of the first attempt that succeeds; ``transient`` tells after which failures to try again.

        ``deadline`` is a Unix time in seconds. It bounds each attempt whole, since the time-outs of an HTTP client
        start anew with every byte, and the pauses: one that would leave no more than the ``least_attempt`` seconds
        that the call takes is not begun.

        Raises:
            DeadlinePassedError: an attempt did not end in time, or there was none left for it.
            Exception: what the last attempt raised.
        """

        async def bounded() -> Outcome:
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


T = TypeVar("T")

LEAST_REPLY: Mapping[Role, float] = {
    "reader": 1.0,
    "principal": 5.0,
    "embedder": 0.5,
    "rerank": 0.5,
    "checker": 2.0,
    "sentences": 0.2,
}
"""Seconds that a model of a role takes for a reply: a pause that leaves no more would be waited for in vain."""
DEFAULT_TIMEOUT = 120.0
"""Seconds for all attempts of a call that has no deadline of its own."""


@dataclass(frozen=True)
class Retrier(Backoff):
    """Runs a call to one endpoint until it succeeds, fails for good, or its time is up.

    The SDKs below must not retry by themselves, or attempts multiply.
    """

    endpoint: Endpoint
    timeout: float = DEFAULT_TIMEOUT

    async def run(self, attempt: Callable[[], Awaitable[T]], deadline: float | None = None) -> tuple[T, int]:
        """Return the result of the first attempt that succeeds, and how many it took.

        ``deadline`` is a Unix time in seconds, for all attempts together.

        Raises:
            ModelError: the provider failed for good, or (``ModelMisconfigured``) does not accept the key or know the
                model; its ``attempts`` says how often it was asked.
        """
        attempts = 0

        async def counted() -> T:
            nonlocal attempts
            attempts += 1
            return await attempt()

        try:
            end = self.clock() + self.timeout if deadline is None else deadline
            return await self.repeat(counted, self._is_transient, end, LEAST_REPLY[self.endpoint.role]), attempts
        except Exception as error:
            user_error = self._user_error(error, has_deadline=deadline is not None)
            if isinstance(user_error, ModelError):
                user_error.attempts = attempts
            if user_error is error:
                raise
            cause = withheld(error)
        # Raised out here, so that no traceback leads to the provider's own words.
        raise user_error from cause

    def _is_transient(self, error: BaseException) -> bool:
        failure = explain(error, self.endpoint)
        return failure is not None and failure.transient

    def _user_error(self, error: Exception, *, has_deadline: bool) -> Exception:
        """Return the error for the user; one that is not the provider's, or was explained before, as it is."""
        if isinstance(error, DeadlinePassedError):
            name = self.endpoint.name
            return late(name, self.endpoint.role) if has_deadline else silent(name, self.timeout)
        failure = explain(error, self.endpoint)
        return failure.error if failure else error


Part = Literal["reader", "embedder", "reranker", "checker"]

SHARES: Mapping[Part, float] = {"reader": 0.15, "embedder": 0.15, "reranker": 0.20, "checker": 0.25}
"""What a call of each part may take of the seconds of a question; after that the question goes on without it."""


@dataclass(frozen=True)
class QuestionTime:
    """The ``seconds`` that all model calls of a question may take together, and the day on which it is asked.

    ``clock`` gives the Unix time in seconds; ``calendar`` gives the day, which need not be the clock's.

    >>> time_of_question = QuestionTime(120.0, clock=lambda: 1000.0)
    >>> time_of_question.deadline_of("reader", 1120.0), time_of_question.deadline_of("reader", 1010.0)
    (1018.0, 1010.0)
    """

    seconds: float = math.inf
    clock: Callable[[], float] = time.time
    calendar: Callable[[], date] = date.today

    def deadline_of(self, part: Part, deadline: float | None) -> float | None:
        """Return the Unix time in seconds until which a call that begins now may take: that of the question at most."""
        end = self.clock() + SHARES[part] * self.seconds
        if math.isinf(end):
            return deadline
        return end if deadline is None else min(end, deadline)


UNLIMITED = QuestionTime()
"""For a call that is no part of a question: it has the deadline that its caller names, if any."""
