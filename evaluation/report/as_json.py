"""A report for programs: the findings as plain values.

Keys are English, figures are not rounded but to 6 decimals, and what was not asked for is not there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from evaluation.answers.answers import AnswerResult, answer_means
from evaluation.gold.provisions import Provision, written
from evaluation.report.findings import Findings, Step, mean_of
from evaluation.retrieval.evaluate import Configuration
from evaluation.retrieval.failures import Failure
from evaluation.statistics.bootstrap import Paired

DECIMALS = 6


def report_json(found: Findings) -> dict[str, Any]:
    """Return the report as values that ``json`` writes; the same findings give the same values in the same order."""
    outcome = found.outcome
    report: dict[str, Any] = {
        "gold": {
            "name": outcome.gold.name,
            "questions": len(found.questions),
            "positives": len(outcome.positives),
            "negatives": len(outcome.negatives),
        },
        "environment": dict(found.environment),
        "metrics": _metrics(outcome.measured),
        "categories": {name: _metrics(one) for name, one in outcome.by_category.items()},
        "voices": {name: len(questions) for name, questions in found.voices.items()},
        "configurations": [_step(one, found) for one in found.steps],
        "refusals": {
            "wrongly_refused": [one.id for one in outcome.wrongly_refused],
            "rightly_declined": [one.id for one in outcome.rightly_declined],
        },
        "confidence": asdict(found.confidence),
        "latency_ms": {
            "question": asdict(outcome.latency),
            "stages": {name: asdict(times) for name, times in outcome.stage_latency.items()},
        },
        "failures": [{"kind": one.kind, **_failure(one)} for one in found.failures],
        "worst": [_failure(one) for one in found.worst],
    }
    if found.answers:
        means = {
            name: {"mean": mean, "questions": count} for name, (mean, count) in answer_means(found.answers).items()
        }
        report["answers"] = {"metrics": means, "questions": [_answer(one) for one in found.answers]}
    if found.peers.runs or found.peers.missing:
        report["peers"] = {
            "provisions": found.peers.provisions,
            "missing": found.peers.missing,
            "runs": [
                {
                    "packages": run.packages,
                    "index_seconds": run.index_seconds,
                    "question_ms": run.question_ms,
                    **_step(one, found),
                }
                for run, one in zip(found.peers.runs, found.rivals, strict=True)
            ],
        }
    rounded: dict[str, Any] = _rounded(report)
    return rounded


def _metrics(one: Configuration) -> dict[str, Any]:
    return {
        "questions": len(one.per_question),
        **{name: {"mean": mean, **one.intervals[name]._asdict()} for name, mean in one.means.items()},
    }


def _step(one: Step, found: Findings) -> dict[str, Any]:
    voices = {name: mean_of(one.configuration, questions) for name, questions in found.voices.items()}
    return {
        "name": one.configuration.name,
        "metrics": _metrics(one.configuration),
        "nDCG@10_by_voice": {name: {"mean": mean, **range_._asdict()} for name, (mean, range_) in voices.items()},
        "difference": _paired(one.against) if one.against else None,
    }


def _paired(one: Paired) -> dict[str, Any]:
    return {**asdict(one), "interval": one.interval._asdict()}


def _failure(one: Failure) -> dict[str, Any]:
    return {
        "id": one.question.id,
        "question": one.question.question,
        "category": one.question.category,
        "relevant": {written(named): grade for named, grade in one.question.relevant.items()},
        "rank": one.rank,
        "instead": _names(one.instead),
    }


def _answer(one: AnswerResult) -> dict[str, Any]:
    return {
        "id": one.question.id,
        "question": one.question.question,
        "answer": one.answer,
        "abstained": one.abstained,
        "metrics": dict(one.metrics),
        "cited": _names(one.cited),
        "wrong": _names(one.wrong),
        "unsupported": list(one.unsupported),
        "missing_facts": list(one.missing),
    }


def _names(provisions: Sequence[Provision]) -> list[str]:
    return [written(one) for one in provisions]


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DECIMALS)
        case Mapping():
            return {key: _rounded(one) for key, one in value.items()}
        case list() | tuple():
            return [_rounded(one) for one in value]
        case _:
            return value
