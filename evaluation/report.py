"""JSON of ``articulado eval`` on one gold set of questions; unmeasured parts are left out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from evaluation.answers.answers import AnswerResult
from evaluation.answers.tally import answers_report
from evaluation.gold.questions import Provision, Question, format_provision, formatted, graded, key_of
from evaluation.peers.measure import PeerFindings
from evaluation.retrieval.evaluate import Configuration, Outcome, diagnose, measure_run
from evaluation.retrieval.run import MAIN
from evaluation.statistics import Paired, Prediction, compare, interval, reliability

RIGHT = "hit@3"


def set_report(
    outcome: Outcome,
    *,
    configurations: Sequence[Configuration] = (),
    answers: Sequence[AnswerResult] = (),
    peers: PeerFindings | None = None,
    against: Mapping[str, Paired] | None = None,
    not_indexed: Sequence[Provision] = (),
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the report of a gold set; ``against`` maps a metric to the comparison of another run with this one."""
    measured = outcome.measured
    voices = dict.fromkeys(question.voice for question in outcome.positives if question.voice)
    by_voice = {name: [question.id for question in outcome.positives if question.voice == name] for name in voices}
    cited = {answer.question.id: answer.cited for answer in answers} if answers else None
    report: dict[str, Any] = {
        "name": outcome.gold.name,
        "gold": str(outcome.gold.path),
        "questions": len(outcome.gold.questions),
        "negatives": len(outcome.negatives),
        "ignored_keys": list(outcome.gold.ignored),
        "not_held": formatted(not_indexed),
        "environment": dict(environment or {}),
        "metrics": _metrics(measured),
        "by_category": {
            name: {"questions": len(group.per_question), "metrics": _metrics(group)}
            for name, group in outcome.by_category.items()
        },
        "wrongly_refused": [question.id for question in outcome.wrongly_refused],
        "negatives_declined": [question.id for question in outcome.rightly_declined],
        "confidence": _confidence(outcome),
        "latency_ms": {**outcome.latency, "stages": outcome.stage_latency},
        "compared": {name: asdict(paired) for name, paired in (against or {}).items()},
    }
    if configurations:
        before = (None, *configurations)
        report["configurations"] = [_step(each, before[at], each, by_voice) for at, each in enumerate(configurations)]
    if answers:
        report["answers"] = answers_report(answers)
    if peers:
        rivals = [measure_run(run.name, outcome.gold.questions, run.run) for run in peers.runs]
        report["peers"] = {
            "provisions": peers.provisions,
            "missing": peers.missing,
            "runs": [
                {
                    "packages": run.packages,
                    "index_seconds": run.index_seconds,
                    "question_ms": run.question_ms,
                    **_step(rival, rival, measured, by_voice),
                }
                for run, rival in zip(peers.runs, rivals, strict=True)
            ],
        }
    report["per_question"] = [_question(outcome, question, cited) for question in outcome.gold.questions]
    return report


def _metrics(configuration: Configuration) -> dict[str, Any]:
    return {
        name: {"mean": mean, **configuration.intervals[name]._asdict()} for name, mean in configuration.means.items()
    }


def _confidence(outcome: Outcome) -> dict[str, Any]:
    right = outcome.measured.per_question
    return reliability(
        [
            Prediction(
                outcome.retrieved[question.id].top_score or 0.0, right[question.id][RIGHT] if question.relevant else 0.0
            )
            for question in outcome.gold.questions
        ]
    )


def _step(
    shown: Configuration, before: Configuration | None, after: Configuration, by_voice: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    ids = list(shown.per_question)
    voices = {name: [shown.per_question[id_][MAIN] for id_ in of_voice] for name, of_voice in by_voice.items()}
    return {
        "name": shown.name,
        "metrics": _metrics(shown),
        # NumPy's mean: that of equal values is in their interval.
        "nDCG@10_by_voice": {
            name: {"mean": float(np.mean(values)), **interval(values)._asdict()} for name, values in voices.items()
        },
        "difference": asdict(compare(*([each.per_question[id_][MAIN] for id_ in ids] for each in (before, after))))
        if before and ids
        else None,
    }


def _question(outcome: Outcome, question: Question, cited: Mapping[str, Sequence[Provision]] | None) -> dict[str, Any]:
    retrieved = outcome.retrieved[question.id]
    grades = {key_of(provision): grade for provision, grade in question.relevant.items()}
    failure = diagnose(question, retrieved.rows, cited)
    return {
        "id": question.id,
        "question": question.question,
        "category": question.category,
        "topic": question.topic,
        "voice": question.voice,
        "relevant": graded(question.relevant),
        "queries": list(retrieved.queries),
        "metrics": outcome.measured.per_question.get(question.id),
        "failure": failure.kind,
        "rank": failure.rank,
        "instead": formatted(failure.instead),
        "abstained": retrieved.abstained,
        "top_score": retrieved.top_score,
        "milliseconds": retrieved.milliseconds,
        "stages_ms": dict(retrieved.stages),
        "warnings": list(retrieved.warnings),
        "ranking": [
            {
                "provision": format_provision(row.provision),
                "law": row.law,
                "score": row.score,
                "origins": list(row.origins),
                "grade": grades.get(key_of(row.provision), 0),
            }
            for row in retrieved.rows
        ],
    }
