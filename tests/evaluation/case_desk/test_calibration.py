"""Two halves, a curve fitted on one and measured on the other: figures worked out by hand or by scikit-learn."""

import json
import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from evaluation.case_desk.calibration import CalibratedCase, before_and_after, calibrate, exact_ece
from evaluation.case_desk.cases import LabelledCase, own_cases
from evaluation.case_desk.curves import FOLDS, compare_curves
from evaluation.case_desk.findings import ProfileFindings
from evaluation.case_desk.halves import folds, halves
from evaluation.case_desk.report import write_report
from evaluation.case_desk.report_json import report_json
from evaluation.case_desk.report_rows import comparison_rows, format_curve, format_interval
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.reliability import Prediction
from services.case.calibration import Curve, fit_curve
from state.errors import InvalidInput

PNG = b"\x89PNG\r\n\x1a\n"
outcomes = st.lists(
    st.tuples(st.integers(0, 100), st.booleans(), st.booleans()).map(lambda one: (one[0] / 100, *one[1:])),
    min_size=1,
    max_size=60,
)


def tried(name: str, raw: float, *, right: bool, answerable: bool = True, profile: str = "p") -> CaseResult:
    case = LabelledCase(name, profile, "?", "a" if answerable else "")
    return CaseResult(case, "a" if right else "b", raw)


def drawn(count: int, seed: int = 1) -> list[CaseResult]:
    """Inquiries of which the share raw² is right, and of which every third has no article."""
    source = random.Random(seed)
    found = []
    for at in range(count):
        raw = round(source.random(), 2) or 0.01
        right = at % 3 > 0 and source.random() < raw**2 * 1.5
        found.append(tried(f"c{at}", raw, right=right, answerable=at % 3 > 0))
    return found


def run_of(cases) -> list[CaseResult]:
    return [CaseResult(case, case.article, 0.5) for case in cases]


def test_halves_are_disjoint_and_have_as_many_of_each():
    own = run_of(own_cases())
    fit, report = halves(own)
    names = {one.case.id for one in fit}, {one.case.id for one in report}
    assert not names[0] & names[1]
    assert names[0] | names[1] == {one.case.id for one in own}
    for half in (fit, report):
        for profile in ("laboral", "plan_401k"):
            of_profile = [one for one in half if one.case.profile == profile]
            assert (len(of_profile), sum(one.case.answerable for one in of_profile)) == (45, 30)


def test_a_half_does_not_depend_on_order_or_outcome():
    own = run_of(own_cases())
    fit = {one.case.id for one in halves(own).fit}
    shuffled = [CaseResult(one.case, "", 0.1) for one in reversed(own)]
    assert {one.case.id for one in halves(shuffled).fit} == fit
    # Nor on the place in the file: the first half of it is not one of the two.
    assert fit != {one.case.id for one in own[: len(own) // 2]}


def test_a_profile_alone_is_parted_as_with_others():
    own = run_of(own_cases())
    alone = halves([one for one in own if one.case.profile == "laboral"])
    assert alone.fit == [one for one in halves(own).fit if one.case.profile == "laboral"]


def test_folds_deal_out_right_and_wrong():
    some = [tried(f"c{at}", 0.5, right=at < 10) for at in range(25)]
    of_each = [[one.right for one, fold in zip(some, folds(some, 5), strict=True) if fold == at] for at in range(5)]
    assert [(len(fold), sum(fold)) for fold in of_each] == [(5, 2)] * 5


def test_the_curve_knows_nothing_of_the_half_that_it_is_measured_on():
    some = drawn(90)
    fit, report = halves(some)
    worse = [CaseResult(one.case, "b", 1.0) if one in report else one for one in some]
    first, second = calibrate(some), calibrate(worse)
    assert first.curve == second.curve == fit_curve([one.raw for one in fit], [one.right for one in fit])
    assert first.kinds == second.kinds
    assert {one.result.case.id for one in first.measured.scored} == {one.case.id for one in report}
    assert first.measured.before != second.measured.before


def test_no_curve_is_fitted_on_what_was_not_found():
    some = drawn(90)
    absent = [tried(f"z{at}", 0.0, right=False, answerable=False) for at in range(40)]
    report = calibrate([*some, *absent])
    fit = [one for one in halves([*some, *absent]).fit if one.raw]
    assert report.curve == fit_curve([one.raw for one in fit], [one.right for one in fit])
    assert {one.calibrated for one in report.measured.scored if not one.result.raw} == {0.0}
    assert all(
        one.calibrated == round(report.curve(one.result.raw), 2) for one in report.measured.scored if one.result.raw
    )


def test_nothing_found_at_all_cannot_be_calibrated():
    with pytest.raises(ValueError, match="no cases"):
        calibrate([tried(f"c{at}", 0.0, right=False) for at in range(30)])


def test_what_is_decided_at_seventy_percent():
    scored = [
        CalibratedCase(tried("a", 0.69, right=True), 0.70),
        CalibratedCase(tried("b", 0.70, right=True), 0.71),
        CalibratedCase(tried("c", 0.40, right=True), 0.69),
        CalibratedCase(tried("d", 0.80, right=False), 0.90),
        CalibratedCase(tried("e", 0.10, right=False, answerable=False), 0.75),
    ]
    found = before_and_after(scored)
    before, after = found.before.decided, found.after.decided
    assert (before.accepted, before.accepted_right, before.right, before.unanswerable) == (2, 1, 3, 0)
    assert (before.precision, before.coverage) == (1 / 2, 1 / 3)
    assert (after.accepted, after.accepted_right, after.right, after.unanswerable) == (4, 2, 3, 1)
    assert (after.precision, after.coverage) == (2 / 4, 2 / 3)
    # (0.31² + 0.3² + 0.6² + 0.8² + 0.1²) / 5
    assert found.before.brier == pytest.approx(0.23922)
    assert found.brier.difference == pytest.approx(found.after.brier - found.before.brier)
    # One bin: |0.538 - 0.6| and |0.75 - 0.6|.
    assert found.before.reliability.ece == pytest.approx(0.062)
    assert found.after.reliability.ece == pytest.approx(0.15)
    # Pairs of right and other: (0.69, 0.70, 0.40) are above 0.10, none above 0.80.
    assert found.auc == pytest.approx(3 / 6)


def test_nothing_that_goes_on_has_no_precision():
    decided = before_and_after([CalibratedCase(tried("a", 0.1, right=False), 0.2)]).after.decided
    assert (decided.precision, decided.coverage) == (None, None)


@given(outcomes)
@settings(max_examples=12)
def test_scores_are_those_of_scikit_learn(given):
    scored = [
        CalibratedCase(tried(f"c{at}", raw, right=right, answerable=answerable), raw**2)
        for at, (raw, right, answerable) in enumerate(given)
    ]
    outcome = [one.result.right for one in scored]
    found = before_and_after(scored)
    assert found.after.brier == pytest.approx(
        brier_score_loss(outcome, [one.calibrated for one in scored], labels=[False, True])
    )
    if len(set(outcome)) == 2:
        # Squares keep the order, and so the AUC.
        assert found.auc == pytest.approx(roc_auc_score(outcome, [one.calibrated for one in scored]))
    else:
        assert found.auc is None
    assert found.ece.low <= found.ece.high


def test_the_interval_of_the_ece_is_around_its_difference():
    # Always 0.2 too low, then exact.
    scored = [CalibratedCase(tried(f"c{at}", 0.4, right=at % 5 < 3), 0.6) for at in range(100)]
    found = before_and_after(scored)
    assert (found.before.reliability.ece, found.after.reliability.ece) == (pytest.approx(0.2), pytest.approx(0))
    assert -0.3 < found.ece.low < -0.15 < found.ece.high < 0
    assert before_and_after(scored) == found


def test_an_exact_confidence_has_an_error_by_chance_too():
    # One bin of 4 at 0.5: right are 0 … 4 of 4 in 1, 4, 6, 4, 1 of 16 draws, (2 · 0.5 + 8 · 0.25) / 16 from it.
    assert exact_ece([Prediction(0.5, 0.0)] * 4) == pytest.approx(3 / 16, abs=0.01)
    assert exact_ece([Prediction(1.0, 0.0)] * 20) == 0


def test_an_isotonic_curve_pays_where_the_truth_has_a_step():
    # A plateau at one half between two steps: no logistic curve has that form.
    stepped = []
    for at in range(600):
        raw = at / 600
        right = at % 10 < (0 if raw < 0.3 else 5 if raw < 0.8 else 10)
        stepped.append(tried(f"c{at}", raw, right=right))
    kinds = compare_curves(stepped)
    assert kinds.isotonic.brier < min(kinds.logistic.brier, kinds.raw.brier)
    assert kinds.difference.difference == pytest.approx(kinds.isotonic.brier - kinds.logistic.brier)
    assert kinds.isotonic_pays


def test_few_inquiries_do_not_pay_for_steps():
    kinds = compare_curves(drawn(40))
    assert not kinds.isotonic_pays


def test_each_kind_is_measured_on_what_it_was_not_fitted_on():
    # Outcomes are chance: whoever saw them would do better than the share of all.
    source = random.Random(7)
    noise = [tried(f"c{at}", source.random(), right=source.random() < 0.5) for at in range(60)]
    kinds = compare_curves(noise)
    assert kinds.isotonic.brier > 0.25
    assert len(set(folds(noise, FOLDS))) == FOLDS


@cache
def findings(profile: str, seed: int = 1, not_indexed: tuple[str, ...] = ()) -> ProfileFindings:
    some = [
        CaseResult(LabelledCase(one.case.id, profile, "?", one.case.article), one.article, one.raw)
        for one in drawn(90, seed)
    ]
    report = calibrate(some)
    return ProfileFindings(
        profile,
        "e:1",
        "heuristic",
        tuple(one.case for one in some),
        not_indexed,
        {"required_data": report, "generate_response": report},
    )


def test_a_report_has_everything(tmp_path):
    pytest.importorskip("matplotlib", reason="the optional extra «eval» is not installed: no matplotlib")
    both = [findings("plan_401k"), findings("laboral", 2, ("jubilacion",))]
    files = write_report(tmp_path / "a", both)
    assert [file.name for file in files[:2]] == ["calibracion.json", "calibracion.md"]
    charts = [file for file in files if file.suffix == ".png"]
    assert len(charts) == 3 * 2 * 2
    assert all(file.read_bytes().startswith(PNG) for file in charts)
    text = files[1].read_text(encoding="utf-8")
    assert all(f"]({file.name})" in text for file in charts)
    assert "El índice no tiene estos artículos: jubilacion." in text
    assert "### laboral: required_data" in text
    assert json.loads(files[0].read_text(encoding="utf-8")) == json.loads(json.dumps(report_json(both)))


def test_the_same_findings_give_the_same_files(tmp_path):
    pytest.importorskip("matplotlib", reason="the optional extra «eval» is not installed: no matplotlib")
    one, two = (write_report(tmp_path / name, [findings("laboral")]) for name in ("a", "b"))
    assert [file.read_bytes() for file in one] == [file.read_bytes() for file in two]


def test_a_report_of_one_profile_has_no_total(tmp_path):
    report = report_json([findings("laboral")])
    assert "all" not in report
    graph = report["profiles"][0]["graphs"]["required_data"]
    assert {one["id"] for one in graph["fitted_on"]}.isdisjoint(one["id"] for one in graph["reported_on"])
    assert set(graph["reported"]["after"]["decided"]) >= {"precision", "coverage", "accepted"}


def test_a_folder_that_cannot_be_written_is_said_to_be(tmp_path):
    (tmp_path / "a").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"No se puede escribir el informe en .*Indique otra carpeta"):
        write_report(tmp_path / "a", [findings("laboral")])


def test_figures_are_written_as_in_spanish():
    assert format_curve(Curve(slope=12.345, intercept=-6.1, cases=45)) == (
        "p = 1 / (1 + e^−(12,35·c − 6,10)), ajustada con 45 consultas"
    )
    assert "·c + 0,50)" in format_curve(Curve(slope=1, intercept=0.5, cases=1))
    assert format_interval(-0.1234, 0.0004) == "[−0,123; 0,000]"
    nothing = before_and_after([CalibratedCase(tried("a", 0.1, right=False), 0.2)])
    rows = {row[0].strip(): row[1:] for row in comparison_rows(nothing)}
    assert rows["de ellas, acertadas"][:2] == ("–", "–")
