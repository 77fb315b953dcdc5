"""Wiring of the answering graph, and of its retrieval part alone.

Nodes come first, then edges in the order of the flow, then compile.
"""

from collections.abc import Hashable

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.services import Services
from nodes import routing
from nodes.abstain import abstain
from nodes.analyze_question import analyze_question
from nodes.answer import answer
from nodes.calculate import calculate
from nodes.check_claims import check_claims
from nodes.choose_cards import choose_cards
from nodes.decompose import decompose
from nodes.embed_queries import embed_queries
from nodes.encode_sparse import encode_sparse
from nodes.expand_references import expand_references
from nodes.finalize import finalize
from nodes.hybrid_search import hybrid_search
from nodes.judge_relevance import judge_relevance
from nodes.load_carryover import load_carryover
from nodes.lookup_records import lookup_records
from nodes.merge_candidates import merge_candidates
from nodes.refetch import refetch
from nodes.repair_marks import repair_marks
from nodes.rerank import rerank
from nodes.select_context import select_context
from nodes.stage import AddStage, ChunkTexts, Router, UsageAccount, default_options, stage_adder
from nodes.verify import verify
from state.context import RunContext
from state.rag import RagInput, RagOutput, RagState

Builder = StateGraph[RagState, RunContext, RagInput, RagOutput]
Rag = CompiledStateGraph[RagState, RunContext, RagInput, RagOutput]

OPENING = frozenset(("analyze_question", "load_carryover"))
"""The stages right after START."""


def build_rag(
    services: Services, checkpointer: BaseCheckpointSaver[str] | None = None, *, whole_chunks: bool = False
) -> Rag:
    """Wire the answering graph; with a checkpointer, each thread remembers its conversation.

    The state of a thread has references to chunks (``nodes.stage``); with ``whole_chunks`` the chunks themselves,
    for who reads them off it.
    """
    builder, add = _retrieval(services, None if whole_chunks else ChunkTexts(services.stores))

    add(answer)
    add(verify)
    add(repair_marks)
    add(refetch)
    add(finalize)
    closing = "finalize"
    if services.checks_claims:
        add(check_claims)
        builder.add_edge("check_claims", "finalize")
        closing = "check_claims"

    builder.add_edge("abstain", "finalize")
    builder.add_edge("select_context", "answer")
    builder.add_edge("answer", "verify")
    marked: dict[Hashable, str] = {"repair_marks": "repair_marks", "close": closing}
    builder.add_conditional_edges("verify", Router(routing.after_verify), {"refetch": "refetch", **marked})
    builder.add_conditional_edges("refetch", Router(routing.after_refetch), {"rerank": "rerank", **marked})
    builder.add_edge("repair_marks", "verify")
    builder.add_edge("finalize", END)
    return builder.compile(checkpointer=checkpointer, name="rag")


def build_retrieval(services: Services) -> Rag:
    """Wire the same stages up to the chosen context: what a search or an evaluation needs, without an answer."""
    builder, _ = _retrieval(services)
    builder.add_edge("abstain", END)
    builder.add_edge("select_context", END)
    return builder.compile(name="retrieval")


def _retrieval(services: Services, texts: ChunkTexts | None = None) -> tuple[Builder, AddStage]:
    """Begin a graph with the stages up to the chosen context, or to the abstention."""
    builder = Builder(RagState, context_schema=RunContext, input_schema=RagInput, output_schema=RagOutput)
    account = UsageAccount(default_options(services.settings), services.profile.language, OPENING)
    add = stage_adder(builder, services, account, texts)

    add(analyze_question)
    add(load_carryover)
    add(calculate)
    add(lookup_records)
    add(decompose)
    add(embed_queries)
    add(encode_sparse)
    add(hybrid_search)
    add(merge_candidates, defer=True)
    add(expand_references)
    add(rerank)
    add(judge_relevance)
    add(choose_cards)
    add(select_context)
    add(abstain)

    builder.add_edge(START, "analyze_question")
    builder.add_edge(START, "load_carryover")
    builder.add_edge("load_carryover", "merge_candidates")
    builder.add_edge("analyze_question", "calculate")
    builder.add_edge("calculate", "merge_candidates")
    builder.add_conditional_edges("analyze_question", Router(routing.after_analysis), ["decompose", "lookup_records"])
    builder.add_edge("lookup_records", "merge_candidates")
    builder.add_conditional_edges(
        "decompose", Router(routing.after_decompose), ["embed_queries", "encode_sparse", "merge_candidates"]
    )
    builder.add_edge(["embed_queries", "encode_sparse"], "hybrid_search")
    builder.add_edge("hybrid_search", "merge_candidates")
    builder.add_conditional_edges("merge_candidates", Router(routing.after_merge), ["expand_references", "abstain"])
    builder.add_edge("expand_references", "rerank")
    builder.add_edge("rerank", "judge_relevance")
    builder.add_conditional_edges("judge_relevance", Router(routing.after_judgement), ["choose_cards", "abstain"])
    builder.add_edge("choose_cards", "select_context")
    return builder, add
