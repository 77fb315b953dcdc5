"""Metrics, health routes and the request log, which holds questions only if the operator asks for it."""

import asyncio
import json
import logging
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articulado.values.errors import ArticuladoError
from server.access import CALLER, REFUSED
from server.limits import Room
from server.operations.traces import Traces

SHARED_FIGURES = "PROMETHEUS_MULTIPROC_DIR"  # folder of metrics shared by several processes
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Prometheus metrics of a server."""

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
        """Count outcome, stages and tokens of a run."""
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


_logger = logging.getLogger(__name__)

WarmUp = Callable[[], Awaitable[None]]


class Readiness:
    """State of the warm-up."""

    def __init__(self, warm_up: WarmUp | None = None) -> None:
        self._warm_up = warm_up
        self.is_ready = warm_up is None
        self.problem = ""
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        if self._warm_up is not None and not self.is_ready and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(self._warm_up))

    async def tried(self) -> None:
        if self._task is not None:
            await asyncio.wait({self._task})

    async def end(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, warm_up: WarmUp) -> None:
        try:
            await warm_up()
            self.is_ready, self.problem = True, ""
        except ArticuladoError as error:
            self.problem = type(error).__name__
            _logger.error("warm-up failed: %s", error)
        except Exception as error:
            self.problem = type(error).__name__
            _logger.exception("warm-up failed")


def health_routes(readiness: Readiness) -> APIRouter:
    """Return the routes ``/healthz`` (up) and ``/readyz`` (warm)."""
    router = APIRouter()

    @router.get("/health")
    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Tell that the server is up."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def readyz() -> JSONResponse:
        """Tell if index and models are warm; after a failure, warm up again."""
        if readiness.problem:
            readiness.begin()
        if readiness.is_ready:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "failed" if readiness.problem else "starting"}, status_code=503)

    return router


REQUEST_ID = "x-request-id"
LEFT = 499  # status of a request whose client left before the answer, as in nginx
OUTCOME, QUESTION = "outcome", "question"

_current: ContextVar[dict[str, Any] | None] = ContextVar("request", default=None)

logger = logging.getLogger("articulado.requests")
_GIVEN_ID = re.compile(r"[\w.:-]{1,128}")


class _Lines(logging.Handler):
    """Handler that writes each message as a line on the current standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr, flush=True)


def log_to_stderr() -> None:
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, _Lines) for handler in logger.handlers):
        logger.addHandler(_Lines())


def note_run(sent: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    if (state := _current.get()) is not None:
        state[QUESTION] = sent.get("question") or sent.get("inquiry", "")
        state[OUTCOME] = {name: result.get(name) for name in ("outcome", "decision", "usage")}


def current_caller() -> str:
    return str((_current.get() or {}).get(CALLER, ""))


class RequestLog:
    """Log, count and trace every request; requests of no route are counted as one path."""

    def __init__(self, app: ASGIApp, metrics: Metrics, traces: Traces, *, with_questions: bool = False) -> None:
        self._app = app
        self._metrics = metrics
        self._traces = traces
        self._with_questions = with_questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID, "")
        request_id = given if _GIVEN_ID.fullmatch(given) else uuid4().hex
        state = scope.setdefault("state", {})
        status = LEFT

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        token = _current.set(state)
        began = time.perf_counter()
        with self._traces.request(scope) as end_span:
            try:
                await self._app(scope, receive, sent)
            except Exception:
                if status == LEFT:
                    status = 500  # Starlette answers what is unexpected outside of all guards.
                raise
            finally:
                _current.reset(token)
                seconds = time.perf_counter() - began
                # The route's own path: what was asked for may be anything, and each would be a figure of its own.
                route = scope.get("route")
                path = getattr(route, "path", "") or "(otra)"
                self._metrics.count_request(path, status, seconds)
                outcome: Mapping[str, Any] = state.get(OUTCOME) or {}
                self._metrics.count_result(outcome)
                line = self._line(request_id, scope, path, status, seconds, outcome)
                end_span(line)
                logger.info(json.dumps(line, ensure_ascii=False))

    def _line(
        self, request_id: str, scope: Scope, path: str, status: int, seconds: float, outcome: Mapping[str, Any]
    ) -> dict[str, Any]:
        state, usage = scope["state"], outcome.get("usage") or {}
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "id": request_id,
            "caller": state.get(CALLER, ""),
            "method": scope["method"],
            "path": path,
            "status": status,
            "ms": round(seconds * 1000),
        }
        if outcome:
            line |= {"outcome": outcome.get("outcome") or outcome.get("decision"), "tokens": usage.get("tokens")}
        if refused := state.get(REFUSED):
            line["refused"] = refused
        if self._with_questions and QUESTION in state:
            line["question"] = state[QUESTION]
        return line
