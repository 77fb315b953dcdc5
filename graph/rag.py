"""The answering graph: nodes, then edges in the order of the flow, then compile."""

from functools import partial

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes import routing
from nodes.abstain import abstain
from nodes.add_companions import add_companions
from nodes.analyze_question import analyze_question
from nodes.answer import answer
from nodes.chunk_texts import ChunkTexts
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
from nodes.stage import UsageAccount, default_options, stage
from nodes.verify import verify
from services.container import Services
from services.deadlines import QuestionTime
from services.profile.companions import load_companions
from services.prompting.prompts import Prompts, load_prompts
from services.protocols import ChunkStore
from services.rerank.word_share import WordShare
from services.search.hybrid import HybridSearch
from services.store.supplementary import SupplementaryStore
from state.context import RunContext
from state.rag import RagInput, RagOutput, RagState
from state.values import StoreName

Builder = StateGraph[RagState, RunContext, RagInput, RagOutput]
Rag = CompiledStateGraph[RagState, RunContext, RagInput, RagOutput]


def build_rag(
    services: Services, checkpointer: BaseCheckpointSaver[str] | None = None, *, whole_chunks: bool = False
) -> Rag:
    """Wire the answering graph; with a checkpointer, each thread remembers its conversation.

    The state of a thread has references to chunks (``nodes.chunk_texts``); with ``whole_chunks`` the chunks themselves,
    for who reads them off it.
    """
    search, prompts = HybridSearch.over(services, services.profile.for_questions), load_prompts(services.profile)
    texts = None if whole_chunks else ChunkTexts(_stores(services))
    builder = _retrieval(services, search, prompts, texts)
    account = UsageAccount(default_options(services.settings), services.profile.language)
    bind = partial(stage, account=account, texts=texts)

    principal = partial(bind, principal=services.principal, prompts=prompts, language=services.language)
    builder.add_node("answer", principal(answer))
    builder.add_node(
        "verify", bind(verify, stores=_stores(services), profile=services.profile, language=services.language)
    )
    builder.add_node("repair_marks", principal(repair_marks, seconds=services.settings.question_timeout))
    builder.add_node(
        "refetch", bind(refetch, stores=_stores(services), search=search, heuristic=services.rerankers["heuristic"])
    )
    builder.add_node(
        "finalize",
        bind(
            finalize,
            profile=services.profile,
            language=services.language,
            index_day=services.index_day,
            last_changes=services.last_changes,
        ),
    )

    builder.add_edge("abstain", "finalize")
    builder.add_edge("select_context", "answer")
    builder.add_edge("answer", "verify")
    builder.add_conditional_edges("verify", routing.after_verify, ["refetch", "repair_marks", "finalize"])
    builder.add_conditional_edges("refetch", routing.after_refetch, ["rerank", "repair_marks", "finalize"])
    builder.add_edge("repair_marks", "verify")
    builder.add_edge("finalize", END)
    return builder.compile(checkpointer=checkpointer, name="rag")


def build_retrieval(services: Services) -> Rag:
    """Wire the same stages up to the chosen context: what a search or an evaluation needs, without an answer."""
    search = HybridSearch.over(services, services.profile.for_questions)
    builder = _retrieval(services, search, load_prompts(services.profile))
    builder.add_edge("abstain", END)
    builder.add_edge("select_context", END)
    return builder.compile(name="retrieval")


def _stores(services: Services) -> dict[StoreName, ChunkStore]:
    return {"index": SupplementaryStore(services.store), "records": services.records}


def _retrieval(services: Services, search: HybridSearch, prompts: Prompts, texts: ChunkTexts | None = None) -> Builder:
    settings, profile = services.settings, services.profile
    question_time = QuestionTime(settings.question_timeout)
    stores = _stores(services)
    bind = partial(stage, account=UsageAccount(default_options(settings), profile.language), texts=texts)
    opening = UsageAccount(default_options(settings), profile.language, opens_turn=True)
    opens_turn = partial(stage, account=opening, texts=texts)
    builder = Builder(RagState, context_schema=RunContext, input_schema=RagInput, output_schema=RagOutput)

    builder.add_node(
        "analyze_question",
        opens_turn(
            analyze_question,
            store=services.store,
            profile=profile,
            leaning=services.leaning,
            language=services.language,
            seconds=settings.question_timeout,
            agreements=services.agreements,
            laws=services.laws,
            calendar=services.calendar,
        ),
    )
    builder.add_node("load_carryover", opens_turn(load_carryover, stores=stores, k=search.fusion.k))
    builder.add_node("lookup_records", bind(lookup_records, records=services.records))
    builder.add_node(
        "decompose",
        bind(
            decompose,
            reader=services.reader,
            prompts=prompts,
            domain=services.domain,
            question_time=question_time,
        ),
    )
    builder.add_node("embed_queries", bind(embed_queries, search=search))
    builder.add_node("encode_sparse", bind(encode_sparse, search=search))
    builder.add_node("hybrid_search", bind(hybrid_search, search=search))
    # Deferred: the branches that lead here differ in length.
    builder.add_node("merge_candidates", bind(merge_candidates), defer=True)
    builder.add_node("expand_references", bind(expand_references, stores=stores, profile=profile))
    builder.add_node(
        "rerank",
        bind(
            rerank,
            rerankers=services.rerankers,
            profile=profile,
            language=services.language,
            word_share=WordShare(services.domain, services.weights),
            question_time=question_time,
        ),
    )
    builder.add_node(
        "judge_relevance",
        bind(
            judge_relevance,
            judge=services.judge,
            bands=profile.relevance,
            model_decides=settings.principal.provider != "offline",
        ),
    )
    builder.add_node(
        "add_companions",
        bind(add_companions, stores=stores, topics=load_companions(profile), domain=services.domain),
    )
    builder.add_node(
        "select_context",
        bind(
            select_context,
            rerankers=services.rerankers,
            counter=services.counter,
            context_tokens=settings.context_tokens,
        ),
    )
    builder.add_node("abstain", bind(abstain, profile=profile, language=services.language))

    builder.add_edge(START, "analyze_question")
    builder.add_edge(START, "load_carryover")
    builder.add_edge("load_carryover", "merge_candidates")
    builder.add_conditional_edges("analyze_question", routing.after_analysis, ["decompose", "lookup_records"])
    builder.add_edge("lookup_records", "merge_candidates")
    builder.add_conditional_edges(
        "decompose", routing.after_decompose, ["embed_queries", "encode_sparse", "merge_candidates"]
    )
    builder.add_edge(["embed_queries", "encode_sparse"], "hybrid_search")
    builder.add_edge("hybrid_search", "merge_candidates")
    builder.add_conditional_edges("merge_candidates", routing.after_merge, ["expand_references", "abstain"])
    builder.add_edge("expand_references", "rerank")
    builder.add_edge("rerank", "judge_relevance")
    builder.add_conditional_edges("judge_relevance", routing.after_judgement, ["add_companions", "abstain"])
    builder.add_edge("add_companions", "select_context")
    return builder
