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


INITIAL = "el índice inicial del perfil"
"""What is built on first use is called on screen, before the name of the profile."""


async def open_services(settings: "Settings") -> "Services":
    """Open index and services; where the first index of the profile has to be built, say so, and who gets its texts.

    Raises:
        ArticuladoError: settings, index or provider cannot be used.
    """
    from ingestion.demo import build_demo, find_configured
    from services.factory import build_services
    from services.profile import load_profile

    if not settings.rag_enabled:
        return build_services(settings, None)
    index = find_configured(settings)
    if index is None:
        errors, what = console(stderr=True), f"{INITIAL} «{load_profile(settings.profile).name}»"
        if recipient := receives_texts(settings):
            errors.print(f"Se construye {what}: sus textos se envían a {recipient}.", markup=False)
        with errors.status(f"Construyendo {what} (solo la primera vez)…"):
            index = await build_demo(settings)
    return build_services(settings, index)


def receives_texts(settings: "Settings") -> str:
    """Name the model that texts are sent to for their vectors; empty where they are computed in this process."""
    embedder = settings.embedder
    return "" if embedder.provider == "offline" else f"{embedder.model} ({embedder.provider})"


@asynccontextmanager
async def opened(settings: "Settings") -> "AsyncIterator[Services]":
    """Open the services for the length of a command, as ``open_services`` does."""
    services = await open_services(settings)
    try:
        yield services
    finally:
        await services.close()


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
