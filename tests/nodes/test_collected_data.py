"""Collected data, as callers send them."""

import pytest

from nodes.validation import flatten


def test_groups_are_dissolved_and_json_values_keep_their_type():
    collected = {"a": {"age": 61, "loan": "TBD", "spouse": None}, "name": " The   plan ", "no": False, "l": ["a", 2]}
    assert flatten(collected) == {"age": 61, "loan": "TBD", "name": "The plan", "no": False, "l": "a, 2"}
    assert flatten({"x": "TBD", "group": {"x": 1.125}}) == flatten({"x": 1.125, "g": {"x": "TBD"}}) == {"x": 1.125}


@pytest.mark.parametrize("collected", [{"a": float("nan")}, {"a": [["b"]]}, {"a": {"b": {"c": {"d": {"e": 1}}}}}])
def test_invalid_data_are_refused(collected):
    with pytest.raises(ValueError, match=r"."):
        flatten(collected)


def test_two_values_of_one_name_are_refused():
    with pytest.raises(ValueError, match="twice"):
        flatten({"x": 1, "group": {"x": 2}})
