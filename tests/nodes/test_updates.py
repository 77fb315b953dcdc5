"""A key that the state does not have would vanish without a word."""

import inspect
from importlib import import_module
from typing import get_type_hints

import pytest

from state.rag import RagOutput, RagState, Turn, fresh_turn

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
    outlives_a_turn |= {"messages", "asked_message"}
    set_anew = {"deadline", "store", "today", "as_of", "turn_question", "carried", "missing_carried"}
    assert set(fresh_turn()) == set(get_type_hints(Turn))
    assert set(get_type_hints(RagState)) == set(fresh_turn()) | outlives_a_turn | set_anew


def test_the_output_is_part_of_the_state():
    assert set(get_type_hints(RagOutput)) <= set(get_type_hints(RagState))
