"""Labelled cases through the real case graphs over two articles, and their measures counted by hand."""

from dataclasses import replace
from datetime import date

import pytest
from support.doubles import QueueChat
from support.small_case import ALIEN, ARTICLE, CHUNKS, SmallBase, case_services, field

from articulado.values.errors import InvalidInput
from evaluation.case_desk.measure import CaseResult, KindCounts, LabelledCase, fit, is_right, measure, run_cases

PAY_DAY = {**field("pay_day", "plan_data", "date", required=True), "max": "today"}
DATED = [{**CHUNKS[0], "details": {**CHUNKS[0]["details"], "fields": [PAY_DAY]}}, *CHUNKS[1:]]


def case(name, article=ARTICLE, inquiry="Wants a loan for a car", **more):
    return LabelledCase(name, "plan_401k", inquiry, article, **more)


async def run(cases, log_odds=4.0, model=None, **more):
    services = case_services(model, base=SmallBase(0.8, DATED), log_odds={ARTICLE: log_odds})
    return await run_cases(replace(services, reader_model=model), cases, **more)


async def test_each_case_runs_through_both_graphs_on_its_day_and_asks_no_model():
    told, model = [], QueueChat("never")
    paid = {"collected": {"pay_day": "2026-11-20"}}
    cases = [
        case("a", today=date(2026, 11, 20), **paid),
        case("b", today=date(2026, 11, 19), **paid),
        case("c", "other", filters={"record_keeper": "Meridian Recordkeeping"}),
        case("d"),
    ]
    found = await run(cases, model=model, on_case=lambda graph, done: told.append((graph, done)))

    assert [each.verdict for each in found["required_data"]] == ["found", "found", "out_of_scope", "found"]
    assert [each.verdict for each in found["generate_response"]] == [
        "can_proceed", "uncertain", "out_of_scope", "uncertain"
    ]  # fmt: skip
    # The day must not be after that of the case.
    assert [each.bad for each in found["generate_response"]] == [(), ("pay_day",), (), ("pay_day",)]
    for results in found.values():
        assert [each.case for each in results] == cases
        assert [each.article for each in results] == [ARTICLE, ARTICLE, "", ARTICLE]
        assert [each.is_match for each in results] == [True, True, False, True]
        # 1 / (1 + e^-4) = 0.982; nothing passes the filter of the third
        assert [each.confidence for each in results] == [0.98, 0.98, 0.0, 0.98]
        assert results[0].log_odds == pytest.approx(4.0)
    assert told == [(graph, done) for done in (1, 2, 3, 4) for graph in ("required_data", "generate_response")]
    assert model.calls == []


async def test_an_out_of_scope_case_has_no_article():
    found = await run([case("a", "")], ALIEN)

    assert [(each.article, each.verdict) for results in found.values() for each in results] == [
        ("", "out_of_scope")
    ] * 2


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (LabelledCase("x", "laboral", "¿?", ""), "«x» no es del perfil «plan_401k»"),
        (case("largo", inquiry="a" * 5_000), r"La consulta «largo» no se puede usar\. The inquiry has 5000"),
    ],
)
async def test_a_case_that_cannot_be_used_is_named(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        await run([wrong])


def result(kind, label, verdict, article="a", *, labelled="a", fields=(), bad=(), confidence=0.5, log_odds=0.0):
    """A result of the second graph for a case whose first step is labelled as found."""
    labels = {"kind": kind, "decision": label, "outcome": "found", "fields": fields}
    return CaseResult(LabelledCase("x", "p", "?", labelled, **labels), article, confidence, log_odds, verdict, bad)


RESULTS = [
    result("complete", "can_proceed", "can_proceed"),
    result("complete", "can_proceed", "can_proceed", "b"),
    result("complete", "can_proceed", "uncertain"),
    result("rule", "out_of_scope", "out_of_scope"),
    result("rule", "uncertain", "out_of_scope"),
    result("rule", "uncertain", "can_proceed"),
    result("bad_value", "uncertain", "uncertain", fields=("day", "sum"), bad=("sum", "name")),
    result("bad_value", "uncertain", "can_proceed", fields=("day",)),
    result("missing", "uncertain", "uncertain", "b", fields=("day",), bad=("day",)),
    result("other_matter", "out_of_scope", "out_of_scope", "", labelled=""),
    result("other_matter", "out_of_scope", "uncertain", "b", labelled=""),
    result("other_article", "uncertain", "uncertain"),
    result("other_article", "uncertain", "uncertain", "b"),
    result("wrong_keeper", "uncertain", "uncertain"),
    result(None, "can_proceed", "can_proceed"),
    result("rule", None, "can_proceed"),
]


def test_each_class_is_counted_by_itself_in_its_order():
    found = measure("generate_response", RESULTS[::-1])

    # Of three complete ones two go on, one of them by another article. Of the three bad data of both cases with a bad
    # value one is named. One of two of another article is told its own. One has no class, one no label.
    assert list(found.kinds.items()) == [
        ("complete", KindCounts(3, right=1, on=2, wrongly_on=1, fields=0, fields_named=0)),
        ("rule", KindCounts(3, right=1, on=1, wrongly_on=1, fields=0, fields_named=0)),
        ("bad_value", KindCounts(2, right=1, on=1, wrongly_on=1, fields=3, fields_named=1)),
        ("missing", KindCounts(1, right=1, on=0, wrongly_on=0, fields=1, fields_named=1)),
        ("other_matter", KindCounts(2, right=1, on=0, wrongly_on=0, fields=0, fields_named=0)),
        ("other_article", KindCounts(2, right=1, on=0, wrongly_on=0, fields=0, fields_named=0)),
        ("wrong_keeper", KindCounts(1, right=1, on=0, wrongly_on=0, fields=0, fields_named=0)),
    ]
    assert found.total == KindCounts(15, right=8, on=5, wrongly_on=3, fields=4, fields_named=2)
    assert found.as_json()["kinds"]["missing"]["fields_named"] == 1


def test_the_first_step_has_labels_of_its_own_and_no_data():
    first = [result("bad_value", "uncertain", "found", article, fields=("day",), bad=("day",)) for article in "ab"]

    found = measure("required_data", first)
    assert found.total == KindCounts(2, right=1, on=2, wrongly_on=1, fields=0, fields_named=0)
    assert [is_right("required_data", each) for each in first] == [True, False]


def test_confidence_is_compared_with_the_right_article():
    results = [
        result("complete", "can_proceed", "can_proceed", confidence=0.9),
        result("complete", "can_proceed", "can_proceed", "b", confidence=0.7),
        result("complete", "can_proceed", "uncertain", confidence=0.69),
        result("other_matter", "out_of_scope", "out_of_scope", "", labelled="", confidence=0.0),
        result("wrong_keeper", "uncertain", "uncertain", confidence=0.4),
    ]
    found = measure("generate_response", results)

    # Three of five have an article of their filter. Two reach 0.70, and one of these is right.
    assert (found.accepted, found.precision) == (pytest.approx(1 / 3), 0.5)
    assert found.brier == pytest.approx((0.1**2 + 0.7**2 + 0.31**2 + 0.4**2) / 5)
    # All are in one bin: a mean of 2.69 / 5 beside two of five that are right.
    assert found.ece == pytest.approx(2.69 / 5 - 2 / 5)
    nothing = measure("generate_response", results[3:4])
    assert (nothing.accepted, nothing.precision) == (0.0, None)


def test_a_curve_is_fitted_to_the_results_that_have_an_article_of_their_filter():
    # 3 of 4 right at 2 and 1 of 4 at −2: by Platt's targets 5/6 and 1/6, 2/3 and 1/3.
    at = {2.0: "aaab", -2.0: "abbb"}
    usable = [
        result("complete", "can_proceed", "uncertain", article, log_odds=odds)
        for odds, articles in at.items()
        for article in articles
    ]
    unusable = [
        result("wrong_keeper", "uncertain", "uncertain", log_odds=9.0),
        result("other_matter", "out_of_scope", "out_of_scope", "", labelled="", log_odds=9.0),
    ]
    curve = fit([*usable, *unusable])

    assert (curve.cases, curve(2.0), curve(-2.0)) == (8, pytest.approx(2 / 3, abs=1e-3), pytest.approx(1 / 3, abs=1e-3))
    with pytest.raises(ValueError, match="no cases"):
        fit(unusable)
