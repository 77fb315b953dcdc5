"""Graphs of an Agent Server for its operators and API keys: each key has its own threads, runs and stored items."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import Any, TypeAlias, TypeVar

from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph_sdk import Auth
from langgraph_sdk.runtime import ServerRuntime
from starlette.datastructures import Headers

from articulado.language.translation import translate, use_locale
from articulado.values.errors import InvalidInput
from graph.ingest import Ingest, open_ingest
from graph.open_graphs import CHAT, GENERATE_RESPONSE, RAG, REQUIRED_DATA, Graph, configured_graphs
from nodes.stage import Router
from nodes.validation import checked_keys
from server.access import KeyRing, identify
from server.guards import CHEAP_STRATEGIES, Policy, check_options, keys_file
from server.settings import ServerSettings

LOCAL = "@local"  # identity of the caller of a server without keys, which serves this machine only
OPERATE = "operate"
OWNER = "owner"

auth = Auth()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Return the caller of a request by its key; without a valid one, raise HTTP 401."""
    # One server hands over bytes, another one text.
    given = Headers({_text(name): _text(value) for name, value in headers.items()})
    settings = _settings()
    has_keys, caller = await asyncio.to_thread(identify, _ring(), given)
    if not has_keys:
        return {"identity": LOCAL, "permissions": [OPERATE]}
    if caller is None:
        with use_locale(configured_graphs().profile.language):
            raise Auth.exceptions.HTTPException(401, detail=translate("server.no_key"))
    return {"identity": caller, "permissions": [OPERATE] if caller in settings.operators else []}


@auth.on
async def keep_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType | None:
    """Mark threads and runs of a caller with its name, and hide those of others."""
    if ctx.user.identity == LOCAL:
        return None
    owned = {OWNER: ctx.user.identity}
    if value.get("metadata") is None:
        value["metadata"] = {}
    # In place: one server keeps the object that it has handed over.
    value["metadata"].update(owned)
    return owned


@auth.on.assistants
async def share_assistants(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType | bool | None:
    if ctx.action in ("read", "search"):
        return None
    return await keep_apart(ctx, value)


@auth.on.store
async def keep_items_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    """Store the items of a caller in a namespace that begins with its name."""
    if ctx.user.identity != LOCAL:
        namespace = tuple(value.get("namespace") or ())
        value["namespace"] = namespace if namespace[:1] == (ctx.user.identity,) else (ctx.user.identity, *namespace)


@cache
def _settings() -> ServerSettings:
    return ServerSettings.read()


@cache
def _ring() -> KeyRing:
    return KeyRing(keys_file(_settings(), configured_graphs().settings.home))


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


Runtime: TypeAlias = ServerRuntime[Any]
RUNNING = "threads.create_run"  # access context in which a graph is opened to be run, not only drawn or read


def _within_policy(name: str) -> Callable[[Runtime], AbstractAsyncContextManager[Graph]]:
    """Return a context manager that holds a graph for one run, after a check of the run's options."""

    @asynccontextmanager
    async def opened_graph(runtime: Runtime) -> AsyncIterator[Graph]:
        opened = configured_graphs()
        if runtime.access_context == RUNNING:
            with use_locale(opened.profile.language):
                check_options(getattr(runtime, "context", None), _policy())
        async with opened.using(name) as graph:
            yield checking_input(graph, opened.profile.language)

    return opened_graph


rag = _within_policy(CHAT)
stages = _within_policy(RAG)
required_data = _within_policy(REQUIRED_DATA)
generate_response = _within_policy(GENERATE_RESPONSE)


@asynccontextmanager
async def ingest(runtime: Runtime) -> AsyncIterator[Ingest]:
    """Open the ingestion graph, which only operators may run."""
    if runtime.access_context == RUNNING and not _is_operator(runtime):
        with use_locale(configured_graphs().profile.language):
            raise InvalidInput(translate("server.not_operator"))
    async with open_ingest() as graph:
        yield checking_input(graph, configured_graphs().profile.language)


G = TypeVar("G", bound=CompiledStateGraph[Any, Any, Any, Any])


def checking_input(graph: G, language: str) -> G:
    """Return a graph that refuses unknown keys of its input: LangGraph would drop them in silence."""
    known = frozenset(graph.builder.schemas[graph.builder.input_schema])

    def check(given: Any) -> Any:
        with use_locale(language):
            return checked_keys(given, known)

    # The node of the input sees all that a caller sends; every other one the keys of the state alone.
    first = graph.nodes[START].copy({"bound": Router(check)})
    return graph.copy({"nodes": {**graph.nodes, START: first}})


@cache
def _policy() -> Policy:
    settings = ServerSettings.read()
    return Policy(settings.max_chunks, CHEAP_STRATEGIES | {configured_graphs().settings.rerank_strategy})


def _is_operator(runtime: Runtime) -> bool:
    return runtime.user is None or OPERATE in runtime.user.permissions
