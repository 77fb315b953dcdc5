"""Retry model calls after transient failures, within the deadline of the question (Unix time in seconds).

Only this module retries; the SDKs must not.
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
    """The time for all attempts is up."""


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """Repeats a call after transient failures; a pause requested by the server replaces ours."""

    max_attempts: int = 3
    first_pause: float = 0.5  # average seconds before the first retry, ±50 %; doubled for each later one
    longest_pause: float = math.inf  # seconds; if the server requests more, the call fails
    clock: Callable[[], float] = time.time  # Unix time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random  # number in [0, 1)
    time_limit: Callable[[float | None], asyncio.Timeout] = asyncio.timeout

    async def repeat(
        self,
        attempt: Callable[[], Awaitable[Outcome]],
        transient: Callable[[BaseException], bool],
        deadline: float = math.inf,
        least_attempt: float = 0.0,
    ) -> Outcome:
        """Return the first successful result; ``transient`` selects the failures to retry.

        ``deadline`` bounds attempts (an HTTP client's time-out restarts with every byte) and pauses: one that leaves
        less than ``least_attempt`` seconds is not begun. Raises ``DeadlinePassedError``, or the last attempt's error.
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
        requested = retry_after(state.outcome.exception(), self.clock()) if state.outcome else None
        return wait_exponential(self.first_pause)(state) * (0.5 + self.jitter()) if requested is None else requested


def retry_after(error: BaseException | None, now: float) -> float | None:
    """Return the pause in seconds requested by ``retry-after-ms`` or ``Retry-After`` (seconds or date), or ``None``."""
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
"""Seconds for a reply by role; a pause that leaves less is useless."""
DEFAULT_TIMEOUT = 120.0  # seconds for all attempts of a call without a deadline


@dataclass(frozen=True)
class Retrier(Backoff):
    """Runs calls to one endpoint with retries."""

    endpoint: Endpoint
    timeout: float = DEFAULT_TIMEOUT

    async def run(self, attempt: Callable[[], Awaitable[T]], deadline: float | None = None) -> tuple[T, int]:
        """Return the first successful result and the number of attempts; raise ``ModelError`` with ``attempts``."""
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
        """Return the error for the user; other errors, and those explained before, unchanged."""
        if isinstance(error, DeadlinePassedError):
            name = self.endpoint.name
            return late(name, self.endpoint.role) if has_deadline else silent(name, self.timeout)
        failure = explain(error, self.endpoint)
        return failure.error if failure else error


Part = Literal["reader", "embedder", "reranker", "checker"]

SHARES: Mapping[Part, float] = {"reader": 0.15, "embedder": 0.15, "reranker": 0.20, "checker": 0.25}
"""Share of the question's seconds for a call of each part; then the question continues without it."""


@dataclass(frozen=True)
class QuestionTime:
    """Seconds for all model calls of a question, and its day.

    >>> time_of_question = QuestionTime(120.0, clock=lambda: 1000.0)
    >>> time_of_question.deadline_of("reader", 1120.0), time_of_question.deadline_of("reader", 1010.0)
    (1018.0, 1010.0)
    """

    seconds: float = math.inf
    clock: Callable[[], float] = time.time
    calendar: Callable[[], date] = date.today

    def deadline_of(self, part: Part, deadline: float | None) -> float | None:
        """Return the deadline of a call that begins now, at most the question's."""
        end = self.clock() + SHARES[part] * self.seconds
        if math.isinf(end):
            return deadline
        return end if deadline is None else min(end, deadline)


UNLIMITED = QuestionTime()  # for a call outside a question
