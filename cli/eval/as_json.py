"""JSON output of ``articulado eval --json``."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluation.gold.questions import Key, Question, format_provision, key_of
from evaluation.measure import Measurement, SetMeasurement
from evaluation.report.as_json import conversations_json, report_json
from evaluation.retrieval.evaluate import Configuration, Outcome, diagnose


def as_dict(measurement: Measurement) -> dict[str, Any]:
    """Return everything that was measured, question by question."""
    return {
        "index": str(measurement.index),
        "rerank": measurement.strategy,
        "compared_with": str(measurement.request.other) if measurement.request.other else None,
        "written": [str(path) for path in measurement.written],
        "recording": _recording(measurement),
        "sets": [_set(set_measurement) for set_measurement in measurement.sets],
        "conversations": [conversations_json(findings) for findings in measurement.conversations],
    }


def _recording(measurement: Measurement) -> dict[str, Any] | None:
    if measurement.recorded is None:
        return None
    recording = measurement.recorded.recording
    return {
        "folder": str(recording.folder),
        "replayed": measurement.recorded.replays,
        "day": recording.manifest.day.isoformat() if recording.manifest else None,
        "differences": recording.differences,
        "asked": list(recording.asked),
        "missing": dict(recording.missing),
        "stale": recording.stale,
        "unfinished": [
            {"set": name, "id": id_, "missing": missing.hash, "role": missing.role}
            for (name, id_), missing in measurement.unfinished.items()
        ],
    }


def _set(set_measurement: SetMeasurement) -> dict[str, Any]:
    outcome = set_measurement.outcome
    return {
        "name": outcome.gold.name,
        "gold": str(outcome.gold.path),
        "questions": len(outcome.gold.questions),
        "negatives": len(outcome.negatives),
        "ignored_keys": list(outcome.gold.ignored),
        "not_held": [format_provision(provision) for provision in set_measurement.not_indexed],
        "metrics": metrics(outcome.measured),
        "by_category": {
            name: {"questions": len(values.per_question), "metrics": metrics(values)}
            for name, values in outcome.by_category.items()
        },
        "wrongly_refused": [question.id for question in outcome.wrongly_refused],
        "negatives_declined": [question.id for question in outcome.rightly_declined],
        "latency_ms": {
            **asdict(outcome.latency),
            "stages": {name: asdict(values) for name, values in outcome.stage_latency.items()},
        },
        "compared": {name: _paired(asdict(paired)) for name, paired in set_measurement.against.items()},
        **_optional(set_measurement),
        "per_question": [_question(outcome, question) for question in outcome.gold.questions],
    }


def _optional(set_measurement: SetMeasurement) -> dict[str, Any]:
    """Return what a report has of an ablation, of answers and of peers, where they were asked for."""
    findings = set_measurement.findings
    parts = {
        "configurations": findings.configurations,
        "answers": findings.answers,
        "peers": findings.peers.runs or findings.peers.missing,
    }
    names = [name for name, values in parts.items() if values]
    report = report_json(findings) if names else {}
    return {name: report[name] for name in names}


def metrics(measured: Configuration) -> dict[str, dict[str, float]]:
    """Return mean and interval of each metric."""
    return {
        name: {"mean": mean, "low": measured.intervals[name].low, "high": measured.intervals[name].high}
        for name, mean in measured.means.items()
    }


def _paired(paired: dict[str, Any]) -> dict[str, Any]:
    low, high = paired.pop("interval")
    return {**paired, "low": low, "high": high}


def _question(outcome: Outcome, question: Question) -> dict[str, Any]:
    retrieved = outcome.retrieved[question.id]
    grades = {key_of(provision): grade for provision, grade in question.relevant.items()}
    failure = diagnose(question, retrieved.ranking)
    return {
        "id": question.id,
        "question": question.question,
        "category": question.category,
        "topic": question.topic,
        "voice": question.voice,
        "relevant": {format_provision(provision): grade for provision, grade in question.relevant.items()},
        "queries": list(retrieved.queries),
        "metrics": outcome.measured.per_question.get(question.id),
        "failure": failure.kind if question.relevant else None,
        "rank": failure.rank,
        "abstained": retrieved.abstained,
        "top_score": retrieved.top_score,
        "milliseconds": retrieved.milliseconds,
        "stages_ms": dict(retrieved.stages),
        "warnings": list(retrieved.warnings),
        "ranking": [_row(row, grades) for row in retrieved.rows],
    }


def _row(row: Any, grades: Mapping[Key, int]) -> dict[str, Any]:
    return {
        "provision": format_provision(row.provision),
        "law": row.law,
        "score": row.score,
        "origins": list(row.origins),
        "grade": grades.get(key_of(row.provision), 0),
    }
