"""The LangServe application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from langserve import APIHandler, add_routes
from langserve.server import EndpointName

from server.body_limit import BodyLimit
from server.errors import handle_errors
from server.runnable import ServedRag
from server.streaming import add_stream_route
from services.protocols import AsyncClose

if TYPE_CHECKING:
    from graph.rag import Rag
    from services.container import Services

PATH = "/rag"
MAX_BODY_BYTES = 1_000_000
ENDPOINTS: tuple[EndpointName, ...] = ("invoke", "stream", "input_schema", "output_schema")
PLAYGROUND_ENDPOINTS: tuple[EndpointName, ...] = ("playground", "stream_log", "config_schema")


def app_over(services: "Services", *, playground: bool = False) -> FastAPI:
    """Serve the answering graph over these services, which are closed when the server shuts down."""
    from graph.rag import build_rag

    return create_app(build_rag(services), playground=playground, close=services.close)


def create_app(graph: "Rag", *, playground: bool = False, close: AsyncClose | None = None) -> FastAPI:
    """Serve a graph under ``/rag``; ``close`` is awaited when the server shuts down.

    The playground needs ``stream_log``, which shows every intermediate step: both are on only with ``playground``,
    which is for loopback.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if close:
                await close()

    served = ServedRag(graph)
    about = "Respuestas sobre Derecho laboral y de la Seguridad Social"
    app = FastAPI(title="articulado", description=about, lifespan=lifespan)
    app.add_middleware(BodyLimit, limit=MAX_BODY_BYTES)
    handle_errors(app)

    router = APIRouter()
    add_stream_route(router, APIHandler(served, path=PATH, config_keys=()), PATH)
    enabled = (*ENDPOINTS, *PLAYGROUND_ENDPOINTS) if playground else ENDPOINTS
    # On a router instead of the application, LangServe prints no banner and needs no deprecated start-up hook.
    add_routes(router, served, path=PATH, config_keys=(), enabled_endpoints=enabled)
    app.include_router(router)

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Tell that the server is up."""
        return {"status": "ok"}

    return app


def __getattr__(name: str) -> Any:
    """Build ``app`` from the settings when it is first asked for (``uvicorn server.app:app``), not on import."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from graph.compose import open_services

    globals()["app"] = app_over(open_services())
    return globals()["app"]
