"""MCP server over HTTP and stdio, and an application that serves only MCP, health and metrics."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import Any, TypeAlias

import anyio
from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.tools import Tool as ListedTool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import AnyUrl, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from articulado.config.profile import Profile
from articulado.language.translation import translate, use_locale
from articulado.values.errors import ArticuladoError, InvalidInput, NoResultsFound
from graph.open_graphs import OpenGraphs
from server.access import CALLER
from server.errors import handle_errors, problem_of
from server.guards import Guards
from server.limits import Busy, Room
from server.lookup.answers import AnswerDesk, OnStage
from server.lookup.law import LawDesk
from server.mcp.tools import (
    Desks,
    Texts,
    Tool,
    add_completions,
    add_prompts,
    add_resources,
    texts_in,
    tools_of,
)
from server.operations.requests import Readiness, health_routes, metrics_route
from server.operations.traces import NO_TELEMETRY
from server.settings import ServerSettings

_CHOICES = "collections"


def input_schema(tool: Tool, profile: Profile, texts: Texts) -> dict[str, Any]:
    """Return the JSON schema of the arguments of a tool."""
    labels = {field.name: field.label for field in profile.filter_fields}
    schema: dict[str, Any] = _plain(tool.arguments.model_json_schema(), labels | texts.arguments)
    if _CHOICES in schema["properties"]:
        [listed] = (kind for kind in schema["properties"][_CHOICES]["anyOf"] if kind["type"] == "array")
        listed["items"]["enum"] = list(profile.for_questions)
    return schema


def _plain(schema: Any, described: Mapping[str, str]) -> Any:
    """Return a schema without titles, and with our descriptions in place of those of the code."""
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

CallGuard: TypeAlias = Callable[[Any], AbstractAsyncContextManager[None]]
"""Context manager around each call, given its request: it limits concurrency and time."""


def mcp_server(opened: OpenGraphs, held: CallGuard = lambda request: nullcontext()) -> "LawServer":
    """Return the MCP server over the graphs of a process; ``held`` surrounds each call."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        return LawServer(opened, held)
    finally:  # the package installs its own handlers
        root.handlers[:] = handlers
        root.setLevel(level)


class LawServer(MCPServer[Any]):
    """Tools, resources and prompts over the graphs of a process, with errors in the language of the profile."""

    def __init__(self, opened: OpenGraphs, held: CallGuard) -> None:
        profile = opened.profile
        self._language = profile.language
        self._texts = texts = texts_in(profile.language)
        self._offered = tools_of(profile)
        self._desks = Desks(LawDesk(opened), AnswerDesk(opened))
        self._held = held
        super().__init__(
            NAME,
            version=version(NAME),
            title=f"{NAME}: {profile.title}",
            instructions=texts.instructions.strip().format(title=profile.title),
            tools=[_listed(name, tool, profile, texts) for name, tool in self._offered.items()],
        )
        add_resources(self, self._desks, profile, texts)
        add_prompts(self, texts)
        if profile.features.spanish_law:
            add_completions(self)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult:
        """Call a tool; a failure is a result with ``is_error``, except an unknown tool, which raises ``MCPError``."""
        with use_locale(self._language):
            tool = self._offered.get(name)
            if tool is None:
                raise MCPError(INVALID_PARAMS, translate("mcp.unknown_tool", name=name, tools=", ".join(self._offered)))
            try:
                asked = tool.arguments.model_validate(arguments)
                async with self._held(context and context.request_context.request):
                    result = await tool.call(self._desks, asked, self._progress(context))
                # Text, too, for clients that read nothing else.
                text = TextContent(text=json.dumps(result, ensure_ascii=False))
                return CallToolResult(content=[text], structured_content=dict(result))
            except Exception as error:
                return CallToolResult(content=[TextContent(text=_error_text(error, name))], is_error=True)

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource; raise ``MCPError`` with an actionable message if that fails."""
        with use_locale(self._language):
            try:
                async with self._held(context and context.request_context.request):
                    return await super().read_resource(uri, context)
            except ResourceNotFoundError as error:
                known = ", ".join([one.uri_template for one in await self.list_resource_templates()])
                message = translate("mcp.unknown_resource", uri=uri, known=known)
                raise MCPError(INVALID_PARAMS, message, {"uri": str(uri)}) from error
            except Exception as error:
                cause = error.__cause__ if isinstance(error, ResourceError) and error.__cause__ else error
                is_callers = isinstance(cause, InvalidInput | NoResultsFound | ValidationError)
                code = INVALID_PARAMS if is_callers else INTERNAL_ERROR
                raise MCPError(code, _error_text(cause, str(uri)), {"uri": str(uri)}) from error

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return the message of a prompt; raise ``MCPError`` if the prompt is unknown or lacks an argument."""
        with use_locale(self._language):
            prompt = self._texts.prompts.get(name)
            if prompt is None:
                prompts = ", ".join(self._texts.prompts)
                raise MCPError(INVALID_PARAMS, translate("mcp.unknown_prompt", name=name, prompts=prompts))
            given = {field: value for field, value in (arguments or {}).items() if str(value).strip()}
            if missing := [field for field in prompt.arguments if field not in {*given, *prompt.optional}]:
                raise MCPError(INVALID_PARAMS, translate("mcp.prompt_lacks", name=name, missing=", ".join(missing)))
            return await super().get_prompt(name, given, context)

    def _progress(self, context: Context[Any, Any] | None) -> OnStage:
        begun = 0

        async def on_stage(stage: str) -> None:
            nonlocal begun
            begun += 1
            if context and (message := self._texts.stages.get(stage)):
                await context.report_progress(begun, message=message)

        return on_stage


def _error_text(error: BaseException, name: str) -> str:
    if isinstance(error, ValidationError):
        explained = "; ".join(problem_of(problem) for problem in error.errors()[:MAX_PROBLEMS])
        return translate("mcp.invalid_arguments", tool=name, explained=explained)
    if isinstance(error, ArticuladoError):
        return str(error)
    logger.error("%s failed", name, exc_info=error)
    return translate("server.unexpected")


def _listed(name: str, tool: Tool, profile: Profile, texts: Texts) -> ListedTool:
    result = _plain(TypeAdapter(tool.result).json_schema(mode="serialization"), texts.results)
    return ListedTool(
        fn=tool.call,
        name=name,
        title=texts.titles[name],
        description=texts.descriptions[name],
        parameters=input_schema(tool, profile, texts),
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=result),
        is_async=True,
        context_kwarg=None,
        annotations=READ_ONLY,
    )


PATH = "/mcp"
_CALLS = "mcp_calls"


class CallEnded(ArticuladoError):
    """A call found no room, or took too long."""


class McpEndpoint:
    """Route of MCP: calls take room like runs of other routes, and end with the request that began them.

    A session belongs to the key that began it; ``stateless`` has none, for several processes.
    """

    def __init__(self, opened: OpenGraphs, guards: Guards, *, stateless: bool = False) -> None:
        self._stateless = stateless
        self._room: Room = guards.room
        self._seconds = guards.settings.deadline
        self._server = mcp_server(opened, self._held)
        self._route = Route(PATH, endpoint=self, include_in_schema=False)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as a block lasts; every session ends with it."""
        # Of its application only the sessions are used. Our guards know the names by which the server is called.
        guarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._server.streamable_http_app(stateless_http=self._stateless, transport_security=guarded)
        async with self._server.session_manager.run():
            yield

    def add_to(self, app: FastAPI) -> None:
        app.router.routes.append(self._route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; the calls it has begun end with it."""
        calls: set[anyio.CancelScope] = set()
        scope["route"] = self._route  # for the line of the request; Starlette leaves no route in it
        state = scope.setdefault("state", {})
        state[_CALLS] = calls
        if caller := state.get(CALLER):
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=caller, scopes=[]))
        try:
            await self._server.session_manager.handle_request(scope, receive, send)
        finally:
            # A session goes on when a client has left in the middle of a call; nobody waits for that call any more.
            for call in tuple(calls):
                call.cancel()

    @asynccontextmanager
    async def _held(self, request: Request) -> AsyncIterator[None]:
        calls: set[anyio.CancelScope] = request.scope["state"][_CALLS]
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
    """Build an application of the MCP route alone; ``public``: callable by other names than those of loopback."""
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
    """Serve one client on standard input and output; nothing else may write to the output meanwhile."""
    server, readiness = mcp_server(opened), Readiness(opened.warm_up)
    readiness.begin()
    try:
        await server.run_stdio_async()
    finally:
        await readiness.end()
        await opened.close()
