"""A report of calibration for programs. Keys are English; an inquiry is named by its id."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluation.case_desk.calibration import BeforeAfter, CurveReport, Measured
from evaluation.case_desk.curves import CurveKinds
from evaluation.case_desk.findings import ProfileFindings, pooled
from evaluation.case_desk.run import Tried
from evaluation.statistics.bootstrap import Interval, Paired
from services.case.confidence import MIN_CONFIDENCE


def report_json(findings: Sequence[ProfileFindings]) -> dict[str, Any]:
    """Return what was measured as plain values; of several profiles, also all of them together."""
    report: dict[str, Any] = {"least": MIN_CONFIDENCE, "profiles": [_profile(found) for found in findings]}
    if len(findings) > 1:
        report["all"] = {graph: _before_after(one) for graph, one in pooled(findings).items()}
    return report


def _profile(found: ProfileFindings) -> dict[str, Any]:
    return {
        "profile": found.profile,
        "embedder": found.embedder,
        "reranker": found.reranker,
        "cases": len(found.cases),
        "answerable": sum(case.answerable for case in found.cases),
        "not_held": list(found.not_indexed),
        "graphs": {graph: _graph(report) for graph, report in found.reports.items()},
    }


def _graph(report: CurveReport) -> dict[str, Any]:
    return {
        "curve": report.curve.model_dump(),
        "kinds": _kinds(report.kinds),
        "reported": _before_after(report.measured),
        "fitted_on": [_tried(one) for one in report.fitted_on],
        "reported_on": [{**_tried(one.tried), "calibrated": one.calibrated} for one in report.measured.scored],
    }


def _kinds(kinds: CurveKinds) -> dict[str, Any]:
    return {
        "raw": asdict(kinds.raw),
        "logistic": asdict(kinds.logistic),
        "isotonic": asdict(kinds.isotonic),
        "difference": _paired(kinds.difference),
        "isotonic_pays": kinds.isotonic_pays,
    }


def _before_after(found: BeforeAfter) -> dict[str, Any]:
    return {
        "cases": len(found.scored),
        "auc": found.auc,
        "before": _measured(found.before),
        "after": _measured(found.after),
        "ece_difference": _interval(found.ece),
        "brier_difference": _paired(found.brier),
    }


def _measured(found: Measured) -> dict[str, Any]:
    return {
        "ece": found.reliability.ece,
        "ece_if_exact": found.exact,
        "brier": found.brier,
        "bins": [asdict(one) for one in found.reliability.bins],
        "decided": {
            **asdict(found.decided),
            "precision": found.decided.precision,
            "coverage": found.decided.coverage,
        },
    }


def _paired(found: Paired) -> dict[str, Any]:
    return {"difference": found.difference, **_interval(found.interval), "p": found.p}


def _interval(found: Interval) -> dict[str, float]:
    return {"low": found.low, "high": found.high}


def _tried(one: Tried) -> dict[str, Any]:
    return {
        "id": one.case.id,
        "answerable": one.case.answerable,
        "article": one.article,
        "right": one.right,
        "raw": one.raw,
    }
