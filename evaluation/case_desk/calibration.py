"""What the confidence of a case is worth before and after calibration, on inquiries that no curve was fitted on.

A curve is fitted on one half of the inquiries and measured on the other: ECE, Brier score, AUC, and what is decided
at a confidence of 0.70.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from evaluation.case_desk.curves import CurveComparison, compare_curves
from evaluation.case_desk.halves import halves
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.bootstrap import SEED, Interval, Paired, compare, interval_of
from evaluation.statistics.reliability import Prediction, Reliability, brier, reliability, squared_errors
from services.case.calibration import Curve, fit_curve
from services.case.confidence import DECIMALS, MIN_CONFIDENCE

RESAMPLES = 1_000
"""Fewer than for a mean: each one is sorted and binned anew."""


class CalibratedCase(NamedTuple):
    """The result of an inquiry, and the confidence that the curve gives it, in [0, 1] with two decimals."""

    result: CaseResult
    calibrated: float


@dataclass(frozen=True)
class Decisions:
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
    """The metrics of one kind of confidence, raw or calibrated, on some inquiries.

    ``exact`` is the ECE that would be found, on so few, if this confidence were exact; ``brier`` is the mean of
    (confidence - outcome)² (Brier, 1950).
    """

    reliability: Reliability
    exact: float
    brier: float
    decided: Decisions


@dataclass(frozen=True)
class BeforeAfter:
    """The confidence of some inquiries before and after calibration.

    ``auc`` is how often a right one has more confidence than another, ties count half; calibration leaves it as it is,
    and it is ``None`` where all are right, or none. ``ece`` is the interval of the ECE after less the ECE before,
    ``brier`` compares the two on the same inquiries.
    """

    scored: tuple[CalibratedCase, ...]
    before: ConfidenceMetrics
    after: ConfidenceMetrics
    auc: float | None
    ece: Interval
    brier: Paired


@dataclass(frozen=True)
class CurveReport:
    """The curve of a graph, the half that it was fitted on with the kinds of curve compared there, and its worth."""

    curve: Curve
    fitted_on: tuple[CaseResult, ...]
    kinds: CurveComparison
    measured: BeforeAfter


def calibrate(results: Sequence[CaseResult]) -> CurveReport:
    """Fit a curve on one half of the inquiries, and measure it on the other (``halves``).

    One for which nothing was found has a confidence of 0 with any curve: none is fitted on it.

    Raises:
        ValueError: a half has no inquiry for which something was found.
    """
    fitting, reported = halves(results)
    found = [result for result in fitting if result.raw]
    curve = fit_curve([result.raw for result in found], [result.right for result in found])
    scored = [CalibratedCase(result, round(curve(result.raw), DECIMALS) if result.raw else 0.0) for result in reported]
    return CurveReport(curve, tuple(fitting), compare_curves(found), before_and_after(scored))


def before_and_after(scored: Sequence[CalibratedCase]) -> BeforeAfter:
    """Measure both kinds of confidence on the same inquiries.

    Raises:
        ValueError: there are no inquiries.
    """
    before = [Prediction(case.result.raw, float(case.result.right)) for case in scored]
    after = [Prediction(case.calibrated, float(case.result.right)) for case in scored]
    answerable = [case.result.case.answerable for case in scored]
    outcomes = [prediction.outcome for prediction in before]
    confidences = [prediction.confidence for prediction in before]
    return BeforeAfter(
        scored=tuple(scored),
        before=_metrics(before, answerable),
        after=_metrics(after, answerable),
        auc=float(roc_auc_score(outcomes, confidences)) if len(set(outcomes)) > 1 else None,
        ece=ece_difference(before, after),
        brier=compare(squared_errors(before), squared_errors(after)),
    )


def ece_difference(before: Sequence[Prediction], after: Sequence[Prediction]) -> Interval:
    """Return the bootstrap percentile interval of ECE after - ECE before: the same inquiries are drawn for both."""

    def difference(rows: Sequence[int]) -> float:
        first, second = (reliability([side[int(row)] for row in rows]).ece for side in (before, after))
        return second - first

    return interval_of(difference, range(len(before)), RESAMPLES)


def exact_ece(predictions: Sequence[Prediction]) -> float:
    """Return the mean ECE in [0, 1] if these confidences were exact: their outcomes are drawn by them.

    What an ECE has beyond it is error; what it has up to it is the chance of few inquiries (Bröcker and Smith,
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
        decided=Decisions(
            accepted=len(accepted),
            accepted_right=sum(bool(prediction.outcome) for prediction, _ in accepted),
            right=sum(bool(prediction.outcome) for prediction in predictions),
            unanswerable=sum(not has_answer for _, has_answer in accepted),
        ),
    )
