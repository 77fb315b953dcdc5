"""Graph stages: binding to services, accounting of time and cost, chunk references, spans and events.

``stage`` makes a graph node of a coroutine function and passes each service by the name of its keyword-only
parameter. On a thread, the state holds references to chunks, which ``ChunkTexts`` replaces by the chunks of
the store. The account of a graph adds up seconds and usage of each run.
"""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_config
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime, get_runtime

from articulado.config.settings import Settings
from articulado.language.languages import answered_in, language
from articulado.language.translation import use_locale
from articulado.values.answers import NO_COST, Cost, FinalEvent, StoreName
from articulado.values.protocols import ChunkStore, Progress
from state.context import ResolvedContext, RunContext

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer


OF_CANDIDATES: Final = ("direct", "found", "candidates", "context", "carried", "named")
"""Keys of the state that hold candidates."""

_WHOLE: Final = "content_hash"
"""A field that each chunk has and no reference."""

Item = Mapping[str, Any]
"""A chunk, or a reference to one: its ``id``, and the fields in which it differs from the one that the store has."""


def is_on_thread() -> bool:
    """Tell whether the run of the moment is one of a thread, whose checkpoints are kept."""
    return "thread_id" in get_config().get("configurable", {})


class ChunkTexts:
    """Puts references in the place of chunks, and chunks in the place of references.

    A chunk is read again from its store by its id, so that a thread goes on in another process. What the store does not
    have stays whole; what it has no longer, because the index is another one, is left out.
    """

    def __init__(self, stores: Mapping[StoreName, ChunkStore]) -> None:
        self._stores = stores

    async def resolved(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a state in which all chunks are whole."""
        references = [chunk for chunk in _chunks_in(state) if _WHOLE not in chunk]
        if not references:
            return state
        stored = await self._stored(state, references)

        def whole(chunk: Item) -> Item | None:
            if _WHOLE in chunk:
                return chunk
            found = stored.get(chunk["id"])
            return None if found is None else {**found, **chunk} if len(chunk) > 1 else found

        return {**state, **_replaced(state, whole)}

    async def referred(self, update: dict[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the update of a stage with references to the chunks that the store of its ``state`` has.

        What it leaves as it was is no update.
        """
        chunks = [chunk for chunk in _chunks_in(update) if _WHOLE in chunk]
        if not chunks:
            return update
        stored = await self._stored({**state, **update}, chunks)

        def reference(chunk: Item) -> Item:
            found = stored.get(chunk["id"])
            if found is None or found.keys() != chunk.keys():
                return chunk
            differing = {key: value for key, value in chunk.items() if key != "id" and value != found[key]}
            return chunk if _WHOLE in differing else {"id": chunk["id"], **differing}

        referring = {**update, **_replaced(update, reference)}
        same = [key for key in OF_CANDIDATES if key in referring and referring[key] == state.get(key)]
        return {key: value for key, value in referring.items() if key not in same}

    async def _stored(self, state: Mapping[str, Any], chunks: Sequence[Item]) -> Mapping[int, Item]:
        store = self._stores[state.get("store", "index")]
        return {chunk["id"]: chunk for chunk in await store.fetch([chunk["id"] for chunk in chunks])}


def _chunks_in(values: Mapping[str, Any]) -> Iterable[Item]:
    for key in OF_CANDIDATES:
        yield from (candidate["chunk"] for candidate in values.get(key) or ())


def _replaced(values: Mapping[str, Any], replace: Callable[[Item], Item | None]) -> dict[str, Any]:
    """Return the keys that hold chunks, each chunk replaced; one that nothing takes the place of is left out."""
    replaced: dict[str, Any] = {}
    for key in OF_CANDIDATES:
        if values.get(key):
            pairs = [(candidate, replace(candidate["chunk"])) for candidate in values[key]]
            replaced[key] = [
                candidate if chunk is candidate["chunk"] else {**candidate, "chunk": chunk}
                for candidate, chunk in pairs
                if chunk is not None
            ]
    return replaced


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
        runtime.stream_writer({"type": "stage", "stage": stage})
        return runtime.override(context=self.defaults.overridden_by(runtime.context))  # type: ignore[arg-type, return-value]

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


def stage(node: Node, services: object, account: Account, texts: ChunkTexts | None = None) -> Stage:
    """Bind a node to the services that it asks for (``services_of``) and make a graph node of it.

    With ``texts`` the node sees whole chunks, and what it leaves on a thread holds references to them.

    Raises:
        TypeError: the node asks for a service that there is not.
    """
    name, bound = node.__name__, services_of(node, services)

    async def run(state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        stage_runtime = account.begin(name, runtime)
        referring = texts if is_on_thread() else None
        began = time.perf_counter()
        with use_locale(account.spoken(name, state)), stage_span(name) as spend:
            whole = await referring.resolved(state) if referring else state
            update = dict(await node(whole, stage_runtime, **bound))
            spend(update.get("cost", NO_COST))
            update = await referring.referred(update, state) if referring else update
        return account.end(name, state, update, time.perf_counter() - began)

    return Stage(name, run)


def final_event(schema: type[Any], result: Mapping[str, Any]) -> FinalEvent:
    """Return the event that closes a run: its result, by the keys of its output schema, without ``messages``."""
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
    builder: StateGraph[Any, Any, Any, Any], services: object, account: Account, texts: ChunkTexts | None = None
) -> AddStage:
    """Return a function that adds stages to a graph over these services; account and texts: see ``nodes.stage``."""

    def add(node: Node, *, defer: bool = False) -> None:
        builder.add_node(node.__name__, stage(node, services, account, texts), defer=defer)

    return add
