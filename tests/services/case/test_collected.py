"""Collected data, beside what a case needs."""

import pytest

from language.languages import language
from services.case.collected import (
    apply_rules,
    conflicting_fields,
    flatten,
    missing_fields,
    unreadable_fields,
    value_of,
)

ENGLISH, SPANISH = language("en"), language("es")


def field(name, kind="text", *, required=True, aliases=()):
    return {
        "field": name,
        "group": "participant_data",
        "description": "d",
        "why_needed": "w",
        "data_type": kind,
        "required": required,
        "aliases": list(aliases),
    }


def test_groups_are_laid_open_and_what_says_nothing_is_left_out():
    collected = {
        "participant_data": {"age": 61, "spouse": None, "loan": "unknown"},
        "plan_data": {"name": " The   plan ", "notes": ""},
        "active": False,
        "accounts": ["a", "b"],
        "balance": 0,
    }

    assert flatten(collected) == {
        "age": "61",
        "name": "The plan",
        "active": "false",
        "accounts": "a, b",
        "balance": "0",
    }


def test_a_datum_is_known_by_its_name_or_another_one_whatever_case_accents_and_marks():
    balance = field("account_balance", aliases=["balance", "saldo"])

    assert value_of(balance, {"Account Balance": "1"}) == "1"
    assert value_of(balance, {"SALDO": "2"}) == "2"
    assert value_of(balance, {"balances": "3"}) is None


def test_required_data_that_were_not_collected_are_named_once_in_order():
    fields = [field("b"), field("a"), field("optional", required=False), field("b")]

    assert missing_fields(fields, {"a": "x"}) == ["b"]
    assert missing_fields(fields, {}) == ["b", "a"]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("currency", ["$10,000", "1.234,56 €", "500"], ["a lot"]),
        ("number", ["33", "59.5"], ["none given"]),
        ("date", ["2026-03-01", "01/03/2026", "3/25/2026", "2026-03-01T10:00"], ["in March", "2026-13-40"]),
        ("boolean", ["yes", "No", "sí", "true"], ["maybe"]),
        ("text", ["anything"], []),
    ],
)
def test_data_of_another_type_than_their_field_are_named(kind, good, bad):
    for value in good:
        assert unreadable_fields([field("x", kind)], {"x": value}) == []
    for value in bad:
        assert unreadable_fields([field("x", kind)], {"x": value}) == ["x"]
    assert unreadable_fields([field("x", kind)], {}) == []


RULES = [
    {"when": {"field": "age", "below": 59.5}, "decision": "uncertain", "because": "too young"},
    {"when": {"field": "status", "one_of": ["Terminated", "retired"]}, "decision": "can_proceed", "because": "left"},
    {"when": {"field": "balance", "above": 7000}, "decision": "out_of_scope", "because": "large"},
]
FIELDS = [field("age", "number"), field("status", aliases=["employment"]), field("balance", "currency")]


@pytest.mark.parametrize(
    ("collected", "expected"),
    [
        ({}, None),
        ({"age": "59"}, ("uncertain", "too young")),
        ({"age": "59.5"}, None),
        ({"age": "60", "employment": "terminated"}, ("can_proceed", "left")),
        ({"balance": "$7,000"}, None),
        ({"balance": "$7,000.01"}, ("out_of_scope", "large")),
        # the first rule that holds decides
        ({"age": "40", "status": "retired", "balance": "9000"}, ("uncertain", "too young")),
        # what cannot be read does not hold
        ({"age": "young"}, None),
    ],
)
def test_the_first_rule_that_holds_decides(collected, expected):
    assert apply_rules(RULES, FIELDS, collected, ENGLISH) == expected


def test_yes_and_true_are_the_same():
    rules = [{"when": {"field": "loan", "one_of": ["yes"]}, "decision": "uncertain", "because": "loan"}]

    assert apply_rules(rules, [field("loan", "boolean")], {"loan": "true"}, ENGLISH) == ("uncertain", "loan")
    assert apply_rules(rules, [field("loan", "boolean")], {"loan": "no"}, ENGLISH) is None


@pytest.mark.parametrize(
    ("phrase", "value", "holds"),
    [
        ("active", "Active employee", True),
        ("active", "still ACTIVE, on leave", True),
        ("still employed", "yes, still employed there", True),
        ("still employed", "employed, still", False),
        ("active", "inactive", False),
    ],
)
def test_words_that_stop_a_case_are_found_anywhere_in_a_value(phrase, value, holds):
    rules = [{"when": {"field": "status", "one_of": [phrase]}, "decision": "uncertain", "because": "b"}]

    assert bool(apply_rules(rules, [field("status")], {"status": value}, ENGLISH)) is holds


def test_words_are_found_in_their_other_forms_and_short_ones_too():
    rules = [
        {"when": {"field": "carta", "one_of": ["no"]}, "decision": "uncertain", "because": "sin carta"},
        {"when": {"field": "protegida", "one_of": ["embarazo"]}, "decision": "uncertain", "because": "nulidad"},
    ]
    fields = [field("carta"), field("protegida")]

    assert apply_rules(rules, fields, {"carta": "no hay carta"}, SPANISH) == ("uncertain", "sin carta")
    assert apply_rules(rules, fields, {"carta": "sí", "protegida": "está embarazada"}, SPANISH) == (
        "uncertain",
        "nulidad",
    )


def test_words_that_let_a_case_go_on_must_be_the_whole_value():
    rules = [{"when": {"field": "status", "one_of": ["terminated"]}, "decision": "can_proceed", "because": "left"}]

    assert apply_rules(rules, [field("status")], {"status": "Terminated"}, ENGLISH) == ("can_proceed", "left")
    assert apply_rules(rules, [field("status")], {"status": "never terminated"}, ENGLISH) is None


def test_numbers_keep_their_value():
    values = flatten({"a": 100.125, "b": 0.001, "c": 1e16, "d": 7})
    rules = [{"when": {"field": "a", "above": 200}, "decision": "uncertain", "because": "b"}]

    assert values == {"a": "100.1250", "b": "0.0010", "c": "10000000000000000", "d": "7"}
    assert apply_rules(rules, [field("a", "number")], values, ENGLISH) is None


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


def test_data_that_contradict_each_other_under_several_names_are_named():
    fields = [field("account_balance", "currency", aliases=["balance"]), field("left", "date", aliases=["last_day"])]

    assert conflicting_fields(fields, {"account_balance": "$10,000", "balance": "0"}) == ["account_balance"]
    assert conflicting_fields(fields, {"account_balance": "$10,000", "balance": "10000.00"}) == []
    assert conflicting_fields(fields, {"left": "2026-05-03", "last_day": "3 May 2026"}) == []
    assert conflicting_fields(fields, {"left": "2026-05-03", "last_day": "2026-05-04"}) == ["left"]
