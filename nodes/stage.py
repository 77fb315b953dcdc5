"""Graph stages: binding to services, accounting of time and cost, spans and events."""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import StreamWriter

from articulado.config.settings import Settings
from articulado.language.languages import answered_in, language
from articulado.language.translation import translate, use_locale
from articulado.values.answers import FinalEvent, TurnQuestion
from articulado.values.errors import NO_COST, Cost, InvalidInput
from articulado.values.protocols import Progress
from nodes.chunk_shelf import ChunkShelf
from state.context import ResolvedContext, RunContext
from state.rag import PerTurn
from state.run import add_warnings

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer


_TRACER: ContextVar["Tracer | None"] = ContextVar("tracer", default=None)


@contextmanager
def tracing(tracer: "Tracer") -> Iterator[None]:
    """Run the stages of a block as spans of ``tracer``."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(token)


@contextmanager
def spanning(tracer: "Tracer", name: str, **options: Any) -> Iterator["Span"]:
    """Run a block as a child span; ``options`` are those of ``start_as_current_span``."""
    from opentelemetry.trace import StatusCode

    options |= {"record_exception": False, "set_status_on_exception": False}
    with tracer.start_as_current_span(name, **options) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(StatusCode.ERROR)
            raise


@contextmanager
def stage_span(stage: str) -> Iterator[Callable[[Cost], None]]:
    """Run a block as the span of a stage, and yield a function that records its cost."""
    if (tracer := _TRACER.get()) is None:
        yield lambda cost: None
        return
    with spanning(tracer, stage) as span:

        def spend(cost: Cost) -> None:
            span.set_attributes(
                {
                    "articulado.stage": stage,
                    "articulado.model_calls": cost["requests"],
                    "gen_ai.usage.input_tokens": cost["input_tokens"],
                    "gen_ai.usage.output_tokens": cost["output_tokens"],
                }
            )

        yield spend


_WRITER: ContextVar[StreamWriter | None] = ContextVar("writer", default=None)


@contextmanager
def heard_by(writer: StreamWriter) -> Iterator[None]:
    """Send the events of a block to ``writer``, or to that of an outer block: LangGraph separates subgraphs' events."""
    token = _WRITER.set(_WRITER.get() or writer)
    try:
        yield
    finally:
        _WRITER.reset(token)


T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a background thread's event loop and wait; one loop keeps connections alive between calls."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="articulado-portal", daemon=True).start()
    return loop


SET_AT_BEGINNING = frozenset((*PerTurn.__annotations__, *TurnQuestion.__annotations__))
"""State keys, and keys of ``turn_question``, that the opening stage of the answering graph sets."""

Node = Callable[..., Awaitable[Mapping[str, Any]]]
"""Coroutine function of state, runtime and keyword-only services that returns an update and its ``cost``."""


def default_options(settings: Settings) -> ResolvedContext:
    return ResolvedContext(
        rerank_strategy=settings.rerank_strategy,
        grounded_prompting=settings.grounded_prompting,
        max_chunks_in_prompt=settings.max_chunks_in_prompt,
        rag_enabled=settings.rag_enabled,
        collections=settings.collections,
        as_of=settings.as_of,
        territory=settings.territory,
    )


class Account(Protocol):
    """Prepares the runtime of a stage, and adds records to its update."""

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        """Return the language of the texts of the stage (ISO 639-1)."""
        ...

    def begin(self, stage: str, runtime: Runtime[Any]) -> Runtime[Any]: ...

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]: ...


@dataclass(frozen=True)
class UsageAccount:
    """Account of the answering graphs: resolves the options, announces the stage, and adds up time and cost.

    ``opening`` names the stages right after START, which run before the turn counter has gone up.
    """

    defaults: ResolvedContext
    language: str
    opening: frozenset[str] = frozenset()

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        code = (state.get("turn_question") or {}).get("language", "")
        known = stage not in self.opening and code
        return answered_in(code, language(self.language)).code if known else self.language

    def begin(self, stage: str, runtime: Runtime[RunContext]) -> Runtime[ResolvedContext]:
        """Announce the stage, and return the runtime with all options resolved."""
        writer = _WRITER.get() or runtime.stream_writer
        writer({"type": "stage", "stage": stage})
        context = self.defaults.overridden_by(runtime.context)
        return runtime.override(context=context, stream_writer=writer)  # type: ignore[arg-type, return-value]

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]:
        cost: Cost = update.pop("cost", NO_COST)
        usage = {
            "turn": state.get("turn", 0) + (stage in self.opening),
            "model_calls": cost["requests"],
            "tokens": {"input": cost["input_tokens"], "output": cost["output_tokens"]},
            "stages": {stage: round(seconds * 1000, 3)},
        }
        return {**update, "usage": usage}


@dataclass(frozen=True)
class SecondsAccount:
    """Account of the ingestion graph: the seconds of each stage."""

    language: str

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        return self.language

    def begin(self, stage: str, runtime: Runtime[Any]) -> Runtime[Any]:
        return runtime

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]:
        return {**update, "seconds": {stage: round(seconds, 3)}}


class Stage(Runnable[Any, dict[str, Any]]):
    """Graph node for ``ainvoke`` and ``invoke``; a ``RunnableLambda`` would be reported to callbacks a second time."""

    def __init__(self, name: str, run: Callable[[Mapping[str, Any], Runtime[Any]], Awaitable[dict[str, Any]]]) -> None:
        self.name = name
        self._run = run

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        return await self._run(input, get_runtime())

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        return wait_for(self.ainvoke(input))


class Router(Runnable[Any, Any]):
    """Router on the caller's loop: LangGraph would run a plain function in a thread, which takes longer."""

    def __init__(self, route: Callable[[Any], Any]) -> None:
        self.name = route.__name__
        self._route = route

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self._route(input)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self._route(input)


def services_of(node: Node, services: object) -> dict[str, Any]:
    """Return the services of a stage, one for each keyword-only parameter; ``TypeError`` if one does not exist."""
    parameters = inspect.signature(node).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    # Looked up on the class, so that a property that fails says so itself.
    lacking = [name for name in names if name not in vars(services) and not hasattr(type(services), name)]
    if lacking:
        raise TypeError(f"{node.__name__} asks for services that {type(services).__name__} lacks: {', '.join(lacking)}")
    return {name: getattr(services, name) for name in names}


def stage(node: Node, services: object, account: Account, shelf: ChunkShelf | None = None) -> Stage:
    """Bind a node to its services (``services_of``) and make a graph node of it.

    With a ``shelf`` the node gets whole chunks, and its update is stored with references to them.
    """
    name, bound = node.__name__, services_of(node, services)

    async def run(state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        stage_runtime = account.begin(name, runtime)
        began = time.perf_counter()
        with use_locale(account.spoken(name, state)), stage_span(name) as spend:
            whole = await shelf.resolved(state) if shelf else state
            try:
                update = dict(await node(whole, stage_runtime, **bound))
            except KeyError as error:
                if _lacks_key(state, error):
                    raise InvalidInput(translate("question.other_version")) from error
                raise
            spend(update.get("cost", NO_COST))
            update = shelf.referring(update, state) if shelf else update
        return account.end(name, state, update, time.perf_counter() - began)

    return Stage(name, run)


def _lacks_key(state: Mapping[str, Any], error: KeyError) -> bool:
    """Tell if the state, of an earlier version, lacks a key that this version sets when a turn begins."""
    key = error.args[0] if error.args else ""
    return key in SET_AT_BEGINNING and key not in state and key not in (state.get("turn_question") or ())


def final_event(schema: type[Any], state: Mapping[str, Any], update: Mapping[str, Any]) -> FinalEvent:
    """Return the last event of a run: its output keys after ``update``, without ``messages``."""
    result = {**state, **update, "warnings": add_warnings(state["warnings"], update["warnings"])}
    keys = [key for key in schema.__annotations__ if key in result and key != "messages"]
    return {"type": "final", "result": {key: result[key] for key in keys}}


def progress_of(runtime: Runtime[None]) -> Progress:
    """Return a callback that writes ``progress`` events to the stream of an ingestion run."""

    def progress(step: str, done: int, total: int) -> None:
        runtime.stream_writer({"type": "progress", "step": step, "done": done, "total": total})

    return progress


AddStage = Callable[[Node], None]  # Adds a stage to a graph, under the name of its function


def stage_adder(
    builder: StateGraph[Any, Any, Any, Any], services: object, account: Account, shelf: ChunkShelf | None = None
) -> AddStage:
    """Return a function that binds a node (``stage``) and adds it to the builder under its function's name."""

    def add(node: Node) -> None:
        builder.add_node(node.__name__, stage(node, services, account, shelf))

    return add
