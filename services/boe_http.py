"""Ask one server, politely: one request after another, with a pause between them, again after passing failures."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

import httpx

from services.errors import ConfigurationError, SourceUnavailable
from services.retry import retry_after

MAX_ATTEMPTS = 4
"""One try and three retries."""

FIRST_PAUSE = 2.0
"""Seconds before the first retry, on average; doubled for each later one."""

LONGEST_PAUSE = 120.0
"""Seconds that the server may ask to wait; a longer wait is a failure."""

TIMEOUT = 180.0
"""Seconds for one whole attempt: the time-outs of an HTTP client start anew with every byte."""

_CONNECT_TIMEOUT = 20.0


class PoliteHttp:
    """An HTTP client with one connection. ``clock`` gives the Unix time in seconds, ``jitter`` a number in [0, 1)."""

    def __init__(
        self,
        *,
        pause: float,
        timeout: float = TIMEOUT,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._pause, self._timeout = pause, timeout
        self._clock, self._sleep, self._jitter = clock, sleep, jitter
        self._turn = asyncio.Lock()
        self._last: float | None = None
        self._client = httpx.AsyncClient(
            headers={"User-Agent": f"articulado/{_version()}"},
            limits=httpx.Limits(max_connections=1),
            timeout=httpx.Timeout(timeout, connect=min(timeout, _CONNECT_TIMEOUT)),
            follow_redirects=True,
        )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def get(
        self, url: str, *, headers: Mapping[str, str], params: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Return the answer, whatever its status but 429 and 5xx, once nobody else is asking.

        Raises:
            SourceUnavailable: the server cannot be reached, fails or asks for a longer wait, after all attempts.
            ConfigurationError: the address is none.
        """
        async with self._turn:
            for number in range(1, MAX_ATTEMPTS + 1):
                await self._rest()
                failure: Exception
                try:
                    async with asyncio.timeout(self._timeout):
                        answer = await self._client.get(url, headers=dict(headers), params=params)
                    if answer.status_code != 429 and answer.status_code < 500:
                        return answer
                    failure = httpx.HTTPStatusError("", request=answer.request, response=answer)
                except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                    raise ConfigurationError(
                        f"La dirección «{url}» no es válida. Corrija ARTICULADO_BOE_URL en el entorno o en .env."
                    ) from error
                except (httpx.TransportError, httpx.TooManyRedirects, httpx.DecodingError, TimeoutError) as error:
                    failure = error
                finally:
                    self._last = self._clock()
                wait = self._wait(number, failure)
                if number == MAX_ATTEMPTS or wait > LONGEST_PAUSE:
                    break
                await self._sleep(wait)
        raise SourceUnavailable(
            f"El servidor {httpx.URL(url).host} no ha dado una respuesta válida ({_reason(failure)}). Compruebe la "
            "conexión a internet y el proxy, o vuelva a intentarlo más tarde."
        ) from failure

    async def _rest(self) -> None:
        """Let the pause since the last request pass, and no more where the clock was set back meanwhile."""
        if self._last is not None and (rest := self._last + self._pause - self._clock()) > 0:
            await self._sleep(min(rest, self._pause))

    def _wait(self, number: int, failure: Exception) -> float:
        """Return the seconds before the next attempt: as the server asks, else doubling, spread over ±50 %."""
        asked = retry_after(failure, self._clock())
        return FIRST_PAUSE * 2.0 ** (number - 1) * (0.5 + self._jitter()) if asked is None else asked


def refused(answer: httpx.Response) -> SourceUnavailable:
    """Return the error of an answer whose status nobody expects: a proxy, or an address that is not the BOE's."""
    return SourceUnavailable(
        f"El BOE rechaza la petición (error HTTP {answer.status_code}). Compruebe ARTICULADO_BOE_URL y el proxy."
    )


def _reason(failure: Exception) -> str:
    if isinstance(failure, httpx.HTTPStatusError):
        return f"error HTTP {failure.response.status_code}"
    if isinstance(failure, TimeoutError | httpx.TimeoutException):
        return "no responde a tiempo"
    if isinstance(failure, httpx.ConnectError):
        return "no se puede conectar"
    return "la conexión se ha cortado"


def _version() -> str:
    try:
        return version("articulado")
    except PackageNotFoundError:
        return "0"
