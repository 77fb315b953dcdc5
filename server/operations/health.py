"""Whether the server is up, and whether it is ready to answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from articulado.values.errors import ArticuladoError

logger = logging.getLogger(__name__)

WarmUp = Callable[[], Awaitable[None]]
"""Does once what a first question would have to wait for."""


class Readiness:
    """Whether what a question needs has been read and built; ``warm_up`` is what does it."""

    def __init__(self, warm_up: WarmUp | None = None) -> None:
        self._warm_up = warm_up
        self.is_ready = warm_up is None
        self.problem = ""
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to warm up, beside the requests that come in meanwhile; again where that has failed."""
        if self._warm_up is not None and not self.is_ready and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(self._warm_up))

    async def tried(self) -> None:
        """Wait until what was begun has ended, well or not."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def end(self) -> None:
        """Stop what has not ended."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, warm_up: WarmUp) -> None:
        try:
            await warm_up()
            self.is_ready, self.problem = True, ""
        except ArticuladoError as error:
            self.problem = type(error).__name__
            logger.error("warm-up failed: %s", error)
        except Exception as error:
            self.problem = type(error).__name__
            logger.exception("warm-up failed")


def health_routes(readiness: Readiness) -> APIRouter:
    """Return the routes that say whether the server is up (``/healthz``) and ready (``/readyz``)."""
    router = APIRouter()

    @router.get("/health")
    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Tell that the server is up."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz() -> JSONResponse:
        """Tell whether index and models are warm; where they could not be, it is tried again."""
        if readiness.problem:
            readiness.begin()
        if readiness.is_ready:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "failed" if readiness.problem else "starting"}, status_code=503)

    return router
