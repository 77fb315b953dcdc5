"""Opening the services for one command, and asking the graph one question."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

from cli.render import console

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from graph.rag import Rag
    from services.container import Services
    from services.settings import Settings
    from state.context import RunContext
    from state.rag import RagInput
    from state.values import StreamEvent


def open_services(settings: "Settings") -> "Services":
    """Open index and services; on a terminal, say that this may take a while.

    Raises:
        ArticuladoError: settings, index or provider cannot be used.
    """
    with console(stderr=True).status("Abriendo el índice (la primera vez se construye)…"):
        from graph import compose

        return compose.open_services(settings)


@asynccontextmanager
async def opened(settings: "Settings") -> "AsyncIterator[Services]":
    """Open the services for the length of a command, as ``open_services`` does."""
    services = open_services(settings)
    try:
        yield services
    finally:
        await services.store.close()


async def ask_graph(
    graph: "Rag",
    question: str,
    context: "RunContext",
    *,
    previous: list[int] | None = None,
    thread: str | None = None,
) -> "AsyncIterator[StreamEvent]":
    """Yield the stream events of one question.

    ``previous`` are chunk ids to carry over; ``thread`` names the conversation of a graph that remembers.
    """
    given: RagInput = {"question": question}
    if previous is not None:
        given["previous_chunk_ids"] = previous
    config: RunnableConfig = {"configurable": {"thread_id": thread}} if thread else {}
    async for event in graph.astream(given, config, context=context, stream_mode="custom"):
        yield cast("StreamEvent", event)
