"""The report of confidence and decisions: its files, its totals, its figures."""

import json
from functools import cache

import pytest

from articulado.cases.matching import Curve
from articulado.values.errors import InvalidInput
from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.findings import GraphReport, KindCounts, ProfileFindings, measure, pooled
from evaluation.case_desk.report import (
    comparison_rows,
    decision_rows,
    format_curve,
    format_interval,
    report_json,
    write_report,
)
from evaluation.case_desk.run import CalibratedCase, CaseResult, before_and_after

PNG = b"\x89PNG\r\n\x1a\n"
NO_CHARTS = "the optional extra «eval» is not installed: no matplotlib"
CURVE = Curve(slope=1.0, intercept=0.0, cases=10)


def served(number: int, profile: str) -> CaseResult:
    """Two of three have an article and go on by it."""
    answerable = number % 3 > 0
    case = LabelledCase(
        f"{profile}-{number}",
        profile,
        "?",
        "a" if answerable else "",
        kind="complete" if answerable else "other_matter",
        decision="can_proceed" if answerable else "out_of_scope",
        outcome="found" if answerable else "out_of_scope",
    )
    return CaseResult(
        case, "a" if answerable else "", 0.4, confidence=0.8 if answerable else 0.1, verdict=case.outcome or ""
    )


@cache
def findings(profile: str, not_indexed: tuple[str, ...] = (), *, every: bool = False) -> ProfileFindings:
    results = [served(number, profile) for number in range(24)]
    scored = [CalibratedCase(result, result) for result in results[12:]]
    measured = measure("required_data", scored, results if every else ())
    report = GraphReport(CURVE, tuple(results[:12]), measured)
    return ProfileFindings(
        profile,
        "0123456789ab",
        "e:1",
        "heuristic",
        tuple(result.case for result in results),
        not_indexed,
        {"required_data": report, "generate_response": report},
    )


def test_a_report_has_everything(tmp_path):
    pytest.importorskip("matplotlib", reason=NO_CHARTS)
    both = [findings("plan_401k", every=True), findings("laboral", ("jubilacion",), every=True)]
    files = write_report(tmp_path / "a", both)
    assert [file.name for file in files[:2]] == ["calibracion.json", "calibracion.md"]
    charts = [file for file in files if file.suffix == ".png"]
    assert len(charts) == 3 * 2 * 2
    assert all(file.read_bytes().startswith(PNG) for file in charts)
    text = files[1].read_text(encoding="utf-8")
    assert all(f"]({file.name})" in text for file in charts)
    assert "El índice no tiene estos artículos: jubilacion." in text
    assert "### laboral: required_data" in text
    # 12 cases are measured, 8 of them with an article; of all 24, 16.
    assert "| completo | 8 | 8/8 (100 %) | 8 | – | – |" in text
    assert "| completo | 16 | 16/16 (100 %) | 16 | – | – |" in text
    assert json.loads(files[0].read_text(encoding="utf-8")) == json.loads(json.dumps(report_json(both)))


def test_the_same_findings_give_the_same_files(tmp_path):
    pytest.importorskip("matplotlib", reason=NO_CHARTS)
    first, second = (write_report(tmp_path / name, [findings("laboral")]) for name in ("a", "b"))
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


def test_a_report_of_one_profile_has_no_total():
    report = report_json([findings("laboral")])
    assert "all" not in report
    graph = report["profiles"][0]["graphs"]["required_data"]
    assert {case["id"] for case in graph["fitted_on"]}.isdisjoint(case["id"] for case in graph["reported_on"])
    assert set(graph["reported"]["after"]["accepted"]) >= {"precision", "coverage", "accepted"}
    assert graph["decisions"]["classes"]["other_matter"]["right"] == 4
    assert graph["decisions"]["total"]["cases"] == 12
    # Nobody has asked for all cases.
    assert (graph["decisions_on_every"], graph["every"]) == ({}, [])


def test_several_profiles_are_measured_together():
    together = pooled([findings("laboral", every=True), findings("plan_401k", every=True)])["required_data"]
    assert len(together.confidence.scored) == 24
    assert together.decisions["complete"].cases == 16
    assert together.decisions_on_every["complete"].cases == 32


def test_what_is_stored_names_the_weights_that_it_holds_for():
    stored = findings("laboral").calibration
    assert stored.model == "0123456789ab"
    assert stored.curves == {"required_data": CURVE, "generate_response": CURVE}


def test_a_folder_that_cannot_be_written_is_said_to_be(tmp_path):
    (tmp_path / "a").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"No se puede escribir el informe en .*Indique otra carpeta"):
        write_report(tmp_path / "a", [findings("laboral")])


def test_figures_are_written_as_in_spanish():
    assert format_curve(Curve(slope=0.625, intercept=-1.1, cases=45)) == (
        "p = 1 / (1 + e^−(0,62·x − 1,10)), ajustada con 45 casos"
    )
    assert "·x + 0,50)" in format_curve(Curve(slope=1, intercept=0.5, cases=1))
    assert format_interval(-0.1234, 0.0004) == "[−0,123; 0,000]"
    wrong = CaseResult(LabelledCase("a", "p", "?", "a"), "b", 0.1, confidence=0.2)
    rows = {row[0].strip(): row[1:] for row in comparison_rows(before_and_after([CalibratedCase(wrong, wrong)]))}
    assert rows["de ellos, acertados"][:2] == ("–", "–")
    assert rows["AUC"][:2] == ("–", "–")
    assert rows["Brier"][:2] == ("0,010", "0,040")


def test_the_rows_of_decisions_end_with_their_total():
    rule = KindCounts(5, right=3, on=2, must_stop=4, let_on=1, fields=0, fields_named=0)
    missing = KindCounts(6, right=6, on=0, must_stop=6, let_on=0, fields=9, fields_named=8)
    assert decision_rows({"rule": rule, "missing": missing}) == [
        ("una regla lo para", "5", "3/5 (60 %)", "2", "1/4", "–"),
        ("le faltan datos", "6", "6/6 (100 %)", "0", "0/6", "8/9"),
        ("todos", "11", "9/11 (82 %)", "2", "1/10", "8/9"),
    ]
    assert len(decision_rows({"rule": rule})) == 1
    assert decision_rows({}) == []
