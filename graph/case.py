"""The two graphs of case handling: what data a case needs, and its answer. Search and ranking are those of ``rag``."""

from functools import partial
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from language.current import say
from nodes.case import routing
from nodes.case.accept_case import accept_case
from nodes.case.check_fields import check_fields
from nodes.case.check_guardrails import check_guardrails
from nodes.case.choose_article import choose_article
from nodes.case.close_required_data import close_required_data
from nodes.case.close_response import close_response
from nodes.case.extract_fields import extract_fields
from nodes.case.fetch_article import fetch_article
from nodes.case.fit_answer import fit_answer
from nodes.case.select_required import select_required
from nodes.case.select_tiers import select_tiers
from nodes.case.write_response import write_response
from nodes.embed_queries import embed_queries
from nodes.encode_sparse import encode_sparse
from nodes.hybrid_search import hybrid_search
from nodes.merge_candidates import merge_candidates
from nodes.rerank import rerank
from nodes.stage import UsageAccount, default_options, stage
from services.case.authors import case_author
from services.case.calibration import CaseGraph, read_calibration
from services.case.confidence import ConfidenceEstimator
from services.case.matching.model import packaged_model
from services.container import Services
from services.deadlines import QuestionTime
from services.rerank.word_share import WordShare
from services.search.hybrid import HybridSearch
from state.case import CaseInput, CaseState, RequiredDataInput, RequiredDataOutput, ResponseOutput, with_filters
from state.context import RunContext
from state.errors import ConfigurationError

Builder = StateGraph[Any, RunContext, Any, Any]
Case = CompiledStateGraph[Any, RunContext, Any, Any]


def build_required_data(
    services: Services,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    estimator: ConfidenceEstimator | None = None,
) -> Case:
    """Wire the graph that tells which data a case needs; without an ``estimator``, that of the profile is used.

    Raises:
        ConfigurationError: a filter field of the profile has the name of a key of the state.
    """
    profile, language, counter = services.profile, services.language, services.counter
    builder = _begin_with_search(
        services,
        estimator or profile_estimator(services, "required_data"),
        RequiredDataInput,
        RequiredDataOutput,
        profile.case.required_data.chunks,
    )
    bind = partial(stage, account=UsageAccount(default_options(services.settings), profile.language))
    builder.add_node("select_required", bind(select_required, profile=profile, counter=counter, language=language))
    builder.add_node(
        "extract_fields",
        bind(
            extract_fields,
            author=case_author(services.settings, services.principal, profile),
            profile=profile,
            language=language,
        ),
    )
    builder.add_node("check_fields", bind(check_fields, profile=profile, counter=counter, language=language))
    builder.add_node(
        "close_required_data", bind(close_required_data, profile=profile, counter=counter, language=language)
    )

    builder.add_edge("rerank", "select_required")
    builder.add_conditional_edges(
        "select_required", routing.after_select_required, ["extract_fields", "close_required_data"]
    )
    builder.add_edge("extract_fields", "check_fields")
    builder.add_edge("check_fields", "close_required_data")
    builder.add_edge("close_required_data", END)
    return builder.compile(checkpointer=checkpointer, name="required_data")


def build_generate_response(
    services: Services,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    estimator: ConfidenceEstimator | None = None,
) -> Case:
    """Wire the graph that answers a case with the data that were collected (``estimator`` as above).

    Raises:
        ConfigurationError: a filter field of the profile has the name of a key of the state.
    """
    profile, language, counter = services.profile, services.language, services.counter
    builder = _begin_with_search(
        services,
        estimator or profile_estimator(services, "generate_response"),
        CaseInput,
        ResponseOutput,
        profile.case.response.chunks,
    )
    bind = partial(stage, account=UsageAccount(default_options(services.settings), profile.language))
    builder.add_node("select_tiers", bind(select_tiers, profile=profile, counter=counter, language=language))
    builder.add_node(
        "write_response",
        bind(
            write_response,
            author=case_author(services.settings, services.principal, profile),
            profile=profile,
            language=language,
        ),
    )
    builder.add_node("check_guardrails", bind(check_guardrails, language=language))
    builder.add_node("fit_answer", bind(fit_answer, counter=counter))
    builder.add_node("close_response", bind(close_response, profile=profile, counter=counter, language=language))

    builder.add_edge("rerank", "select_tiers")
    builder.add_conditional_edges("select_tiers", routing.after_select_tiers, ["write_response", "close_response"])
    builder.add_edge("write_response", "check_guardrails")
    builder.add_edge("check_guardrails", "fit_answer")
    builder.add_edge("fit_answer", "close_response")
    builder.add_edge("close_response", END)
    return builder.compile(checkpointer=checkpointer, name="generate_response")


def _begin_with_search(
    services: Services,
    estimator: ConfidenceEstimator,
    input_schema: type[Any],
    output_schema: type[Any],
    chunks: int,
) -> Builder:
    """Begin a graph with the stages that both have: accept the case, search, choose its article and read it, rank."""
    settings, profile, graph = services.settings, services.profile, estimator.graph
    names = [field.name for field in profile.filter_fields]
    try:
        state, accepted_input = with_filters(CaseState, names), with_filters(input_schema, names)
    except ValueError as error:
        raise ConfigurationError(say("profile.field_taken", error=error, name=profile.name)) from error
    # Cases have collections of their own: those that the settings choose are for free questions.
    defaults = default_options(settings).model_copy(update={"collections": ()})
    bind = partial(stage, account=UsageAccount(defaults, profile.language))
    opens_turn = partial(stage, account=UsageAccount(defaults, profile.language, opens_turn=True))
    search = HybridSearch.over(services, profile.for_cases)
    caps = profile.search.caps.model_copy(update={"overall": chunks})
    builder = Builder(state, context_schema=RunContext, input_schema=accepted_input, output_schema=output_schema)

    builder.add_node(
        "accept_case",
        opens_turn(
            accept_case,
            profile=profile,
            graph=graph,
            language=services.language,
            calendar=services.calendar,
            seconds=settings.question_timeout,
        ),
    )
    builder.add_node("embed_queries", bind(embed_queries, search=search))
    builder.add_node("encode_sparse", bind(encode_sparse, search=search))
    builder.add_node("hybrid_search", bind(hybrid_search, search=search, caps=caps))
    builder.add_node("merge_candidates", bind(merge_candidates))
    builder.add_node(
        "choose_article",
        bind(
            choose_article,
            matcher=services.matcher,
            judge=services.judge,
            estimator=estimator,
            profile=profile,
            language=services.language,
        ),
    )
    builder.add_node(
        "fetch_article",
        bind(fetch_article, store=services.store, profile=profile, graph=graph, language=services.language),
    )
    builder.add_node(
        "rerank",
        bind(
            rerank,
            rerankers=services.rerankers,
            profile=profile,
            language=services.language,
            word_share=WordShare(services.domain, services.weights),
            question_time=QuestionTime(settings.question_timeout),
        ),
    )

    builder.add_edge(START, "accept_case")
    builder.add_edge("accept_case", "embed_queries")
    builder.add_edge("accept_case", "encode_sparse")
    builder.add_edge(["embed_queries", "encode_sparse"], "hybrid_search")
    builder.add_edge("hybrid_search", "merge_candidates")
    builder.add_edge("merge_candidates", "choose_article")
    builder.add_edge("choose_article", "fetch_article")
    builder.add_edge("fetch_article", "rerank")
    return builder


def profile_estimator(services: Services, graph: CaseGraph) -> ConfidenceEstimator:
    """Return what tells the confidence of a graph by the calibration that is stored with the profile.

    Raises:
        ConfigurationError: the calibration cannot be read.
    """
    model = packaged_model()
    return ConfidenceEstimator(graph, model.fingerprint, read_calibration(services.profile.own_folder), model.curve)
