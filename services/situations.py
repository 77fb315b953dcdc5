"""Situations: what people ask, and all the provisions that answer it together (schema in ``corpus/README.md``)."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from services.corpus import Ref, Text, read_records


class Situation(BaseModel):
    """A question, and the provisions that a labour lawyer would open to answer it, the most direct first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Text
    provisions: Annotated[tuple[Ref, ...], Field(min_length=1, max_length=6)]


@cache
def load_situations() -> tuple[Situation, ...]:
    """Read and check the situations of the package.

    Raises:
        ConfigurationError: a line breaks the schema; the message names file, line and field.
    """
    return read_situations(resources.files("corpus"))


def read_situations(corpus: Traversable) -> tuple[Situation, ...]:
    """Read and check the folder ``situaciones`` of a corpus; raise what ``load_situations`` raises."""
    return tuple(read_records(corpus.joinpath("situaciones"), Situation))
