"""What is read off the state of a case."""

from support.case_fields import field
from support.doubles import make_chunk

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from nodes.case.accept_case import summary
from nodes.case.result import case_material, case_rules, read_case

COLLECTED = {"Saldo": "TBD", "plan_name": "Acme", "note": "x y"}


def state(**values):
    return {
        "inquiry": "i",
        "article_id": "own",
        "context": [],
        "today": "2026-11-23",
        "wanted": [field("balance", "currency", aliases=("saldo",)), field("plan_name"), field("reason")],
        "filters": {"topic": "rollover"},
        "assumed": {},
        "collected": COLLECTED,
        **values,
    }


def test_an_author_is_shown_no_datum_that_is_no_value_and_told_that_it_is_missing():
    case = state()
    material = case_material(case, 100, read_case(case, load_profile("plan_401k"), language("en")))

    assert material.collected == {"plan_name": "Acme", "note": "x y"}
    assert list(material.missing) == ["balance", "reason"]


def test_without_data_that_were_read_nothing_is_missing():
    assert case_material(state(), 100).collected == COLLECTED
    assert list(case_material(state(), 100).missing) == []


def test_the_rules_of_the_article_that_fits_best_come_first():
    def guide(id_, law, because):
        rule = {"when": {"field": "a", "one_of": ["b"]}, "decision": "uncertain", "because": because}
        return candidate({**make_chunk(id_), "law_id": law, "details": {"rules": [rule]}}, 1.0, "direct")

    case = state(context=[guide(1, "other", "1"), guide(2, "own", "2"), guide(3, "own", "3")])
    assert [rule["because"] for rule in case_rules(case)] == ["2", "3", "1"]


def test_a_search_has_the_data_that_say_something():
    assert summary(COLLECTED) == "plan name Acme; note x y"


def test_a_placeholder_leaves_a_filter_field_as_it_is():
    wanted = [field("record_keeper")]
    for name in ("record_keeper", "Record Keeper"):
        case = state(wanted=wanted, filters={"record_keeper": "LT Trust"}, collected={name: "TBD"})
        read = read_case(case, load_profile("plan_401k"), language("en"))
        assert read.readings["record_keeper"].given == "LT Trust"
        assert read.conflicting == []


def test_a_datum_that_contradicts_a_filter_field_is_conflicting():
    case = state(filters={"record_keeper": "LT Trust"}, collected={"record_keeper": "Meridian", "balance": "5"})
    assert read_case(case, load_profile("plan_401k"), language("en")).conflicting == ["record_keeper"]
