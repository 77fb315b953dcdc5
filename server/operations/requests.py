"""Request log: one JSON line per request, with its metrics and its trace span.

A line has the name of the key, the path, the status, the duration in milliseconds and the outcome. It
contains the text of a question only if the operator asks for it, and never a key.
"""

import json
import logging
import re
import sys
import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.access import CALLER
from server.operations.metrics import Metrics
from server.operations.traces import Traces

REQUEST_ID = "x-request-id"
LEFT = 499
"""The status of a request whose client left before it was answered, as nginx has it."""
OUTCOME, QUESTION = "outcome", "question"
"""Where in the state of a request a run leaves what a line is to say of it."""

_current: ContextVar[dict[str, Any] | None] = ContextVar("request", default=None)
"""The state of the request at work: a run leaves in it what a line is to say."""

logger = logging.getLogger("articulado.requests")
_GIVEN_ID = re.compile(r"[\w.:-]{1,128}")


class _Lines(logging.Handler):
    """Writes each message as a line of its own on the standard error of the moment, and nothing else."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message."""
        print(record.getMessage(), file=sys.stderr, flush=True)


def log_to_stderr() -> None:
    """Write the lines of requests, each a JSON object."""
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, _Lines) for handler in logger.handlers):
        logger.addHandler(_Lines())


def note_run(sent: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Note what was asked and what became of it, for the line of the request at work; without one, nothing."""
    if (state := _current.get()) is not None:
        state[QUESTION] = sent.get("question") or sent.get("inquiry", "")
        state[OUTCOME] = {name: result.get(name) for name in ("outcome", "decision", "usage")}


def current_caller() -> str:
    """Return the name of the key of the request at work; empty where there is none."""
    return str((_current.get() or {}).get(CALLER, ""))


class RequestLog:
    """Log, count and trace every request; those of no route are counted as one path."""

    def __init__(self, app: ASGIApp, metrics: Metrics, traces: Traces, *, with_questions: bool = False) -> None:
        self._app = app
        self._metrics = metrics
        self._traces = traces
        self._with_questions = with_questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
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
        if self._with_questions and QUESTION in state:
            line["question"] = state[QUESTION]
        return line
