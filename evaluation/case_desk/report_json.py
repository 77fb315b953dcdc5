"""A report of calibration for programs: the findings as plain values. Keys are English; cases go by their id."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from articulado.cases.confidence import MIN_CONFIDENCE
from evaluation.case_desk.calibration import BeforeAfter, ConfidenceMetrics
from evaluation.case_desk.decisions import Decisions, total
from evaluation.case_desk.findings import GraphReport, Measured, ProfileFindings, pooled
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.bootstrap import Interval, Paired


def report_json(findings: Sequence[ProfileFindings]) -> dict[str, Any]:
    """Return what was measured as plain values; of several profiles, also all of them together."""
    report: dict[str, Any] = {"least": MIN_CONFIDENCE, "profiles": [_profile(profile) for profile in findings]}
    if len(findings) > 1:
        report["all"] = {graph: _worth(measured) for graph, measured in pooled(findings).items()}
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


def _graph(report: GraphReport) -> dict[str, Any]:
    measured = report.measured
    return {
        "curve": report.curve.model_dump(),
        "fitted_on": [_case_result(result) for result in report.fitted_on],
        **_worth(measured),
        "reported_on": [{**_case_result(case.matched), **_served(case.served)} for case in measured.confidence.scored],
        "every": [{"id": result.case.id, **_served(result)} for result in measured.every],
    }


def _worth(measured: Measured) -> dict[str, Any]:
    return {
        "reported": _before_after(measured.confidence),
        "decisions": _decisions(measured.decisions),
        "decisions_on_every": _decisions(measured.decisions_on_every),
    }


def _decisions(decisions: Decisions) -> dict[str, Any]:
    by_kind: dict[str, Any] = {kind: asdict(counts) for kind, counts in decisions.items()}
    return {"classes": by_kind, "total": asdict(total(decisions))} if by_kind else {}


def _before_after(before_after: BeforeAfter) -> dict[str, Any]:
    return {
        "cases": len(before_after.scored),
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
        "auc": metrics.auc,
        "bins": [asdict(bin_) for bin_ in metrics.reliability.bins],
        "accepted": {
            **asdict(metrics.accepted),
            "precision": metrics.accepted.precision,
            "coverage": metrics.accepted.coverage,
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
        "log_odds": result.log_odds,
    }


def _served(result: CaseResult) -> dict[str, Any]:
    return {
        "served_article": result.article,
        "confidence": result.confidence,
        "verdict": result.verdict,
        "bad": list(result.bad),
    }
