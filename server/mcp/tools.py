"""Tools of the MCP server: arguments, result type and handler of each."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from typing_extensions import TypedDict

from articulado.calculations.wordings import CALCULATIONS, ListedCalculation, calculation_of, listed
from articulado.calculations.written import Worked
from articulado.config.profile import Profile
from articulado.legal.wordings import Certainty
from articulado.retrieval.references import ProvisionText
from graph.open_graphs import OpenGraphs
from server.lookup.answers import AnswerDesk, Answered, DatedRequiredData, DatedResponse, Heard
from server.lookup.law import LawDesk
from server.lookup.results import CitationCheck, Comparison, References, SearchResult
from server.mcp import arguments


class ProvisionReading(ProvisionText):
    """A provision in its wording of the day ``as_of``; ``in_force`` tells whether it is law then."""

    as_of: str
    index_day: str | None
    certainty: Certainty
    in_force: bool | None


class CalculationTitle(TypedDict):
    """A calculation in the list of all."""

    calculation: str
    title: str


class CalculationList(TypedDict):
    """All calculations, or one with its inputs."""

    calculations: list[CalculationTitle]
    described: list[ListedCalculation]


@dataclass(frozen=True)
class Desks:
    """What the tools ask."""

    law: LawDesk
    answers: AnswerDesk

    @classmethod
    def over(cls, opened: OpenGraphs) -> "Desks":
        """Return the desks over the graphs of a process."""
        return cls(LawDesk(opened), AnswerDesk(opened))


@dataclass(frozen=True)
class Tool:
    """A tool by its ``name``: the model of its arguments, the type of its result, and the call.

    The call is given the desks, the arguments, and who hears of the stages of a run.
    """

    name: str
    arguments: type[BaseModel]
    result: Any
    call: Callable[[Desks, Any, Heard], Awaitable[Mapping[str, Any]]]


async def ask(desks: Desks, asked: arguments.Ask, heard: Heard) -> Answered:
    """Answer a question."""
    return await desks.answers.ask(
        asked.question,
        asked.context(),
        heard,
        history=asked.messages(),
        previous_chunk_ids=asked.previous_chunk_ids,
    )


async def search(desks: Desks, asked: arguments.Search, heard: Heard) -> SearchResult:
    """Search for provisions."""
    return await desks.law.search(asked.query, asked.limit, asked.context())


async def provision(desks: Desks, asked: arguments.Provision, heard: Heard) -> ProvisionReading:
    """Read a provision in its wording of a day; ``references`` has its links."""
    on_day = await desks.law.provision(asked.law, asked.provision, asked.date)
    text = {name: on_day["provision"][name] for name in ProvisionText.__annotations__}  # type: ignore[literal-required]
    return {
        "as_of": on_day["as_of"],
        "index_day": on_day["index_day"],
        "certainty": on_day["certainty"],
        "in_force": on_day["in_force"],
        **text,  # type: ignore[typeddict-item]
    }


async def compare_wordings(desks: Desks, asked: arguments.CompareWordings, heard: Heard) -> Comparison:
    """Compare the wordings of two days."""
    return await desks.law.compare(asked.law, asked.provision, asked.before, asked.after)


async def check_citation(desks: Desks, asked: arguments.CheckCitation, heard: Heard) -> CitationCheck:
    """Check a citation."""
    return await desks.law.check_citation(asked.citation, asked.claim, asked.date)


async def references(desks: Desks, asked: arguments.References, heard: Heard) -> References:
    """List what a provision refers to and what refers to it."""
    found = await desks.law.references(asked.law, asked.provision, asked.date)
    if asked.direction == "cites":
        found["cited_by"] = []
    elif asked.direction == "cited_by":
        found["cites"] = []
    return found


async def calculate(desks: Desks, asked: arguments.Calculate, heard: Heard) -> Worked:
    """Work out an amount or a last day."""
    return (await desks.law.calculate(asked.calculation, asked.inputs, asked.question)).document


async def calculations(desks: Desks, asked: arguments.Calculations, heard: Heard) -> CalculationList:
    """List the calculations, or describe the inputs of one."""
    if asked.calculation:
        return {"calculations": [], "described": [listed(calculation_of(asked.calculation))]}
    titles: list[CalculationTitle] = [{"calculation": each.kind, "title": each.title} for each in CALCULATIONS.values()]
    return {"calculations": titles, "described": []}


async def case_required_data(desks: Desks, asked: arguments.Case, heard: Heard) -> DatedRequiredData:
    """Say which data a case needs."""
    return await desks.answers.required_data(asked.sent(), heard)


async def case_respond(desks: Desks, asked: arguments.CaseAnswered, heard: Heard) -> DatedResponse:
    """Answer a case."""
    return await desks.answers.respond(asked.sent(), heard)


def tools_of(profile: Profile) -> dict[str, Tool]:
    """Return the tools of a profile by their names, in the order in which they are listed."""
    calculating = (
        Tool("calculate", arguments.Calculate, Worked, calculate),
        Tool("calculations", arguments.Calculations, CalculationList, calculations),
    )
    tools = (
        Tool("ask", arguments.Ask, Answered, ask),
        Tool("search", arguments.Search, SearchResult, search),
        Tool("provision", arguments.Provision, ProvisionReading, provision),
        Tool("compare_wordings", arguments.CompareWordings, Comparison, compare_wordings),
        Tool("check_citation", arguments.CheckCitation, CitationCheck, check_citation),
        Tool("references", arguments.References, References, references),
        *(calculating if profile.features.spanish_law else ()),
        Tool(
            "case_required_data",
            arguments.of_profile(arguments.Case, profile),
            DatedRequiredData,
            case_required_data,
        ),
        Tool("case_respond", arguments.of_profile(arguments.CaseAnswered, profile), DatedResponse, case_respond),
    )
    return {tool.name: tool for tool in tools}
