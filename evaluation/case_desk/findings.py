"""What measuring a profile has found: the curve of each graph with its worth, and what is decided with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from articulado.cases.confidence import Calibration, CaseGraph, Curve
from articulado.cases.matching import packaged_model
from articulado.retrieval.ranking.table import effective_strategy
from articulado.values.errors import InvalidInput
from articulado.values.protocols import SearchFilter
from evaluation.case_desk.calibration import BeforeAfter, CalibratedCase, before_and_after, fit
from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.decisions import Decisions, by_kind
from evaluation.case_desk.halves import half_of
from evaluation.case_desk.run import GRAPHS, TAKE_ANY, CaseResult, run_cases
from graph.services import Services, profile_estimator
from nodes.stage import default_options


@dataclass(frozen=True)
class Measured:
    """What was measured in a graph on the cases that no curve was fitted on: their confidence and what is decided.

    ``every`` are the results of all cases as they are served, and ``decisions_on_every`` what is decided on them; both
    are empty where nobody has asked for them.
    """

    confidence: BeforeAfter
    decisions: Decisions
    every: tuple[CaseResult, ...]
    decisions_on_every: Decisions


@dataclass(frozen=True)
class GraphReport:
    """The curve that a graph was measured with, the results that it was fitted on, if it was here, and its worth."""

    curve: Curve
    fitted_on: tuple[CaseResult, ...]
    measured: Measured


@dataclass(frozen=True)
class ProfileFindings:
    """The graphs of a profile. ``not_indexed`` are right articles that its index does not have."""

    profile: str
    embedder: str
    reranker: str
    cases: tuple[LabelledCase, ...]
    not_indexed: tuple[str, ...]
    reports: Mapping[CaseGraph, GraphReport]

    @property
    def calibration(self) -> Calibration:
        """What is stored with the profile."""
        curves = {graph: report.curve for graph, report in self.reports.items()}
        return Calibration(model=packaged_model().fingerprint, curves=curves)


async def measure_profile(
    services: Services,
    cases: Sequence[LabelledCase],
    *,
    fitted: bool = True,
    every: bool = False,
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
) -> ProfileFindings:
    """Run the cases of the services' profile, fit a curve for each graph on one half, and measure it on the other.

    Not ``fitted``, all cases are measured with the curve that the profile has. ``every`` asks for the decisions on all
    cases, too, those of the fitting half among them.

    Raises:
        InvalidInput: a case is of another profile or cannot be used, or no article was found for hardly any.
        ArticuladoError: the index, the calibration or a provider cannot be used.
    """
    matched = await run_cases(services, cases, dict.fromkeys(GRAPHS, TAKE_ANY), on_case)
    fitting = {case.id for case in half_of(cases, "fit")} if fitted else set()
    fitted_on = {graph: [result for result in matched[graph] if result.case.id in fitting] for graph in GRAPHS}
    curves = _fit(services, fitted_on) if fitted else {name: profile_estimator(services, name).curve for name in GRAPHS}
    measured = [case for case in cases if case.id not in fitting]
    served = await run_cases(services, cases if every else measured, curves, on_case)
    strategy = default_options(services.settings).rerank_strategy
    return ProfileFindings(
        profile=services.profile.name,
        embedder=services.embedder.fingerprint,
        reranker=effective_strategy(strategy, services.rerankers),
        cases=tuple(cases),
        not_indexed=await _not_indexed(services, cases),
        reports={
            graph: GraphReport(
                curve=curves[graph],
                fitted_on=tuple(fitted_on[graph]),
                measured=measure(
                    graph, _paired(measured, matched[graph], served[graph]), served[graph] if every else ()
                ),
            )
            for graph in GRAPHS
        },
    )


def measure(graph: CaseGraph, scored: Sequence[CalibratedCase], every: Sequence[CaseResult] = ()) -> Measured:
    """Measure a graph on some cases, and what is decided on all of them where ``every`` has them.

    Raises:
        ValueError: there are no cases.
    """
    return Measured(
        confidence=before_and_after(scored),
        decisions=by_kind(graph, [case.served for case in scored]),
        every=tuple(every),
        decisions_on_every=by_kind(graph, every),
    )


def pooled(findings: Sequence[ProfileFindings]) -> dict[CaseGraph, Measured]:
    """Measure the cases of several profiles together, each with the curve of its own profile."""
    by_graph = {graph: [profile.reports[graph].measured for profile in findings] for graph in GRAPHS}
    return {
        graph: measure(
            graph,
            [case for measured in of_profiles for case in measured.confidence.scored],
            [result for measured in of_profiles for result in measured.every],
        )
        for graph, of_profiles in by_graph.items()
    }


def _fit(services: Services, fitted_on: Mapping[CaseGraph, Sequence[CaseResult]]) -> dict[CaseGraph, Curve]:
    try:
        return {graph: fit(results) for graph, results in fitted_on.items()}
    except ValueError as error:
        raise InvalidInput(
            f"No se puede calibrar el perfil «{services.profile.name}»: su índice no tiene casi nada para estas "
            "consultas. Ingeste sus artículos, o indique otro en --index."
        ) from error


async def _not_indexed(services: Services, cases: Sequence[LabelledCase]) -> tuple[str, ...]:
    chunks = await services.store.select(services.profile.for_cases, SearchFilter())
    indexed = {chunk["law_id"] for chunk in chunks}
    return tuple(sorted({case.article for case in cases if case.answerable} - indexed))


def _paired(
    cases: Sequence[LabelledCase], matched: Sequence[CaseResult], served: Sequence[CaseResult]
) -> list[CalibratedCase]:
    matched_by_id = {result.case.id: result for result in matched}
    served_by_id = {result.case.id: result for result in served}
    return [CalibratedCase(matched_by_id[case.id], served_by_id[case.id]) for case in cases]
