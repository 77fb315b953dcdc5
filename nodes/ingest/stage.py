"""What every stage of ingestion has in common: its services, the time it took, and telling how far it is."""

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.config import get_stream_writer

from services.portal import wait_for
from state.ingest import IngestState

Stage = Callable[..., Awaitable[Mapping[str, Any]]]
"""A stage: state and keyword-only services in; an update of its own keys out."""


def stage(work: Stage, **services: Any) -> RunnableLambda[IngestState, dict[str, Any]]:
    """Bind a stage to its services and make a graph node of it, for ``ainvoke`` and for plain ``invoke``."""
    name = work.__name__
    inspect.signature(work).bind(None, **services)

    async def run(state: IngestState) -> dict[str, Any]:
        began = time.perf_counter()
        update = await work(state, **services)
        return {**update, "seconds": {name: round(time.perf_counter() - began, 3)}}

    def waited_for(state: IngestState) -> dict[str, Any]:
        return wait_for(run(state))

    return RunnableLambda(waited_for, afunc=run, name=name)


def progress(step: str, done: int, total: int) -> None:
    """Tell whoever streams the run how far a step is; ``total`` is 0 where it cannot count."""
    get_stream_writer()({"type": "progress", "step": step, "done": done, "total": total})
