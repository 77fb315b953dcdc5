"""Matters that labour and social-security statutes do not answer (``legal/data/matters.toml``)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field


class Matter(BaseModel):
    """One matter; the fields are explained at the top of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str = Field(min_length=1)
    about: str = Field(min_length=1)
    where: str


@cache
def matters() -> Mapping[str, Matter]:
    """Read and check the table; return its matters by key.

    Raises:
        ValueError: the file breaks its schema.
    """
    source = resources.files("legal.data").joinpath("matters.toml").read_text(encoding="utf-8")
    return {matter.key: matter for matter in map(Matter.model_validate, tomllib.loads(source)["matter"])}
