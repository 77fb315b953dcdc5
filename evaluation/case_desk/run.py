"""Run labelled inquiries through the case graphs, and see which article each is handled by, and how surely.

What is measured is what the search found: the graphs stop before their author writes, so that no chat model is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.case_desk.cases import LabelledCase
from graph.case import Case, build_generate_response, build_required_data
from services.case.calibration import CaseGraph
from services.container import Services
from state.errors import InvalidInput

GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")

_AUTHORS = {"required_data": "extract_fields", "generate_response": "write_response"}
_SEEN = ["article_id", "raw_confidence"]


@dataclass(frozen=True)
class Tried:
    """An inquiry that was run: the article that it would be handled by, empty without one, and the raw confidence."""

    case: LabelledCase
    article: str
    raw: float

    @property
    def right(self) -> bool:
        """Whether it has an article and was given that one: what no article answers is never right."""
        return self.case.answerable and self.article == self.case.article


async def run_cases(
    services: Services, cases: Sequence[LabelledCase], tell: Callable[[CaseGraph, int], None] = lambda graph, done: None
) -> dict[CaseGraph, list[Tried]]:
    """Run every inquiry through both graphs of the services' profile, in their order, without any collected data.

    ``tell`` hears how many of a graph are done. The confidence is the one before calibration, whatever calibration the
    profile has.

    Raises:
        InvalidInput: an inquiry is of another profile, or one cannot be used.
        ArticuladoError: the index or a provider cannot be used.
    """
    if strange := [case.id for case in cases if case.profile != services.profile.name]:
        raise InvalidInput(f"La consulta «{strange[0]}» no es del perfil «{services.profile.name}».")
    graphs: Mapping[CaseGraph, Case] = {
        "required_data": build_required_data(services),
        "generate_response": build_generate_response(services),
    }
    found: dict[CaseGraph, list[Tried]] = {name: [] for name in GRAPHS}
    for name, graph in graphs.items():
        for case in cases:
            found[name].append(await _try(graph, case, _AUTHORS[name]))
            tell(name, len(found[name]))
    return found


async def _try(graph: Case, case: LabelledCase, author: str) -> Tried:
    try:
        seen = await graph.ainvoke(
            {"inquiry": case.inquiry, **case.filters}, output_keys=_SEEN, interrupt_before=[author]
        )
    except InvalidInput as error:
        raise InvalidInput(f"La consulta «{case.id}» no se puede usar. {error}") from error
    return Tried(case, seen.get("article_id", ""), seen["raw_confidence"])
