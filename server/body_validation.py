"""What a request body may be: of limited size, and readable at all."""

import json
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from language.current import say
from server.errors import answer_failure
from state.errors import InvalidInput

MAX_DEPTH = 50


class BodyLimit:
    """Refuse bodies of more than ``limit`` bytes, with or without a declared length, with HTTP 413."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        declared = Headers(scope=scope).get("content-length", "") if scope["type"] == "http" else ""
        if declared.isdigit() and int(declared) > self._limit:
            await answer_failure(413, {"detail": self._message(), "error": "HTTPError"})(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise HTTPException(413, self._message())
            return message

        await self._app(scope, counted, send)

    def _message(self) -> str:
        return say("server.too_large", limit=self._limit)


async def check_body(request: Request) -> None:
    """Read the body of a ``POST`` as JSON; the request keeps what was read.

    Raises:
        RequestValidationError: it is no JSON.
        InvalidInput: objects and lists are nested too deeply, or a text cannot be written as UTF-8.
    """
    if request.method != "POST":
        return
    try:
        body = await request.json()
    except ValueError as error:
        raise RequestValidationError(errors=["Invalid JSON body"]) from error
    except RecursionError as error:
        raise InvalidInput(say("server.too_deep", levels=MAX_DEPTH)) from error
    if depth(body) > MAX_DEPTH:
        raise InvalidInput(say("server.too_deep", levels=MAX_DEPTH))
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(say("server.halves")) from error


def depth(value: Any) -> int:
    """Return how many objects and lists are within each other, 0 for neither; no recursion, however many."""
    levels, within = 0, [value]
    while within := [item for item in within if isinstance(item, dict | list)]:
        levels += 1
        within = [item for outer in within for item in (outer.values() if isinstance(outer, dict) else outer)]
    return levels
