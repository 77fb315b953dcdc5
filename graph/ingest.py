"""The ingestion graph: official law in, an index out. Nodes, then edges in the order of the flow, then compile."""

from functools import partial

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.ingest import routing
from nodes.ingest.accept import accept
from nodes.ingest.contextualize import contextualize
from nodes.ingest.discover import discover
from nodes.ingest.download import download
from nodes.ingest.link import link
from nodes.ingest.read import read
from nodes.ingest.stage import stage
from nodes.ingest.summarize import summarize
from nodes.ingest.write_index import write_index
from services.settings import Settings
from state.ingest import IngestInput, IngestOutput, IngestState

Ingest = CompiledStateGraph[IngestState, None, IngestInput, IngestOutput]


def open_ingest() -> Ingest:
    """Build the ingestion graph for the settings of the environment: what ``langgraph.json`` names."""
    return build_ingest(Settings.read())


def build_ingest(settings: Settings, checkpointer: BaseCheckpointSaver[str] | None = None) -> Ingest:
    """Wire the ingestion graph.

    Where a model writes context, the run stops to have its cost allowed, and that takes a checkpointer.
    """
    builder = StateGraph(IngestState, input_schema=IngestInput, output_schema=IngestOutput)
    bind = partial(stage, settings=settings)

    builder.add_node("accept", stage(accept))
    builder.add_node("download", bind(download))
    builder.add_node("discover", bind(discover))
    builder.add_node("read", bind(read))
    builder.add_node("link", bind(link))
    builder.add_node("contextualize", bind(contextualize))
    builder.add_node("write_index", bind(write_index))
    builder.add_node("summarize", bind(summarize))

    builder.add_edge(START, "accept")
    builder.add_conditional_edges("accept", routing.after_accept, ["download", "discover"])
    builder.add_edge("download", "discover")
    builder.add_edge("discover", "read")
    builder.add_conditional_edges("read", routing.after_read, ["link", "summarize"])
    builder.add_conditional_edges("link", routing.after_link(settings.chunk_context), ["contextualize", "write_index"])
    builder.add_edge("contextualize", "write_index")
    builder.add_conditional_edges("write_index", routing.after_write, ["discover", "summarize"])
    builder.add_edge("summarize", END)
    return builder.compile(checkpointer=checkpointer, name="ingest")
