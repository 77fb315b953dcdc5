"""Services of the case graphs: those of the answering graph, and these."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self

from articulado.cases.author import CaseAuthor, case_author
from articulado.cases.confidence import CaseGraph, ConfidenceEstimator, read_calibration
from articulado.cases.matching import packaged_model
from articulado.config.sections import Caps
from articulado.retrieval.search import HybridSearch
from services.container import Services


@dataclass(frozen=True, kw_only=True)
class CaseServices(Services):
    """The services of one case graph; the search is in the collections of cases."""

    estimator: ConfidenceEstimator

    @classmethod
    def over(cls, services: Services, estimator: ConfidenceEstimator) -> Self:
        """Return services with the estimator of a graph."""
        return cls(**{field.name: getattr(services, field.name) for field in fields(Services)}, estimator=estimator)

    @property
    def graph(self) -> CaseGraph:
        """The name of the graph that the services are for."""
        return self.estimator.graph

    @cached_property
    def author(self) -> CaseAuthor:
        """The author of required data and responses."""
        return case_author(self.settings, self.principal, self.profile)

    @cached_property
    def search(self) -> HybridSearch:
        """The search in the collections of cases."""
        return self.search_in(self.profile.for_cases)

    @property
    def caps(self) -> Caps:
        """The caps of the profile, with the number of chunks that the graph ranks."""
        case = self.profile.case
        chunks = case.required_data.chunks if self.graph == "required_data" else case.response.chunks
        return self.profile.search.caps.model_copy(update={"overall": chunks})


def profile_estimator(services: Services, graph: CaseGraph) -> ConfidenceEstimator:
    """Return the estimator of a graph's confidence by the calibration that is stored with the profile.

    Raises:
        ConfigurationError: the calibration cannot be read.
    """
    model = packaged_model()
    return ConfidenceEstimator(graph, model.fingerprint, read_calibration(services.profile.own_folder), model.curve)
