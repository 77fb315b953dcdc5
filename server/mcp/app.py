"""MCP endpoint over HTTP and stdio, and an application that serves only MCP, health and metrics.

Calls count against the same run limits as the other routes. A session belongs to the key that began it.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError
from graph.open_graphs import OpenGraphs
from server.access import CALLER
from server.errors import handle_errors
from server.guards import Guards
from server.limits import Busy, Room
from server.mcp.protocol import CallContext, mcp_server
from server.operations.metrics import Readiness, health_routes, metrics_route
from server.operations.traces import NO_TELEMETRY
from server.settings import ServerSettings

PATH = "/mcp"
_CALLS = "mcp_calls"
"""Where the calls that a request has begun are in its state."""


class CallEnded(ArticuladoError):
    """There is no room for a call, or its time is up."""


class McpEndpoint:
    """The route ``PATH``. Calls take room as runs of the other routes do, and end with the request that began them.

    A session is of the key that began it: nobody goes on with another's. ``stateless``: there are none, so that any of
    several processes may answer.
    """

    def __init__(self, opened: OpenGraphs, guards: Guards, *, stateless: bool = False) -> None:
        self._stateless = stateless
        self._room: Room = guards.room
        self._seconds = guards.settings.deadline
        self._server = mcp_server(opened, self._held)
        self._sessions: StreamableHTTPSessionManager | None = None
        self._route = Route(PATH, endpoint=self, include_in_schema=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as a block lasts; every session ends with it."""
        self._sessions = StreamableHTTPSessionManager(self._server, stateless=self._stateless)
        async with self._sessions.run():
            yield

    def add_to(self, app: FastAPI) -> None:
        """Add the route to an application."""
        app.router.routes.append(self._route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; what it has begun ends with it."""
        assert self._sessions is not None
        calls: set[anyio.CancelScope] = set()
        scope["route"] = self._route  # for the line of the request; Starlette leaves no route in it
        state = scope.setdefault("state", {})
        state[_CALLS] = calls
        if caller := state.get(CALLER):
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=caller, scopes=[]))
        try:
            await self._sessions.handle_request(scope, receive, send)
        finally:
            # A session goes on when a client has left in the middle of a call; nobody waits for that call any more.
            for call in tuple(calls):
                call.cancel()

    @asynccontextmanager
    async def _held(self, context: CallContext) -> AsyncIterator[None]:
        assert context.request is not None  # over HTTP every message has come with one
        calls: set[anyio.CancelScope] = context.request.scope["state"][_CALLS]
        with anyio.CancelScope() as call:
            calls.add(call)
            try:
                async with self._room.taken():
                    with anyio.fail_after(self._seconds):
                        yield
            except Busy as busy:
                raise CallEnded(translate("mcp.busy", seconds=max(1, round(busy.seconds)))) from busy
            except TimeoutError as error:
                raise CallEnded(translate("server.late", seconds=self._seconds)) from error
            finally:
                calls.discard(call)


def mcp_app(opened: OpenGraphs, settings: ServerSettings | None = None, *, public: bool = False) -> FastAPI:
    """Serve the tools over the graphs of a process, which are closed when the server shuts down.

    ``public``: it is called by names of its own, not by those of loopback alone.

    Raises:
        ConfigurationError: a setting of the server cannot be used.
    """
    guards = Guards.of(settings or ServerSettings.read(), opened.settings, public=public)
    endpoint, readiness = McpEndpoint(opened, guards), Readiness(opened.warm_up)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(guards.traces.exported())
            stack.push_async_callback(opened.close)
            await stack.enter_async_context(endpoint.running())
            readiness.begin()
            stack.push_async_callback(readiness.end)
            yield

    app = FastAPI(title="articulado", lifespan=lifespan, telemetry=NO_TELEMETRY, openapi_url=None)
    guards.stand_around(app)
    handle_errors(app, opened.profile.language)
    app.include_router(health_routes(readiness))
    app.include_router(metrics_route(guards.metrics))
    endpoint.add_to(app)
    return app


async def serve_stdio(opened: OpenGraphs) -> None:
    """Serve one client on the standard input and output, which nothing else may write to meanwhile."""
    server, readiness = mcp_server(opened), Readiness(opened.warm_up)
    try:
        async with stdio_server() as (requests, answers):
            readiness.begin()
            await server.run(requests, answers, server.create_initialization_options())
    finally:
        await readiness.end()
        await opened.close()
