"""Calls of models that are tried again after passing failures, under one deadline: the one place that does so."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from articulado.config.settings import Role
from articulado.values.errors import ModelError
from services.backoff import Backoff, DeadlinePassedError
from services.models.failures import Endpoint, explain, late, silent, withheld

T = TypeVar("T")

LEAST_REPLY: Mapping[Role, float] = {"reader": 1.0, "principal": 5.0, "embedder": 0.5, "rerank": 0.5}
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
