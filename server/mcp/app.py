"""MCP server over HTTP and stdio, and an application that serves only MCP, health and metrics.

The server lists the tools, calls them, and returns errors as results. The schemas of arguments and results are
described in the language of the profile. Nothing is opened before the first call. Calls count against the same run
limits as the other routes. A session belongs to the key that began it.
"""

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import Any, TypeAlias

import anyio
from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool
from pydantic import TypeAdapter, ValidationError
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from articulado.config.profile import Profile
from articulado.language.translation import translate, use_locale
from articulado.values.errors import ArticuladoError
from graph.open_graphs import OpenGraphs
from server.access import CALLER
from server.errors import handle_errors, problem_of
from server.guards import Guards
from server.limits import Busy, Room
from server.lookup.answers import Heard
from server.mcp.texts import Texts, texts_in
from server.mcp.tools import Desks, Tool, tools_of
from server.operations.requests import Readiness, health_routes, metrics_route
from server.operations.traces import NO_TELEMETRY
from server.settings import ServerSettings

_CHOICES = "collections"
"""The argument whose values a profile has."""


def input_schema(tool: Tool, profile: Profile, texts: Texts) -> dict[str, Any]:
    """Return the JSON schema of the arguments of a tool."""
    labels = {field.name: field.label for field in profile.filter_fields}
    schema: dict[str, Any] = _plain(tool.arguments.model_json_schema(), labels | texts.arguments)
    if _CHOICES in schema["properties"]:
        [listed] = (kind for kind in schema["properties"][_CHOICES]["anyOf"] if kind["type"] == "array")
        listed["items"]["enum"] = list(profile.for_questions)
    return schema


def output_schema(tool: Tool, texts: Texts) -> dict[str, Any]:
    """Return the JSON schema of the result of a tool."""
    schema: dict[str, Any] = _plain(TypeAdapter(tool.result).json_schema(mode="serialization"), texts.results)
    return schema


def _plain(schema: Any, described: Mapping[str, str]) -> Any:
    """Return a schema with our descriptions in place of those of the code, and without titles."""
    if isinstance(schema, list):
        return [_plain(one, described) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: {name: _plain(one, described) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _plain(value, described)
        for key, value in schema.items()
        if key not in ("title", "description")
    }
    for name, one in kept.get("properties", {}).items():
        if name in described:
            kept["properties"][name] = {**one, "description": described[name]}
    return kept


logger = logging.getLogger(__name__)

NAME = "articulado"
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
MAX_PROBLEMS = 3
"""Wrong arguments that a message tells of."""

CallContext: TypeAlias = ServerRequestContext[Any, Any]
Held: TypeAlias = Callable[[CallContext], AbstractAsyncContextManager[None]]
"""Surrounds each call with what bounds it: room, time, and the client that waits for it."""


def mcp_server(opened: OpenGraphs, held: Held = lambda context: nullcontext()) -> Server[Any]:
    """Return the server of the tools over the graphs of a process; nothing is opened before the first call.

    ``held`` surrounds each call; one that it refuses is told as any error is.
    """
    profile = opened.profile
    texts = texts_in(profile.language)
    calls = ToolCalls(tools_of(profile), Desks.over(opened), profile, texts, held)
    return Server(
        NAME,
        version=version(NAME),
        title=f"{NAME}: {profile.title}",
        instructions=texts.instructions.strip().format(title=profile.title),
        get_tool_input_schema=calls.input_schema,
        on_list_tools=calls.listed,
        on_call_tool=calls.call,
    )


class ToolCalls:
    """The tools of a server, and the calls of them."""

    def __init__(self, tools: Mapping[str, Tool], desks: Desks, profile: Profile, texts: Texts, held: Held) -> None:
        self._tools = tools
        self._desks = desks
        self._language = profile.language
        self._texts = texts
        self._held = held
        self._listed = [_listed(tool, profile, texts) for tool in tools.values()]

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of the arguments of a tool; ``None`` where there is no such tool."""
        return next((tool.input_schema for tool in self._listed if tool.name == name), None)

    async def listed(self, context: CallContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        """List the tools."""
        return ListToolsResult(tools=self._listed)

    async def call(self, context: CallContext, params: CallToolRequestParams) -> CallToolResult:
        """Call a tool; what cannot be done is its result, too, and says what to do.

        Raises:
            MCPError: there is no such tool.
        """
        with use_locale(self._language):
            tool = self._tools.get(params.name)
            if tool is None:
                raise MCPError(
                    INVALID_PARAMS, translate("mcp.unknown_tool", name=params.name, tools=", ".join(self._tools))
                )
            try:
                arguments = tool.arguments.model_validate(params.arguments or {})
                async with self._held(context):
                    return _succeeded(await tool.call(self._desks, arguments, self._progress(context)))
            except ValidationError as error:
                return _failed(translate("mcp.invalid_arguments", tool=tool.name, explained=_explained(error)))
            except ArticuladoError as error:
                return _failed(str(error))
            except Exception:
                logger.exception("the tool %s failed", tool.name)
            return _failed(translate("server.unexpected"))

    def _progress(self, context: CallContext) -> Heard:
        """Return what tells a client that asks for it which stages a run has come to."""
        begun = 0

        async def heard(stage: str) -> None:
            nonlocal begun
            begun += 1
            if message := self._texts.stages.get(stage):
                await context.session.report_progress(begun, message=message)

        return heard


def _listed(tool: Tool, profile: Profile, texts: Texts) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=texts.titles[tool.name],
        description=texts.descriptions[tool.name],
        input_schema=input_schema(tool, profile, texts),
        output_schema=output_schema(tool, texts),
        annotations=READ_ONLY,
    )


def _succeeded(result: Mapping[str, Any]) -> CallToolResult:
    """Return a result, as data and, for clients that read nothing else, as text."""
    text = json.dumps(result, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=dict(result))


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _explained(error: ValidationError) -> str:
    return "; ".join(problem_of(problem) for problem in error.errors()[:MAX_PROBLEMS])


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
