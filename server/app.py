"""The LangServe application."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import APIRouter, Depends, FastAPI
from langserve import APIHandler, add_routes
from langserve.server import EndpointName

from language.current import DEFAULT_LANGUAGE, say
from server.address import GENERATE_RESPONSE, HOST, PORT, RAG, REQUIRED_DATA, is_loopback, listen
from server.body_validation import BodyLimit, check_body
from server.errors import handle_errors
from server.runnable import Graph, ServedGraph
from server.streaming import add_stream_route
from services.protocols import AsyncClose
from state.errors import ConfigurationError

if TYPE_CHECKING:
    from services.container import Services

MAX_BODY_BYTES = 1_000_000
SHUTDOWN_SECONDS = 5
ENDPOINTS: tuple[EndpointName, ...] = ("invoke", "stream", "input_schema", "output_schema")
PLAYGROUND_ENDPOINTS: tuple[EndpointName, ...] = ("playground", "stream_log", "config_schema")
ABOUT = "Respuestas y casos, con las fuentes en que se apoyan"


def app_over(services: "Services", *, playground: bool = False) -> FastAPI:
    """Serve the answering graph and those of cases over these services, which are closed when the server shuts down.

    Raises:
        ConfigurationError: the profile cannot be used for cases.
    """
    from graph.case import build_generate_response, build_required_data
    from graph.rag import build_rag

    cases = {
        REQUIRED_DATA: build_required_data(services),
        GENERATE_RESPONSE: build_generate_response(services),
    }
    return create_app(
        build_rag(services),
        cases,
        about=services.profile.title,
        language=services.profile.language,
        playground=playground,
        close=services.close,
    )


def create_app(
    graph: Graph,
    cases: Mapping[str, Graph] | None = None,
    *,
    about: str = ABOUT,
    language: str = DEFAULT_LANGUAGE,
    playground: bool = False,
    close: AsyncClose | None = None,
) -> FastAPI:
    """Serve a graph under ``/rag``, and others under paths of their own; ``close`` is awaited on shutdown.

    ``language`` is that of the error bodies.

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

    app = FastAPI(title="articulado", description=about, lifespan=lifespan)
    app.add_middleware(BodyLimit, limit=MAX_BODY_BYTES)
    handle_errors(app, language)
    for path, served in {RAG: graph, **(cases or {})}.items():
        app.include_router(_routes(path, served, playground=playground))

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Tell that the server is up."""
        return {"status": "ok"}

    return app


def _routes(path: str, graph: Graph, *, playground: bool) -> APIRouter:
    served = ServedGraph(graph)
    router = APIRouter(dependencies=[Depends(check_body)])
    add_stream_route(router, APIHandler(served, path=path, config_keys=()), path)
    enabled = (*ENDPOINTS, *PLAYGROUND_ENDPOINTS) if playground else ENDPOINTS
    # On a router instead of the application, LangServe prints no banner and needs no deprecated start-up hook.
    add_routes(router, served, path=path, config_keys=(), enabled_endpoints=enabled)
    return router


def __getattr__(name: str) -> Any:
    """Build ``app`` from the settings when it is first asked for (``uvicorn server.app:app``), not on import."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from graph.compose import open_services
    from services.portal import wait_for

    globals()["app"] = app_over(wait_for(open_services()))
    return globals()["app"]


def serve(
    open_services: "Callable[[], Services]", host: str = HOST, port: int = PORT, *, playground: bool = False
) -> None:
    """Serve until interrupted; the port is taken before the services are opened.

    Raises:
        ConfigurationError: the address cannot be used, or the playground is asked for on a public one.
        ArticuladoError: the services cannot be opened.
    """
    if playground and not is_loopback(host):
        raise ConfigurationError(say("server.playground", host=host, loopback=HOST))
    with closing(listen(host, port)) as listening:
        app = app_over(open_services(), playground=playground)
        config = uvicorn.Config(app, ws="none", timeout_graceful_shutdown=SHUTDOWN_SECONDS)
        uvicorn.Server(config).run(sockets=[listening])
