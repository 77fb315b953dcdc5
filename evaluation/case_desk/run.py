"""Run labelled inquiries through the case graphs, and see which article each is handled by, and how surely.

What is measured is what the search found: the graphs stop before the node that writes, so that no chat model is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.case_desk.cases import LabelledCase
from graph.case import Case, build_generate_response, build_required_data
from services.case.calibration import CaseGraph
from services.container import Services
from state.errors import InvalidInput

GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")

_WRITING_NODES = {"required_data": "extract_fields", "generate_response": "write_response"}
_STATE = ["article_id", "raw_confidence"]


@dataclass(frozen=True)
class CaseResult:
    """The article that an inquiry would be handled by, empty without one, and the raw confidence in [0, 1]."""

    case: LabelledCase
    article: str
    raw: float

    @property
    def right(self) -> bool:
        """Whether it has an article and was given that one: what no article answers is never right."""
        return self.case.answerable and self.article == self.case.article


async def run_cases(
    services: Services,
    cases: Sequence[LabelledCase],
    on_case: Callable[[CaseGraph, int], None] = lambda graph, done: None,
) -> dict[CaseGraph, list[CaseResult]]:
    """Run every inquiry through both graphs of the services' profile, in their order, without any collected data.

    ``on_case`` is told how many of a graph are done. The confidence is the one before calibration, whatever
    calibration the profile has.

    Raises:
        InvalidInput: an inquiry is of another profile, or one cannot be used.
        ArticuladoError: the index or a provider cannot be used.
    """
    if of_others := [case.id for case in cases if case.profile != services.profile.name]:
        raise InvalidInput(f"La consulta «{of_others[0]}» no es del perfil «{services.profile.name}».")
    graphs: Mapping[CaseGraph, Case] = {
        "required_data": build_required_data(services),
        "generate_response": build_generate_response(services),
    }
    results: dict[CaseGraph, list[CaseResult]] = {name: [] for name in GRAPHS}
    for name, graph in graphs.items():
        for case in cases:
            results[name].append(await _try(graph, case, _WRITING_NODES[name]))
            on_case(name, len(results[name]))
    return results


async def _try(graph: Case, case: LabelledCase, writing_node: str) -> CaseResult:
    try:
        state = await graph.ainvoke(
            {"inquiry": case.inquiry, **case.filters}, output_keys=_STATE, interrupt_before=[writing_node]
        )
    except InvalidInput as error:
        raise InvalidInput(f"La consulta «{case.id}» no se puede usar. {error}") from error
    return CaseResult(case, state.get("article_id", ""), state["raw_confidence"])
