"""The stream route: LangServe's, but its error event says what happened."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any, cast

from fastapi import APIRouter, Request
from langserve import APIHandler
from sse_starlette import EventSourceResponse

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError
from server.errors import error_event

Event = dict[str, Any]
Events = AsyncGenerator[Event, None]

logger = logging.getLogger(__name__)


def add_stream_route(router: APIRouter, handler: APIHandler, path: str) -> None:
    """Add ``<path>/stream``; added before LangServe's route of the same path, it takes its place."""

    @router.post(f"{path}/stream", include_in_schema=False)
    async def stream(request: Request) -> EventSourceResponse:
        response = await handler.stream(request)
        response.body_iterator = with_failures(cast(Events, response.body_iterator))
        return response


async def with_failures(events: Events) -> AsyncIterator[Event]:
    """Pass LangServe's events on; where it says "Internal Server Error" and raises, say what was raised.

    A ``RemoteRunnable`` raises the event's ``message`` with its ``status_code``.
    """
    try:
        async for event in events:
            if event.get("event") != "error":
                yield event
    except GeneratorExit:
        with suppress(asyncio.CancelledError):  # LangServe answers any exception, this one too, with one more event.
            await events.athrow(asyncio.CancelledError())
        await events.aclose()
        raise
    except Exception as error:
        if not isinstance(error, ArticuladoError):
            logger.exception(translate("server.interrupted"))
        yield {"event": "error", "data": json.dumps(error_event(error), ensure_ascii=False)}
