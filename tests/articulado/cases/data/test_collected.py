"""Collected data, as they were sent."""

import pytest
from support.case_fields import field

from articulado.cases.data.bounds import flatten, sent_values


def test_groups_are_laid_open_and_what_is_empty_is_left_out():
    collected = {
        "participant_data": {"age": 61, "spouse": None, "loan": "unknown"},
        "plan_data": {"name": " The   plan ", "notes": ""},
        "active": False,
        "accounts": ["a", "b"],
        "balance": 0,
    }

    assert flatten(collected) == {
        "age": "61",
        "loan": "unknown",
        "name": "The plan",
        "active": "false",
        "accounts": "a, b",
        "balance": "0",
    }


def test_a_datum_is_known_by_its_name_or_another_one_whatever_case_accents_and_marks():
    balance = field("account_balance", aliases=("balance", "saldo"))

    assert sent_values(balance, {"Account Balance": "1"}) == {"Account Balance": "1"}
    assert sent_values(balance, {"SALDO": "2", "Account Balance": "1"}) == {"Account Balance": "1", "SALDO": "2"}
    assert sent_values(balance, {"balances": "3"}) == {}


def test_numbers_keep_their_value():
    assert flatten({"a": 100.125, "b": 0.001, "c": 1e16, "d": 7}) == {
        "a": "100.1250",
        "b": "0.0010",
        "c": "10000000000000000",
        "d": "7",
    }


@pytest.mark.parametrize(
    "collected",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": [["b"]]},
        {"a": {"b": {"c": {"d": {"e": 1}}}}},
        {"balance": 1, "group": {"balance": 2}},
    ],
)
def test_what_cannot_be_a_datum_is_refused(collected):
    with pytest.raises(ValueError, match=r"."):
        flatten(collected)


def test_the_same_datum_twice_is_one():
    assert flatten({"balance": 1, "group": {"balance": "1"}}) == {"balance": "1"}


def test_beside_a_value_a_placeholder_of_the_same_name_is_nothing():
    assert flatten({"balance": "TBD", "group": {"balance": "1"}}) == {"balance": "1"}
    assert flatten({"balance": "1", "group": {"balance": "TBD"}}) == {"balance": "1"}
