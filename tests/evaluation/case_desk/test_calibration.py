"""A curve fitted on one half and measured on the other: figures worked out by hand or by scikit-learn."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score
from support.examples import examples

from articulado.cases.matching import fit_curve
from evaluation.case_desk.cases import LabelledCase, half_of, own_cases, own_decisions
from evaluation.case_desk.run import CalibratedCase, CaseResult, before_and_after, exact_ece, fit
from evaluation.statistics import Prediction

outcomes = st.lists(
    st.tuples(st.integers(0, 100), st.booleans(), st.booleans()).map(lambda one: (one[0] / 100, *one[1:])),
    min_size=1,
    max_size=60,
)


def result(name: str, *, right: bool, answerable: bool = True, raw: float = 0.5, log_odds: float = 0.0) -> CaseResult:
    case = LabelledCase(name, "p", "?", "a" if answerable else "")
    return CaseResult(case, "a" if right else "b", raw, log_odds=log_odds)


def scored(name: str, raw: float, confidence: float, *, right: bool, answerable: bool = True) -> CalibratedCase:
    matched = result(name, right=right, answerable=answerable, raw=raw)
    return CalibratedCase(matched, replace(matched, confidence=confidence))


def test_the_halves_are_disjoint_and_have_as_many_of_each_class():
    own = own_decisions()
    fitting, reported = half_of(own, "fit"), half_of(own, "report")
    assert {case.id for case in fitting}.isdisjoint(case.id for case in reported)
    assert len(fitting) + len(reported) == len(own) >= 300
    strata = {(case.profile, case.kind, case.answerable) for case in own}
    for stratum in strata:
        sizes = [
            sum((case.profile, case.kind, case.answerable) == stratum for case in half) for half in (fitting, reported)
        ]
        assert sizes[0] - sizes[1] in (0, 1)


def test_a_half_does_not_depend_on_order_or_on_other_profiles():
    own = own_cases()
    fitting = {case.id for case in half_of(own, "fit")}
    assert {case.id for case in half_of(own[::-1], "fit")} == fitting
    alone = half_of([case for case in own if case.profile == "laboral"], "fit")
    assert {case.id for case in alone} == {name for name in fitting if name.startswith("lab-")}
    # Nor on the place in the file: the first half of it is not one of the two.
    assert fitting != {case.id for case in own[: len(own) // 2]}


def drawn(count: int) -> list[CaseResult]:
    source = random.Random(1)
    found = []
    for at in range(count):
        log_odds = source.uniform(-6, 6)
        right = source.random() < 1 / (1 + 2.718281828 ** -(log_odds + 1))
        found.append(result(f"c{at}", right=right, log_odds=log_odds))
    return found


def test_the_curve_is_that_of_log_odds_and_of_what_is_right():
    some = drawn(60)
    assert fit(some) == fit_curve([one.log_odds for one in some], [one.right for one in some])
    # The confidence of what was found has no part in it.
    assert fit([replace(one, raw=0.1) for one in some]) == fit(some)


def test_no_curve_is_fitted_on_a_case_without_any_article_or_with_another_value():
    some = drawn(60)
    none = [replace(result(f"z{at}", right=False, log_odds=-20.0), article="") for at in range(20)]
    others = [replace(result(f"k{at}", right=False, log_odds=4.0), names_other=True) for at in range(20)]
    assert fit([*some, *none, *others]) == fit(some)
    with pytest.raises(ValueError, match="no cases"):
        fit([*none, *others])


def test_what_goes_on_at_seventy_percent():
    found = before_and_after(
        [
            scored("a", 0.69, 0.70, right=True),
            scored("b", 0.70, 0.71, right=True),
            scored("c", 0.40, 0.69, right=True),
            scored("d", 0.80, 0.90, right=False),
            scored("e", 0.10, 0.75, right=False, answerable=False),
        ]
    )
    before, after = found.before.accepted, found.after.accepted
    assert (before.accepted, before.accepted_right, before.right, before.unanswerable) == (2, 1, 3, 0)
    assert (before.precision, before.coverage) == (1 / 2, 1 / 3)
    assert (after.accepted, after.accepted_right, after.right, after.unanswerable) == (4, 2, 3, 1)
    assert (after.precision, after.coverage) == (2 / 4, 2 / 3)
    # (0.31² + 0.3² + 0.6² + 0.8² + 0.1²) / 5, and (0.3² + 0.29² + 0.31² + 0.9² + 0.75²) / 5
    assert found.before.brier == pytest.approx(0.23922)
    assert found.after.brier == pytest.approx(0.32854)
    assert found.brier.difference == pytest.approx(0.32854 - 0.23922)
    # One bin: |0.538 - 0.6| and |0.75 - 0.6|.
    assert found.before.reliability.ece == pytest.approx(0.062)
    assert found.after.reliability.ece == pytest.approx(0.15)
    # Pairs of right and other, before: (0.69, 0.70, 0.40) are above 0.10, none above 0.80; after: none above any.
    assert (found.before.auc, found.after.auc) == (pytest.approx(3 / 6), 0.0)


def test_a_case_that_is_served_without_an_article_counts_by_the_one_that_matched_best():
    # What is too uncertain is served as out of scope: its low confidence is of the article that would have been right.
    matched = result("a", right=True, raw=0.2)
    found = before_and_after([CalibratedCase(matched, replace(matched, article="", confidence=0.25))])
    assert found.after.brier == pytest.approx(0.75**2)
    assert found.before.brier == pytest.approx(0.8**2)


def test_nothing_that_goes_on_has_no_precision():
    accepted = before_and_after([scored("a", 0.1, 0.2, right=False)]).after.accepted
    assert (accepted.precision, accepted.coverage) == (None, None)


@given(outcomes)
@settings(max_examples=examples(1 / 4))
def test_scores_are_those_of_scikit_learn(given):
    some = [
        scored(f"c{at}", raw, 1 - raw**2, right=right, answerable=answerable)
        for at, (raw, right, answerable) in enumerate(given)
    ]
    right = [one.matched.right for one in some]
    found = before_and_after(some)
    sides = ((found.before, [one.matched.raw for one in some]), (found.after, [one.served.confidence for one in some]))
    for metrics, confidences in sides:
        assert metrics.brier == pytest.approx(brier_score_loss(right, confidences, labels=[False, True]))
        if len(set(right)) == 2:
            assert metrics.auc == pytest.approx(roc_auc_score(right, confidences))
        else:
            assert metrics.auc is None
    assert found.ece.low <= found.ece.high


def test_the_interval_of_the_ece_is_around_its_difference():
    # Always 0.2 too low, then exact.
    some = [scored(f"c{at}", 0.4, 0.6, right=at % 5 < 3) for at in range(100)]
    found = before_and_after(some)
    assert (found.before.reliability.ece, found.after.reliability.ece) == (pytest.approx(0.2), pytest.approx(0))
    assert -0.3 < found.ece.low < -0.15 < found.ece.high < 0
    assert before_and_after(some) == found


def test_an_exact_confidence_has_an_error_by_chance_too():
    # One bin of 4 at 0.5: right are 0 … 4 of 4 in 1, 4, 6, 4, 1 of 16 draws, (2 · 0.5 + 8 · 0.25) / 16 from it.
    assert exact_ece([Prediction(0.5, 0.0)] * 4) == pytest.approx(3 / 16, abs=0.01)
    assert exact_ece([Prediction(1.0, 0.0)] * 20) == 0
