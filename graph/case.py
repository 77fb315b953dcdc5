"""Wiring of the two case graphs: required data of a case, and its response."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from articulado.cases.confidence import ConfidenceEstimator
from articulado.config.profile import Profile
from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError
from graph.rag import NAME, build_retrieval, retrieve_with
from graph.services import CaseServices, Services
from nodes import routing
from nodes.case.accept_case import accept_case
from nodes.case.ask_missing import ask_missing
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
from nodes.case.type_data import type_data
from nodes.case.write_response import write_response
from nodes.stage import AddStage, Router, UsageAccount, default_options, stage_adder
from state.case import CaseInput, CaseState, RequiredDataInput, RequiredDataOutput, ResponseOutput, with_filters
from state.context import RunContext

Builder = StateGraph[Any, RunContext, Any, Any]
Case = CompiledStateGraph[Any, RunContext, Any, Any]


KEPT = ("lexical_only", "found", "candidates", "warnings", "usage")  # Keys of retrieval that a case takes over

OPENING = frozenset(("accept_case",))


def build_required_data(
    services: Services,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    estimator: ConfidenceEstimator | None = None,
) -> Case:
    """Wire the graph that returns the required data of a case."""
    estimator = estimator or services.matcher.model.estimator("required_data", services.profile)
    builder, add = _search(CaseServices.over(services, estimator), RequiredDataInput, RequiredDataOutput)

    add(select_required)
    add(extract_fields)
    add(check_fields)
    add(close_required_data)

    builder.add_edge("fetch_article", "select_required")
    builder.add_conditional_edges(
        "select_required", Router(routing.after_select_required), ["extract_fields", "close_required_data"]
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
    """Wire the graph that answers a case."""
    estimator = estimator or services.matcher.model.estimator("generate_response", services.profile)
    builder, add = _search(CaseServices.over(services, estimator), CaseInput, ResponseOutput)

    add(type_data)
    add(ask_missing)
    add(select_tiers)
    add(write_response)
    add(check_guardrails)
    add(fit_answer)
    add(close_response)

    builder.add_edge("fetch_article", "type_data")
    builder.add_conditional_edges("type_data", Router(routing.after_type_data), ["ask_missing", "select_tiers"])
    builder.add_conditional_edges("ask_missing", Router(routing.after_ask_missing), ["type_data", "select_tiers"])
    builder.add_conditional_edges(
        "select_tiers", Router(routing.after_select_tiers), ["write_response", "close_response"]
    )
    builder.add_edge("write_response", "check_guardrails")
    builder.add_edge("check_guardrails", "fit_answer")
    builder.add_edge("fit_answer", "close_response")
    builder.add_edge("close_response", END)
    return builder.compile(checkpointer=checkpointer, name="generate_response")


def _search(services: CaseServices, input_schema: type[Any], output_schema: type[Any]) -> tuple[Builder, AddStage]:
    builder = _builder(services.profile, input_schema, output_schema)
    # Cases have collections of their own: those that the settings choose are for free questions.
    options = default_options(services.settings).model_copy(update={"collections": ()})
    account = UsageAccount(options, services.profile.language, OPENING)
    add = stage_adder(builder, services, account)

    add(accept_case)
    builder.add_node(NAME, retrieve_with(build_retrieval(services, account), KEPT))
    add(choose_article)
    add(fetch_article)

    builder.add_edge(START, "accept_case")
    builder.add_edge("accept_case", NAME)
    builder.add_edge(NAME, "choose_article")
    builder.add_edge("choose_article", "fetch_article")
    return builder, add


def _builder(profile: Profile, input_schema: type[Any], output_schema: type[Any]) -> Builder:
    names = [field.name for field in profile.filter_fields]
    try:
        state, accepted_input = with_filters(CaseState, names), with_filters(input_schema, names)
    except ValueError as error:
        raise ConfigurationError(translate("profile.field_taken", error=error, name=profile.name)) from error
    return Builder(state, context_schema=RunContext, input_schema=accepted_input, output_schema=output_schema)
