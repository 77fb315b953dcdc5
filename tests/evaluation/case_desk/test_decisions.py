"""What is decided by class, counted by hand on a handful of made-up cases."""

import pytest

from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.findings import KindCounts, by_kind, is_right, total
from evaluation.case_desk.run import CaseResult


def decided(kind, label, verdict, article="a", *, labelled="a", fields=(), bad=()) -> CaseResult:
    """A case of the second step, whose first one is labelled as found."""
    case = LabelledCase("x", "p", "?", labelled, kind=kind, decision=label, outcome="found", fields=fields)
    return CaseResult(case, article, 0.5, verdict=verdict, bad=bad)


CASES = [
    decided("complete", "can_proceed", "can_proceed"),
    decided("complete", "can_proceed", "can_proceed", "b"),
    decided("complete", "can_proceed", "uncertain"),
    decided("rule", "out_of_scope", "out_of_scope"),
    decided("rule", "uncertain", "out_of_scope"),
    decided("rule", "uncertain", "can_proceed"),
    decided("bad_value", "uncertain", "uncertain", fields=("day", "sum"), bad=("sum", "name")),
    decided("bad_value", "uncertain", "can_proceed", fields=("day",)),
    decided("missing", "uncertain", "uncertain", "b", fields=("day",), bad=("day",)),
    decided("other_matter", "out_of_scope", "out_of_scope", "", labelled=""),
    decided("other_matter", "out_of_scope", "uncertain", "b", labelled=""),
    decided("other_article", "uncertain", "uncertain"),
    decided("other_article", "uncertain", "uncertain", "b"),
    decided("other_article", "uncertain", "out_of_scope", ""),
    decided("wrong_keeper", "uncertain", "uncertain"),
]


def test_each_class_is_counted_by_itself_in_its_order():
    decisions = by_kind("generate_response", CASES[::-1])
    assert list(decisions) == [
        "complete", "rule", "bad_value", "missing", "other_matter", "other_article", "wrong_keeper"
    ]  # fmt: skip
    # Of three complete ones, two go on, one of them by another article.
    assert decisions["complete"] == KindCounts(3, right=1, on=2, must_stop=0, let_on=0, fields=0, fields_named=0)
    assert decisions["rule"] == KindCounts(3, right=1, on=1, must_stop=3, let_on=1, fields=0, fields_named=0)
    # Of the three bad data of both cases, one is named; what is no bad one does not count.
    assert decisions["bad_value"] == KindCounts(2, right=1, on=1, must_stop=2, let_on=1, fields=3, fields_named=1)
    assert decisions["missing"] == KindCounts(1, right=1, on=0, must_stop=1, let_on=0, fields=1, fields_named=1)
    assert decisions["other_matter"] == KindCounts(2, right=1, on=0, must_stop=2, let_on=0, fields=0, fields_named=0)
    # One of three is told its own article.
    assert decisions["other_article"] == KindCounts(3, right=1, on=0, must_stop=3, let_on=0, fields=0, fields_named=0)
    assert decisions["wrong_keeper"] == KindCounts(1, right=1, on=0, must_stop=1, let_on=0, fields=0, fields_named=0)
    assert total(decisions) == KindCounts(15, right=7, on=4, must_stop=12, let_on=2, fields=4, fields_named=2)


def test_the_first_step_has_labels_of_its_own_and_no_data():
    # By its outcome, a case with a bad value is found.
    case = LabelledCase(
        "x", "p", "?", "a", kind="bad_value", decision="uncertain", outcome="found", fields=("day",)
    )  # fmt: skip
    some = [CaseResult(case, "a", 0.5, verdict=verdict, bad=("day",)) for verdict in ("found", "uncertain")]
    counts = by_kind("required_data", some)["bad_value"]
    assert counts == KindCounts(2, right=1, on=1, must_stop=0, let_on=0, fields=0, fields_named=0)


@pytest.mark.parametrize("verdict", ["found", "uncertain"])
def test_what_may_be_found_must_be_found_with_its_article(verdict):
    case = LabelledCase("x", "p", "?", "a", kind="rule", decision="uncertain", outcome=verdict)
    assert is_right("required_data", CaseResult(case, "a", 0.5, verdict=verdict))
    assert is_right("required_data", CaseResult(case, "b", 0.5, verdict=verdict)) == (verdict != "found")


def test_cases_without_a_class_or_a_verdict_are_not_counted():
    plain = CaseResult(LabelledCase("x", "p", "?", "a"), "a", 0.5, verdict="found")
    unclassed = CaseResult(LabelledCase("x", "p", "?", "a", outcome="found"), "a", 0.5, verdict="found")
    unlabelled = CaseResult(LabelledCase("x", "p", "?", "a", kind="rule"), "a", 0.5, verdict="found")
    assert by_kind("required_data", [plain, unclassed, unlabelled]) == {}
    assert total({}) == KindCounts(0, 0, 0, 0, 0, 0, 0)
