"""Counts of outcomes over all questions of a gold set, and calibration of their relevance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from articulado.prompting.citation_markers import keep_markers
from articulado.values.answers import AnswerOutcome
from evaluation.answers.answers import TRAITS, AnswerResult, Refuser, Trait
from evaluation.statistics import Prediction, Reliability, RiskCoverage, brier, reliability, risk_coverage

OUTCOMES: tuple[AnswerOutcome, ...] = get_args(AnswerOutcome)
REFUSERS: tuple[Refuser, ...] = get_args(Refuser)


@dataclass(frozen=True)
class Share:
    """Count and total."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None


class Lengths(NamedTuple):
    """Numbers of words of answers, at least one; percentiles are interpolated."""

    median: float
    p90: float
    maximum: int
    answers: int


@dataclass(frozen=True)
class Outcomes:
    """Shares of the outcomes of questions, and of the origins of their refusals."""

    shares: Mapping[AnswerOutcome, Share]
    refused_by: Mapping[Refuser, Share]


@dataclass(frozen=True)
class Answerable:
    """Questions with an answer in the law.

    ``first``, ``first_two``: an answering provision is cited there, of all questions. ``near_right``: one is among the
    nearest provisions shown. ``facts``: found in answers, of all expected ones.
    """

    outcomes: Outcomes
    first: Share
    first_two: Share
    near_right: Share
    facts: Share
    words: Lengths | None


@dataclass(frozen=True)
class Unanswerable:
    """Questions without an answer in the law: all, and by category in the order of the gold set."""

    outcomes: Outcomes
    by_category: Mapping[str, Outcomes]


@dataclass(frozen=True)
class Tally:
    """Outcomes of the questions of each kind; ``form`` counts the traits of replies, empty without a chat model."""

    answerable: Answerable
    unanswerable: Unanswerable
    form: Mapping[Trait, Share]


def tally(results: Sequence[AnswerResult]) -> Tally:
    return Tally(
        _answerable([result for result in results if not result.question.is_negative]),
        _unanswerable([result for result in results if result.question.is_negative]),
        count_form([result.form for result in results if result.form is not None]),
    )


def count_form(forms: Sequence[frozenset[Trait]]) -> dict[Trait, Share]:
    return {trait: Share(sum(trait in form for form in forms), len(forms)) for trait in TRAITS} if forms else {}


def count_words(answer: str) -> int:
    """Return the number of words of an answer, without citation marks."""
    text, _ = keep_markers(answer, ())
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


def _answerable(results: Sequence[AnswerResult]) -> Answerable:
    answered = [result for result in results if not result.abstained]
    near = [result for result in results if result.outcome == "near"]
    expected = sum(len(result.question.answer_facts) for result in results)
    return Answerable(
        outcomes=_outcomes(results),
        first=Share(sum(result.cites_answer(1) for result in answered), len(results)),
        first_two=Share(sum(result.cites_answer(2) for result in answered), len(results)),
        near_right=Share(sum(result.cites_answer() for result in near), len(near)),
        facts=Share(expected - sum(len(result.missing) for result in results), expected),
        words=_lengths(count_words(result.answer) for result in answered),
    )


def _unanswerable(results: Sequence[AnswerResult]) -> Unanswerable:
    names = dict.fromkeys(result.question.category for result in results if result.question.category)
    return Unanswerable(
        _outcomes(results),
        {name: _outcomes([result for result in results if result.question.category == name]) for name in names},
    )


def _outcomes(results: Sequence[AnswerResult]) -> Outcomes:
    outcomes = [result.outcome for result in results]
    refusers = [result.refused_by for result in results if result.refused_by]
    return Outcomes(
        {outcome: Share(outcomes.count(outcome), len(outcomes)) for outcome in OUTCOMES},
        {refuser: Share(refusers.count(refuser), len(refusers)) for refuser in REFUSERS},
    )


def _lengths(words: Iterable[int]) -> Lengths | None:
    counts = list(words)
    if not counts:
        return None
    median, p90 = np.percentile(counts, [50, 90])
    return Lengths(float(median), float(p90), max(counts), len(counts))


@dataclass(frozen=True)
class Calibration:
    """Mean relevance of questions, their answerable share, reliability bins and Brier score, all in [0, 1]."""

    mean: float
    answerable: Share
    reliability: Reliability
    brier: float


@dataclass(frozen=True)
class RelevanceReport:
    """Curves of the questions with a relevance; in ``risk`` a question without a right citation is a mistake."""

    risk: RiskCoverage
    calibration: Calibration
    by_category: Mapping[str, Calibration]


def report_relevance(results: Sequence[AnswerResult]) -> RelevanceReport | None:
    """Return the curves, ``None`` without relevance; questions without one count as never answered."""
    right: list[Prediction] = []
    answerable: list[Prediction] = []
    by_category: dict[str, list[Prediction]] = {}
    for result in results:
        if result.relevance is None:
            continue
        right.append(Prediction(result.relevance, float(result.cites_answer())))
        answerable.append(Prediction(result.relevance, float(not result.question.is_negative)))
        if result.question.category:
            by_category.setdefault(result.question.category, []).append(answerable[-1])
    if not right:
        return None
    return RelevanceReport(
        risk_coverage(right, len(results)),
        _calibration(answerable),
        {name: _calibration(predictions) for name, predictions in by_category.items()},
    )


def _calibration(predictions: Sequence[Prediction]) -> Calibration:
    return Calibration(
        mean=sum(prediction.confidence for prediction in predictions) / len(predictions),
        answerable=Share(sum(bool(prediction.outcome) for prediction in predictions), len(predictions)),
        reliability=reliability(predictions),
        brier=brier(predictions),
    )
