"""Which kind of curve pays: a logistic one or a step function that never falls, by cross-validation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sklearn.isotonic import IsotonicRegression

from evaluation.case_desk.halves import folds
from evaluation.case_desk.run import Tried
from evaluation.statistics.bootstrap import Paired, compare
from evaluation.statistics.reliability import Judged, reliability
from services.case.calibration import fit_curve

FOLDS = 5

Fitted = Callable[[float], float]


@dataclass(frozen=True)
class KindMeasured:
    """One kind of curve on inquiries that it was not fitted on: ECE and Brier score, both in [0, 1], less is better."""

    ece: float
    brier: float


@dataclass(frozen=True)
class CurveKinds:
    """The kinds of curve by cross-validation, and the confidence as it was measured; ``difference`` is by Brier score.

    It compares the isotonic curve with the logistic one, which is the first of the pair.
    """

    raw: KindMeasured
    logistic: KindMeasured
    isotonic: KindMeasured
    difference: Paired

    @property
    def isotonic_pays(self) -> bool:
        """Whether the isotonic curve is better by more than chance."""
        return self.difference.interval.high < 0


def compare_kinds(tried: Sequence[Tried]) -> CurveKinds:
    """Fit each kind of curve on four fifths of the inquiries, and try it on the rest, in turn.

    Raises:
        ValueError: there are fewer than two inquiries.
    """
    within = folds(tried, FOLDS)
    raw = [one.raw for one in tried]
    logistic = _held_out(tried, within, _logistic)
    isotonic = _held_out(tried, within, _isotonic)
    return CurveKinds(
        _measured(tried, raw),
        _measured(tried, logistic),
        _measured(tried, isotonic),
        compare(_squares(tried, logistic), _squares(tried, isotonic)),
    )


def _held_out(tried: Sequence[Tried], within: Sequence[int], fit: Callable[[Sequence[Tried]], Fitted]) -> list[float]:
    curves = {
        fold: fit([one for one, place in zip(tried, within, strict=True) if place != fold]) for fold in set(within)
    }
    return [curves[fold](one.raw) for one, fold in zip(tried, within, strict=True)]


def _logistic(tried: Sequence[Tried]) -> Fitted:
    return fit_curve([one.raw for one in tried], [one.right for one in tried])


def _isotonic(tried: Sequence[Tried]) -> Fitted:
    """Fit by pool-adjacent-violators (Zadrozny and Elkan, KDD 2002); outside of what it has seen, the nearest value."""
    steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    steps.fit([one.raw for one in tried], [float(one.right) for one in tried])
    return lambda raw: float(steps.predict([raw])[0])


def _measured(tried: Sequence[Tried], confidences: Sequence[float]) -> KindMeasured:
    squares = _squares(tried, confidences)
    judged = [Judged(given, float(one.right)) for one, given in zip(tried, confidences, strict=True)]
    return KindMeasured(reliability(judged).ece, sum(squares) / len(squares))


def _squares(tried: Sequence[Tried], confidences: Sequence[float]) -> list[float]:
    return [(given - one.right) ** 2 for one, given in zip(tried, confidences, strict=True)]
