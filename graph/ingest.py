"""Wiring of the ingestion graph: documents in, an index out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from articulado.config.profile import load_profile
from articulado.config.settings import Settings
from articulado.language.translation import use_locale
from graph.factory import build_ingest_services
from graph.services import IngestServices
from nodes import routing
from nodes.ingest.accept import accept
from nodes.ingest.contextualize import contextualize
from nodes.ingest.discover import discover
from nodes.ingest.download import download
from nodes.ingest.link import link
from nodes.ingest.read import read
from nodes.ingest.summarize import summarize
from nodes.ingest.write_index import write_index
from nodes.stage import Router, SecondsAccount, stage_adder
from state.ingest import IngestInput, IngestOutput, IngestState

Ingest = CompiledStateGraph[IngestState, None, IngestInput, IngestOutput]


@asynccontextmanager
async def open_ingest() -> AsyncIterator[Ingest]:
    """Build the ingestion graph for the environment, and close its services after the run."""
    async with await asyncio.to_thread(_services) as services:
        yield build_ingest(services)


def build_ingest(services: IngestServices, checkpointer: BaseCheckpointSaver[str] | None = None) -> Ingest:
    """Wire the ingestion graph; a run with a model that writes context needs a checkpointer (cost consent)."""
    builder = StateGraph(IngestState, input_schema=IngestInput, output_schema=IngestOutput)
    account = SecondsAccount(services.profile.language)
    add = stage_adder(builder, services, account)

    add(accept)
    add(download)
    add(discover)
    add(read)
    add(link)
    add(contextualize)
    add(write_index)
    add(summarize)

    builder.add_edge(START, "accept")
    builder.add_conditional_edges("accept", Router(routing.after_accept), ["download", "discover"])
    builder.add_edge("download", "discover")
    builder.add_edge("discover", "read")
    builder.add_conditional_edges("read", Router(routing.after_read), ["link", "summarize"])
    builder.add_conditional_edges(
        "link", Router(routing.after_link(services.settings.chunk_context)), ["contextualize", "write_index"]
    )
    builder.add_conditional_edges("contextualize", Router(routing.after_contextualize), ["write_index", "summarize"])
    builder.add_conditional_edges("write_index", Router(routing.after_write), ["discover", "summarize"])
    builder.add_edge("summarize", END)
    return builder.compile(checkpointer=checkpointer, name="ingest")


def _services() -> IngestServices:
    settings = Settings.read()
    profile = load_profile(settings.profile)
    with use_locale(profile.language):
        return build_ingest_services(settings, profile)
