"""The ingestion graph: official law in, an index out. Nodes, then edges in the order of the flow, then compile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ingestion.incremental.base import IndexBase
from language.current import speaking
from nodes.ingest import routing
from nodes.ingest.accept import accept
from nodes.ingest.contextualize import contextualize
from nodes.ingest.discover import discover
from nodes.ingest.download import download
from nodes.ingest.link import link
from nodes.ingest.read import read
from nodes.ingest.summarize import summarize
from nodes.ingest.write_index import write_index
from nodes.stage import SecondsAccount, stage
from services.container import IngestServices
from services.factory import build_ingest_services
from services.profile.profile import load_profile
from services.settings import Settings
from state.ingest import IngestInput, IngestOutput, IngestState

Ingest = CompiledStateGraph[IngestState, None, IngestInput, IngestOutput]


@asynccontextmanager
async def open_ingest() -> AsyncIterator[Ingest]:
    """Build the ingestion graph for the settings of the environment, and close its services after the run.

    An Agent Server opens it for each run (``server.agent.graphs``).
    """
    async with await asyncio.to_thread(_services) as services:
        yield build_ingest(services)


def build_ingest(services: IngestServices, checkpointer: BaseCheckpointSaver[str] | None = None) -> Ingest:
    """Wire the ingestion graph.

    Where a model writes context, the run stops to have its cost allowed, and that takes a checkpointer.
    """
    settings, profile = services.settings, services.profile
    base = IndexBase(settings, profile)
    builder = StateGraph(IngestState, input_schema=IngestInput, output_schema=IngestOutput)
    bind = partial(stage, account=SecondsAccount(profile.language))

    builder.add_node("accept", bind(accept))
    builder.add_node("download", bind(download, base=base, boe=services.boe))
    builder.add_node("discover", bind(discover, base=base))
    builder.add_node("read", bind(read, base=base, services=services))
    builder.add_node("link", bind(link, base=base))
    builder.add_node("contextualize", bind(contextualize, base=base, services=services))
    builder.add_node("write_index", bind(write_index, base=base, services=services))
    builder.add_node("summarize", bind(summarize, base=base))

    builder.add_edge(START, "accept")
    builder.add_conditional_edges("accept", routing.after_accept, ["download", "discover"])
    builder.add_edge("download", "discover")
    builder.add_edge("discover", "read")
    builder.add_conditional_edges("read", routing.after_read, ["link", "summarize"])
    builder.add_conditional_edges("link", routing.after_link(settings.chunk_context), ["contextualize", "write_index"])
    builder.add_conditional_edges("contextualize", routing.after_contextualize, ["write_index", "summarize"])
    builder.add_conditional_edges("write_index", routing.after_write, ["discover", "summarize"])
    builder.add_edge("summarize", END)
    return builder.compile(checkpointer=checkpointer, name="ingest")


def _services() -> IngestServices:
    settings = Settings.read()
    profile = load_profile(settings.profile)
    with speaking(profile.language):
        return build_ingest_services(settings, profile)
