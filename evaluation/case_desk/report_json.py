"""A report of calibration for programs: the findings as plain values. Keys are English; inquiries go by their id."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from evaluation.case_desk.calibration import BeforeAfter, ConfidenceMetrics, CurveReport
from evaluation.case_desk.curves import CurveComparison
from evaluation.case_desk.findings import ProfileFindings, pooled
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.bootstrap import Interval, Paired
from services.case.confidence import MIN_CONFIDENCE


def report_json(findings: Sequence[ProfileFindings]) -> dict[str, Any]:
    """Return what was measured as plain values; of several profiles, also all of them together."""
    report: dict[str, Any] = {"least": MIN_CONFIDENCE, "profiles": [_profile(profile) for profile in findings]}
    if len(findings) > 1:
        report["all"] = {graph: _before_after(measured) for graph, measured in pooled(findings).items()}
    return report


def _profile(profile: ProfileFindings) -> dict[str, Any]:
    return {
        "profile": profile.profile,
        "embedder": profile.embedder,
        "reranker": profile.reranker,
        "cases": len(profile.cases),
        "answerable": sum(case.answerable for case in profile.cases),
        "not_held": list(profile.not_indexed),
        "graphs": {graph: _graph(report) for graph, report in profile.reports.items()},
    }


def _graph(report: CurveReport) -> dict[str, Any]:
    return {
        "curve": report.curve.model_dump(),
        "kinds": _kinds(report.kinds),
        "reported": _before_after(report.measured),
        "fitted_on": [_case_result(result) for result in report.fitted_on],
        "reported_on": [
            {**_case_result(case.result), "calibrated": case.calibrated} for case in report.measured.scored
        ],
    }


def _kinds(kinds: CurveComparison) -> dict[str, Any]:
    return {
        "raw": asdict(kinds.raw),
        "logistic": asdict(kinds.logistic),
        "isotonic": asdict(kinds.isotonic),
        "difference": _paired(kinds.difference),
        "isotonic_pays": kinds.isotonic_pays,
    }


def _before_after(before_after: BeforeAfter) -> dict[str, Any]:
    return {
        "cases": len(before_after.scored),
        "auc": before_after.auc,
        "before": _measured(before_after.before),
        "after": _measured(before_after.after),
        "ece_difference": _interval(before_after.ece),
        "brier_difference": _paired(before_after.brier),
    }


def _measured(metrics: ConfidenceMetrics) -> dict[str, Any]:
    return {
        "ece": metrics.reliability.ece,
        "ece_if_exact": metrics.exact,
        "brier": metrics.brier,
        "bins": [asdict(bin_) for bin_ in metrics.reliability.bins],
        "decided": {
            **asdict(metrics.decided),
            "precision": metrics.decided.precision,
            "coverage": metrics.decided.coverage,
        },
    }


def _paired(paired: Paired) -> dict[str, Any]:
    return {"difference": paired.difference, **_interval(paired.interval), "p": paired.p}


def _interval(interval: Interval) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high}


def _case_result(result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.case.id,
        "answerable": result.case.answerable,
        "article": result.article,
        "right": result.right,
        "raw": result.raw,
    }
