"""Guards around every route, their limits (sizes in bytes), and the options that a caller may set."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import Any, get_args

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from articulado.config.extras import require
from articulado.config.settings import Settings
from articulado.language.translation import translate
from articulado.values.answers import RerankStrategy
from articulado.values.errors import ConfigurationError, InvalidInput
from server.access import LOOPBACK, Authentication, KeyRing, OriginCheck
from server.conversations.store import MEMORY, POSTGRES
from server.errors import CONTEXT, FailureResponse, problem_of, speaks_openai
from server.limits import Admission, RateLimit, Room, RunDeadline, is_of_agent_server
from server.operations.requests import Metrics, RequestLog
from server.operations.traces import Traces
from server.settings import BACKLOG, HOST, WORKING, ServerSettings, is_loopback, listen
from state.context import RunContext

MAX_HISTORY = 40
CHEAP_STRATEGIES: frozenset[RerankStrategy] = frozenset(("auto", "none", "learnt", "heuristic"))
_STRATEGIES = frozenset(get_args(RerankStrategy))  # others: see the validation of the request


@dataclass(frozen=True)
class Policy:
    """Options that a caller may set: rerank ``strategies``, and up to ``max_chunks`` fragments."""

    max_chunks: int = 40
    strategies: frozenset[RerankStrategy] = CHEAP_STRATEGIES

    async def check(self, request: Request) -> None:
        """Check the body of a ``POST``, already read as JSON."""
        if request.method != "POST":
            return
        body = await request.json()
        if not isinstance(body, Mapping):
            return
        inputs = body.get("inputs")
        for sent in (body.get("input"), *(inputs if isinstance(inputs, list) else ())):
            if isinstance(sent, Mapping):
                self.check_input(sent)

    def check_input(self, sent: Mapping[str, Any]) -> None:
        """Check the input of a graph, with the options of the run in it."""
        history = sent.get("history")
        if isinstance(history, list) and len(history) > MAX_HISTORY:
            raise InvalidInput(translate("server.long_history", most=MAX_HISTORY, sent=len(history)))
        context = sent.get(CONTEXT)
        if isinstance(context, Mapping):
            chunks, strategy = (context.get(name) for name in ("max_chunks_in_prompt", "rerank_strategy"))
            self.check_options(chunks, strategy, f"{CONTEXT}.max_chunks_in_prompt", f"{CONTEXT}.rerank_strategy")

    def check_options(
        self,
        chunks: object,
        strategy: object,
        chunks_field: str = "max_chunks",
        strategy_field: str = "rerank_strategy",
    ) -> None:
        """Check the options of a run; ``chunks_field`` and ``strategy_field`` are their names in messages."""
        if isinstance(chunks, int) and self.max_chunks < chunks <= 100:
            raise InvalidInput(translate("server.chunks_refused", field=chunks_field, most=self.max_chunks))
        if strategy in _STRATEGIES and strategy not in self.strategies:
            allowed = ", ".join(sorted(self.strategies))
            raise InvalidInput(
                translate("server.strategy_refused", field=strategy_field, strategy=strategy, others=allowed)
            )


_OF_THE_SERVER = frozenset(("thread_id", "run_id", "graph_id", "assistant_id", "user_id", "cron_id", "thread_ts"))
_PREFIXES_OF_THE_SERVER = ("__", "langgraph_", "checkpoint_")


def check_options(
    context: Any, policy: Policy, *, where: str = CONTEXT, known: Collection[str] = tuple(RunContext.model_fields)
) -> None:
    """Check the options of a run against their schema and the policy; ``where`` names them in messages."""
    if not isinstance(context, Mapping):
        return
    options = {name: value for name, value in context.items() if not is_of_the_server(name)}
    try:
        RunContext.model_validate(options)
    except ValidationError as error:
        explained = "; ".join(problem_of(problem) for problem in error.errors()[:3])
        raise InvalidInput(
            translate("server.invalid_options", where=where, explained=explained, known=", ".join(known))
        ) from error
    policy.check_input({CONTEXT: options})


def is_of_the_server(name: str) -> bool:
    return name in _OF_THE_SERVER or name.startswith(_PREFIXES_OF_THE_SERVER)


MAX_DEPTH = 50


class BodyLimit:
    """Refuse bodies of more than ``limit_of`` bytes, declared or not, with HTTP 413."""

    def __init__(self, app: ASGIApp, limit_of: Callable[[Scope], int]) -> None:
        self._app = app
        self._limit_of = limit_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            refused = FailureResponse(413, {"detail": translate("server.too_large", limit=limit), "error": "HTTPError"})
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
    """Read the body of a ``POST`` as JSON, at most ``MAX_DEPTH`` levels deep; the request keeps it."""
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
    """Return the nesting depth of objects and lists, 0 for a scalar, without recursion."""
    levels, within = 0, [value]
    while within := [item for item in within if isinstance(item, dict | list)]:
        levels += 1
        within = [item for outer in within for item in (outer.values() if isinstance(outer, dict) else outer)]
    return levels


MAX_BODY_BYTES = 64 * 1024
MAX_STATE_BYTES = 1024 * 1024
MAX_FILE_BYTES = 6 * 1024 * 1024
BRINGS_FILES = frozenset(("/v1/ask", "/v1/check", "/v1/documents", "/v1/verify"))
IN_PROCESS = "/noauth"  # root path under which an Agent Server calls its own routes for requests already admitted
KEYS_FILE = "keys.json"


@dataclass(frozen=True)
class Guards:
    """Guards of one application; no ``ring``: for this machine only; no ``hosts``: callable by any name."""

    settings: ServerSettings = field(default_factory=lambda: ServerSettings(conversations=MEMORY))
    ring: KeyRing | None = None
    hosts: Collection[str] = LOOPBACK
    home: Path = Path()
    traces: Traces = field(default_factory=Traces.read)
    metrics: Metrics = field(init=False)
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        limits = self.settings
        object.__setattr__(self, "room", Room(limits.running or WORKING, limits.waiting, limits.patience))
        object.__setattr__(self, "metrics", Metrics(self.room))

    @classmethod
    def of(cls, settings: ServerSettings, agent: Settings, *, public: bool = False) -> "Guards":
        """Return the guards of a server of an agent; a public server without ``hosts`` may be called by any name."""
        # Here, where there is a command to tell it to: the server itself opens both when it is under way.
        if settings.conversations.startswith(POSTGRES):
            require("postgres")
        if settings.rate_storage.startswith("redis"):
            require("redis")
        hosts = frozenset(settings.hosts) if public else LOOPBACK | frozenset(settings.hosts)
        return cls(settings.fitted(agent), KeyRing(keys_file(settings, agent.home)), hosts, agent.home)

    def stand_around(self, app: FastAPI) -> None:
        app.add_middleware(_Guarded, guards=self)

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the application within the guards, the request log outermost and the body limit innermost."""
        settings = self.settings
        # From the inside out.
        app = BodyLimit(app, _body_limit)
        app = RunDeadline(app, settings.deadline)
        app = Admission(app, self.room)
        app = RateLimit(app, settings.per_minute, settings.at_once, settings.rate_storage)
        app = Authentication(app, self.ring)
        if settings.origins:  # A browser asks before it lets such a page call, and shows it no answer without leave.
            origins = [origin.rstrip("/").lower() for origin in settings.origins]
            app = CORSMiddleware(app, origins, allow_methods=["*"], allow_headers=["*"])
        app = OriginCheck(app, self.hosts, settings.origins)
        return RequestLog(app, self.metrics, self.traces, with_questions=settings.log_questions)


class _Guarded:
    def __init__(self, app: ASGIApp, guards: Guards) -> None:
        self._app = app
        self._guarded = guards.around(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The root path is the server's to set: nobody sends it.
        root = f"{scope.get('root_path', '')}/"
        app = self._app if root.startswith(f"{IN_PROCESS}/") else self._guarded
        await app(scope, receive, send)


def _body_limit(scope: Scope) -> int:
    if is_of_agent_server(scope) or speaks_openai(scope):
        return MAX_STATE_BYTES
    return MAX_FILE_BYTES if scope["path"] in BRINGS_FILES else MAX_BODY_BYTES


def keys_file(settings: ServerSettings, home: Path) -> Path:
    return settings.keys or home / KEYS_FILE


SHUTDOWN_SECONDS = 5


@contextmanager
def taken(host: str, port: int, keys: Path | None) -> Iterator[socket]:
    """Bind a port for the length of a block; only loopback is served without keys in the file ``keys``."""
    if not is_loopback(host) and (keys is None or not KeyRing(keys).keys):
        raise ConfigurationError(translate("server.public_without_keys", host=host, loopback=HOST))
    Traces.read()  # What it lacks is said before the index is opened.
    with closing(listen(host, port)) as listening:
        yield listening


def run(app: FastAPI, listening: socket) -> None:
    uvicorn.Server(uvicorn.Config(app, **http_options())).run(sockets=[listening])


def http_options() -> dict[str, Any]:
    return {"ws": "none", "timeout_graceful_shutdown": SHUTDOWN_SECONDS, "access_log": False, "backlog": BACKLOG}
