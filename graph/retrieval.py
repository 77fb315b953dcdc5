"""Wiring of the retrieval subgraph: searches in, ranked candidates out.

The answering graph and both case graphs call it with the keys of their state that it takes over.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime

from graph.services import Services
from nodes import routing
from nodes.chunk_shelf import ChunkShelf
from nodes.embed_queries import embed_queries
from nodes.encode_sparse import encode_sparse
from nodes.expand_references import expand_references
from nodes.hybrid_search import hybrid_search
from nodes.merge_candidates import merge_candidates
from nodes.rerank import rerank
from nodes.stage import Account, Router, heard_by, stage_adder
from state.context import RunContext
from state.run import RetrievalInput, RetrievalOutput, RetrievalState

Retrieval = CompiledStateGraph[RetrievalState, RunContext, RetrievalInput, RetrievalOutput]

NAME = "retrieve"
"""Name of the node that calls the subgraph."""
UNSAVED = {"checkpointer": False}
"""Change that makes a graph write no checkpoints. The graph itself could not be drawn inside the other with it."""
TAKEN_OVER = tuple(get_type_hints(RetrievalInput))


def build_retrieval(services: Services, account: Account, shelf: ChunkShelf | None = None) -> Retrieval:
    """Wire search, merging, expansion and ranking; account and shelf are those of the graph that calls it."""
    builder = StateGraph[RetrievalState, RunContext, RetrievalInput, RetrievalOutput](
        RetrievalState, context_schema=RunContext, input_schema=RetrievalInput, output_schema=RetrievalOutput
    )
    add = stage_adder(builder, services, account, shelf)

    add(embed_queries)
    add(encode_sparse)
    add(hybrid_search)
    add(merge_candidates)
    add(expand_references)
    add(rerank)

    builder.add_conditional_edges(
        START, Router(routing.to_retrieve), ["embed_queries", "encode_sparse", "merge_candidates", "rerank"]
    )
    builder.add_edge(["embed_queries", "encode_sparse"], "hybrid_search")
    builder.add_edge("hybrid_search", "merge_candidates")
    builder.add_conditional_edges(
        "merge_candidates",
        Router(routing.after_merge),
        {"expand_references": "expand_references", "rerank": "rerank", "nothing": END},
    )
    builder.add_edge("expand_references", "rerank")
    builder.add_edge("rerank", END)
    return builder.compile(name="retrieval")


def retrieve_with(retrieval: Retrieval, keys: Sequence[str]) -> RunnableLambda[Any, dict[str, Any]]:
    """Return the node of a graph that calls the subgraph and keeps these ``keys`` of its output.

    It is no plain subgraph node, so that whoever streams the outer graph hears of the stages of retrieval, too. The
    steps of the subgraph are no checkpoints: a run that was cut off retrieves again.
    """

    def taken_over(state: Mapping[str, Any]) -> Any:
        return {key: state[key] for key in TAKEN_OVER if key in state}

    def kept(output: Mapping[str, Any]) -> dict[str, Any]:
        return {key: output[key] for key in keys if key in output}

    def retrieve(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        with heard_by(get_runtime().stream_writer):
            return kept(retrieval.copy(UNSAVED).invoke(taken_over(state), config))

    async def aretrieve(state: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
        with heard_by(get_runtime().stream_writer):
            return kept(await retrieval.copy(UNSAVED).ainvoke(taken_over(state), config))

    return RunnableLambda(retrieve, aretrieve, name=NAME)
