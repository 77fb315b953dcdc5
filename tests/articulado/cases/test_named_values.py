"""Values of filter fields that an inquiry names: whole words, compared with the filter, taken if it is open."""

import pytest

from articulado.cases.phrases import Conflict, conflicts, fill_open_filters, named_values
from articulado.config.profile import load_profile
from articulado.config.sections import FilterField
from articulado.language.languages import language

FIELDS = (
    FilterField(
        name="keeper",
        label="Keeper",
        values={"LT Trust": ("LT",), "Meridian": ()},
        others={"Fidelity": ("NetBenefits",), "Lincoln Financial": ("Lincoln",), "Voya": ()},
    ),
    FilterField(name="plan", label="Plan", values={"401(k)": ("401k",)}, others={"solo 401(k)": ()}),
    FilterField(
        name="regime",
        label="Regime",
        values={"general": ("en nómina",), "autonomos": ("cuenta propia",)},
        named_by={"general": ("régimen general", "en nómina"), "autonomos": ("autónomo", "autónoma")},
    ),
    FilterField(name="topic", label="Topic", values={"loan": ("loans",)}),
)
LT, NONE = {"keeper": "LT Trust"}, ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("My LT-Trust account", {"keeper": ({"LT Trust"}, NONE)}),
        ("moved from lt to MERIDIAN.", {"keeper": ({"LT Trust", "Meridian"}, NONE)}),
        ("Lincoln Financial or lincoln", {"keeper": (NONE, {"Lincoln Financial"})}),
        ("log in to NetBenefits for LT", {"keeper": ({"LT Trust"}, {"Fidelity"})}),
        # Whole words alone, and as they are spelt.
        ("the result of default: Meridien, LTD, fidelity's?", {"keeper": (NONE, {"Fidelity"})}),
        # A longer name has a shorter one in it.
        ("a solo 401(k)", {"plan": (NONE, {"solo 401(k)"})}),
        ("a solo 401(k) and a 401 (K)", {"plan": ({"401(k)"}, {"solo 401(k)"})}),
        # Where a field has names of its own, its values name nothing.
        ("en general, por cuenta propia", {}),
        ("Soy AUTONOMA y antes en nomina", {"regime": ({"autonomos", "general"}, NONE)}),
        ("a loan", {}),
        ("", {}),
    ],
)
def test_names_are_found_as_whole_words_without_case_accents_and_marks(text, named):
    found = {each.field.name: (each.held, each.others) for each in named_values(text, FIELDS)}

    assert found == {name: (set(held), set(others)) for name, (held, others) in named.items()}


def test_all_names_are_shown_in_their_order():
    [named] = named_values("from Voya to Meridian or LT", FIELDS)

    assert named.words == "LT Trust, Meridian, Voya"


OTHERWISE = "The inquiry names “Meridian” as “Keeper”, but LT Trust was given: check which of them this case is about"
NOT_HELD = "The inquiry names “{}” as “Keeper”, which the knowledge base does not hold. Known are: LT Trust, Meridian"


@pytest.mark.parametrize(
    ("text", "filters", "message", "is_held"),
    [
        ("an account at Meridian", LT, OTHERWISE, True),
        ("from Meridian to Fidelity", LT, OTHERWISE, True),
        ("at Fidelity", LT, NOT_HELD.format("Fidelity"), False),
        ("at Fidelity or Voya", {}, NOT_HELD.format("Fidelity, Voya"), False),
        # The own value is named, too; or nothing is.
        ("from LT to Meridian", LT, None, None),
        ("from LT to Fidelity", LT, None, None),
        ("an account", LT, None, None),
        # Open, and named: it is taken, not asked.
        ("at Meridian", {}, None, None),
        ("from Meridian to Fidelity", {}, None, None),
    ],
)
def test_another_value_than_that_of_the_filter_is_a_conflict(text, filters, message, is_held):
    expected = [Conflict("keeper", filters.get("keeper", ""), message, is_held)] if message else []

    assert conflicts(named_values(text, FIELDS), filters, language("en")) == expected


def test_each_field_has_a_conflict_of_its_own():
    filters = {**LT, "regime": "general", "plan": "401(k)"}
    found = conflicts(named_values("autónoma, Meridian, 401k", FIELDS), filters, language("es"))

    assert [(each.field, each.given) for each in found] == [("keeper", "LT Trust"), ("regime", "general")]
    assert found[1].message == (
        "La consulta nombra «autonomos» como «Regime», pero se ha indicado general: compruebe de cuál es el caso"
    )


@pytest.mark.parametrize(
    ("text", "filters", "filled"),
    [
        ("at Meridian, autónoma", {}, {"keeper": "Meridian", "regime": "autonomos"}),
        ("at Meridian or LT", {}, {}),
        ("from Meridian to Fidelity", {}, {}),
        ("at Fidelity", {}, {}),
        ("at Meridian", LT, LT),
        ("a loan at Meridian", {"topic": "rmd"}, {"topic": "rmd", "keeper": "Meridian"}),
    ],
)
def test_an_open_filter_is_filled_if_the_text_names_one_value_and_no_other_name(text, filters, filled):
    before = dict(filters)

    assert fill_open_filters(named_values(text, FIELDS), filters) == filled
    assert filters == before


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_every_name_of_a_packaged_profile_names_its_value_alone(name):
    for field in load_profile(name).filter_fields[:-1]:
        own = field.named_by or {value: (value, *names) for value, names in field.values.items()}
        others = {value: (value, *names) for value, names in field.others.items()}
        for is_held, names in ((True, own), (False, others)):
            for value, words in ((value, words) for value, every in names.items() for words in every):
                [found] = named_values(f"¿{words}?", [field])
                assert (found.held, found.others) == (({value}, set()) if is_held else (set(), {value})), words
