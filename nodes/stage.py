"""What every stage has in common: how it is bound to its services, the account of its work, and the events of a run."""

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime

from articulado.config.settings import Settings
from articulado.language.translation import use_locale
from articulado.values.answers import NO_COST, Cost, FinalEvent
from articulado.values.protocols import Progress
from nodes.chunk_texts import ChunkTexts, is_on_thread
from services.portal import wait_for
from services.tracing import stage_span
from state.context import ResolvedContext, RunContext

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

    @property
    def language(self) -> str:
        """The language that the stage speaks, that of the profile (ISO 639-1)."""
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
        with use_locale(account.language), stage_span(name) as spend:
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
