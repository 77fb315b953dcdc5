"""Sequential HTTP client with a pause between requests, retries and a circuit breaker."""

import asyncio
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

import httpx2

from articulado.models.retry import Backoff
from articulado.values.errors import ConfigurationError, SourceUnavailable

BACKOFF = Backoff(max_attempts=4, first_pause=2.0, longest_pause=120.0)
"""More patient than with a chat model: no user is waiting."""

TIMEOUT = 180.0  # seconds for one whole attempt: the time-outs of an HTTP client restart with every byte

_CONNECT_TIMEOUT = 20.0

_TRANSIENT = (
    httpx2.HTTPStatusError,
    httpx2.TransportError,
    httpx2.TooManyRedirects,
    httpx2.DecodingError,
    TimeoutError,
)
"""Failures worth a retry."""


class PoliteHttp:
    """HTTP client for one run; after a failed request, later ones raise ``SourceUnavailable`` at once."""

    def __init__(self, *, pause: float, backoff: Backoff) -> None:
        self._pause, self._backoff = pause, backoff
        self._lock = asyncio.Lock()
        self._last_request: float | None = None
        self._down: SourceUnavailable | None = None
        self._client = httpx2.AsyncClient(
            headers={"User-Agent": f"articulado/{_version()}"},
            limits=httpx2.Limits(max_connections=1),
            timeout=httpx2.Timeout(TIMEOUT, connect=_CONNECT_TIMEOUT),
            follow_redirects=True,
            event_hooks={"request": [self._stay]},
        )
        self._asked = httpx2.URL()

    async def aclose(self) -> None:
        await self._client.aclose()

    def give_up(self, error: Exception) -> None:
        self._down = SourceUnavailable(str(error))

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None = None,
        is_answer: Callable[[httpx2.Response], bool],
    ) -> httpx2.Response:
        """Return the response, once no other request is under way.

        Responses that fail ``is_answer`` come from a proxy or another host, and raise ``SourceUnavailable``.
        """
        async with self._lock:
            if self._down:
                raise SourceUnavailable(str(self._down))
            try:
                response = await self._persistently(url, headers, params)
                if not is_answer(response):
                    raise SourceUnavailable(
                        f"El BOE rechaza la petición (error HTTP {response.status_code}). Compruebe "
                        "ARTICULADO_BOE_URL y el proxy."
                    )
            except SourceUnavailable as error:
                self._down = error
                raise
            return response

    async def _persistently(
        self, url: str, headers: Mapping[str, str], params: Mapping[str, str] | None
    ) -> httpx2.Response:
        async def attempt() -> httpx2.Response:
            await self._wait_between()
            try:
                self._asked = httpx2.URL(url)
                async with asyncio.timeout(TIMEOUT):
                    response = await self._client.get(url, headers=dict(headers), params=params)
            except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
                raise ConfigurationError(
                    f"La dirección «{url}» no es válida. Corrija ARTICULADO_BOE_URL en el entorno o en .env."
                ) from error
            finally:
                self._last_request = self._backoff.clock()
            if response.status_code == 429 or response.status_code >= 500:
                raise httpx2.HTTPStatusError("", request=response.request, response=response)
            return response

        try:
            return await self._backoff.repeat(attempt, lambda error: isinstance(error, _TRANSIENT))
        except _TRANSIENT as failure:
            host = httpx2.URL(url).host
            raise SourceUnavailable(
                f"El servidor {host} no ha dado una respuesta válida ({_reason(failure)}). Compruebe la conexión a "
                "internet y el proxy, o vuelva a intentarlo más tarde."
            ) from failure

    async def _stay(self, request: httpx2.Request) -> None:
        """Refuse a redirect to another server, such as one of this machine or its network."""
        if not is_same_server(self._asked, request.url):
            port = f":{request.url.port}" if request.url.port else ""
            raise SourceUnavailable(
                f"El servidor {self._asked.host} redirige a otra dirección ({request.url.scheme}://{request.url.host}"
                f"{port}), y no se sigue. Si esa es la buena, póngala en ARTICULADO_BOE_URL."
            )

    async def _wait_between(self) -> None:
        if self._last_request is not None and (pause := self._last_request + self._pause - self._backoff.clock()) > 0:
            await self._backoff.sleep(min(pause, self._pause))


def is_same_server(asked: httpx2.URL, target: httpx2.URL) -> bool:
    """Tell if two addresses have the same host and port, or differ only by HTTP upgraded to HTTPS."""
    if asked.host != target.host:
        return False
    secured = (asked.scheme, target.scheme) == ("http", "https") and {asked.port, target.port} == {None}
    return secured or (asked.scheme, asked.port) == (target.scheme, target.port)


def _reason(failure: Exception) -> str:
    if isinstance(failure, httpx2.HTTPStatusError):
        return f"error HTTP {failure.response.status_code}"
    if isinstance(failure, TimeoutError | httpx2.TimeoutException):
        return "no responde a tiempo"
    if isinstance(failure, httpx2.ConnectError):
        return "no se puede conectar"
    return "la conexión se ha cortado"


def _version() -> str:
    try:
        return version("articulado")
    except PackageNotFoundError:
        return "0"
