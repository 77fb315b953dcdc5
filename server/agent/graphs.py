"""Graphs of an Agent Server: checks of the options of a run, and authentication by API key.

Only operators may run the ingestion graph, because it reads files of this machine. The rules of ``auth``, with the
keys of ``server.access``, apply to the Agent Server protocol and to the routes of this project. Each key has its own
threads, runs, schedules and stored items. Assistants are available to every key.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
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

LOCAL = "@local"
"""Who calls a server without keys: somebody on its machine, which is all that its guards let in."""
OPERATE = "operate"
"""The permission to change the index."""
OWNER = "owner"

auth = Auth()


@auth.authenticate
async def authenticate(headers: Mapping[Any, Any]) -> Auth.types.MinimalUserDict:
    """Return who calls, by the key that a request carries.

    Raises:
        HTTPException: there is no such key (401).
    """
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
    """Mark what a caller makes as its own, and show it nothing else."""
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
    """Let everybody use assistants, and each change those that it made."""
    if ctx.action in ("read", "search"):
        return None
    return await keep_apart(ctx, value)


@auth.on.store
async def keep_items_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    """Keep the stored items of a caller below its own name."""
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
"""What an Agent Server opens a graph with: for what, for whom, and the options of the run."""
RUNNING = "threads.create_run"
"""What a graph is opened for when it is run, and not only drawn or read."""


@asynccontextmanager
async def rag(runtime: Runtime) -> AsyncIterator[Graph]:
    """Open the graph of chat clients: the answering graph as one node."""
    async with _within_policy(CHAT, runtime) as graph:
        yield graph


@asynccontextmanager
async def stages(runtime: Runtime) -> AsyncIterator[Graph]:
    """Open the answering graph with a checkpoint after each stage, to fork and to stop at."""
    async with _within_policy(RAG, runtime) as graph:
        yield graph


@asynccontextmanager
async def required_data(runtime: Runtime) -> AsyncIterator[Graph]:
    """Open the graph that tells which data a case needs."""
    async with _within_policy(REQUIRED_DATA, runtime) as graph:
        yield graph


@asynccontextmanager
async def generate_response(runtime: Runtime) -> AsyncIterator[Graph]:
    """Open the graph that answers a case."""
    async with _within_policy(GENERATE_RESPONSE, runtime) as graph:
        yield graph


@asynccontextmanager
async def ingest(runtime: Runtime) -> AsyncIterator[Ingest]:
    """Open the ingestion graph, which reads files of this machine: it is the operator's.

    Raises:
        InvalidInput: it is to be run by somebody else.
    """
    if runtime.access_context == RUNNING and not _is_operator(runtime):
        with use_locale(configured_graphs().profile.language):
            raise InvalidInput(translate("server.not_operator"))
    async with open_ingest() as graph:
        yield checking_input(graph, configured_graphs().profile.language)


@asynccontextmanager
async def _within_policy(name: str, runtime: Runtime) -> AsyncIterator[Graph]:
    """Hold a graph for one run, unless its options are unknown or not the caller's to choose."""
    opened = configured_graphs()
    if runtime.access_context == RUNNING:
        with use_locale(opened.profile.language):
            check_options(getattr(runtime, "context", None), _policy())
    async with opened.using(name) as graph:
        yield checking_input(graph, opened.profile.language)


G = TypeVar("G", bound=CompiledStateGraph[Any, Any, Any, Any])


def checking_input(graph: G, language: str) -> G:
    """Return a graph that refuses input which it would not use (``checked_keys``): LangGraph drops it in silence."""
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
