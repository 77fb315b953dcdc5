"""What every stage has in common: options with their defaults, a stream event, and the account of its cost."""

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from langchain_core.runnables import RunnableLambda
from langgraph.runtime import Runtime, get_runtime
from typing_extensions import TypedDict

from services.errors import ModelError
from services.portal import wait_for
from state.context import ResolvedContext, RunContext
from state.rag import RagState
from state.values import FinalEvent


class Cost(TypedDict):
    """HTTP requests to models, and their tokens."""

    requests: int
    input_tokens: int
    output_tokens: int


class Priced(Protocol):
    """What a service gives back beside what was asked for: what it cost."""

    @property
    def requests(self) -> int:
        """HTTP requests."""
        ...

    @property
    def input_tokens(self) -> int:
        """Tokens sent."""
        ...

    @property
    def output_tokens(self) -> int:
        """Tokens received."""
        ...


NO_COST: Cost = {"requests": 0, "input_tokens": 0, "output_tokens": 0}


def cost_of(reply: Priced) -> Cost:
    """Return what a reply cost."""
    return {"requests": reply.requests, "input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}


def failed(error: ModelError) -> Cost:
    """Return the cost of a call that failed: its requests were made all the same."""
    return {"requests": error.attempts, "input_tokens": 0, "output_tokens": 0}


def final_event(schema: type[Any], result: Mapping[str, Any]) -> FinalEvent:
    """Return the event that closes a run: its result, by the keys of its output schema."""
    return {"type": "final", "result": {key: result[key] for key in schema.__annotations__ if key in result}}


Node = Callable[..., Awaitable[Mapping[str, Any]]]
"""A stage: state, runtime and keyword-only services in; an update of its own keys out, and maybe its ``cost``."""


def stage(
    node: Node, *, defaults: ResolvedContext, opens_turn: bool = False, **services: Any
) -> RunnableLambda[RagState, dict[str, Any]]:
    """Bind a node to its services and make a graph node of it, for ``ainvoke`` and for plain ``invoke``.

    ``opens_turn`` marks the nodes right after START: they run before the turn counter has gone up.
    """
    name = node.__name__
    # A misspelt service is an error now, not at the first question.
    inspect.signature(node).bind(None, None, **services)

    async def run(state: RagState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        runtime.stream_writer({"type": "stage", "stage": name})
        options = runtime.override(context=defaults.overridden_by(runtime.context))  # type: ignore[arg-type]
        began = time.perf_counter()
        update = dict(await node(state, options, **services))
        cost: Cost = update.pop("cost", NO_COST)
        update["usage"] = {
            "turn": state.get("turn", 0) + opens_turn,
            "model_calls": cost["requests"],
            "tokens": {"input": cost["input_tokens"], "output": cost["output_tokens"]},
            "stages": {name: round((time.perf_counter() - began) * 1000, 3)},
        }
        return update

    async def awaited(state: RagState) -> dict[str, Any]:
        return await run(state, get_runtime(RunContext))

    def waited_for(state: RagState) -> dict[str, Any]:
        return wait_for(run(state, get_runtime(RunContext)))

    return RunnableLambda(waited_for, afunc=awaited, name=name)
