"""Where the ingestion graph goes next; each function reads the state and nothing else."""

from collections.abc import Callable
from typing import Literal

from services.settings import ChunkContext
from state.ingest import IngestState


def after_accept(state: IngestState) -> Literal["download", "discover"]:
    """Ask the gazette only where something is asked of it."""
    request = state["request"]
    of_the_gazette = request.get("boe") or request.get("listing") or request.get("refresh")
    return "download" if of_the_gazette else "discover"


def after_read(state: IngestState) -> Literal["link", "summarize"]:
    """Leave the index alone where it has all this already."""
    return "link" if state["changed"] else "summarize"


def after_link(context: ChunkContext) -> Callable[[IngestState], Literal["contextualize", "write_index"]]:
    """Return the router that lets the reader model write context where the settings ask for it."""

    def after_link(state: IngestState) -> Literal["contextualize", "write_index"]:
        return "contextualize" if context == "reader" else "write_index"

    return after_link


def after_contextualize(state: IngestState) -> Literal["write_index", "summarize"]:
    """Leave the index alone where its cost was declined."""
    return "write_index" if state["changed"] else "summarize"


def after_write(state: IngestState) -> Literal["discover", "summarize"]:
    """Look again at what there is where another ingest has come between."""
    return "discover" if state["stale"] else "summarize"
