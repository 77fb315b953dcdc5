"""The data of a case read against its fields: what is missing, rejected, contradictory."""

import pytest
from support.case_fields import field, read, rule


def problems(data):
    return {datum["field"]: datum["problem"] for datum in data.rejected}


def test_required_data_that_were_not_collected_are_missing_once_in_order():
    fields = [field("b"), field("a"), field("optional", required=False), field("b")]

    assert read(fields, {"a": "x"}).missing == ["b"]
    assert read(fields, {}).missing == ["b", "a"]


def test_a_rejected_datum_of_a_required_field_is_no_value_and_blocks():
    data = read([field("balance", "currency", aliases=("saldo",)), field("name")], {"Saldo": "TBD"})

    assert problems(data) == {"balance": "is a placeholder and no value"}
    assert (data.missing, data.without_value) == (["name"], ["balance", "name"])
    assert (data.blocking, data.unusable) == ({"balance"}, {"Saldo"})


def test_a_placeholder_of_an_optional_field_is_nothing_unless_a_rule_reads_it():
    spec = field("status", required=False)
    rules = [rule("status", one_of=["active"])]

    for text in ("TBD", "n/a", "-"):
        data = read([spec], {"status": text})
        assert (data.readings, data.rejected) == ({}, [])
    assert read([spec], {"status": "TBD"}, rules).blocking == {"status"}
    assert read([spec], {"status": "n/a"}, rules).rejected == []
    assert read([{**spec, "required": True}], {"status": "n/a"}, rules).blocking == {"status"}


def test_an_unreadable_optional_datum_that_no_rule_reads_is_rejected_and_blocks_nothing():
    data = read([field("hired", "date", required=False)], {"hired": "banana"})

    assert problems(data) == {"hired": "cannot be read as a date"}
    assert data.blocking == set()


def test_a_placeholder_that_a_list_or_a_rule_has_is_a_value():
    listed = field("status", values={"pending": ["por confirmar"], "signed": []})
    assert read([listed], {"status": "Pending"}).readings["status"].value == {"pending"}
    assert read([listed], {"status": "pending from client"}).readings["status"].value == {"pending"}
    assert read([listed], {"status": "unknown"}).blocking == {"status"}

    rules = [rule("status", one_of=["pending"])]
    assert read([field("status")], {"status": "pending"}, rules).readings["status"].given == "pending"


def test_a_value_goes_before_a_placeholder_under_another_name():
    data = read([field("balance", "currency", aliases=("saldo",))], {"balance": "TBD", "saldo": "5"})

    assert data.readings["balance"].value == 5
    assert (data.conflicting, data.rejected) == ([], [])


@pytest.mark.parametrize(
    ("spec", "one", "other", "conflict"),
    [
        (field("x", "currency", aliases=("y",)), "$10,000", "0", True),
        (field("x", "currency", aliases=("y",)), "$10,000", "10000.00", False),
        (field("x", "date", aliases=("y",)), "2026-05-03", "3 May 2026", False),
        (field("x", "date", aliases=("y",)), "2026-05-03", "2026-05-04", True),
        (field("x", aliases=("y",), values={"old": ["aged"], "young": []}), "old", "Aged", False),
        (field("x", aliases=("y",), values={"old": ["aged"], "young": []}), "old", "young", True),
        (field("x", aliases=("y",)), "Fidelity", "FIDELITY.", False),
        (field("x", "boolean", aliases=("y",)), "yes", "true", False),
        (field("x", "boolean", aliases=("y",)), "maybe", "perhaps", True),
    ],
)
def test_data_that_contradict_each_other_under_several_names_are_named(spec, one, other, conflict):
    assert read([spec], {"x": one, "y": other}).conflicting == (["x"] if conflict else [])


SPAN = [field("start", "date"), field("end", "date", min="start")]


def test_a_date_before_the_one_that_bounds_it_is_told_with_both_names():
    data = read(SPAN, {"start": "2026-05-03", "end": "2026-05-02"})

    (rejected,) = data.rejected
    assert (rejected["field"], rejected["problem"]) == ("end", "is before “start” (May 3, 2026)")
    assert rejected["accepted"] == "a date from “start” (May 3, 2026), such as November 23, 2026"
    assert list(data.readings) == ["start"]
    assert read(SPAN, {"start": "2026-05-03", "end": "2026-05-03"}).rejected == []


def test_a_date_that_is_missing_or_no_date_bounds_nothing():
    assert list(read(SPAN, {"end": "2026-05-02"}).readings) == ["end"]
    assert problems(read(SPAN, {"start": "31/02/2026", "end": "2026-05-02"})) == {
        "start": "is a date that does not exist"
    }


def test_a_date_beyond_all_others_breaks_nothing():
    span = [field("start", "date"), field("end", "date", min="start + 1 month")]
    assert problems(read(span, {"start": "9999-12-31", "end": "2026-05-02"})) == {"start": "is after November 23, 2086"}


def test_a_month_bounds_by_its_own_ends_and_is_rejected_where_the_day_decides():
    assert read(SPAN, {"start": "May 2026", "end": "2026-05-01"}).rejected == []
    assert problems(read(SPAN, {"start": "2026-05-03", "end": "May 2026"})) == {
        "end": "does not say the day, which matters here"
    }
    past = [field("left", "date", max="today")]
    assert read(past, {"left": "October 2026"}).rejected == []
    assert problems(read(past, {"left": "November 2026"})) == {"left": "does not say the day, which matters here"}
    assert problems(read(past, {"left": "December 2026"})) == {"left": "is in the future"}


def test_a_day_to_come_cannot_be_in_the_past():
    assert problems(read([field("due", "date", min="today")], {"due": "2026-11-22"})) == {"due": "is in the past"}
    assert read([field("due", "date", min="today")], {"due": "2026-11-23"}).rejected == []


def test_a_month_is_rejected_where_a_rule_depends_on_the_day():
    def rejected(written, condition):
        return problems(read([field("left", "date")], {"left": written}, [rule("left", **condition)]))

    needs_day = {"left": "does not say the day, which matters here"}

    # 30 days before 23 November is 24 October.
    assert rejected("September 2026", {"elapsed": "days", "above": 30}) == {}
    assert rejected("October 2026", {"elapsed": "days", "above": 30}) == needs_day
    assert rejected("October 2026", {"before": "2026-11-01"}) == {}
    assert rejected("October 2026", {"before": "2026-10-31"}) == needs_day
    assert rejected("October 2026", {"after": "2026-10-31"}) == {}
    assert rejected("October 2026", {"after": "2026-10-01"}) == needs_day


def test_a_bound_whose_field_has_no_value_stays_in_what_is_accepted():
    data = read([field("start", "date"), field("end", "date", min="start + 1 month")], {"start": "TBD", "end": "TBD"})
    assert data.rejected[1]["accepted"] == "a date from “start +1 months”, such as November 23, 2026"
