"""Argument models of the MCP tools, tolerant of the types in which chat models write values."""

import json
import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model, model_validator
from pydantic_core import PydanticCustomError

from articulado.config.profile import Profile
from articulado.config.sections import FilterField
from articulado.language.formats import parse_day
from articulado.values.chunks import MAX_CHUNK_ID
from nodes.validation import MAX_CARRIED
from server.guards import MAX_HISTORY
from server.v1.requests import MAX_QUESTION, Question
from state.context import RunContext

MAX_HITS = 50
Direction = Literal["both", "cites", "cited_by"]


_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}.*", re.ASCII)
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)


def _as_json(value: object) -> object:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value  # What is wrong with it, its own type says.
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


def _as_names(value: object) -> object:
    read = _as_json(value)
    return [name.strip() for name in read.split(",")] if isinstance(read, str) else read


def _as_day(value: object) -> object:
    if isinstance(value, date):
        return value
    written = str(value).strip()
    if match := _TIME.fullmatch(written):
        written = match[1]
    elif match := _DIGITS.fullmatch(written):
        written = "-".join(match.groups())
    if (day := parse_day(written)) is None:
        raise PydanticCustomError("date_parsing", "a day is written as AAAA-MM-DD")
    return day


FromText = BeforeValidator(_as_json)
Names = Annotated[list[str], Field(max_length=50), BeforeValidator(_as_names)]
Day = Annotated[date, BeforeValidator(_as_day, json_schema_input_type=date)]
LawName = Annotated[str, Field(min_length=1, max_length=300)]
Label = Annotated[str, Field(min_length=1, max_length=100)]
Place = Annotated[str, Field(max_length=100)]
Kind = Annotated[str, Field(max_length=100)]


class Arguments(BaseModel):
    """Arguments of a tool; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _as_models_write(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        given = {name: value for name, value in sent.items() if value not in (None, "") or cls._needs(name)}
        return {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in given.items()
        }

    @classmethod
    def _needs(cls, name: str) -> bool:
        return name not in cls.model_fields or cls.model_fields[name].is_required()


class Turn(Arguments):
    """Message of the conversation before a question."""

    role: Literal["user", "assistant"]
    content: str


class Search(Arguments):
    """Words or a question to search for."""

    query: Question
    limit: Annotated[int, Field(ge=1, le=MAX_HITS)] = 10
    date: Day | None = None
    territory: Place | None = None
    collections: Names | None = None

    def context(self) -> RunContext:
        return RunContext(as_of=self.date, territory=self.territory, collections=self.collections)


class Ask(Arguments):
    """Question; a follow-up brings the conversation before it and the chunks of the last answer."""

    question: Question
    date: Day | None = None
    territory: Place | None = None
    collections: Names | None = None
    history: Annotated[list[Turn], Field(max_length=MAX_HISTORY), FromText] = []
    previous_chunk_ids: Annotated[
        list[Annotated[int, Field(ge=0, le=MAX_CHUNK_ID)]], Field(max_length=MAX_CARRIED), FromText
    ] = []

    def context(self) -> RunContext:
        return RunContext(as_of=self.date, territory=self.territory, collections=self.collections)


class Provision(Arguments):
    """Provision of a law, on a day."""

    law: LawName
    provision: Label
    date: Day | None = None


class References(Provision):
    """Provision, and the direction of its references."""

    direction: Direction = "both"


class CompareWordings(Arguments):
    """Provision on two days."""

    law: LawName
    provision: Label
    before: Day
    after: Day


class CheckCitation(Arguments):
    """Citation, and a claim about it."""

    citation: Annotated[str, Field(min_length=1, max_length=500)]
    claim: Annotated[str, Field(max_length=4_000)] = ""
    date: Day | None = None


class Calculate(Arguments):
    """Calculation with its inputs, or a question that contains both."""

    calculation: Kind = ""
    inputs: Annotated[dict[str, Any], Field(max_length=100), FromText] = {}
    question: Annotated[str, Field(max_length=MAX_QUESTION)] = ""


class Calculations(Arguments):
    """List of calculations, or the inputs of one."""

    calculation: Kind = ""


class Case(Arguments):
    """Case; ``of_profile`` adds the filter fields of the profile as arguments."""

    inquiry: Question


class CaseAnswered(Case):
    """Case to be answered, with the collected data."""

    collected_data: Annotated[dict[str, Any], Field(max_length=500), FromText] = {}
    max_tokens: Annotated[int, Field(ge=200, le=200_000)] | None = None


def of_profile(arguments: type[Case], profile: Profile) -> type[Case]:
    fields: dict[str, Any] = {field.name: (_filter(field), None) for field in profile.filter_fields}
    return create_model(arguments.__name__, __base__=arguments, **fields)


def _filter(field: FilterField) -> Any:
    """Return the type of a filter field: the schema lists its values; other names of them are accepted, too."""
    schema: dict[str, Any] = {"type": "string"}
    if field.values:
        schema["enum"] = list(field.values)
    return Annotated[str, Field(max_length=200), WithJsonSchema(schema)] | None
