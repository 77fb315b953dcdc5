"""Run labelled cases through the two graphs, and see which article each is handled by, how surely, and what is decided.

No chat model is asked: what is written is put together from the articles, and what is decided follows from the match,
the data and the rules.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from articulado.cases.confidence import CaseGraph, ConfidenceEstimator, Curve
from articulado.cases.matching import packaged_model
from articulado.config.settings import ModelSettings
from articulado.values.errors import InvalidInput
from evaluation.case_desk.cases import LabelledCase
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
    model = packaged_model().fingerprint
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
