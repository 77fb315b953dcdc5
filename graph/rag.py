"""Wiring of the answering graph, and of its part up to the context alone.

Nodes come first, then edges in the order of the flow, then compile.
"""

from collections.abc import Hashable

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.retrieval import NAME, build_retrieval, retrieve_with
from graph.services import Services
from nodes import routing
from nodes.abstain import abstain
from nodes.analyze_question import analyze_question
from nodes.answer import answer
from nodes.calculate import calculate
from nodes.check_claims import check_claims
from nodes.choose_cards import choose_cards
from nodes.chunk_shelf import ChunkShelf
from nodes.decompose import decompose
from nodes.finalize import finalize
from nodes.judge_relevance import judge_relevance
from nodes.load_carryover import load_carryover
from nodes.lookup_records import lookup_records
from nodes.refetch import refetch
from nodes.repair_marks import repair_marks
from nodes.select_context import select_context
from nodes.stage import AddStage, Router, UsageAccount, default_options, stage_adder
from nodes.verify import verify
from state.context import RunContext
from state.rag import RagInput, RagOutput, RagState

Builder = StateGraph[RagState, RunContext, RagInput, RagOutput]
Rag = CompiledStateGraph[RagState, RunContext, RagInput, RagOutput]

KEPT = ("lexical_only", "candidates", "warnings", "usage")
"""Keys of retrieval that the state of the answering graph takes over; ``found`` is in the candidates."""

OPENING = frozenset(("analyze_question", "load_carryover"))
"""The stages right after START."""


def build_rag(services: Services, checkpointer: BaseCheckpointSaver[str] | None = None) -> Rag:
    """Wire the answering graph; with a checkpointer, each thread remembers its conversation.

    The state has references to chunks (``nodes.chunk_shelf``).
    """
    builder, add = _up_to_context(services, ChunkShelf(services.stores))

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
    builder.add_conditional_edges("refetch", Router(routing.after_refetch), {"rerank": NAME, **marked})
    builder.add_edge("repair_marks", "verify")
    builder.add_edge("finalize", END)
    return builder.compile(checkpointer=checkpointer, name="rag")


def build_context(services: Services) -> Rag:
    """Wire the same stages up to the chosen context: what a search or an evaluation needs, without an answer."""
    builder, _ = _up_to_context(services)
    builder.add_edge("abstain", END)
    builder.add_edge("select_context", END)
    return builder.compile(name="context")


def _up_to_context(services: Services, shelf: ChunkShelf | None = None) -> tuple[Builder, AddStage]:
    """Begin a graph with the stages up to the chosen context, or to the abstention."""
    builder = Builder(RagState, context_schema=RunContext, input_schema=RagInput, output_schema=RagOutput)
    account = UsageAccount(default_options(services.settings), services.profile.language, OPENING)
    add = stage_adder(builder, services, account, shelf)

    add(analyze_question)
    add(load_carryover)
    add(calculate)
    add(lookup_records)
    add(decompose)
    builder.add_node(NAME, retrieve_with(build_retrieval(services, account, shelf), KEPT), defer=True)
    add(judge_relevance)
    add(choose_cards)
    add(select_context)
    add(abstain)

    builder.add_edge(START, "analyze_question")
    builder.add_edge(START, "load_carryover")
    builder.add_edge("analyze_question", "calculate")
    builder.add_conditional_edges("analyze_question", Router(routing.after_analysis), ["decompose", "lookup_records"])
    builder.add_edge("load_carryover", NAME)
    builder.add_edge("calculate", NAME)
    builder.add_edge("lookup_records", NAME)
    builder.add_edge("decompose", NAME)
    builder.add_conditional_edges(NAME, Router(routing.after_retrieve), ["judge_relevance", "abstain"])
    builder.add_conditional_edges("judge_relevance", Router(routing.after_judgement), ["choose_cards", "abstain"])
    builder.add_edge("choose_cards", "select_context")
    return builder, add
