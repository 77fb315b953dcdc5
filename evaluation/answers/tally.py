"""Counts of outcomes over all questions of a gold set, and calibration of their relevance, as JSON."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from articulado.prompting.citation_markers import keep_markers
from articulado.values.answers import AnswerOutcome
from evaluation.answers.answers import ANSWER_METRICS, TRAITS, AnswerResult, Refuser, Trait
from evaluation.gold.questions import formatted
from evaluation.statistics import Prediction, brier, reliability, risk_coverage, share


def answers_report(results: Sequence[AnswerResult]) -> dict[str, Any]:
    """Return the means, counts and curves of the answers, and each answer.

    - ``metrics``: mean of each metric over the answers that have it; one of no answer is left out.
    - ``answerable``: questions with an answer in the law, ``unanswerable``: the others.
    - ``form``: traits of replies, empty without a chat model.
    """
    scores = {name: [result.metrics[name] for result in results if name in result.metrics] for name in ANSWER_METRICS}
    negatives = [result for result in results if result.question.is_negative]
    return {
        "metrics": {
            name: {"mean": sum(values) / len(values), "questions": len(values)}
            for name, values in scores.items()
            if values
        },
        "answerable": _answerable([result for result in results if not result.question.is_negative]),
        "unanswerable": {
            **_outcomes(negatives),
            "by_category": {name: _outcomes(group) for name, group in _by_category(negatives).items()},
        },
        "form": count_form([result.form for result in results if result.form is not None]),
        "relevance": relevance_report(results),
        "questions": [_answer(result) for result in results],
    }


def count_form(forms: Sequence[frozenset[Trait]]) -> dict[Trait, Any]:
    return {trait: share(sum(trait in form for form in forms), len(forms)) for trait in TRAITS} if forms else {}


def count_words(answer: str) -> int:
    """Return the number of words of an answer, without citation marks."""
    text, _ = keep_markers(answer, ())
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


def _answerable(results: Sequence[AnswerResult]) -> dict[str, Any]:
    """Count questions with an answer in the law.

    ``right_first``, ``right_in_first_two``: an answering provision is cited there, of all questions. ``near_right``:
    one is among the nearest provisions shown. ``facts``: found in answers, of all expected ones.
    """
    answered = [result for result in results if not result.abstained]
    near = [result for result in results if result.outcome == "near"]
    expected = sum(len(result.question.answer_facts) for result in results)
    words = [count_words(result.answer) for result in answered]
    median, p90 = map(float, np.percentile(words or [0], [50, 90]))
    return {
        **_outcomes(results),
        "right_first": share(sum(result.cites_answer(1) for result in answered), len(results)),
        "right_in_first_two": share(sum(result.cites_answer(2) for result in answered), len(results)),
        "near_right": share(sum(result.cites_answer() for result in near), len(near)),
        "facts": share(expected - sum(len(result.missing) for result in results), expected),
        "words": {"median": median, "p90": p90, "maximum": max(words), "answers": len(words)} if words else None,
    }


def _by_category(results: Sequence[AnswerResult]) -> dict[str, list[AnswerResult]]:
    names = dict.fromkeys(result.question.category for result in results if result.question.category)
    return {name: [result for result in results if result.question.category == name] for name in names}


def _outcomes(results: Sequence[AnswerResult]) -> dict[str, Any]:
    outcomes = [result.outcome for result in results]
    refusers = [result.refused_by for result in results if result.refused_by]
    return {
        "outcomes": {name: share(outcomes.count(name), len(outcomes)) for name in get_args(AnswerOutcome)},
        "declined_by": {name: share(refusers.count(name), len(refusers)) for name in get_args(Refuser)},
    }


def relevance_report(results: Sequence[AnswerResult]) -> dict[str, Any] | None:
    """Return the curves, ``None`` without relevance; questions without one count as never answered.

    In ``risk_coverage`` a question without a right citation is a mistake.
    """
    judged = [(result, result.relevance) for result in results if result.relevance is not None]
    if not judged:
        return None
    groups = _by_category([result for result, _ in judged])
    return {
        "risk_coverage": risk_coverage(
            [Prediction(relevance, float(result.cites_answer())) for result, relevance in judged], len(results)
        ),
        "calibration": _calibration([result for result, _ in judged]),
        "by_category": {name: _calibration(group) for name, group in groups.items()},
    }


def _calibration(results: Sequence[AnswerResult]) -> dict[str, Any]:
    predictions = [Prediction(result.relevance or 0.0, float(not result.question.is_negative)) for result in results]
    return {
        "relevance": sum(relevance for relevance, _ in predictions) / len(predictions),
        "answerable": share(sum(not result.question.is_negative for result in results), len(results)),
        "brier": brier(predictions),
        **reliability(predictions),
    }


def _answer(result: AnswerResult) -> dict[str, Any]:
    return {
        "id": result.question.id,
        "question": result.question.question,
        "answer": result.answer,
        "outcome": result.outcome,
        "abstained": result.abstained,
        "declined_by": result.refused_by,
        "relevance": result.relevance,
        "metrics": dict(result.metrics),
        "cited": formatted(result.cited),
        "wrong": formatted(result.wrong),
        "unsupported": list(result.unsupported),
        "missing_facts": list(result.missing),
        "form": None if result.form is None else sorted(result.form),
    }
