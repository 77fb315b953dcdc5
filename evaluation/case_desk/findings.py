"""Findings on a profile: calibration curve, confidence metrics and decision counts of each case graph.

``measure_profile`` fits a curve on one half of the cases and measures it on the other half.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from articulado.cases.matching import Calibration, CaseGraph, Curve
from articulado.retrieval.ranking.table import effective_strategy
from articulado.values.errors import InvalidInput
from articulado.values.protocols import SearchFilter
from evaluation.case_desk.cases import KINDS, Kind, LabelledCase, half_of
from evaluation.case_desk.run import (
    GRAPHS,
    TAKE_ANY,
    BeforeAfter,
    CalibratedCase,
    CaseResult,
    before_and_after,
    fit,
    run_cases,
)
from graph.services import Services, profile_estimator
from nodes.stage import default_options

GOES_ON = ("found", "can_proceed")
"""Verdicts that let a case go on."""


@dataclass(frozen=True)
class KindCounts:
    """What becomes of the cases of a class, in numbers of cases.

    ``right`` have the verdict that they should have; one that goes on must go on by the right article, and one of
    another article than its data are of must be told which. ``on`` go on; ``must_stop`` should not, and ``let_on``
    do all the same. ``fields`` counts the labelled data that are bad or missing, ``fields_named`` those that the
    result names.
    """

    cases: int
    right: int
    on: int
    must_stop: int
    let_on: int
    fields: int
    fields_named: int


Decisions = Mapping[Kind, KindCounts]


def by_kind(graph: CaseGraph, results: Sequence[CaseResult]) -> dict[Kind, KindCounts]:
    """Count by class, in the order of ``KINDS``, the cases that are labelled with a class and a verdict."""
    labelled = [result for result in results if label_of(graph, result)]
    of_kinds = {kind: [result for result in labelled if result.case.kind == kind] for kind in KINDS}
    return {kind: _counts(graph, of_kind) for kind, of_kind in of_kinds.items() if of_kind}


def total(decisions: Decisions) -> KindCounts:
    """Add the counts of all classes."""
    every = decisions.values()
    return KindCounts(
        cases=sum(counts.cases for counts in every),
        right=sum(counts.right for counts in every),
        on=sum(counts.on for counts in every),
        must_stop=sum(counts.must_stop for counts in every),
        let_on=sum(counts.let_on for counts in every),
        fields=sum(counts.fields for counts in every),
        fields_named=sum(counts.fields_named for counts in every),
    )


def label_of(graph: CaseGraph, result: CaseResult) -> str:
    """Return the verdict that is right in a step; empty where the case is labelled with none."""
    return (result.case.outcome if graph == "required_data" else result.case.decision) or ""


def is_right(graph: CaseGraph, result: CaseResult) -> bool:
    """Whether a case has the verdict of its label, and its article where the verdict rests on one."""
    label = label_of(graph, result)
    rests_on_article = label in GOES_ON or result.case.kind == "other_article"
    return result.verdict == label and (not rests_on_article or result.article == result.case.article)


def _counts(graph: CaseGraph, results: Sequence[CaseResult]) -> KindCounts:
    stopping = [result for result in results if label_of(graph, result) not in GOES_ON]
    # The first step is sent no data: there is nothing bad in it.
    with_data = results if graph == "generate_response" else []
    return KindCounts(
        cases=len(results),
        right=sum(is_right(graph, result) for result in results),
        on=sum(result.verdict in GOES_ON for result in results),
        must_stop=len(stopping),
        let_on=sum(result.verdict in GOES_ON for result in stopping),
        fields=sum(len(result.case.fields) for result in with_data),
        fields_named=sum(len(set(result.case.fields) & set(result.bad)) for result in with_data),
    )


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
    """The graphs of a profile. ``not_indexed`` are right articles that its index does not have.

    ``model`` is the fingerprint of the weights of matching that were at work.
    """

    profile: str
    model: str
    embedder: str
    reranker: str
    cases: tuple[LabelledCase, ...]
    not_indexed: tuple[str, ...]
    reports: Mapping[CaseGraph, GraphReport]

    @property
    def calibration(self) -> Calibration:
        """What is stored with the profile."""
        curves = {graph: report.curve for graph, report in self.reports.items()}
        return Calibration(model=self.model, curves=curves)


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
        model=services.matcher.model.fingerprint,
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
