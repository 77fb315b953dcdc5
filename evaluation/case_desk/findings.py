"""What calibrating a profile has found: a curve of each graph with its worth, and what its scores come from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.case_desk.calibration import BeforeAfter, CurveReport, before_and_after, calibrate
from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.run import GRAPHS, run_cases
from services.case.calibration import Calibration, CaseGraph
from services.container import Services
from services.protocols import SearchFilter
from services.rerank.table import effective_strategy
from state.errors import InvalidInput


@dataclass(frozen=True)
class ProfileFindings:
    """The curves of a profile. ``not_indexed`` are right articles that its index does not have."""

    profile: str
    embedder: str
    reranker: str
    cases: tuple[LabelledCase, ...]
    not_indexed: tuple[str, ...]
    reports: Mapping[CaseGraph, CurveReport]

    @property
    def calibration(self) -> Calibration:
        """What is stored with the profile."""
        curves = {graph: report.curve for graph, report in self.reports.items()}
        return Calibration(embedder=self.embedder, reranker=self.reranker, curves=curves)


async def calibrate_profile(
    services: Services,
    cases: Sequence[LabelledCase],
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
) -> ProfileFindings:
    """Run the inquiries of the services' profile, and fit and measure a curve for each graph.

    Raises:
        InvalidInput: an inquiry is of another profile or cannot be used, or nothing was found for hardly any.
        ArticuladoError: the index or a provider cannot be used.
    """
    profile, store = services.profile, services.store
    indexed = {chunk["law_id"] for chunk in await store.select(profile.for_cases, SearchFilter())}
    results = await run_cases(services, cases, on_case)
    strategy = services.settings.defaults().rerank_strategy
    try:
        reports = {graph: calibrate(results[graph]) for graph in GRAPHS}
    except ValueError as error:
        raise InvalidInput(
            f"No se puede calibrar el perfil «{profile.name}»: su índice no tiene casi nada para estas consultas. "
            "Ingeste sus artículos, o indique otro en --index."
        ) from error
    return ProfileFindings(
        profile=profile.name,
        embedder=services.embedder.fingerprint,
        reranker=effective_strategy(strategy, services.rerankers),
        cases=tuple(cases),
        not_indexed=tuple(sorted({case.article for case in cases if case.answerable} - indexed)),
        reports=reports,
    )


def pooled(findings: Sequence[ProfileFindings]) -> dict[CaseGraph, BeforeAfter]:
    """Measure the inquiries of several profiles together, each with the curve of its own profile."""
    return {
        graph: before_and_after([case for profile in findings for case in profile.reports[graph].measured.scored])
        for graph in GRAPHS
    }
