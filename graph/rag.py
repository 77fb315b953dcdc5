"""Wiring of the answering graph, its part up to the context, the retrieval subgraph and the chat graph."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, get_type_hints

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime

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
from nodes.search_document import search_document
from nodes.select_context import select_context
from nodes.speech import one_message
from nodes.stage import Account, AddStage, Router, UsageAccount, default_options, heard_by, stage_adder, wait_for
from nodes.turn import newly_asked
from nodes.verify import verify
from state.context import RunContext
from state.rag import ChatInput, ChatOutput, ChatState, RagInput, RagOutput, RagState, ResumedInput
from state.run import RetrievalInput, RetrievalOutput, RetrievalState

Retrieval = CompiledStateGraph[RetrievalState, RunContext, RetrievalInput, RetrievalOutput]

NAME = "retrieve"  # Name of the node that calls the retrieval subgraph
UNSAVED = {"checkpointer": False}  # No checkpoints of a subgraph; set on a copy, or LangGraph could not draw it
TAKEN_OVER = tuple(get_type_hints(RetrievalInput))


def build_retrieval(services: Services, account: Account, shelf: ChunkShelf | None = None) -> Retrieval:
    """Wire search, merging, expansion and ranking, with account and shelf of the calling graph."""
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
    """Return the node that calls the retrieval subgraph and keeps ``keys`` of its output.

    A plain subgraph node would hide the stages of retrieval from the stream of the outer graph.
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


Builder = StateGraph[RagState, RunContext, RagInput, RagOutput]
Rag = CompiledStateGraph[RagState, RunContext, RagInput, RagOutput]

KEPT = ("lexical_only", "candidates", "warnings", "usage")  # Keys that the state takes over, without ``found``

OPENING = frozenset(("analyze_question", "load_carryover"))


def build_rag(
    services: Services,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    *,
    input_schema: type[RagInput] = RagInput,
    name: str = "rag",
) -> Rag:
    """Wire the answering graph; with a checkpointer, each thread remembers its conversation."""
    builder, add = _up_to_context(services, ChunkShelf(services.stores), input_schema)

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
    return builder.compile(checkpointer=checkpointer, name=name)


Chat = CompiledStateGraph[ChatState, RunContext, ChatInput, ChatOutput]

TURN = "rag"  # Name of the node that answers a turn
REMEMBERED = tuple(get_type_hints(ResumedInput))
RETURNED = tuple(key for key in get_type_hints(ChatState) if key not in ("history", "previous_chunk_ids"))


def build_chat(services: Services, checkpointer: BaseCheckpointSaver[str] | None = None) -> Chat:
    """Wire the graph of chat clients: the answering graph as one node, without checkpoints of its own.

    A turn has three checkpoints (before the question, with it, with the answer), from which a client can branch. An
    interrupted turn leaves only its question.
    """
    builder = StateGraph[ChatState, RunContext, ChatInput, ChatOutput](
        ChatState, context_schema=RunContext, input_schema=ChatInput, output_schema=ChatOutput
    )
    stages = build_rag(services, input_schema=ResumedInput, name="stages")
    builder.add_node(TURN, _answer_turn_with(stages))
    builder.add_edge(START, TURN)
    builder.add_edge(TURN, END)
    return builder.compile(checkpointer=checkpointer, name="chat")


def _answer_turn_with(stages: Rag) -> RunnableLambda[Any, dict[str, Any]]:
    def answer_turn(state: ChatState, config: RunnableConfig) -> dict[str, Any]:
        return wait_for(_answered(stages, state, config))

    async def aanswer_turn(state: ChatState, config: RunnableConfig) -> dict[str, Any]:
        return await _answered(stages, state, config)

    return RunnableLambda(answer_turn, aanswer_turn, name=TURN)


async def _answered(stages: Rag, state: ChatState, config: RunnableConfig) -> dict[str, Any]:
    given: Any = {key: state[key] for key in REMEMBERED if key in state}  # type: ignore[literal-required]
    last = newly_asked(given)
    if last is not None and given.get("question") and str(last.text).strip() != str(given["question"]).strip():
        given["asked_message"] = last.id  # the message of a turn that was cut off
    with heard_by(get_runtime().stream_writer):
        async with one_message(config):
            output = await stages.copy(UNSAVED).ainvoke(given, config, output_keys=RETURNED)
    there = {message.id for message in state.get("messages", [])}
    return {**output, "messages": [message for message in output["messages"] if message.id not in there]}


def build_context(services: Services) -> Rag:
    """Wire the stages up to the chosen context, for searches and evaluations without an answer."""
    builder, _ = _up_to_context(services)
    builder.add_edge("abstain", END)
    builder.add_edge("select_context", END)
    return builder.compile(name="context")


def _up_to_context(
    services: Services, shelf: ChunkShelf | None = None, input_schema: type[RagInput] = RagInput
) -> tuple[Builder, AddStage]:
    builder = Builder(RagState, context_schema=RunContext, input_schema=input_schema, output_schema=RagOutput)
    account = UsageAccount(default_options(services.settings), services.profile.language, OPENING)
    add = stage_adder(builder, services, account, shelf)

    add(analyze_question)
    add(load_carryover)
    add(calculate)
    add(search_document)
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
    builder.add_edge("analyze_question", "search_document")
    builder.add_conditional_edges("analyze_question", Router(routing.after_analysis), ["decompose", "lookup_records"])
    builder.add_edge("load_carryover", NAME)
    builder.add_edge("calculate", NAME)
    builder.add_edge("search_document", NAME)
    builder.add_edge("lookup_records", NAME)
    builder.add_edge("decompose", NAME)
    builder.add_conditional_edges(NAME, Router(routing.after_retrieve), ["judge_relevance", "abstain"])
    builder.add_conditional_edges("judge_relevance", Router(routing.after_judgement), ["choose_cards", "abstain"])
    builder.add_edge("choose_cards", "select_context")
    return builder, add
