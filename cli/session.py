"""Opening the services for one command, and asking the graph one question."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, cast

from cli.render import console

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from articulado.config.profile import Profile
    from articulado.config.settings import Settings
    from articulado.values.answers import StreamEvent
    from graph.rag import Rag
    from graph.services import Services
    from state.context import RunContext
    from state.rag import RagInput

FIRST_INDEX = "el índice inicial del perfil"
"""What is built on first use, as it is called on screen before the name of the profile."""


@contextmanager
def announce_first_index(settings: "Settings", profile: "Profile") -> "Iterator[None]":
    """Say that the first index of the profile has to be built, and who gets its texts, while that is done."""
    errors, index_name = console(stderr=True), f"{FIRST_INDEX} «{profile.name}»"
    if recipient := receives_texts(settings):
        errors.print(f"Se construye {index_name}: sus textos se envían a {recipient}.", markup=False)
    with errors.status(f"Construyendo {index_name} (solo la primera vez)…"):
        yield


def receives_texts(settings: "Settings") -> str:
    """Name the model that texts are sent to for their vectors; empty where they are computed in this process."""
    embedder = settings.embedder
    return "" if embedder.provider == "offline" else embedder.name


@asynccontextmanager
async def opened_services(settings: "Settings", profile: "Profile") -> "AsyncIterator[Services]":
    """Open the services for the length of a command; where the first index has to be built, say so.

    Raises:
        ArticuladoError: settings, index or provider cannot be used.
    """
    from graph.compose import open_services

    services = await open_services(settings, profile, announce=announce_first_index)
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
    graph_input: RagInput = {"question": question}
    if previous is not None:
        graph_input["previous_chunk_ids"] = previous
    config: RunnableConfig = {"configurable": {"thread_id": thread}} if thread else {}
    async for event in graph.astream(graph_input, config, context=context, stream_mode="custom"):
        yield cast("StreamEvent", event)
