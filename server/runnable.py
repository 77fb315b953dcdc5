"""The graph as LangServe needs it: what it streams are the graph's own typed events."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

from langchain_core.runnables import Runnable, RunnableConfig

from server.detached import detached
from server.schemas import ServedInput
from state.context import RunContext
from state.rag import RagInput, RagOutput
from state.values import StreamEvent

if TYPE_CHECKING:
    from graph.rag import Rag


class ServedRag(Runnable[ServedInput, Any]):
    """Wrap a compiled graph: ``invoke`` gives the ``RagOutput``, ``stream`` the ``StreamEvent``s up to ``final``.

    A compiled graph by itself streams node updates through LangServe, and its run context cannot be passed.
    """

    def __init__(self, graph: "Rag") -> None:
        self._graph = graph

    @property
    def InputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """What LangServe checks a request against and shows in its schemas."""
        return ServedInput

    @property
    def OutputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """What ``invoke`` returns."""
        return RagOutput

    def invoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> RagOutput:
        """Answer a question; not to be called from a running event loop."""
        question, context = split(input)
        return cast(RagOutput, self._graph.invoke(question, config, context=context, **kwargs))

    async def ainvoke(self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any) -> RagOutput:
        """Answer a question."""
        question, context = split(input)
        return cast(RagOutput, await self._graph.ainvoke(question, config, context=context, **kwargs))

    async def astream(
        self, input: ServedInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[StreamEvent]:
        """Yield stages, tokens and retries as they happen, and last the authoritative result.

        Closing the iterator cancels the run.
        """
        question, context = split(input)
        events = self._graph.astream(question, config, context=context, stream_mode="custom", **kwargs)
        async for event in detached(events):
            yield event


def split(sent: ServedInput) -> tuple[RagInput, RunContext | None]:
    """Part the graph's input from the options of the run."""
    question = {key: value for key, value in sent.items() if key != "context"}
    return cast(RagInput, question), sent.get("context")
