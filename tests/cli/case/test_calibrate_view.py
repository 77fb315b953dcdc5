"""What is shown of several profiles: each, all of them together, all cases where asked for, in 80 columns."""

from io import StringIO
from pathlib import Path

from rich.console import Console

from articulado.cases.matching import Curve
from cli.case.calibrate import CalibrationResult, print_calibrations
from evaluation.case_desk.cases import KINDS, LabelledCase
from evaluation.case_desk.findings import GraphReport, ProfileFindings, measure
from evaluation.case_desk.run import GRAPHS, CalibratedCase, CaseResult


def findings(profile: str, *, every: bool) -> ProfileFindings:
    """A hundred cases of each class, all served as they should be in the first graph; two of each are measured."""
    results = [
        CaseResult(
            LabelledCase(f"{kind}-{at}", profile, "?", "a", kind=kind, decision="can_proceed", outcome="found"),
            "a",
            0.3,
            confidence=0.9,
            verdict="found",
        )
        for kind in KINDS
        for at in range(100)
    ]
    scored = [CalibratedCase(result, result) for result in results[::50]]
    reports = {
        graph: GraphReport(
            Curve(slope=0.5, intercept=1.0, cases=88), (), measure(graph, scored, results if every else ())
        )
        for graph in GRAPHS
    }
    return ProfileFindings(
        profile, "0123456789ab", "e:1", "heuristic", tuple(one.case for one in results), ("jubilacion",), reports
    )


def shown(*profiles: ProfileFindings) -> list[str]:
    out = StringIO()
    print_calibrations(Console(file=out, width=200), CalibrationResult(profiles, [Path("calibration.json")]))
    return out.getvalue().splitlines()


def test_each_profile_and_all_of_them_are_shown_in_eighty_columns():
    lines = shown(findings("laboral", every=True), findings("plan_401k", every=True))
    assert max(map(len, lines)) <= 80
    for said in (
        "laboral: 700 casos, 600 con artículo",
        "plan_401k: 700 casos, 600 con artículo",
        "Todos los perfiles, required_data",
        "Todos los perfiles, generate_response",
        "Escrito: calibration.json",
    ):
        assert said in lines
    # Two profiles and all of them, in two graphs each.
    assert sum(line.startswith("Lo que se decide en todos los casos") for line in lines) == 6
    assert sum(line.split()[:3] == ["completo", "200", "200/200"] for line in lines) == 1
    assert "Casos que se miden: 28. Artículo acertado: 24/24 (100 %)." in lines


def test_one_profile_has_no_total_and_all_cases_are_shown_where_asked_for():
    lines = shown(findings("laboral", every=False))
    assert not any("Todos los perfiles" in line or "en todos los casos" in line for line in lines)
    # In the second graph no verdict is the one of the label.
    assert [line.split()[:3] for line in lines if line.startswith("completo")] == [
        ["completo", "2", "2/2"],
        ["completo", "2", "0/2"],
    ]
