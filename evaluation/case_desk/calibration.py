"""What the confidence of a case is worth before and after calibration, on cases that no curve was fitted on.

A curve is fitted on one half of the cases and measured on the other: ECE, Brier score, AUC, and what goes on at a
confidence of 0.70. Before is the confidence of what was found, after the one that is shown with the curve.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from articulado.cases.confidence import MIN_CONFIDENCE, Curve, fit_curve
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.bootstrap import SEED, Interval, Paired, compare, interval_of
from evaluation.statistics.reliability import Prediction, Reliability, brier, reliability, squared_errors

RESAMPLES = 1_000
"""Fewer than for a mean: each one is sorted and binned anew."""


class CalibratedCase(NamedTuple):
    """A case as its best article would handle it, however surely (``TAKE_ANY``), and as it is served with a curve.

    Whether its confidence is right goes by the article of the first: one that is too uncertain is served without any.
    """

    matched: CaseResult
    served: CaseResult


@dataclass(frozen=True)
class Accepted:
    """What follows from accepting cases from a confidence of 0.70 on: how many are, how many of them are right.

    ``right`` counts the right ones of all cases, ``unanswerable`` those accepted that no article answers.
    """

    accepted: int
    accepted_right: int
    right: int
    unanswerable: int

    @property
    def precision(self) -> float | None:
        """The share of right ones among the accepted; ``None`` where none is accepted."""
        return self.accepted_right / self.accepted if self.accepted else None

    @property
    def coverage(self) -> float | None:
        """The share of the right ones that are accepted; ``None`` where none is right."""
        return self.accepted_right / self.right if self.right else None


@dataclass(frozen=True)
class ConfidenceMetrics:
    """The metrics of one kind of confidence, raw or calibrated, on some cases.

    ``exact`` is the ECE that would be found, on so few, if this confidence were exact; ``brier`` is the mean of
    (confidence - outcome)² (Brier, 1950). ``auc`` is how often a right one has more confidence than another, ties count
    half; ``None`` where all are right, or none.
    """

    reliability: Reliability
    exact: float
    brier: float
    auc: float | None
    accepted: Accepted


@dataclass(frozen=True)
class BeforeAfter:
    """The confidence of some cases before and after calibration.

    ``ece`` is the interval of the ECE after less the ECE before, ``brier`` compares the two on the same cases.
    """

    scored: tuple[CalibratedCase, ...]
    before: ConfidenceMetrics
    after: ConfidenceMetrics
    ece: Interval
    brier: Paired


def fit(results: Sequence[CaseResult]) -> Curve:
    """Fit a curve to cases as their best article would handle them (``TAKE_ANY``).

    None is fitted on a case that the filter lets no article through for, nor on one that names another value than its
    filter: whatever the curve says of it, half of that is served.

    Raises:
        ValueError: there are no others.
    """
    usable = [result for result in results if result.article and not result.names_other]
    return fit_curve([result.log_odds for result in usable], [result.right for result in usable])


def before_and_after(scored: Sequence[CalibratedCase]) -> BeforeAfter:
    """Measure both kinds of confidence on the same cases.

    Raises:
        ValueError: there are no cases.
    """
    outcomes = [float(case.matched.right) for case in scored]
    before = [Prediction(case.matched.raw, outcome) for case, outcome in zip(scored, outcomes, strict=True)]
    after = [Prediction(case.served.confidence, outcome) for case, outcome in zip(scored, outcomes, strict=True)]
    answerable = [case.matched.case.answerable for case in scored]
    return BeforeAfter(
        scored=tuple(scored),
        before=_metrics(before, answerable),
        after=_metrics(after, answerable),
        ece=ece_difference(before, after),
        brier=compare(squared_errors(before), squared_errors(after)),
    )


def ece_difference(before: Sequence[Prediction], after: Sequence[Prediction]) -> Interval:
    """Return the bootstrap percentile interval of ECE after - ECE before: the same cases are drawn for both."""

    def difference(rows: Sequence[int]) -> float:
        first, second = (reliability([side[int(row)] for row in rows]).ece for side in (before, after))
        return second - first

    return interval_of(difference, range(len(before)), RESAMPLES)


def exact_ece(predictions: Sequence[Prediction]) -> float:
    """Return the mean ECE in [0, 1] if these confidences were exact: their outcomes are drawn by them.

    What an ECE has beyond it is error; what it has up to it is the chance of few cases (Bröcker and Smith,
    "Increasing the reliability of reliability diagrams", 2007).
    """
    source = np.random.default_rng(SEED)
    confidences = np.array([prediction.confidence for prediction in predictions])
    drawn = source.random((RESAMPLES, len(confidences))) < confidences
    eces = [reliability(list(map(Prediction, confidences, outcomes.astype(float)))).ece for outcomes in drawn]
    return float(np.mean(eces))


def _metrics(predictions: Sequence[Prediction], answerable: Sequence[bool]) -> ConfidenceMetrics:
    pairs = zip(predictions, answerable, strict=True)
    accepted = [(prediction, has_answer) for prediction, has_answer in pairs if prediction.confidence >= MIN_CONFIDENCE]
    return ConfidenceMetrics(
        reliability=reliability(predictions),
        exact=exact_ece(predictions),
        brier=brier(predictions),
        auc=_auc(predictions),
        accepted=Accepted(
            accepted=len(accepted),
            accepted_right=sum(bool(prediction.outcome) for prediction, _ in accepted),
            right=sum(bool(prediction.outcome) for prediction in predictions),
            unanswerable=sum(not has_answer for _, has_answer in accepted),
        ),
    )


def _auc(predictions: Sequence[Prediction]) -> float | None:
    confidences, outcomes = zip(*predictions, strict=True)
    return float(roc_auc_score(outcomes, confidences)) if len(set(outcomes)) > 1 else None
