"""Graph stages: binding to services, accounting of time and cost, spans and events.

``stage`` makes a graph node of a coroutine function and passes each service by the name of its keyword-only
parameter. The state may hold references to chunks (``ChunkShelf``). The account of a graph adds up seconds
and usage of each run.
"""

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
"""The tracer of the request at work: its tasks and threads inherit it."""


@contextmanager
def tracing(tracer: "Tracer") -> Iterator[None]:
    """Make the stages that run in a block spans of this tracer."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(token)


@contextmanager
def spanning(tracer: "Tracer", name: str, **options: Any) -> Iterator["Span"]:
    """Make a block a span, the child of the current one; ``options`` are those of ``start_as_current_span``."""
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
    """Make a block the span of a stage, and yield what takes its cost."""
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
"""The writer of the graph that calls a subgraph."""


@contextmanager
def heard_by(writer: StreamWriter) -> Iterator[None]:
    """Send the events of the stages that run in a block to this writer: LangGraph keeps those of a subgraph apart.

    Of nested blocks the outermost hears all.
    """
    token = _WRITER.set(_WRITER.get() or writer)
    try:
        yield
    finally:
        _WRITER.reset(token)


T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on the portal's loop, and return its result or raise its error.

    One loop for all such calls keeps connections alive from one to the next; a loop that runs in the calling thread
    is blocked meanwhile, so async code must await instead.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the portal's event loop, running in its thread from the first call on."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="articulado-portal", daemon=True).start()
    return loop


SET_AT_BEGINNING = frozenset((*PerTurn.__annotations__, *TurnQuestion.__annotations__))
"""Keys of the state, and of the question in it, that the opening stage of the answering graph sets."""

Node = Callable[..., Awaitable[Mapping[str, Any]]]
"""A stage: state, runtime and keyword-only services in; an update of its own keys out, and what its account takes."""


def default_options(settings: Settings) -> ResolvedContext:
    """Return the options of a run whose caller sets none: those of the settings."""
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
    """What a graph gives a stage to begin with, and keeps of each run of it."""

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        """Return the language that the stage speaks (ISO 639-1)."""
        ...

    def begin(self, stage: str, runtime: Runtime[Any]) -> Runtime[Any]:
        """Return the runtime that the stage is called with."""
        ...

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the update of a stage with what is noted of it."""
        ...


@dataclass(frozen=True)
class UsageAccount:
    """The account of the answering graphs: it sets the options, announces the stage, and adds up time and cost.

    ``opening`` names the stages right after START: they run before the turn counter has gone up.
    """

    defaults: ResolvedContext
    language: str
    opening: frozenset[str] = frozenset()

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        """Return the language of the turn; the opening stages, which do not know it yet, speak that of the profile."""
        code = (state.get("turn_question") or {}).get("language", "")
        known = stage not in self.opening and code
        return answered_in(code, language(self.language)).code if known else self.language

    def begin(self, stage: str, runtime: Runtime[RunContext]) -> Runtime[ResolvedContext]:
        """Announce the stage, and return the runtime with all options set."""
        writer = _WRITER.get() or runtime.stream_writer
        writer({"type": "stage", "stage": stage})
        context = self.defaults.overridden_by(runtime.context)
        return runtime.override(context=context, stream_writer=writer)  # type: ignore[arg-type, return-value]

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the update with its ``cost`` as ``usage`` of the turn."""
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
    """The account of the ingestion graph: the seconds that each stage took."""

    language: str

    def spoken(self, stage: str, state: Mapping[str, Any]) -> str:
        """Return the language of the profile."""
        return self.language

    def begin(self, stage: str, runtime: Runtime[Any]) -> Runtime[Any]:
        """Return the runtime as it is."""
        return runtime

    def end(self, stage: str, state: Mapping[str, Any], update: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return the update with its ``seconds``."""
        return {**update, "seconds": {stage: round(seconds, 3)}}


class Stage(Runnable[Any, dict[str, Any]]):
    """A node of a graph over a coroutine function, for ``ainvoke`` and for plain ``invoke``.

    The graph itself tells callbacks of each node: that is once, as ``RunnableLambda`` would be another run within it.
    """

    def __init__(self, name: str, run: Callable[[Mapping[str, Any], Runtime[Any]], Awaitable[dict[str, Any]]]) -> None:
        self.name = name
        self._run = run

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run on the loop of the caller."""
        return await self._run(input, get_runtime())

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run on the portal's loop, and wait."""
        return wait_for(self.ainvoke(input))


class Router(Runnable[Any, Any]):
    """A router of conditional edges, called on the loop of the caller.

    The graph would hand a plain function to a thread and tell callbacks of it, which takes longer than the router.
    """

    def __init__(self, route: Callable[[Any], Any]) -> None:
        self.name = route.__name__
        self._route = route

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Return the names of the next stages."""
        return self._route(input)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Return the names of the next stages."""
        return self._route(input)


def services_of(node: Node, services: object) -> dict[str, Any]:
    """Return the services that a stage asks for: one for each keyword-only parameter, by its name.

    Raises:
        TypeError: the stage asks for a service that there is not.
    """
    parameters = inspect.signature(node).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    # Looked up on the class, so that a property that fails says so itself.
    lacking = [name for name in names if name not in vars(services) and not hasattr(type(services), name)]
    if lacking:
        raise TypeError(f"{node.__name__} asks for services that {type(services).__name__} lacks: {', '.join(lacking)}")
    return {name: getattr(services, name) for name in names}


def stage(node: Node, services: object, account: Account, shelf: ChunkShelf | None = None) -> Stage:
    """Bind a node to the services that it asks for (``services_of``) and make a graph node of it.

    With a ``shelf`` the node gets whole chunks, and its update is stored with references to them.

    Raises:
        TypeError: the node asks for a service that there is not.
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
    """Tell if a stage missed a key that this version sets when a turn begins: the state is of an earlier version."""
    key = error.args[0] if error.args else ""
    return key in SET_AT_BEGINNING and key not in state and key not in (state.get("turn_question") or ())


def final_event(schema: type[Any], state: Mapping[str, Any], update: Mapping[str, Any]) -> FinalEvent:
    """Return the event that closes a run: its result after the last update, by the keys of its output schema.

    It leaves out ``messages``, which say the same.
    """
    result = {**state, **update, "warnings": add_warnings(state["warnings"], update["warnings"])}
    keys = [key for key in schema.__annotations__ if key in result and key != "messages"]
    return {"type": "final", "result": {key: result[key] for key in keys}}


def progress_of(runtime: Runtime[None]) -> Progress:
    """Return the callback of an ingestion stage: each call writes a ``progress`` event to whoever streams the run."""

    def progress(step: str, done: int, total: int) -> None:
        runtime.stream_writer({"type": "progress", "step": step, "done": done, "total": total})

    return progress


class AddStage(Protocol):
    """Adds a stage to a graph, under the name of its function."""

    def __call__(self, node: Node, *, defer: bool = False) -> None:
        """Add a stage; ``defer`` waits for all branches that lead to it, whatever their lengths.

        Raises:
            TypeError: the stage asks for a service that there is not.
        """
        ...


def stage_adder(
    builder: StateGraph[Any, Any, Any, Any], services: object, account: Account, shelf: ChunkShelf | None = None
) -> AddStage:
    """Return a function that adds stages to a graph over these services; account and shelf: see ``nodes.stage``."""

    def add(node: Node, *, defer: bool = False) -> None:
        builder.add_node(node.__name__, stage(node, services, account, shelf), defer=defer)

    return add
