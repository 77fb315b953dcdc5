"""A graph as LangServe needs it: what it streams are the graph's own typed events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeAlias, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from server.schemas import CONTEXT, served_input
from state.context import RunContext

Graph: TypeAlias = CompiledStateGraph[Any, RunContext, Any, Any]
ServedInput: TypeAlias = dict[str, Any]
"""A graph's own input, with the options of the run under ``CONTEXT``."""

T = TypeVar("T")


class ServedGraph(Runnable[ServedInput, Any]):
    """Wrap a compiled graph: ``invoke`` gives its output, ``stream`` its typed events up to ``final``.

    A compiled graph by itself streams node updates through LangServe, and its run context cannot be passed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._input = served_input(graph.builder.input_schema)
        self.name = graph.get_name()

    @property
    def InputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """What LangServe checks a request against and shows in its schemas."""
        return self._input

    @property
    def OutputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """What ``invoke`` returns."""
        return self._graph.builder.output_schema

    def invoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the graph once; not to be called from a running event loop."""
        graph_input, context = split_context(input)
        return self._graph.invoke(graph_input, config, context=context, **kwargs)

    async def ainvoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the graph once."""
        graph_input, context = split_context(input)
        return await self._graph.ainvoke(graph_input, config, context=context, **kwargs)

    async def astream(
        self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the graph's events as they happen, and last the authoritative result.

        Closing the iterator cancels the run.
        """
        graph_input, context = split_context(input)
        events = self._graph.astream(graph_input, config, context=context, stream_mode="custom", **kwargs)
        async for event in cancellable_stream(events):
            yield event


def split_context(request: ServedInput) -> tuple[ServedInput, RunContext | None]:
    """Return the graph's own input, and the options of the run, ``None`` where none were sent."""
    return {key: value for key, value in request.items() if key != CONTEXT}, request.get(CONTEXT)


async def cancellable_stream(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Iterate in a task of its own; closing this iterator, or cancelling its reader, cancels that task once.

    When a client leaves, the server cancels the reader again and again until it has returned. That would cut short
    LangGraph's own clean-up and leave its nodes, and the model calls in them, running.
    """
    queue: asyncio.Queue[T | None] = asyncio.Queue()
    task = asyncio.create_task(_drain(items, queue))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (item := await queue.get()) is not None:
            yield item
        await task
    finally:
        task.cancel()


async def _drain(items: AsyncIterator[T], queue: asyncio.Queue[T | None]) -> None:
    async for item in items:
        queue.put_nowait(item)
