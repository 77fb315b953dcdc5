"""Graphs of an Agent Server, with the options of a run checked against the policy.

Only operators may run the ingestion graph, because it reads files of this machine.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeAlias

from langgraph_sdk.runtime import ServerRuntime
from pydantic import ValidationError

from articulado.language.translation import translate, use_locale
from articulado.values.errors import InvalidInput
from graph.ingest import Ingest, open_ingest
from graph.open_graphs import GENERATE_RESPONSE, RAG, REQUIRED_DATA, Graph, configured_graphs
from server.agent.access import OPERATE
from server.errors import CONTEXT, problem_of
from server.policy import CHEAP_STRATEGIES, Policy
from server.settings import ServerSettings
from state.context import RunContext

_OF_THE_SERVER = frozenset(("thread_id", "run_id", "graph_id", "assistant_id", "user_id", "cron_id", "thread_ts"))
_PREFIXES_OF_THE_SERVER = ("__", "langgraph_", "checkpoint_")
"""What a server itself puts beside the options, where they came as ``configurable``."""


def check_options(context: Any, policy: Policy) -> None:
    """Check the options of a run against their schema and the policy.

    Raises:
        InvalidInput: one is unknown, cannot be used, or is the operator's to choose.
    """
    if not isinstance(context, Mapping):
        return
    options = {name: value for name, value in context.items() if not _is_of_the_server(name)}
    try:
        RunContext.model_validate(options)
    except ValidationError as error:
        explained = "; ".join(problem_of(problem) for problem in error.errors()[:3])
        known = ", ".join(RunContext.model_fields)
        raise InvalidInput(translate("server.invalid_options", explained=explained, known=known)) from error
    policy.check_input({CONTEXT: options})


def _is_of_the_server(name: str) -> bool:
    return name in _OF_THE_SERVER or name.startswith(_PREFIXES_OF_THE_SERVER)


Runtime: TypeAlias = ServerRuntime[Any]
"""What an Agent Server opens a graph with: for what, for whom, and the options of the run."""
RUNNING = "threads.create_run"
"""What a graph is opened for when it is run, and not only drawn or read."""


@asynccontextmanager
async def rag(runtime: Runtime) -> AsyncIterator[Graph]:
    """Open the answering graph."""
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
        yield graph


@asynccontextmanager
async def _within_policy(name: str, runtime: Runtime) -> AsyncIterator[Graph]:
    """Hold a graph for one run, unless its options are unknown or not the caller's to choose."""
    opened = configured_graphs()
    if runtime.access_context == RUNNING:
        with use_locale(opened.profile.language):
            check_options(getattr(runtime, "context", None), _policy())
    async with opened.using(name) as graph:
        yield graph


@cache
def _policy() -> Policy:
    settings = ServerSettings.read()
    return Policy(settings.max_chunks, CHEAP_STRATEGIES | {configured_graphs().settings.rerank_strategy})


def _is_operator(runtime: Runtime) -> bool:
    return runtime.user is None or OPERATE in runtime.user.permissions
