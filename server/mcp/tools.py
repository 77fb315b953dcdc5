"""Tools, resources and prompts of the MCP server, and the completion of arguments."""

import json
import tomllib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any, cast, get_type_hints

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from articulado.calculations.wordings import CALCULATIONS, ListedCalculation, calculation_of, listed
from articulado.calculations.written import Worked
from articulado.config.profile import Profile
from articulado.guides.cards import packaged_cards
from articulado.language.folding import fold
from articulado.language.translation import DEFAULT_LANGUAGE
from articulado.legal.laws.registry import known_laws
from articulado.legal.wordings import Certainty
from articulado.retrieval.references import ProvisionText
from articulado.values.answers import Message
from server.lookup.answers import AnswerDesk, Answered, DatedRequiredData, DatedResponse, OnStage
from server.lookup.law import LawDesk
from server.lookup.results import CitationCheck, Comparison, OnDay, References, SearchResult
from server.mcp import arguments


class Described(BaseModel):
    """Title and description of a resource."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    description: str


class PromptText(Described):
    """Prompt: its arguments, and its text; a line with a ``{field}`` without a value is left out."""

    arguments: dict[str, str]
    optional: tuple[str, ...] = ()
    text: str


class Texts(BaseModel):
    """Texts of a language: of the server, and by name of its tools, fields and stages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instructions: str
    titles: dict[str, str]
    descriptions: dict[str, str]
    arguments: dict[str, str]
    results: dict[str, str]
    stages: dict[str, str]
    resources: dict[str, Described]
    prompts: dict[str, PromptText]


@cache
def texts_in(code: str) -> Texts:
    """Return the texts of a language (ISO 639-1), or those of the default language."""
    file = resources.files("server").joinpath("mcp", "texts", f"{code}.toml")
    if not file.is_file():
        return texts_in(DEFAULT_LANGUAGE)
    return Texts.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


class ProvisionReading(ProvisionText, OnDay):
    """A provision in its wording of the day ``as_of``; ``in_force`` tells if it is law then."""

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
    """Services behind the tools."""

    law: LawDesk
    answers: AnswerDesk


@dataclass(frozen=True)
class Tool:
    """Tool: the model of its arguments, the type of its result, and the handler."""

    arguments: type[BaseModel]
    result: Any
    call: Callable[[Desks, Any, OnStage], Awaitable[Mapping[str, Any]]]

    @classmethod
    def of(cls, call: Callable[[Desks, Any, OnStage], Awaitable[Mapping[str, Any]]], profile: Profile) -> "Tool":
        """Return the tool of a handler, whose annotations name arguments and result."""
        types = get_type_hints(call)
        model = types["asked"]
        if issubclass(model, arguments.Case):
            model = arguments.of_profile(model, profile)
        return cls(model, types["return"], call)


async def ask(desks: Desks, asked: arguments.Ask, on_stage: OnStage) -> Answered:
    return await desks.answers.ask(
        asked.question,
        asked.context(),
        on_stage,
        history=[cast("Message", turn.model_dump()) for turn in asked.history],
        previous_chunk_ids=asked.previous_chunk_ids,
    )


async def search(desks: Desks, asked: arguments.Search, on_stage: OnStage) -> SearchResult:
    return await desks.law.search(asked.query, asked.limit, asked.context())


async def provision(desks: Desks, asked: arguments.Provision, on_stage: OnStage) -> ProvisionReading:
    on_day = await desks.law.provision(asked.law, asked.provision, asked.date)
    text = {name: on_day["provision"][name] for name in ProvisionText.__annotations__}  # type: ignore[literal-required]
    return {
        "as_of": on_day["as_of"],
        "index_day": on_day["index_day"],
        "certainty": on_day["certainty"],
        "in_force": on_day["in_force"],
        **text,  # type: ignore[typeddict-item]
    }


async def compare_wordings(desks: Desks, asked: arguments.CompareWordings, on_stage: OnStage) -> Comparison:
    return await desks.law.compare(asked.law, asked.provision, asked.before, asked.after)


async def check_citation(desks: Desks, asked: arguments.CheckCitation, on_stage: OnStage) -> CitationCheck:
    return await desks.law.check_citation(asked.citation, asked.claim, asked.date)


async def references(desks: Desks, asked: arguments.References, on_stage: OnStage) -> References:
    """Return the references of a provision, in one direction or both."""
    found = await desks.law.references(asked.law, asked.provision, asked.date)
    if asked.direction == "cites":
        found["cited_by"] = []
    elif asked.direction == "cited_by":
        found["cites"] = []
    return found


async def calculate(desks: Desks, asked: arguments.Calculate, on_stage: OnStage) -> Worked:
    return (await desks.law.calculate(asked.calculation, asked.inputs, asked.question)).document


async def calculations(desks: Desks, asked: arguments.Calculations, on_stage: OnStage) -> CalculationList:
    """List the calculations, or describe the inputs of one."""
    if asked.calculation:
        return {"calculations": [], "described": [listed(calculation_of(asked.calculation))]}
    titles: list[CalculationTitle] = [{"calculation": each.kind, "title": each.title} for each in CALCULATIONS.values()]
    return {"calculations": titles, "described": []}


async def case_required_data(desks: Desks, asked: arguments.Case, on_stage: OnStage) -> DatedRequiredData:
    return await desks.answers.required_data(asked.model_dump(exclude_none=True), on_stage)


async def case_respond(desks: Desks, asked: arguments.CaseAnswered, on_stage: OnStage) -> DatedResponse:
    return await desks.answers.respond(asked.model_dump(exclude_none=True), on_stage)


def tools_of(profile: Profile) -> dict[str, Tool]:
    """Return the tools of a profile by name, in the order in which they are listed."""
    calculating = (calculate, calculations) if profile.features.spanish_law else ()
    handlers = (ask, search, provision, compare_wordings, check_citation, references, *calculating)
    return {call.__name__: Tool.of(call, profile) for call in (*handlers, case_required_data, case_respond)}


SCHEME = "articulado://"
JSON = "application/json"
MAX_COMPLETIONS = 100


def add_resources(server: MCPServer[Any], desks: Desks, profile: Profile, texts: Texts) -> None:
    """Add the resources of a profile: provisions, and for Spanish law calculations and cards."""
    read = provision

    def described(name: str) -> dict[str, Any]:
        return {"name": name, "mime_type": JSON, **texts.resources[name].model_dump()}

    @server.resource(f"{SCHEME}provision/{{law}}/{{provision}}{{?date}}", **described("provision"))
    async def read_provision(law: str, provision: str, date: str = "") -> str:
        asked = arguments.Provision.model_validate({"law": law, "provision": provision, "date": date})
        return _written(await read(desks, asked, _ignore_stage))

    if not profile.features.spanish_law:
        return

    @server.resource(f"{SCHEME}calculation/{{+calculation}}{{?question}}", **described("calculation"))
    async def read_calculation(calculation: str, question: str = "") -> str:
        if not question:
            return _written(await calculations(desks, arguments.Calculations(calculation=calculation), _ignore_stage))
        asked = arguments.Calculate(calculation=calculation, question=question)
        return _written(await calculate(desks, asked, _ignore_stage))

    @server.resource(f"{SCHEME}calculations", **described("calculations"))
    async def list_calculations() -> str:
        listed = await calculations(desks, arguments.Calculations(), _ignore_stage)
        return _written(
            [{**each, "uri": _address("calculation", each["calculation"])} for each in listed["calculations"]]
        )

    @server.resource(f"{SCHEME}card/{{+card}}", **described("card"))
    async def read_card(card: str) -> str:
        return _written(await desks.law.card(card))

    @server.resource(f"{SCHEME}cards/{{topic}}", **described("cards_of_topic"))
    async def list_cards(topic: str) -> str:
        return _written([{**each, "uri": _address("card", each["card"])} for each in desks.law.cards(topic)])

    @server.resource(f"{SCHEME}cards", **described("cards"))
    async def list_topics() -> str:
        return _written([{"topic": topic, "uri": _address("cards", topic)} for topic in _topics()])


def add_prompts(server: MCPServer[Any], texts: Texts) -> None:
    """Add the prompts; each is one message of the user."""
    for name, prompt in texts.prompts.items():
        listed = [
            PromptArgument(name=field, description=described, required=field not in prompt.optional)
            for field, described in prompt.arguments.items()
        ]
        server.add_prompt(
            Prompt(
                name=name,
                title=prompt.title,
                description=prompt.description,
                arguments=listed,
                fn=_filled_in(prompt),
                context_kwarg=None,
            )
        )


def _filled_in(prompt: PromptText) -> Any:
    def fill_in(**given: str) -> str:
        values = {name: str(given.get(name) or "").strip() for name in prompt.arguments}
        missing = {f"{{{name}}}" for name, value in values.items() if not value}
        lines = [line for line in prompt.text.strip().split("\n") if not any(field in line for field in missing)]
        return "\n".join(lines).format_map(values)

    return fill_in


def add_completions(server: MCPServer[Any]) -> None:
    """Complete names of laws, calculations, cards and topics; values that begin with the given text come first."""

    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion:
        known = _KNOWN.get(argument.name)
        begun = fold(argument.value)
        found = sorted(
            (value for value in (known() if known else ()) if begun in fold(value)),
            key=lambda value: (not fold(value).startswith(begun), value),
        )
        return Completion(values=found[:MAX_COMPLETIONS], total=len(found), has_more=len(found) > MAX_COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]


def _laws() -> Iterable[str]:
    return (law.abbreviation or law.short for law in known_laws().values())


def _topics() -> Iterable[str]:
    return (topic for topic, _ in groupby(packaged_cards(), key=lambda card: card.partition("/")[0]))


_KNOWN: Mapping[str, Any] = {
    "law": _laws,
    "calculation": lambda: CALCULATIONS,
    "card": packaged_cards,
    "topic": _topics,
}


def _address(kind: str, name: str) -> str:
    return f"{SCHEME}{kind}/{name}"


def _written(result: Any) -> str:
    return json.dumps(result, ensure_ascii=False)


async def _ignore_stage(stage: str) -> None:
    """Ignore a stage of a run."""
