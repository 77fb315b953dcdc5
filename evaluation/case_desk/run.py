"""Run of labelled cases through the two case graphs, curve fit and confidence metrics.

No chat model is called: the text is assembled from the articles, and the decision follows from match, data
and rules. Confidences are in [0, 1].
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from articulado.cases.matching import MIN_CONFIDENCE, CaseGraph, ConfidenceEstimator, Curve, fit_curve
from articulado.config.settings import ModelSettings
from articulado.values.errors import InvalidInput
from evaluation.case_desk.cases import LabelledCase
from evaluation.statistics import (
    SEED,
    Interval,
    Paired,
    Prediction,
    Reliability,
    brier,
    compare,
    interval_of,
    reliability,
    squared_errors,
)
from graph.case import Case, build_generate_response, build_required_data
from graph.services import Services

GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")
Curves = Mapping[CaseGraph, Curve]

TAKE_ANY = Curve(slope=0.0, intercept=20.0, cases=1)
"""With it every article that the filter lets through is in scope: what a case would be handled by, however surely."""

_STATE = [
    "article_id",
    "log_odds",
    "confidence",
    "raw_confidence",
    "outcome",
    "decision",
    "message",
    "metadata",
    "failure",
]
_BAD = ("missing_data", "unreadable_data", "conflicting_data")


@dataclass(frozen=True)
class CaseResult:
    """What one graph makes of a case.

    ``article`` is the one that the case is handled by, empty without one. ``raw`` is the confidence of what was found
    and ``confidence`` the one that is shown, both in [0, 1]; ``log_odds`` is how well the inquiry matches the article,
    before calibration. ``verdict`` is the outcome or the decision, ``bad`` are the names of data that are missing, no
    value or contradictory. ``names_other``: the inquiry was found to name another value than its filter has.
    """

    case: LabelledCase
    article: str
    raw: float
    confidence: float = 0.0
    log_odds: float = 0.0
    verdict: str = ""
    bad: tuple[str, ...] = ()
    names_other: bool = False

    @property
    def right(self) -> bool:
        """Whether it has an article and was given that one: what no article answers is never right."""
        return self.case.answerable and self.article == self.case.article


async def run_cases(
    services: Services,
    cases: Sequence[LabelledCase],
    curves: Curves,
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
) -> dict[CaseGraph, list[CaseResult]]:
    """Run every case through both graphs of the services' profile, in their order, each on its day.

    ``curves`` give the confidence, whatever is stored with the profile. ``on_case`` is told how many of a graph are
    done.

    Raises:
        InvalidInput: a case is of another profile, or one cannot be used.
        ArticuladoError: the index or a provider cannot be used.
    """
    if of_others := [case.id for case in cases if case.profile != services.profile.name]:
        raise InvalidInput(f"La consulta «{of_others[0]}» no es del perfil «{services.profile.name}».")
    settings = services.settings.model_copy(update={"principal": ModelSettings(provider="offline")})
    by_day: dict[date | None, Mapping[CaseGraph, Case]] = {}
    results: dict[CaseGraph, list[CaseResult]] = {name: [] for name in GRAPHS}
    for case in cases:
        if case.today not in by_day:
            by_day[case.today] = _graphs(replace(services, settings=settings), case.today, curves)
        for name, graph in by_day[case.today].items():
            results[name].append(await _try(graph, name, case))
            on_case(name, len(results[name]))
    return results


def _graphs(services: Services, today: date | None, curves: Curves) -> Mapping[CaseGraph, Case]:
    on_day = services if today is None else replace(services, calendar=lambda: today)
    model = services.matcher.model.fingerprint
    estimators = {name: ConfidenceEstimator(name, model, None, curve) for name, curve in curves.items()}
    return {
        "required_data": build_required_data(on_day, estimator=estimators["required_data"]),
        "generate_response": build_generate_response(on_day, estimator=estimators["generate_response"]),
    }


async def _try(graph: Case, name: CaseGraph, case: LabelledCase) -> CaseResult:
    asked: dict[str, Any] = {"inquiry": case.inquiry, **case.filters}
    if name == "generate_response" and case.collected:
        asked["collected_data"] = case.collected
    try:
        state = await graph.ainvoke(asked, output_keys=_STATE)
    except InvalidInput as error:
        raise InvalidInput(f"La consulta «{case.id}» no se puede usar. {error}") from error
    failure = state["failure"]
    return CaseResult(
        case=case,
        article=state["article_id"],
        raw=state["raw_confidence"],
        confidence=state["confidence"],
        log_odds=state["log_odds"],
        verdict=state["outcome" if name == "required_data" else "decision"],
        bad=tuple(dict.fromkeys(field for key in _BAD for field in state["metadata"][key])),
        names_other=bool(failure) and failure["error"] == "OtherValue",
    )


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
    from sklearn.metrics import roc_auc_score

    confidences, outcomes = zip(*predictions, strict=True)
    return float(roc_auc_score(outcomes, confidences)) if len(set(outcomes)) > 1 else None
