"""Filter fields of a case: what the caller writes, as the knowledge base has it."""

import pytest
from support.doubles import make_chunk

from articulado.cases.fields import canonical_value, contradicted_filters, filter_paths, passes_filter
from articulado.config.profile import load_profile
from articulado.language.languages import language

PLAN = load_profile("plan_401k")
KEEPER, KIND, TOPIC = PLAN.filter_fields
NAMES = ("record_keeper", "plan_type", "topic")


@pytest.mark.parametrize("written", ["LT Trust", "lt trust", "LTTRUST", " LT-Trust ", "lt"])
def test_a_known_value_is_known_however_it_is_written(written):
    assert canonical_value(KEEPER, written) == "LT Trust"


def test_other_names_count_and_a_value_that_is_not_known_stays():
    assert canonical_value(KIND, "401k") == "401(k)"
    assert canonical_value(TOPIC, "Roll over") == "rollover"
    assert canonical_value(KEEPER, "Nobody & Sons") == "Nobody & Sons"


def test_each_field_that_was_given_admits_its_value_and_what_applies_to_all():
    values = {"record_keeper": "LT Trust", "topic": "loan", "other": "x"}

    assert filter_paths(PLAN.filter_fields, values, NAMES) == {
        "attributes.record_keeper": ["LT Trust", ""],
        "topic": ["loan", ""],
    }
    assert filter_paths(PLAN.filter_fields, values, ("plan_type",)) == {}


def test_a_chunk_passes_as_it_would_in_the_store():
    values = {"record_keeper": "LT Trust", "topic": "loan"}

    def passes(topic, keeper):
        chunk = make_chunk(1, topic=topic, attributes={"record_keeper": keeper})
        return passes_filter(chunk, PLAN.filter_fields, values, NAMES)

    assert passes("loan", "LT Trust")
    assert passes("loan", "")
    assert passes("", "LT Trust")
    assert not passes("rmd", "LT Trust")
    assert not passes("loan", "Meridian Recordkeeping")


@pytest.mark.parametrize(
    ("datum", "contradicts"),
    [
        ("LT-Trust", False),
        ("her account is at LT Trust", False),
        ("TBD", False),
        ("Meridian", True),
        ("Nobody & Sons", True),
    ],
)
def test_a_datum_of_the_name_of_a_filter_field_may_contradict_it(datum, contradicts):
    filters = {"record_keeper": "LT Trust", "topic": "loan"}
    names = contradicted_filters(PLAN.filter_fields, filters, {"Record Keeper": datum}, language("en"))
    assert names == (["record_keeper"] if contradicts else [])


def test_an_open_filter_field_is_contradicted_by_nothing():
    assert contradicted_filters(PLAN.filter_fields, {}, {"record_keeper": "Meridian"}, language("en")) == []
