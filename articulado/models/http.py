"""HTTP client of the SDKs: connections by event loop, and requests without refused parameters.

Importing it loads the OpenAI SDK: import it where a client is built.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import openai

from articulado.models.habits import Parameter, refused_parameters

Send = Callable[[httpx2.Request], Awaitable[httpx2.Response]]

_refused: dict[tuple[str, str], dict[str, Parameter]] = {}
"""Refused parameters by address and model, for the life of the process."""


class PerLoopClient(openai.DefaultAsyncHttpxClient):
    """Keeps the connections of each event loop apart.

    A connection dies with its loop; a program may call ``asyncio.run(graph.ainvoke(…))`` twice. Redirects are not
    followed: keys and questions go only to the configured address.
    """

    def __init__(self, **options: Any) -> None:
        options = {**options, "follow_redirects": False}
        super().__init__(transport=httpx2.AsyncBaseTransport(), **options)  # never used: see send
        # Certificates are read from disk once, here, and not while a loop runs.
        self._options = {"verify": httpx2.create_ssl_context(), **options}
        self._clients: dict[asyncio.AbstractEventLoop, httpx2.AsyncClient] = {}

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request over a connection of the running loop, without refused parameters."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            open_clients = {other: client for other, client in self._clients.items() if not other.is_closed()}
            self._clients = {**open_clients, loop: openai.DefaultAsyncHttpxClient(**self._options)}
        client = self._clients[loop]
        return await send_accepted(request, lambda accepted: client.send(accepted, **options))

    async def aclose(self) -> None:
        if client := self._clients.pop(asyncio.get_running_loop(), None):
            await client.aclose()


async def send_accepted(request: httpx2.Request, send: Send) -> httpx2.Response:
    """Send a request, and again without each optional parameter that the server refuses by name.

    An accepted request fixes the omitted parameters for its model and address.
    """
    body = _body_of(request)
    if body is None:
        return await send(request)
    key = (str(request.url.copy_with(query=None)), str(body.get("model", "")))
    known = dict(_refused.get(key, {}))
    tried = dict(known)
    while True:
        sent = _without(body, tried)
        response = await send(request if sent == body else _with_body(request, sent))
        if response.status_code < 400:
            if tried != known:
                _refused[key] = {**_refused.get(key, {}), **tried}
            return _as_stream(response, await response.aread()) if _wants_stream(body, sent) else response
        text = (await response.aread()).decode(errors="replace")
        refused = {row.name: row for row in refused_parameters(response.status_code, text, sent)}
        if not refused:
            return response
        tried |= refused


def _body_of(request: httpx2.Request) -> dict[str, Any] | None:
    try:
        body = json.loads(request.content)
    except (ValueError, httpx2.RequestNotRead):
        return None
    return body if isinstance(body, dict) else None


def _with_body(request: httpx2.Request, body: dict[str, Any]) -> httpx2.Request:
    headers = [(name, text) for name, text in request.headers.multi_items() if name.lower() != "content-length"]
    return httpx2.Request(request.method, request.url, headers=headers, json=body, extensions=request.extensions)


def _without(body: dict[str, Any], refused: dict[str, Parameter]) -> dict[str, Any]:
    """Return a body without refused parameters; an accepted replacement takes the value."""
    kept = {name: value for name, value in body.items() if name not in refused}
    for row in refused.values():
        if row.name in body and row.instead and row.instead not in refused:
            kept.setdefault(row.instead, body[row.name])
    if "stream" not in kept:
        kept.pop("stream_options", None)
    return kept


def _wants_stream(body: dict[str, Any], sent: dict[str, Any]) -> bool:
    return bool(body.get("stream")) and "stream" not in sent


def _as_stream(response: httpx2.Response, content: bytes) -> httpx2.Response:
    try:
        reply = json.loads(content)
        choices = [{**choice, "delta": choice["message"]} for choice in reply["choices"]]
    except (ValueError, LookupError, TypeError):
        return response
    event = json.dumps({**reply, "object": "chat.completion.chunk", "choices": choices})
    headers = {"content-type": "text/event-stream"}
    stream = f"data: {event}\n\ndata: [DONE]\n\n".encode()
    return httpx2.Response(response.status_code, headers=headers, content=stream, request=response.request)
