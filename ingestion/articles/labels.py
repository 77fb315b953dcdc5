"""The words that stand beside an editor's own in the text of a chunk, by language (``labels.toml``)."""

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from state.articles import Concern, DataType, Decision

Word = Annotated[str, StringConstraints(min_length=1)]


class Labels(BaseModel):
    """One language. ``types`` are titles of chunks that have none; a type that is not here is its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    required: Word
    optional: Word
    why: Word
    warning: Word
    if_: Word = Field(alias="if")
    is_: Word = Field(alias="is")
    or_: Word = Field(alias="or")
    below: Word
    above: Word
    data_types: dict[DataType, Word]
    decisions: dict[Decision, Word]
    concerns: dict[Concern, Word]
    types: dict[str, Word]


@cache
def labels(language: str) -> Labels:
    """Return the words of a language: "es" or "en"."""
    written = resources.files("ingestion.articles").joinpath("labels.toml").read_text(encoding="utf-8")
    return Labels.model_validate(tomllib.loads(written)[language])
