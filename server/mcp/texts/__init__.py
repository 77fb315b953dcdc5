"""Descriptions of the MCP server and its tools, one data file per language."""

import tomllib
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from articulado.language.translation import DEFAULT_LANGUAGE


class Texts(BaseModel):
    """The texts of a language: of the server, of its tools by their names, of fields, and of stages by theirs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instructions: str
    titles: dict[str, str]
    descriptions: dict[str, str]
    arguments: dict[str, str]
    results: dict[str, str]
    stages: dict[str, str]


@cache
def texts_in(code: str) -> Texts:
    """Return the texts of a language (ISO 639-1); of one that has none, those of the default one."""
    file = resources.files(__name__) / f"{code}.toml"
    if not file.is_file():
        return texts_in(DEFAULT_LANGUAGE)
    return Texts.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
