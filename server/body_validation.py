"""What a request body may be: of limited size, and readable at all."""

import json
from collections.abc import Callable
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from server.errors import answer_failure

MAX_DEPTH = 50


class BodyLimit:
    """Refuse bodies of more than ``limit_of`` a request, in bytes, declared or not, with HTTP 413."""

    def __init__(self, app: ASGIApp, limit_of: Callable[[Scope], int]) -> None:
        self._app = app
        self._limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            refused = answer_failure(413, {"detail": translate("server.too_large", limit=limit), "error": "HTTPError"})
            await refused(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise HTTPException(413, translate("server.too_large", limit=limit))
            return message

        await self._app(scope, counted, send)


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
        raise InvalidInput(translate("server.too_deep", levels=MAX_DEPTH)) from error
    if depth(body) > MAX_DEPTH:
        raise InvalidInput(translate("server.too_deep", levels=MAX_DEPTH))
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(translate("server.halves")) from error


def depth(value: Any) -> int:
    """Return how many objects and lists are within each other, 0 for neither; no recursion, however many."""
    levels, within = 0, [value]
    while within := [item for item in within if isinstance(item, dict | list)]:
        levels += 1
        within = [item for outer in within for item in (outer.values() if isinstance(outer, dict) else outer)]
    return levels
