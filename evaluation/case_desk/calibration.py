"""What the confidence of a case is worth before and after calibration, on inquiries that no curve was fitted on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from evaluation.case_desk.curves import CurveKinds, compare_kinds
from evaluation.case_desk.halves import halves
from evaluation.case_desk.run import Tried
from evaluation.statistics.bootstrap import SEED, Interval, Paired, compare, interval_of
from evaluation.statistics.reliability import Judged, Reliability, reliability
from services.case.calibration import Curve, fit_curve
from services.case.confidence import DECIMALS, MIN_CONFIDENCE

RESAMPLES = 1_000
"""Each one is sorted and binned anew."""


def ece_difference(before: Sequence[Judged], after: Sequence[Judged]) -> Interval:
    """Return the bootstrap percentile interval of ECE after - ECE before: the same inquiries are drawn for both."""

    def difference(rows: Sequence[int]) -> float:
        first, second = (reliability([judged[int(row)] for row in rows]).ece for judged in (before, after))
        return second - first

    return interval_of(difference, range(len(before)), RESAMPLES)


def exact_ece(judged: Sequence[Judged]) -> float:
    """Return the mean ECE in [0, 1] if these confidences were exact: their outcomes are drawn by them.

    What an ECE has beyond it is error; what it has up to it is the chance of few inquiries (Bröcker and Smith,
    "Increasing the reliability of reliability diagrams", 2007).
    """
    source = np.random.default_rng(SEED)
    confidences = np.array([one.confidence for one in judged])
    drawn = source.random((RESAMPLES, len(confidences))) < confidences
    found = [reliability(list(map(Judged, confidences, row.astype(float)))).ece for row in drawn]
    return float(np.mean(found))


class Scored(NamedTuple):
    """An inquiry that was run, and the confidence that it has with the curve, in [0, 1] with two decimals."""

    tried: Tried
    calibrated: float


@dataclass(frozen=True)
class Decided:
    """What comes of going on at a confidence of 0.70: how many do, how many of them are right, how many are right.

    ``unanswerable`` are those that go on and that no article answers.
    """

    accepted: int
    accepted_right: int
    right: int
    unanswerable: int

    @property
    def precision(self) -> float | None:
        """The share of right ones among those that go on; ``None`` where none does."""
        return self.accepted_right / self.accepted if self.accepted else None

    @property
    def coverage(self) -> float | None:
        """The share of right ones that go on; ``None`` where none is right."""
        return self.accepted_right / self.right if self.right else None


@dataclass(frozen=True)
class Measured:
    """One kind of confidence on some inquiries: how it agrees with the outcome, and what is decided by it.

    ``exact`` is the ECE that would be found, on so few, if this confidence were exact; ``brier`` is the mean of
    (confidence - outcome)² (Brier, 1950).
    """

    reliability: Reliability
    exact: float
    brier: float
    decided: Decided


@dataclass(frozen=True)
class BeforeAfter:
    """The confidence of some inquiries before and after calibration.

    ``auc`` is how often a right one has more confidence than another, ties count half; calibration leaves it as it is,
    and it is ``None`` where all are right, or none. ``ece`` is the interval of the ECE after less the ECE before,
    ``brier`` compares the two on the same inquiries.
    """

    scored: tuple[Scored, ...]
    before: Measured
    after: Measured
    auc: float | None
    ece: Interval
    brier: Paired


@dataclass(frozen=True)
class CurveReport:
    """The curve of a graph, both halves, how the kinds of curve do on the half that it was fitted on, and its worth."""

    curve: Curve
    fitted_on: tuple[Tried, ...]
    kinds: CurveKinds
    measured: BeforeAfter


def calibrate(tried: Sequence[Tried]) -> CurveReport:
    """Fit a curve on one half of the inquiries, and measure it on the other (``halves``).

    One for which nothing was found has a confidence of 0 with any curve: none is fitted on it.

    Raises:
        ValueError: a half has no inquiry for which something was found.
    """
    fitting, reported = halves(tried)
    found = [one for one in fitting if one.raw]
    curve = fit_curve([one.raw for one in found], [one.right for one in found])
    scored = [Scored(one, round(curve(one.raw), DECIMALS) if one.raw else 0.0) for one in reported]
    return CurveReport(curve, tuple(fitting), compare_kinds(found), before_and_after(scored))


def before_and_after(scored: Sequence[Scored]) -> BeforeAfter:
    """Measure both kinds of confidence on the same inquiries.

    Raises:
        ValueError: there are no inquiries.
    """
    before = [Judged(one.tried.raw, float(one.tried.right)) for one in scored]
    after = [Judged(one.calibrated, float(one.tried.right)) for one in scored]
    answerable = [one.tried.case.answerable for one in scored]
    outcomes = [one.outcome for one in before]
    return BeforeAfter(
        scored=tuple(scored),
        before=_measured(before, answerable),
        after=_measured(after, answerable),
        auc=float(roc_auc_score(outcomes, [one.confidence for one in before])) if len(set(outcomes)) > 1 else None,
        ece=ece_difference(before, after),
        brier=compare(_squares(before), _squares(after)),
    )


def _measured(judged: Sequence[Judged], answerable: Sequence[bool]) -> Measured:
    accepted = [(one, known) for one, known in zip(judged, answerable, strict=True) if one.confidence >= MIN_CONFIDENCE]
    squares = _squares(judged)
    return Measured(
        reliability=reliability(judged),
        exact=exact_ece(judged),
        brier=sum(squares) / len(squares),
        decided=Decided(
            accepted=len(accepted),
            accepted_right=sum(bool(one.outcome) for one, _ in accepted),
            right=sum(bool(one.outcome) for one in judged),
            unanswerable=sum(not known for _, known in accepted),
        ),
    )


def _squares(judged: Sequence[Judged]) -> list[float]:
    return [(one.confidence - one.outcome) ** 2 for one in judged]
