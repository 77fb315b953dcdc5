"""Compiled graph as a LangServe runnable that streams the typed events of the graph."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, TypeAlias, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator
from langchain_core.runnables.config import get_config_list, var_child_runnable_config
from pydantic import BaseModel, create_model

from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from graph.open_graphs import Graph
from server.conversations.routes import KEEP_TURNS, THREAD, Threads
from server.errors import CONTEXT, MESSAGES, served_input, served_output
from server.operations.requests import note_run
from state.context import RunContext

Using: TypeAlias = Callable[[], AbstractAsyncContextManager[Graph]]
ServedInput: TypeAlias = dict[str, Any]

T = TypeVar("T")


class QuestionFailed(Exception):
    """A question of a batch failed: its ``number``, from 1, and the ``error``, ``TimeoutError`` if it took too long."""

    def __init__(self, number: int, error: Exception) -> None:
        super().__init__(number, error)
        self.number = number
        self.error = error


class ServedGraph(Runnable[ServedInput, Any]):
    """Compiled graph as a runnable: ``invoke`` gives its output, ``stream`` its typed events up to ``final``.

    ``using`` is the context that gives the graph of a run; ``seconds`` limits each question of a batch.
    """

    def __init__(
        self,
        graph: Graph,
        threads: Threads | None = None,
        using: Using | None = None,
        seconds: float | None = None,
    ) -> None:
        self._graph = graph
        self.seconds = seconds
        self._threads = threads
        self._using: Using = using or (lambda: nullcontext(graph))
        self._input = served_input(graph.builder.input_schema, {THREAD: str, KEEP_TURNS: int} if threads else {})
        self._output = served_output(graph.builder.output_schema)
        self.name = graph.get_name()

    @property
    def InputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        return self._input

    @property
    def keeps_threads(self) -> bool:
        return self._threads is not None

    def config_schema(self, *, include: Sequence[str] | None = None) -> type[BaseModel]:
        return create_model(f"{self.name}_config", configurable=(RunContext | None, None))

    @property
    def OutputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        return self._output

    def invoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        graph_input, context = split_context(input)
        return _without_messages(self._graph.invoke(graph_input, config, context=context, **kwargs))

    async def ainvoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the graph once."""
        graph_input, context = split_context(input)
        async with self._conversation(graph_input, config) as (graph, run_config, options):
            result = await graph.ainvoke(graph_input, run_config, context=context, **options, **kwargs)
        note_run(graph_input, result)
        return _without_messages(result)

    async def astream(
        self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the events of the graph, the last one with the result; closing the iterator cancels the run."""
        graph_input, context = split_context(input)
        async with self._conversation(graph_input, config) as (graph, run_config, options):
            events = graph.astream(graph_input, run_config, context=context, stream_mode="custom", **options, **kwargs)
            async for event in cancellable_stream(events):
                if event["type"] == "final":
                    note_run(graph_input, event["result"])
                yield event

    async def abatch(
        self,
        inputs: list[ServedInput],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Any]:
        """Run the graph once for each input, one after another: a batch takes the room of one run."""
        results: list[Any] = []
        for number, (one, its) in enumerate(zip(inputs, get_config_list(config, len(inputs)), strict=True), start=1):
            try:
                async with asyncio.timeout(self.seconds):
                    results.append(await self.ainvoke(one, its, **kwargs))
            except Exception as error:
                failed = QuestionFailed(number, error)
                if not return_exceptions:
                    raise failed from error
                results.append(failed)
        return results

    async def astream_events(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Yield LangChain's events of one chain with the chunks of ``astream`` and the output of ``invoke``."""

        async def chunks(inputs: AsyncIterator[ServedInput]) -> AsyncIterator[dict[str, Any]]:
            # Whoever listens to this chain would be told every text within it, too.
            await outside_any_run()
            async for one in inputs:
                async for chunk in self.astream(one):
                    yield chunk

        chain = RunnableGenerator(chunks, name=self.name)
        async for event in chain.astream_events(input, config, **kwargs):
            data = event["data"]
            if event["event"] == "on_chain_end" and isinstance(data.get("output"), dict):
                data["output"] = data["output"].get("result", data["output"])
            yield event

    @asynccontextmanager
    async def _conversation(
        self, graph_input: ServedInput, config: RunnableConfig | None
    ) -> AsyncIterator[tuple[Graph, RunnableConfig | None, dict[str, Any]]]:
        thread_id, keep_turns = graph_input.pop(THREAD, None), graph_input.pop(KEEP_TURNS, None)
        if thread_id is None and keep_turns is not None:
            raise InvalidInput(translate("conversations.keep_without_thread"))
        if thread_id is None or self._threads is None:
            async with self._using() as graph:
                yield graph, config, {}
            return
        async with self._threads.held(thread_id, keep_turns) as (saver, name), self._using() as latest:
            graph = latest.copy({"checkpointer": saver})
            run_config: RunnableConfig = {**(config or {}), "configurable": {"thread_id": name}}
            # One checkpoint a turn: what is cut off is asked again.
            yield graph, run_config, {"durability": "exit"}


async def outside_any_run() -> None:
    """Detach a request from the run configuration that an Agent Server sets around it."""
    var_child_runnable_config.set(None)


def _without_messages(output: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in output.items() if key != MESSAGES}


def split_context(request: ServedInput) -> tuple[ServedInput, RunContext | None]:
    return {key: value for key, value in request.items() if key != CONTEXT}, request.get(CONTEXT)


async def cancellable_stream(items: AsyncIterator[T]) -> AsyncIterator[T]:
    """Iterate in a separate task that is cancelled once: a server cancels the reader repeatedly."""
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
