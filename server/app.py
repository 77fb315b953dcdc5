"""HTTP application: routes of all interfaces and of the chat page, with the guards around them."""

import asyncio
import html
import json
import re
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from articulado.config.extras import installed
from articulado.language.languages import LANGUAGES
from articulado.language.languages import language as language_of
from articulado.language.translation import DEFAULT_LANGUAGE, current_language, translate
from articulado.values.errors import ConfigurationError
from articulado.values.protocols import AsyncClose
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, Graph, OpenGraphs, configured_graphs
from server.conversations.routes import Threads, conversation_routes, stopped
from server.conversations.store import open_conversations
from server.errors import FAILURES, handle_errors, speaks_openai
from server.guards import CHEAP_STRATEGIES, Guards, Policy, check_body, run, taken
from server.langserve_routes import langserve_routes
from server.lookup.law import LawDesk
from server.operations.requests import Readiness, WarmUp, health_routes, metrics_route
from server.operations.traces import NO_TELEMETRY
from server.runnable import ServedGraph, outside_any_run
from server.settings import HOST, PORT, ServerSettings, is_loopback
from server.v1.answers import answer_routes
from server.v1.chat import chat_routes
from server.v1.law import calculation_routes, law_routes

if TYPE_CHECKING:
    from server.mcp.app import McpEndpoint


ABOUT = "Respuestas y casos, con las fuentes en que se apoyan"


def app_over(
    opened: OpenGraphs,
    settings: ServerSettings | None = None,
    guards: Guards | None = None,
    *,
    public: bool = False,
    playground: bool = False,
    mcp: bool = True,
    worker: bool = False,
) -> FastAPI:
    """Build the application over open graphs, whose services are closed when the server shuts down.

    Args:
        opened: the graphs and their services.
        settings: of the server, by default from the environment.
        guards: by default those of ``settings``.
        public: the server may be called by other names than those of loopback.
        playground: serve LangServe's playground.
        mcp: serve MCP if its package is installed.
        worker: one of several processes: it takes requests when it is warm, and keeps no MCP sessions.
    """
    settings = settings or ServerSettings.read()
    strategies = CHEAP_STRATEGIES | {opened.settings.rerank_strategy}
    guards = guards or Guards.of(settings, opened.settings, public=public)
    site = Site(
        opened.now(RAG),
        {name: opened.now(name) for name in (REQUIRED_DATA, GENERATE_RESPONSE)},
        using=opened.using,
        desk=LawDesk(opened),
        guards=guards,
        policy=Policy(settings.max_chunks, strategies),
        warm_up=opened.warm_up,
        about=opened.profile.title,
        language=opened.profile.language,
        law=opened.profile.features.spanish_law,
        playground=playground,
        mcp=_mcp(opened, guards, stateless=worker) if mcp and installed("mcp") else None,
        warm_first=worker,
        close=opened.close,
    )
    return create_app(site)


@dataclass(frozen=True)
class Site:
    """Parts of an application: ``graph`` is served under ``/rag``, each of ``cases`` under its name.

    ``using(name)`` is the context in which a run holds the current graph. With ``warm_first`` the server takes requests
    only after ``warm_up``. ``playground``, for loopback only, adds ``stream_log``, which shows every intermediate step.
    """

    graph: Graph
    cases: Mapping[str, Graph] = field(default_factory=dict)
    using: Callable[[str], AbstractAsyncContextManager[Graph]] | None = None
    desk: LawDesk | None = None
    guards: Guards = field(default_factory=Guards)
    policy: Policy = field(default_factory=Policy)
    warm_up: WarmUp | None = None
    about: str = ABOUT
    language: str = DEFAULT_LANGUAGE
    law: bool = True
    playground: bool = False
    warm_first: bool = False
    mcp: "McpEndpoint | None" = None
    close: AsyncClose | None = None


def create_app(site: Site) -> FastAPI:
    """Build the application of a site."""
    guards, readiness, threads = site.guards, Readiness(site.warm_up), Threads()
    app = FastAPI(
        title="articulado",
        description=site.about,
        lifespan=_lifespan(site, readiness, threads),
        telemetry=NO_TELEMETRY,
        docs_url=None,  # it loads its files from another place
        redoc_url=None,
    )
    guards.stand_around(app)
    handle_errors(app, site.language)
    fresh = Depends(outside_any_run)
    checks = [fresh, Depends(check_body)]

    def served(name: str, graph: Graph, kept: Threads | None = None) -> ServedGraph:
        using = partial(site.using, name) if site.using else None
        return ServedGraph(graph, kept, using, guards.settings.deadline)

    answering = served(RAG, site.graph, threads)
    handling = {name: served(name, case) for name, case in site.cases.items()}
    for name, one in {RAG: answering, **handling}.items():
        app.include_router(langserve_routes(name, one, site.policy, checks, playground=site.playground))
    v1 = APIRouter(tags=["v1"], dependencies=checks, responses=FAILURES)
    v1.include_router(answer_routes(answering, handling, threads, site.policy))
    if site.desk:
        v1.include_router(law_routes(site.desk, site.policy, has_keys=lambda: bool(guards.ring and guards.ring.keys)))
        if site.law:
            v1.include_router(calculation_routes(site.desk, language_of(site.language)))
        app.include_router(page_routes(site.about, site.language, law=site.law))
    chat = APIRouter(tags=["openai"], dependencies=[fresh, Depends(check_body)])
    chat.include_router(chat_routes(answering, threads, site.policy, _phase, law=site.law))
    app.include_router(v1)
    app.include_router(chat)
    app.include_router(conversation_routes(threads, site.about, site.language, law=site.law))
    app.include_router(health_routes(readiness))
    app.include_router(docs_routes())
    app.include_router(metrics_route(guards.metrics))
    if site.mcp:
        site.mcp.add_to(app)
    described = app.openapi
    app.openapi = lambda: _without_unused_status(described())  # type: ignore[method-assign]
    return app


def _lifespan(
    site: Site, readiness: Readiness, threads: Threads
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        guards, settings = site.guards, site.guards.settings
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(guards.traces.exported())
            if site.close:
                stack.push_async_callback(site.close)
            threads.kept = await stack.enter_async_context(open_conversations(settings.conversations, guards.home))
            forgetting = asyncio.create_task(threads.forget_daily(settings.retention))
            stack.push_async_callback(stopped, forgetting)
            if site.mcp:
                await stack.enter_async_context(site.mcp.running())
            readiness.begin()
            stack.push_async_callback(readiness.end)
            if site.warm_first:
                await readiness.tried()
            yield

    return lifespan


def _without_unused_status(described: dict[str, Any]) -> dict[str, Any]:
    """Remove status 422, which FastAPI adds to every route with arguments, from the routes that answer 400 instead."""
    for path, operations in described["paths"].items():
        if speaks_openai({"path": path}):
            for operation in operations.values():
                operation["responses"].pop("422", None)
    return described


def _mcp(opened: OpenGraphs, guards: Guards, *, stateless: bool) -> "McpEndpoint":
    from server.mcp.app import McpEndpoint

    return McpEndpoint(opened, guards, stateless=stateless)


def __getattr__(name: str) -> Any:
    """Build ``app`` from the settings at its first use (``uvicorn server.app:app``), not on import."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = app_over(configured_graphs())
    return globals()["app"]


def serve(
    open_graphs: Callable[[], OpenGraphs],
    host: str = HOST,
    port: int = PORT,
    *,
    settings: ServerSettings | None = None,
    keys: Path | None = None,
    playground: bool = False,
    workers: Callable[[socket, bool], None] | None = None,
) -> None:
    """Serve until interrupted; the port is bound before the services are opened.

    ``keys`` is the file of the API keys, without which only this machine is served. ``workers`` serves the bound port
    with several processes; its second argument says if the address is public.
    """
    if playground and not is_loopback(host):
        raise ConfigurationError(translate("server.playground", host=host, loopback=HOST))
    public = not is_loopback(host)
    with taken(host, port, keys) as listening:
        if workers:
            workers(listening, public)
        else:
            run(app_over(open_graphs(), settings, public=public, playground=playground), listening)


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: own scripts, styles and connections only; no inline code, no frames."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # After an update, the page and its files are of one version: a browser asks whether they are still the same.
    "Cache-Control": "no-cache",
}
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FIELD = re.compile(r"\{\{(\w+)\}\}")


class _Compressed(Response):
    """Response compressed for clients that accept it, which saves time on mobile networks."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await GZipMiddleware(super().__call__)(scope, receive, send)


class _CompressedPage(_Compressed, HTMLResponse):
    pass


class _CompressedFile(_Compressed, FileResponse):
    pass


_ENGLISH = "en"


def page_routes(title: str, language: str, *, law: bool) -> APIRouter:
    """Return the routes of the chat page; without ``law`` it has no territories and no example questions.

    The page is in the language of the profile, or in English if it is the first language of the browser.
    """
    router = APIRouter(include_in_schema=False)
    rendered = {code: _render(title, code, language, law=law) for code in {language, _ENGLISH}}
    files = {entry.name: Path(str(entry)) for entry in _folder("files").iterdir() if entry.name != "index.html"}

    @router.get("/")
    async def page(request: Request) -> Response:
        first = request.headers.get("accept-language", "").strip().lower()
        reader = _ENGLISH if re.match(rf"{_ENGLISH}\b", first) else language
        return _CompressedPage(rendered[reader], headers={**HEADERS, "Vary": "Accept-Language"})

    @router.get("/page/{name}")
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return _CompressedFile(files[name], media_type=_MEDIA_TYPES[files[name].suffix], headers=HEADERS)

    return router


DOCS_HEADERS = {
    **HEADERS,
    # Swagger UI sets styles within its elements, and has its icons as data.
    "Content-Security-Policy": POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
        "img-src 'self'", "img-src 'self' data:"
    ),
}
_DOCS = """<!doctype html>
<html lang="es">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>articulado: API</title>
<link rel="icon" href="page/icon.svg">
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
"""
_DOCS_START = 'SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger-ui", deepLinking: true });\n'


def docs_routes() -> APIRouter:
    """Return the routes of Swagger UI, with local files."""
    router = APIRouter(include_in_schema=False)
    static = resources.files("fastapi_offline").joinpath("static")
    files = {name: Path(str(static.joinpath(name))) for name in ("swagger-ui.css", "swagger-ui-bundle.js")}

    @router.get("/docs")
    async def docs() -> Response:
        return HTMLResponse(_DOCS, headers=DOCS_HEADERS)

    @router.get("/docs/start.js")
    async def start() -> Response:
        return Response(_DOCS_START, media_type=_MEDIA_TYPES[".js"], headers=DOCS_HEADERS)

    @router.get("/docs/{name}")
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return FileResponse(files[name], media_type=_MEDIA_TYPES[files[name].suffix], headers=DOCS_HEADERS)

    return router


@cache
def page_texts(language: str) -> Mapping[str, str]:
    """Return the texts of the page by key; a language without texts has those of the default language."""
    folder = _folder("texts")
    file = folder.joinpath(f"{language}.toml")
    if not file.is_file():
        file = folder.joinpath(f"{DEFAULT_LANGUAGE}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _phase(name: str) -> str:
    return page_texts(current_language())[f"phase_{name}"]


def _render(title: str, language: str, answers: str, *, law: bool) -> str:
    """Return the page in a language; ``answers`` is that of answers without a language of their own."""
    texts: dict[str, Any] = {**_texts_of(language, law=law), "title": title, "law": law}
    texts["field"] = "law" if law else "plain"
    texts["others"] = {code: _texts_of(code, law=law) for code in LANGUAGES if code != language}
    texts["answers"] = answers
    # How the offline writer announces what is not the words of the law.
    texts["own_words"] = language_of(answers).translate("answer_in_our_words", place="", text="").rstrip(": ")
    # Nothing in it may end the script element that it stands in.
    data = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    written = _folder("files").joinpath("index.html").read_text(encoding="utf-8")
    # Modules are fetched beside one another: a browser would find each only in the one that imports it.
    modules = sorted(entry.name for entry in _folder("files").iterdir() if entry.name.endswith(".js"))
    preload = "".join(f'<link rel="modulepreload" href="page/{name}">\n' for name in modules)
    written = written.replace("</head>", f"{preload}</head>")
    return _FIELD.sub(lambda field: data if field[1] == "data" else html.escape(texts[field[1]]), written)


def _texts_of(language: str, *, law: bool) -> dict[str, str]:
    texts = page_texts(language)
    return {**texts, "language": language, "notice": texts["notice_law" if law else "notice_plain"]}


def _folder(name: str) -> Any:
    return resources.files("server").joinpath("page", name)
