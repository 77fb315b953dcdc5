"""An application that serves MCP and nothing else, beside health and figures."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI

from graph.open_graphs import OpenGraphs
from server.errors import handle_errors
from server.guards import Guards
from server.mcp.http import McpEndpoint
from server.operations.health import Readiness, health_routes
from server.operations.metrics import metrics_route
from server.operations.traces import NO_TELEMETRY
from server.settings import ServerSettings


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
