"""Which kind of curve pays: a logistic one or a step function that never falls, by cross-validation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sklearn.isotonic import IsotonicRegression

from evaluation.case_desk.halves import folds
from evaluation.case_desk.run import CaseResult
from evaluation.statistics.bootstrap import Paired, compare
from evaluation.statistics.reliability import Prediction, brier, reliability, squared_errors
from services.case.calibration import fit_curve

FOLDS = 5

Fitted = Callable[[float], float]


@dataclass(frozen=True)
class CurveMetrics:
    """ECE and Brier score of a kind of curve on inquiries that it was not fitted on; both in [0, 1], less is better."""

    ece: float
    brier: float


@dataclass(frozen=True)
class CurveComparison:
    """The kinds of curve by cross-validation, beside the raw confidence.

    ``difference`` compares Brier scores: the logistic curve is the first of the pair, the isotonic one the second.
    """

    raw: CurveMetrics
    logistic: CurveMetrics
    isotonic: CurveMetrics
    difference: Paired

    @property
    def isotonic_pays(self) -> bool:
        """Whether the isotonic curve is better by more than chance."""
        return self.difference.interval.high < 0


def compare_curves(results: Sequence[CaseResult]) -> CurveComparison:
    """Fit each kind of curve on four fifths of the inquiries, and try it on the rest, in turn.

    Raises:
        ValueError: there are fewer than two inquiries.
    """
    fold_of_each = folds(results, FOLDS)
    raw = _judged(results, [result.raw for result in results])
    logistic = _judged(results, _cross_validated(results, fold_of_each, _logistic))
    isotonic = _judged(results, _cross_validated(results, fold_of_each, _isotonic))
    return CurveComparison(
        _metrics(raw),
        _metrics(logistic),
        _metrics(isotonic),
        compare(squared_errors(logistic), squared_errors(isotonic)),
    )


def _cross_validated(
    results: Sequence[CaseResult], fold_of_each: Sequence[int], fit: Callable[[Sequence[CaseResult]], Fitted]
) -> list[float]:
    """Return the confidence of each inquiry by a curve that was fitted without its fold."""
    folded = list(zip(results, fold_of_each, strict=True))
    curves = {held_out: fit([result for result, fold in folded if fold != held_out]) for held_out in set(fold_of_each)}
    return [curves[fold](result.raw) for result, fold in folded]


def _logistic(results: Sequence[CaseResult]) -> Fitted:
    return fit_curve([result.raw for result in results], [result.right for result in results])


def _isotonic(results: Sequence[CaseResult]) -> Fitted:
    """Fit by pool-adjacent-violators (Zadrozny and Elkan, KDD 2002); outside of what it has seen, the nearest value."""
    steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    steps.fit([result.raw for result in results], [float(result.right) for result in results])
    return lambda raw: float(steps.predict([raw])[0])


def _metrics(predictions: Sequence[Prediction]) -> CurveMetrics:
    return CurveMetrics(reliability(predictions).ece, brier(predictions))


def _judged(results: Sequence[CaseResult], confidences: Sequence[float]) -> list[Prediction]:
    return [
        Prediction(confidence, float(result.right)) for result, confidence in zip(results, confidences, strict=True)
    ]
