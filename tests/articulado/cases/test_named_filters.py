"""What an inquiry names beside the filter fields that its caller gave: conflicts, and fields that it fills."""

import json
from collections.abc import Iterator
from functools import cache

import pytest
import yaml
from support.paths import REPOSITORY

from articulado.cases.mentions import Mention, conflict_message, conflicts, fill_open_filters, mentions, named_anywhere
from articulado.config.profile import load_profile
from articulado.language.languages import language

PROFILES = {name: load_profile(name) for name in ("laboral", "plan_401k")}
KEEPER = "record_keeper"
LT, MERIDIAN = "LT Trust", "Meridian Recordkeeping"


def named(value: str, words: str = "", role: str = "own", field: str = KEEPER) -> Mention:
    return Mention(field, value, words or value, role)


@pytest.mark.parametrize(
    ("mentioned", "given", "verdict", "is_conflict"),
    [
        ([named(LT)], LT, "agrees", False),
        ([named(LT), named(MERIDIAN)], LT, "agrees", False),
        ([named("", "Fidelity"), named(LT)], LT, "agrees", False),
        ([named(MERIDIAN), named(LT, role="former")], LT, "agrees", False),
        ([named(MERIDIAN)], LT, "differs", True),
        ([named(MERIDIAN), named("", "Fidelity")], LT, "differs", True),
        ([named("", "Fidelity")], LT, "not_held", True),
        ([named("", "Fidelity")], "", "not_held", True),
        ([named("", "Fidelity")], "Fidelity", "not_held", True),
        ([named("", "Fidelity"), named(LT)], "", "open", False),
        ([named(LT)], "", "open", False),
        ([named(LT, role="denied")], LT, "denied", True),
        ([named(LT, role="denied"), named(MERIDIAN)], LT, "denied", True),
        ([named(LT, role="denied"), named(LT)], LT, "agrees", False),
        ([named(LT, role="denied")], MERIDIAN, "agrees", False),
        ([named(LT, role="denied")], "", "open", False),
        ([named("", "Fidelity", role="denied")], "", "open", False),
        ([named("", "457(b)"), named(LT, role="denied")], MERIDIAN, "not_held", True),
    ],
)
def test_what_is_named_is_compared_with_what_was_given(mentioned, given, verdict, is_conflict):
    [found] = conflicts(mentioned, {KEEPER: given} if given else {})

    assert (found.field, found.given, found.verdict, found.is_conflict) == (KEEPER, given, verdict, is_conflict)
    names_none = all(mention.role == "denied" for mention in mentioned)
    role = "denied" if names_none or verdict == "denied" else "own"
    assert found.named == tuple(mention for mention in mentioned if mention.role == role)


def test_what_was_once_is_no_conflict_and_each_field_is_compared_by_itself():
    assert conflicts([named(MERIDIAN, role="former")], {KEEPER: LT}) == []
    assert conflicts([named(LT, role="denied"), named(LT, role="former")], {KEEPER: LT}) == []
    found = conflicts([named(LT), named("403(b)", field="plan_type")], {KEEPER: LT, "plan_type": "401(k)"})
    assert [(one.field, one.verdict) for one in found] == [(KEEPER, "agrees"), ("plan_type", "differs")]


@pytest.mark.parametrize(
    ("inquiry", "filters", "words"),
    [
        ("client has T. Rowe Price plan and wants to borrow", {KEEPER: LT}, ["T. Rowe Price"]),
        ("My old Fidelity account was moved to LT Trust; I want a loan", {KEEPER: LT}, []),
        ("My account is at Meridian and I want to roll it over to LT Trust", {KEEPER: LT}, ["Meridian"]),
        ("I want a rollover into my TSP", {"plan_type": "401(k)"}, []),
        ("I have a 403(b) and I want a loan", {"plan_type": "401(k)"}, ["403(b)"]),
        ("soy policía y estoy de baja", {"regimen": "general"}, ["policía"]),
        ("tenía un contrato temporal que pasó a indefinido y me han despedido", {"tipo_contrato": "indefinido"}, []),
        ("trabajo en un bar de autónomo pero con contrato", {"regimen": "general"}, []),
    ],
)
def test_conflicts_of_an_inquiry_with_its_filters(inquiry, filters, words):
    profile = PROFILES["laboral" if filters.keys() & {"regimen", "tipo_contrato"} else "plan_401k"]
    spoken = language(profile.language)
    named_there = named_anywhere(inquiry, profile.filter_fields, spoken)
    found = conflicts(mentions(inquiry, profile.filter_fields, spoken), filters, named_there)

    assert [mention.words for one in found if one.is_conflict for mention in one.named] == words


@pytest.mark.parametrize(
    ("mentioned", "filters", "filled"),
    [
        ([named(LT)], {}, {KEEPER: LT}),
        ([named(LT, "LT"), named(LT, "LT Trust")], {"topic": "loan"}, {"topic": "loan", KEEPER: LT}),
        ([named(MERIDIAN)], {KEEPER: LT}, {KEEPER: LT}),
        ([named(LT), named(MERIDIAN)], {}, {}),
        ([named(LT), named("", "Fidelity")], {}, {}),
        ([named(LT), named(LT, role="former")], {}, {}),
        ([named(LT, role="former")], {}, {}),
        ([named(LT, role="denied")], {}, {}),
        ([named(LT, role="denied"), named(MERIDIAN)], {}, {KEEPER: MERIDIAN}),
        ([named(LT, role="denied"), named(LT)], {}, {}),
        ([named("", "Fidelity")], {}, {}),
        ([], {}, {}),
    ],
)
def test_an_open_filter_is_filled_where_one_held_value_is_named_and_no_other(mentioned, filters, filled):
    assert fill_open_filters(mentioned, filters) == filled


def test_a_conflict_is_said_in_the_language_of_the_profile():
    fields = PROFILES["plan_401k"].filter_fields
    [other] = conflicts([named(MERIDIAN, "Meridian")], {KEEPER: LT})
    [unheld] = conflicts([named("", "Fidelity"), named("", "Voya")], {})

    assert conflict_message(other, fields, language("en")) == (
        "The inquiry names “Meridian” as “Record keeper”, but LT Trust was given: "
        "check which of them this case is about"
    )
    assert conflict_message(unheld, fields, language("en")) == (
        "The inquiry names “Fidelity”, “Voya” as “Record keeper”, which the knowledge base does not hold. "
        "Known are: LT Trust, Meridian Recordkeeping"
    )
    [denied] = conflicts([named(LT, role="denied")], {KEEPER: LT})
    assert conflict_message(denied, fields, language("en")) == (
        "The inquiry says that “LT Trust” is not the “Record keeper” of the case, but LT Trust was given: "
        "check which it is"
    )
    [spanish] = conflicts([Mention("regimen", "", "funcionaria", "own")], {"regimen": "general"})
    assert conflict_message(spanish, PROFILES["laboral"].filter_fields, language("es")) == (
        "La consulta nombra «funcionaria» como «Régimen», y la base de conocimiento no lo tiene. "
        "Se conocen: general, autonomos"
    )


@cache
def inquiries() -> tuple[tuple[str, str, dict[str, str]], ...]:
    """Return profile, text and filters of all inquiries of articles, and of the labelled ones."""
    return tuple(_inquiries())


def _inquiries() -> Iterator[tuple[str, str, dict[str, str]]]:
    for line in (REPOSITORY / "evaluation/datasets/cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        yield case["profile"], case["inquiry"], case["filters"]
    for name, profile in PROFILES.items():
        for file in sorted(profile.articles.glob("*.article.yaml")):
            article = yaml.safe_load(file.read_text(encoding="utf-8"))
            filters = {field.name: article[field.name] for field in profile.filter_fields if field.name in article}
            yield from ((name, inquiry, filters) for inquiry in article["inquiries"])


def test_no_inquiry_that_the_profiles_know_is_in_conflict_with_its_filters():
    conflicting = [
        (inquiry, found)
        for name, inquiry, filters in inquiries()
        for found in conflicts(
            mentions(inquiry, PROFILES[name].filter_fields, language(PROFILES[name].language)), filters
        )
        if found.is_conflict
    ]
    assert conflicting == []


def test_inquiries_with_the_name_of_a_record_keeper_are_in_conflict_with_the_other():
    other = {LT: MERIDIAN, MERIDIAN: LT}
    keepers = [
        (inquiry, filters[KEEPER])
        for name, inquiry, filters in inquiries()
        if name == "plan_401k" and filters[KEEPER].split()[0] in inquiry
    ]
    missed = [
        inquiry
        for inquiry, keeper in keepers
        if not any(
            found.is_conflict
            for found in conflicts(
                mentions(inquiry, PROFILES["plan_401k"].filter_fields, language("en")), {KEEPER: other[keeper]}
            )
        )
    ]
    assert len(keepers) > 140
    # Some name it as somebody else's, or where money goes: in doubt there is no conflict.
    assert len(missed) <= len(keepers) // 50
