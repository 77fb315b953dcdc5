"""The data that an author found, checked against the articles that it was shown."""

from hypothesis import given
from hypothesis import strategies as st
from support.doubles import CharacterCounter

from articulado.cases.author import FieldNeeded, FieldsNeeded
from articulado.cases.fields import field_specs, fields_json, shorten_fields, verify_fields
from articulado.language.languages import language

ENGLISH = language("en")
SPEC = {
    "field": "account_balance",
    "group": "plan_data",
    "description": "Vested balance",
    "why_needed": "Only that can leave",
    "data_type": "currency",
    "required": True,
    "aliases": [],
}
CONTEXT = "- account_balance (currency, required): Vested balance\nDate of birth decides."


def needed(*names, group="participant_data", **fields):
    defaults = {"description": "d", "why_needed": "w", "data_type": "text", "required": False, **fields}
    groups = {"participant_data": [], "plan_data": [], group: [FieldNeeded(field=name, **defaults) for name in names]}
    return FieldsNeeded(**groups)


def names(fields):
    return {group: [field["field"] for field in group_fields] for group, group_fields in fields.items()}


def test_the_article_overrides_the_author_on_a_field():
    [balance] = verify_fields(needed("account_balance"), [SPEC], CONTEXT, ENGLISH)["plan_data"]

    assert (balance["data_type"], balance["required"], balance["description"], balance["uncertain"]) == (
        "currency",
        True,
        "d",
        False,
    )


def test_required_fields_that_the_author_left_out_are_added_and_others_are_not():
    optional = {**SPEC, "field": "loan", "required": False}

    fields = verify_fields(needed("birth_date"), [SPEC, optional], CONTEXT, ENGLISH)

    assert names(fields) == {"participant_data": ["birth_date"], "plan_data": ["account_balance"]}


def test_a_field_comes_once():
    assert names(verify_fields(needed("birth_date", "birth_date"), [], CONTEXT, ENGLISH))["participant_data"] == [
        "birth_date"
    ]


def test_a_field_missing_from_the_context_is_uncertain():
    fields = verify_fields(needed("birth_date", "zodiac_sign", "???", "the of"), [], CONTEXT, ENGLISH)

    assert [field["uncertain"] for field in fields["participant_data"]] == [False, True, True, True]


def test_fields_of_several_chunks_come_once():
    assert field_specs([{"fields": [SPEC]}, {}, {"fields": [SPEC]}]) == [SPEC]


NAMES = st.lists(
    st.tuples(st.text("abc", min_size=1, max_size=5), st.booleans()), max_size=8, unique_by=lambda one: one[0]
)


@given(NAMES, st.integers(50, 900))
def test_fields_that_do_not_fit_go_whole_the_optional_ones_first(named, budget):
    listed = [
        {"field": name, "description": "d", "why_needed": "w", "data_type": "text", "required": required,
         "uncertain": False}
        for name, required in named
    ]  # fmt: skip
    kept, dropped = shorten_fields({"participant_data": listed, "plan_data": []}, budget, CharacterCounter())

    assert len(fields_json(kept)) <= budget
    assert sorted([*names(kept)["participant_data"], *dropped]) == sorted(name for name, _ in named)
    required = {name for name, is_required in named if is_required}
    if any(name in required for name in dropped):
        assert set(names(kept)["participant_data"]) <= required


def test_accepted_values_are_returned_without_token_cost():
    accepting = {**SPEC, "values": {"low": ["few"], "high": []}, "accepts": "low or high"}
    plain = verify_fields(needed("account_balance"), [SPEC], CONTEXT, ENGLISH)
    for named in (needed("account_balance"), needed()):
        fields = verify_fields(named, [accepting], CONTEXT, ENGLISH)
        [balance] = fields["plan_data"]
        assert (balance["values"], balance["accepts"]) == (["low", "high"], "low or high")
    assert "values" not in plain["plan_data"][0]
    assert "few" not in fields_json(fields)
    assert len(fields_json(verify_fields(needed("account_balance"), [accepting], CONTEXT, ENGLISH))) == len(
        fields_json(plain)
    )
