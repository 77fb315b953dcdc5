"""The rules of a decision guide, put to the data of a case."""

from datetime import date

import pytest
from support.case_fields import MONDAY, field, read, rule

from articulado.cases.data.phrases import elapsed_units
from articulado.cases.data.read import apply_rules
from articulado.config.sections import Calendar


def decided(fields, rules, collected, **more):
    return apply_rules(rules, read(fields, collected, rules, **more))


RULES = [
    {"when": {"field": "age", "below": 59.5}, "decision": "uncertain", "because": "too young"},
    {"when": {"field": "status", "one_of": ["Terminated", "retired"]}, "decision": "can_proceed", "because": "left"},
    {"when": {"field": "balance", "above": 7000}, "decision": "out_of_scope", "because": "large"},
]
FIELDS = [field("age", "number"), field("status", aliases=("employment",)), field("balance", "currency")]


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
        # what is no value does not hold
        ({"age": "young"}, None),
        ({"age": "-3"}, None),
    ],
)
def test_the_first_rule_that_holds_decides(collected, expected):
    assert decided(FIELDS, RULES, collected) == expected


def test_yes_and_true_are_the_same_and_an_explanation_is_none_of_it():
    rules = [rule("loan", one_of=["yes"])]
    loan = field("loan", "boolean")

    assert decided([loan], rules, {"loan": "true"})
    assert decided([loan], rules, {"loan": "Yes, since May"})
    assert decided([loan], rules, {"loan": "no: paid back, yes"}) is None


def test_in_free_text_words_that_stop_a_case_are_found_in_their_other_forms_and_short_ones_too():
    rules = [rule("carta", one_of=["no"]), rule("protegida", one_of=["embarazo"])]
    fields = [field("carta"), field("protegida")]

    assert decided(fields, rules, {"carta": "no hay carta"}, code="es")
    assert decided(fields, rules, {"carta": "sí", "protegida": "está embarazada"}, code="es")
    assert decided(fields, rules, {"carta": "sí", "protegida": "ninguna"}, code="es") is None


def test_in_free_text_words_that_let_a_case_go_on_must_be_the_whole_value():
    rules = [rule("status", "can_proceed", one_of=["terminated"])]

    assert decided([field("status")], rules, {"status": "Terminated"})
    assert decided([field("status")], rules, {"status": "never terminated"}) is None


STATUS = field("status", values={"terminated": ["fired"], "active": ["employed"], "retired": []})


@pytest.mark.parametrize(
    ("text", "stopped", "let_go"),
    [
        ("she was fired", True, True),
        ("fired, still employed", True, False),
        ("employed", False, False),
        ("not terminated", False, False),
    ],
)
def test_of_several_listed_values_any_stops_a_case_and_only_one_alone_lets_it_go_on(text, stopped, let_go):
    stop, go = ([rule("status", decision, one_of=["fired"])] for decision in ("uncertain", "can_proceed"))

    assert bool(decided([STATUS], stop, {"status": text})) is stopped
    assert bool(decided([STATUS], go, {"status": text})) is let_go


@pytest.mark.parametrize(
    ("when", "given", "expected"),
    [
        ({"before": "2026-01-01"}, "2025-12-31", True),
        ({"before": "2026-01-01"}, "2026-01-01", False),
        ({"before": "2026-01-01"}, "December 2025", True),
        ({"before": "2026-01-01"}, "January 2026", False),
        ({"after": "today - 1 year"}, "2025-11-24", True),
        ({"after": "today - 1 year"}, "2025-11-23", False),
        ({"after": "start"}, "2026-06-02", True),
        ({"after": "start"}, "2026-06-01", False),
        ({"elapsed": "days", "above": 7}, "2026-11-15", True),
        ({"elapsed": "days", "above": 7}, "2026-11-16", False),
        ({"elapsed": "weeks", "below": 2}, "2026-11-10", True),
        ({"elapsed": "weeks", "below": 2}, "2026-11-09", False),
        ({"elapsed": "months", "below": 6}, "2026-05-24", True),
        ({"elapsed": "months", "below": 6}, "2026-05-23", False),
        ({"elapsed": "years", "above": 1}, "2024-11-23", True),
        ({"elapsed": "years", "above": 1}, "2024-11-24", False),
    ],
)
def test_a_rule_compares_a_date_with_another_or_with_the_time_that_has_passed(when, given, expected):
    fields = [field("start", "date"), field("day", "date")]

    assert bool(decided(fields, [rule("day", **when)], {"start": "2026-06-01", "day": given})) is expected


def test_a_rule_that_compares_with_a_date_which_is_not_there_does_not_hold():
    fields = [field("start", "date"), field("day", "date")]

    assert decided(fields, [rule("day", after="start")], {"day": "2026-06-01"}) is None


@pytest.mark.parametrize(
    ("text", "decision"), [("fired", "out_of_scope"), ("fired, still employed", "uncertain"), ("employed", None)]
)
def test_a_datum_that_names_other_values_as_well_puts_nothing_out_of_scope(text, decision):
    decided_by = decided([STATUS], [rule("status", "out_of_scope", one_of=["terminated"])], {"status": text})

    assert (decided_by and decided_by[0]) == decision


HOLIDAYS = Calendar(name="de lunes a viernes", country="US")
CLAIM = [rule("despido", elapsed="working_days", above=20)]


def test_twenty_working_days_stop_a_case_and_the_reason_says_how_many_since_when_by_which_calendar():
    dismissed = [field("despido", "date")]

    # Counted by hand: 4 in the week of 26 October after the 26th, 5, 4 (11 November is a holiday), 5, and the 23rd.
    assert decided(dismissed, CLAIM, {"despido": "2026-10-26"}, calendar=HOLIDAYS, code="es") is None
    assert decided(dismissed, CLAIM, {"despido": "22/10/2026"}, calendar=HOLIDAYS, code="es") == (
        "uncertain",
        "Because (han pasado 21 días hábiles desde la fecha indicada, 22 de octubre de 2026; se cuentan de lunes a "
        "viernes)",
    )


def test_of_a_month_the_reason_gives_both_counts_and_a_calendar_without_a_name_has_one():
    # 22 working days in September 2026, 22 in October, 16 in November up to the 23rd.
    assert decided([field("despido", "date")], CLAIM, {"despido": "September 2026"}) == (
        "uncertain",
        "Because (38 to 59 working days have passed since the date given, September 2026; counted: Monday to Friday, "
        "no holidays taken off)",
    )


def test_the_time_to_a_day_to_come_is_negative():
    units = [
        elapsed_units(unit, date(2027, 11, 29), MONDAY, Calendar()) for unit in ("days", "weeks", "months", "years")
    ]
    assert units == [-371, -53, -12, -1]
