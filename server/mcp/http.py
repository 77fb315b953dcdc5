"""The MCP server over HTTP, as a route of an application within its guards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError
from graph.open_graphs import OpenGraphs
from server.access.authentication import CALLER
from server.guards import Guards
from server.limits.admission import Busy, Room
from server.mcp.protocol import CallContext, mcp_server

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
