"""The structured items of an article's chunks, as an editor writes them (``state.articles``)."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from state.articles import Concern, DataType, Decision, Group

Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Snake = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


def _compiles(written: str) -> str:
    try:
        re.compile(written, re.IGNORECASE)
    except re.error as error:
        raise PydanticCustomError(
            "pattern", "«{written}» no es una expresión regular: {why}", {"written": written, "why": str(error)}
        ) from error
    return written


Pattern = Annotated[str, StringConstraints(min_length=1), AfterValidator(_compiles)]


class Part(BaseModel):
    """What every part of an article has in common: no unknown keys, and nothing is taken for what it is not."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Datum(Part):
    """A datum that the case needs; ``aliases`` are other names under which callers send it."""

    field: Snake
    group: Group
    description: Said
    why_needed: Said
    data_type: DataType
    required: bool
    aliases: list[Said] = []


class When(Part):
    """What a rule asks of one datum: exactly one of the three."""

    field: Snake
    one_of: list[Said] | None = Field(None, min_length=1)
    below: float | None = Field(None, allow_inf_nan=False)
    above: float | None = Field(None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _asks_one_thing(self) -> "When":
        if [self.one_of, self.below, self.above].count(None) != 2:
            raise PydanticCustomError("when", "debe llevar una, y solo una, de las claves one_of, below y above")
        return self


class Rule(Part):
    """The decision where a condition holds."""

    when: When
    decision: Decision
    because: Said


class FramePart(Part):
    """A sentence that an answer is built from."""

    topic: Said
    text: Said


class GuardPart(Part):
    """What no answer may say, and the regular expressions that find it."""

    id: Slug
    rule: Said
    violated_by: list[Pattern] = Field(min_length=1)


class WarningPart(Part):
    """A warning that belongs to what a chunk says."""

    about: Concern
    text: Said


class IssuePart(Part):
    """Something that often goes wrong, and what to do."""

    issue: Said
    answer: Said


class FaqPart(Part):
    """A frequent question."""

    question: Said
    answer: Said
