"""TOML tables of Spanish law; the header of each file documents its fields."""

import tomllib
from importlib import resources
from typing import Any


def read_table(name: str, source: str | None = None) -> dict[str, Any]:
    """Return the content of a table of this folder ("laws.toml"), or of a TOML text in its place."""
    if source is None:
        source = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(source)
