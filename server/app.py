"""The LangServe application."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from langserve import APIHandler, add_routes
from langserve.server import EndpointName

from server.body_limit import BodyLimit
from server.errors import handle_errors
from server.runnable import ServedRag
from server.streaming import add_stream_route

if TYPE_CHECKING:
    from graph.rag import Rag

PATH = "/rag"
MAX_BODY_BYTES = 1_000_000
ENDPOINTS: tuple[EndpointName, ...] = ("invoke", "stream", "input_schema", "output_schema")
PLAYGROUND_ENDPOINTS: tuple[EndpointName, ...] = ("playground", "stream_log", "config_schema")


def create_app(graph: "Rag | None" = None, *, playground: bool = False) -> FastAPI:
    """Serve a graph (unset: the one that the settings describe) under ``/rag``.

    The playground needs ``stream_log``, which shows every intermediate step: both are on only with ``playground``,
    which is for loopback.

    Raises:
        ArticuladoError: the default graph cannot be built from the settings.
    """
    served = ServedRag(graph or _default_graph())
    app = FastAPI(title="articulado", description="Respuestas sobre Derecho laboral y de la Seguridad Social")
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


def _default_graph() -> "Rag":
    from graph.compose import open_rag

    return open_rag()


def __getattr__(name: str) -> Any:
    """Build ``app`` when it is first asked for (``uvicorn server.app:app``), not on import."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = create_app()
    return globals()["app"]
