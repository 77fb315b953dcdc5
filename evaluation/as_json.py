"""JSON of ``articulado eval``: the findings as plain values, rounded to 6 decimals, without unmeasured parts."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from evaluation.answers.answers import AnswerResult, answer_means
from evaluation.answers.tally import Calibration, Outcomes, RelevanceReport, Share
from evaluation.conversations import ConversationFindings, TurnResult, Turns
from evaluation.gold.questions import Key, Provision, Question, format_provision, key_of
from evaluation.measure import Measurement, SetMeasurement
from evaluation.report import Findings, Step, mean_of
from evaluation.retrieval.evaluate import Configuration, Kind, Outcome, Row, diagnose
from evaluation.statistics import Paired

DECIMALS = 6


def as_dict(measurement: Measurement) -> dict[str, Any]:
    report: dict[str, Any] = {
        "index": str(measurement.index),
        "rerank": measurement.strategy,
        "compared_with": str(measurement.request.other) if measurement.request.other else None,
        "recording": _recording(measurement),
        "sets": [_set(set_measurement) for set_measurement in measurement.sets],
        "conversations": [_conversations(findings) for findings in measurement.conversations],
    }
    rounded: dict[str, Any] = _rounded(report)
    return rounded


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
    outcome, findings = set_measurement.outcome, set_measurement.findings
    values: dict[str, Any] = {
        "name": outcome.gold.name,
        "gold": str(outcome.gold.path),
        "questions": len(outcome.gold.questions),
        "negatives": len(outcome.negatives),
        "ignored_keys": list(outcome.gold.ignored),
        "not_held": _names(set_measurement.not_indexed),
        "environment": dict(findings.environment),
        "metrics": _metrics(outcome.measured),
        "by_category": {
            name: {"questions": len(values.per_question), "metrics": _metrics(values)}
            for name, values in outcome.by_category.items()
        },
        "wrongly_refused": [question.id for question in outcome.wrongly_refused],
        "negatives_declined": [question.id for question in outcome.rightly_declined],
        "confidence": asdict(findings.confidence),
        "latency_ms": {
            **asdict(outcome.latency),
            "stages": {name: asdict(times) for name, times in outcome.stage_latency.items()},
        },
        "compared": {name: _paired(paired) for name, paired in set_measurement.against.items()},
    }
    if findings.configurations:
        values["configurations"] = [_step(step, findings) for step in findings.steps]
    if findings.answers:
        values["answers"] = _answers(findings)
    if findings.peers.runs or findings.peers.missing:
        values["peers"] = {
            "provisions": findings.peers.provisions,
            "missing": findings.peers.missing,
            "runs": [
                {
                    "packages": run.packages,
                    "index_seconds": run.index_seconds,
                    "question_ms": run.question_ms,
                    **_step(step, findings),
                }
                for run, step in zip(findings.peers.runs, findings.rivals, strict=True)
            ],
        }
    kinds = {failure.question.id: failure.kind for failure in findings.failures}
    values["per_question"] = [_question(outcome, question, kinds) for question in outcome.gold.questions]
    return values


def _metrics(configuration: Configuration) -> dict[str, Any]:
    intervals = configuration.intervals
    return {name: {"mean": mean, **intervals[name]._asdict()} for name, mean in configuration.means.items()}


def _question(outcome: Outcome, question: Question, kinds: Mapping[str, Kind | None]) -> dict[str, Any]:
    retrieved = outcome.retrieved[question.id]
    grades = {key_of(provision): grade for provision, grade in question.relevant.items()}
    failure = diagnose(question, retrieved.ranking)
    return {
        "id": question.id,
        "question": question.question,
        "category": question.category,
        "topic": question.topic,
        "voice": question.voice,
        "relevant": _graded(question.relevant),
        "queries": list(retrieved.queries),
        "metrics": outcome.measured.per_question.get(question.id),
        "failure": kinds.get(question.id),
        "rank": failure.rank,
        "instead": _names(failure.instead),
        "abstained": retrieved.abstained,
        "top_score": retrieved.top_score,
        "milliseconds": retrieved.milliseconds,
        "stages_ms": dict(retrieved.stages),
        "warnings": list(retrieved.warnings),
        "ranking": [_row(row, grades) for row in retrieved.rows],
    }


def _row(row: Row, grades: Mapping[Key, int]) -> dict[str, Any]:
    return {
        "provision": format_provision(row.provision),
        "law": row.law,
        "score": row.score,
        "origins": list(row.origins),
        "grade": grades.get(key_of(row.provision), 0),
    }


def _step(step: Step, findings: Findings) -> dict[str, Any]:
    voices = {name: mean_of(step.configuration, questions) for name, questions in findings.voices.items()}
    return {
        "name": step.configuration.name,
        "metrics": _metrics(step.configuration),
        "nDCG@10_by_voice": {name: {"mean": mean, **interval._asdict()} for name, (mean, interval) in voices.items()},
        "difference": _paired(step.against) if step.against else None,
    }


def _paired(paired: Paired) -> dict[str, Any]:
    interval = paired.interval
    values = {name: value for name, value in asdict(paired).items() if name != "interval"}
    return {**values, "low": interval.low, "high": interval.high}


def _answers(findings: Findings) -> dict[str, Any]:
    answerable, unanswerable = findings.tally.answerable, findings.tally.unanswerable
    return {
        "metrics": {
            name: {"mean": mean, "questions": count} for name, (mean, count) in answer_means(findings.answers).items()
        },
        "answerable": {
            **_outcomes(answerable.outcomes),
            "right_first": _share(answerable.first),
            "right_in_first_two": _share(answerable.first_two),
            "near_right": _share(answerable.near_right),
            "facts": _share(answerable.facts),
            "words": answerable.words and answerable.words._asdict(),
        },
        "unanswerable": {
            **_outcomes(unanswerable.outcomes),
            "by_category": {name: _outcomes(group) for name, group in unanswerable.by_category.items()},
        },
        "form": {trait: _share(share) for trait, share in findings.tally.form.items()},
        "relevance": findings.relevance and _relevance(findings.relevance),
        "questions": [_answer(answer) for answer in findings.answers],
    }


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "outcomes": {name: _share(share) for name, share in outcomes.shares.items()},
        "declined_by": {name: _share(share) for name, share in outcomes.refused_by.items()},
    }


def _share(share: Share) -> dict[str, Any]:
    return {"count": share.count, "of": share.total, "share": share.value}


def _relevance(report: RelevanceReport) -> dict[str, Any]:
    return {
        "risk_coverage": asdict(report.risk),
        "calibration": _calibration(report.calibration),
        "by_category": {name: _calibration(group) for name, group in report.by_category.items()},
    }


def _calibration(group: Calibration) -> dict[str, Any]:
    return {
        "relevance": group.mean,
        "answerable": _share(group.answerable),
        "ece": group.reliability.ece,
        "brier": group.brier,
        "bins": [asdict(bin_) for bin_ in group.reliability.bins],
    }


def _answer(answer: AnswerResult) -> dict[str, Any]:
    return {
        "id": answer.question.id,
        "question": answer.question.question,
        "answer": answer.answer,
        "outcome": answer.outcome,
        "abstained": answer.abstained,
        "declined_by": answer.refused_by,
        "relevance": answer.relevance,
        "metrics": dict(answer.metrics),
        "cited": _names(answer.cited),
        "wrong": _names(answer.wrong),
        "unsupported": list(answer.unsupported),
        "missing_facts": list(answer.missing),
        "form": None if answer.form is None else sorted(answer.form),
    }


def _names(provisions: Iterable[Provision]) -> list[str]:
    return [format_provision(provision) for provision in provisions]


def _graded(relevant: Mapping[Provision, int]) -> dict[str, int]:
    return {format_provision(provision): grade for provision, grade in relevant.items()}


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, DECIMALS)
        case Mapping():
            return {key: _rounded(element) for key, element in value.items()}
        case list() | tuple():
            return [_rounded(element) for element in value]
        case _:
            return value


def _conversations(findings: ConversationFindings) -> dict[str, Any]:
    tally = findings.tally
    return {
        "name": findings.gold.name,
        "gold": str(findings.gold.path),
        "conversations": findings.conversations,
        "turns": tally.all.turns,
        "ignored_keys": list(findings.gold.ignored),
        "not_held": _names(findings.not_indexed),
        "environment": dict(findings.environment),
        "all": _turns(tally.all),
        "later": _turns(tally.later),
        "by_number": {str(number): _turns(turns) for number, turns in tally.by_number.items()},
        "by_kind": {kind: _turns(turns) for kind, turns in tally.by_kind.items()},
        "form": {trait: _share(share) for trait, share in tally.form.items()},
        "per_turn": [_turn(result) for result in findings.results],
    }


def _turns(turns: Turns) -> dict[str, Any]:
    return {
        "turns": turns.turns,
        "hit@3": _share(turns.hit),
        "hit_in_context": _share(turns.read),
        "must_keep": _share(turns.kept),
        "intrusion": _share(turns.intruding),
        "intrusion_cited": _share(turns.intruding_cited),
        "facts": _share(turns.facts),
        "refused": _share(turns.refused),
    }


def _turn(result: TurnResult) -> dict[str, Any]:
    turn = result.turn
    return {
        "conversation": result.conversation,
        "number": result.number,
        "kind": turn.kind,
        "question": turn.question,
        "searches": list(result.searches),
        "answer": result.answer,
        "outcome": result.outcome,
        "relevant": _graded(turn.relevant),
        "hit@3": result.hit if result.asks else None,
        "hit_in_context": result.was_read if result.asks else None,
        "cited": _names(result.cited),
        "context": _names(result.read),
        "must_keep": _names(turn.must_keep),
        "kept": _names(result.kept),
        "must_not": _names(turn.must_not),
        "intruding": _names(result.intruding),
        "intruding_cited": _names(result.intruding_cited),
        "missing_facts": list(result.missing),
        "form": None if result.form is None else sorted(result.form),
    }
