"""A key that the state does not have would vanish without a word."""

import inspect
from importlib import import_module
from typing import get_type_hints

import pytest

from state.case import CaseState
from state.rag import PerTurn, RagOutput, RagState, fresh_turn
from state.run import RetrievalInput, RetrievalOutput, RetrievalState

OF_RETRIEVAL = ["embed_queries", "encode_sparse", "expand_references", "hybrid_search", "merge_candidates", "rerank"]
STAGES = [
    "abstain",
    "choose_cards",
    "analyze_question",
    "answer",
    "decompose",
    "embed_queries",
    "encode_sparse",
    "expand_references",
    "finalize",
    "hybrid_search",
    "judge_relevance",
    "load_carryover",
    "lookup_records",
    "merge_candidates",
    "refetch",
    "rerank",
    "select_context",
    "verify",
]


@pytest.mark.parametrize("name", STAGES)
def test_updates_have_only_keys_of_the_state(name):
    node = getattr(import_module(f"nodes.{name}"), name)
    update = inspect.get_annotations(node, eval_str=True)["return"]
    assert set(get_type_hints(update)) - {"cost"} <= set(get_type_hints(RagState))


def test_every_per_turn_key_is_reset():
    outlives_a_turn = {"question", "history", "previous_chunk_ids", "turn", "transcript", "context_chunk_ids", "usage"}
    outlives_a_turn |= {"messages", "asked_message", "warnings"}
    set_anew = {"deadline", "store", "today", "as_of", "turn_question", "carried", "missing_carried"}
    assert set(fresh_turn()) == set(get_type_hints(PerTurn))
    assert set(get_type_hints(RagState)) == set(fresh_turn()) | outlives_a_turn | set_anew


def test_the_output_is_part_of_the_state():
    assert set(get_type_hints(RagOutput)) <= set(get_type_hints(RagState))


@pytest.mark.parametrize("name", OF_RETRIEVAL)
def test_stages_of_retrieval_read_and_update_the_state_of_the_subgraph_alone(name):
    node = getattr(import_module(f"nodes.{name}"), name)
    hints = inspect.get_annotations(node, eval_str=True)
    assert hints["state"] is RetrievalState
    assert set(get_type_hints(hints["return"])) - {"cost"} <= set(get_type_hints(RetrievalOutput))


@pytest.mark.parametrize("schema", [RagState, CaseState])
def test_a_graph_that_calls_the_subgraph_has_its_keys_with_the_same_types(schema):
    shared = {**get_type_hints(RetrievalInput, include_extras=True), **get_type_hints(RetrievalOutput)}
    own = get_type_hints(schema, include_extras=True) | get_type_hints(schema)
    lacking = {"carried", "missing_carried"} if schema is CaseState else set()
    assert {key for key, hint in shared.items() if own.get(key) != hint} - {"deadline"} == lacking
