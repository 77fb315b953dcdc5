"""JSON report: the findings as plain values.

Keys are English, and figures have 6 decimals. Parts that were not measured are absent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from evaluation.answers.answers import AnswerResult, answer_means
from evaluation.answers.tally import Calibration, Outcomes, RelevanceReport, Share
from evaluation.conversations import ConversationFindings, TurnResult, Turns
from evaluation.gold.questions import Provision, format_provision
from evaluation.report.findings import Findings, Step, mean_of
from evaluation.retrieval.evaluate import Configuration, Failure
from evaluation.statistics import Paired

DECIMALS = 6


def report_json(findings: Findings) -> dict[str, Any]:
    """Return the report as values that ``json`` writes; the same findings give the same values in the same order."""
    outcome = findings.outcome
    report: dict[str, Any] = {
        "gold": {
            "name": outcome.gold.name,
            "questions": len(findings.questions),
            "positives": len(outcome.positives),
            "negatives": len(outcome.negatives),
        },
        "environment": dict(findings.environment),
        "metrics": _metrics(outcome.measured),
        "categories": {name: _metrics(category) for name, category in outcome.by_category.items()},
        "voices": {name: len(questions) for name, questions in findings.voices.items()},
        "configurations": [_step(step, findings) for step in findings.steps],
        "refusals": {
            "wrongly_refused": [question.id for question in outcome.wrongly_refused],
            "rightly_declined": [question.id for question in outcome.rightly_declined],
        },
        "confidence": asdict(findings.confidence),
        "latency_ms": {
            "question": asdict(outcome.latency),
            "stages": {name: asdict(times) for name, times in outcome.stage_latency.items()},
        },
        "failures": [{"kind": failure.kind, **_failure(failure)} for failure in findings.failures],
        "worst": [_failure(failure) for failure in findings.worst],
    }
    if findings.answers:
        report["answers"] = _answers(findings)
    if findings.peers.runs or findings.peers.missing:
        report["peers"] = {
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
    rounded: dict[str, Any] = _rounded(report)
    return rounded


def _metrics(configuration: Configuration) -> dict[str, Any]:
    return {
        "questions": len(configuration.per_question),
        **{
            name: {"mean": mean, **configuration.intervals[name]._asdict()}
            for name, mean in configuration.means.items()
        },
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
    return {**asdict(paired), "interval": paired.interval._asdict()}


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "id": failure.question.id,
        "question": failure.question.question,
        "category": failure.question.category,
        "relevant": {format_provision(provision): grade for provision, grade in failure.question.relevant.items()},
        "rank": failure.rank,
        "instead": _names(failure.instead),
    }


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


def conversations_json(findings: ConversationFindings) -> dict[str, Any]:
    """Return everything that was measured, turn by turn."""
    tally = findings.tally
    return {
        "name": findings.gold.name,
        "gold": str(findings.gold.path),
        "conversations": findings.conversations,
        "turns": tally.all.turns,
        "ignored_keys": list(findings.gold.ignored),
        "not_held": _names(findings.not_indexed),
        "environment": dict(findings.environment),
        "all": _turns_json(tally.all),
        "later": _turns_json(tally.later),
        "by_number": {str(number): _turns_json(turns) for number, turns in tally.by_number.items()},
        "by_kind": {kind: _turns_json(turns) for kind, turns in tally.by_kind.items()},
        "form": {trait: _rounded_share(share) for trait, share in tally.form.items()},
        "per_turn": [_turn_json(result) for result in findings.results],
    }


def _turns_json(turns: Turns) -> dict[str, Any]:
    return {
        "turns": turns.turns,
        "hit@3": _rounded_share(turns.hit),
        "hit_in_context": _rounded_share(turns.read),
        "must_keep": _rounded_share(turns.kept),
        "intrusion": _rounded_share(turns.intruding),
        "intrusion_cited": _rounded_share(turns.intruding_cited),
        "facts": _rounded_share(turns.facts),
        "refused": _rounded_share(turns.refused),
    }


def _rounded_share(share: Share) -> dict[str, Any]:
    return {
        "count": share.count,
        "of": share.total,
        "share": None if share.value is None else round(share.value, DECIMALS),
    }


def _turn_json(result: TurnResult) -> dict[str, Any]:
    turn = result.turn
    return {
        "conversation": result.conversation,
        "number": result.number,
        "kind": turn.kind,
        "question": turn.question,
        "searches": list(result.searches),
        "answer": result.answer,
        "outcome": result.outcome,
        "relevant": {format_provision(provision): grade for provision, grade in turn.relevant.items()},
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
