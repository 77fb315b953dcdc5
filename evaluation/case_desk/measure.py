"""Measure both case graphs on labelled cases: decisions by class, and how well the confidence is calibrated.

``run_cases`` runs every case without a chat model. ``measure`` counts what is decided and compares confidence with
outcome. ``fit`` fits the curve of a graph to the results (``articulado.cases.confidence``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from articulado.cases.confidence import MIN_CONFIDENCE, CaseGraph, Curve, fit_curve
from articulado.config.settings import ModelSettings
from articulado.values.errors import InvalidInput
from evaluation.case_desk.cases import KINDS, Kind, LabelledCase
from evaluation.statistics import Prediction, brier, reliability
from graph.case import Case, build_generate_response, build_required_data
from graph.services import Services

GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")
GOES_ON = ("found", "can_proceed")
"""Verdicts that let a case go on."""

_STATE = ["article_id", "log_odds", "confidence", "outcome", "decision", "metadata"]
_BAD = ("missing_data", "unreadable_data", "conflicting_data")


@dataclass(frozen=True)
class CaseResult:
    """The result of one graph for a case.

    ``article`` is the one that the case is handled by, empty if none does. ``confidence`` is in [0, 1], ``log_odds`` is
    what it was calibrated from. ``verdict`` is the outcome or the decision, ``bad`` are the names of data that are
    missing, no value or contradictory.
    """

    case: LabelledCase
    article: str
    confidence: float
    log_odds: float
    verdict: str
    bad: tuple[str, ...] = ()

    @property
    def is_match(self) -> bool:
        """True if the case has an article and was given that one."""
        return self.case.answerable and self.article == self.case.article


async def run_cases(
    services: Services,
    cases: Sequence[LabelledCase],
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
    curves: Mapping[CaseGraph, Curve] | None = None,
) -> dict[CaseGraph, list[CaseResult]]:
    """Run every case through both graphs of the services' profile, in their order, each on its day.

    ``on_case`` is told how many of a graph are done. ``curves`` take the place of those of the profile.

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
            by_day[case.today] = _graphs(replace(services, settings=settings, reader_model=None), case.today, curves)
        for name, graph in by_day[case.today].items():
            results[name].append(await _run(graph, name, case))
            on_case(name, len(results[name]))
    return results


def _graphs(
    services: Services, today: date | None, curves: Mapping[CaseGraph, Curve] | None
) -> Mapping[CaseGraph, Case]:
    on_day = services if today is None else replace(services, calendar=lambda: today)
    estimators = {graph: services.matcher.model.estimator(graph, services.profile) for graph in GRAPHS}
    if curves:
        estimators = {
            graph: replace(estimators[graph], calibration=None, packaged=curve) for graph, curve in curves.items()
        }
    return {
        "required_data": build_required_data(on_day, estimator=estimators["required_data"]),
        "generate_response": build_generate_response(on_day, estimator=estimators["generate_response"]),
    }


async def _run(graph: Case, name: CaseGraph, case: LabelledCase) -> CaseResult:
    asked: dict[str, Any] = {"inquiry": case.inquiry, **case.filters}
    if name == "generate_response" and case.collected:
        asked["collected_data"] = case.collected
    try:
        state = await graph.ainvoke(asked, output_keys=_STATE)
    except InvalidInput as error:
        raise InvalidInput(f"La consulta «{case.id}» no se puede usar. {error}") from error
    return CaseResult(
        case=case,
        article=state["article_id"],
        confidence=state["confidence"],
        log_odds=state["log_odds"],
        verdict=state["outcome" if name == "required_data" else "decision"],
        bad=tuple(dict.fromkeys(field for key in _BAD for field in state["metadata"][key])),
    )


def fit(results: Sequence[CaseResult]) -> Curve:
    """Fit the curve of a graph to the results that have an article.

    Raises:
        ValueError: there are none.
    """
    usable = [result for result in results if result.article and result.case.kind != "wrong_keeper"]
    return fit_curve([result.log_odds for result in usable], [result.is_match for result in usable])


@dataclass(frozen=True)
class KindCounts:
    """Counts of the cases of a class.

    ``right`` have the verdict of their label; one that goes on must go on by the right article, and one of another
    article than its data are of must be told which. ``on`` go on; ``wrongly_on`` go on and should not, or by another
    article. ``fields`` counts the labelled data that are bad or missing, ``fields_named`` those that the result names.
    """

    cases: int
    right: int
    on: int
    wrongly_on: int
    fields: int
    fields_named: int


@dataclass(frozen=True)
class Measured:
    """Measures of one graph on some cases: counts by class and in all, and its calibration.

    ``ece`` and ``brier`` are in [0, 1]; ``accepted`` is the share of the cases with an article that reach a confidence
    of 0.70, ``precision`` the share of right ones among all that reach it (``None`` if none does).
    """

    kinds: Mapping[Kind, KindCounts]
    total: KindCounts
    ece: float
    brier: float
    accepted: float
    precision: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the values by name."""
        return asdict(self)


def measure(graph: CaseGraph, results: Sequence[CaseResult]) -> Measured:
    """Measure one graph on results; cases without a label of this step are left out of the counts.

    Raises:
        ValueError: there are no results.
    """
    predictions = [Prediction(result.confidence, float(result.is_match)) for result in results]
    sure = [result for result in results if result.confidence >= MIN_CONFIDENCE]
    answerable = [result for result in results if result.case.answerable]
    labelled = [result for result in results if label_of(graph, result)]
    of_kinds = {kind: [result for result in labelled if result.case.kind == kind] for kind in KINDS}
    return Measured(
        kinds={kind: _counts(graph, of_kind) for kind, of_kind in of_kinds.items() if of_kind},
        total=_counts(graph, labelled),
        ece=reliability(predictions).ece,
        brier=brier(predictions),
        accepted=sum(result.is_match for result in sure) / len(answerable) if answerable else 0.0,
        precision=sum(result.is_match for result in sure) / len(sure) if sure else None,
    )


def label_of(graph: CaseGraph, result: CaseResult) -> str:
    """Return the verdict that is right in a step; empty if the case is labelled with none."""
    return (result.case.outcome if graph == "required_data" else result.case.decision) or ""


def is_right(graph: CaseGraph, result: CaseResult) -> bool:
    """Tell whether a case has the verdict of its label, and its article if the verdict rests on one."""
    label = label_of(graph, result)
    rests_on_article = label in GOES_ON or (result.case.kind == "other_article" and bool(result.case.article))
    return result.verdict == label and (not rests_on_article or result.article == result.case.article)


def _counts(graph: CaseGraph, results: Sequence[CaseResult]) -> KindCounts:
    on = [result for result in results if result.verdict in GOES_ON]
    # The first step is sent no data: there is nothing bad in it.
    with_data = results if graph == "generate_response" else []
    return KindCounts(
        cases=len(results),
        right=sum(is_right(graph, result) for result in results),
        on=len(on),
        wrongly_on=sum(not is_right(graph, result) for result in on),
        fields=sum(len(result.case.fields) for result in with_data),
        fields_named=sum(len(set(result.case.fields) & set(result.bad)) for result in with_data),
    )
