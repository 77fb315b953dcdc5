"""Prometheus metrics and health routes of the server.

``/metrics`` reports the metrics of all worker processes. ``/healthz`` says if the server is up, ``/readyz``
if it has warmed up.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from articulado.values.errors import ArticuladoError
from server.limits import Room

SHARED_FIGURES = "PROMETHEUS_MULTIPROC_DIR"
"""Where several processes of one server keep their figures, so that each tells those of all; unset for one."""
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The figures of a server; ``room`` says what runs and waits."""

    def __init__(self, room: Room) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "articulado_requests", "Requests by path and status", ["path", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "articulado_request_seconds", "Seconds of a request", ["path"], buckets=_SECONDS, registry=self.registry
        )
        self._stages = Histogram(
            "articulado_stage_seconds", "Seconds of a stage", ["stage"], buckets=_SECONDS, registry=self.registry
        )
        self._tokens = Counter("articulado_tokens", "Tokens of chat models", ["direction"], registry=self.registry)
        self._outcomes = Counter("articulado_answers", "Answers by outcome", ["outcome"], registry=self.registry)
        self._refused = Counter(
            "articulado_refusals", "Requests refused, by status", ["status"], registry=self.registry
        )
        self._running = Gauge(
            "articulado_running", "Runs that go on", registry=self.registry, multiprocess_mode="livesum"
        )
        self._waiting = Gauge(
            "articulado_waiting", "Runs that wait for room", registry=self.registry, multiprocess_mode="livesum"
        )
        room.watch(self._note_room)

    def _note_room(self, running: int, waiting: int) -> None:
        self._running.set(running)
        self._waiting.set(waiting)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)
        if status in (401, 403, 413, 415, 422, 429, 503, 504):
            self._refused.labels(str(status)).inc()

    def count_result(self, result: Mapping[str, Any]) -> None:
        """Count the result of a run: its outcome or decision, its stages and tokens."""
        if outcome := result.get("outcome") or result.get("decision"):
            self._outcomes.labels(str(outcome)).inc()
        usage = result.get("usage") or {}
        for stage, milliseconds in (usage.get("stages") or {}).items():
            self._stages.labels(stage).observe(milliseconds / 1000)
        for direction, tokens in (usage.get("tokens") or {}).items():
            self._tokens.labels(direction).inc(tokens)


def metrics_route(metrics: Metrics) -> APIRouter:
    """Return the route ``/metrics``."""
    router = APIRouter()

    @router.get("/metrics", include_in_schema=False)
    async def read() -> Response:
        return Response(generate_latest(_of_all(metrics.registry)), media_type=CONTENT_TYPE_LATEST)

    return router


def _of_all(registry: CollectorRegistry) -> CollectorRegistry:
    """Return the figures of all processes of the server: those of a registry, where it is one."""
    folder = os.environ.get(SHARED_FIGURES)
    if not folder:
        return registry
    # What a worker that died had under way is under way no longer.
    for file in Path(folder).glob("gauge_live*.db"):
        worker = file.stem.rpartition("_")[2]
        if not Path("/proc", worker).exists() and Path("/proc").exists():
            mark_process_dead(int(worker), folder)  # type: ignore[no-untyped-call]
    together = CollectorRegistry()
    MultiProcessCollector(together, folder)  # type: ignore[no-untyped-call]
    return together


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
