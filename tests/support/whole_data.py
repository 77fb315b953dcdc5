"""Data that are all that an article needs, made up by their types, for tests of packaged articles."""

from datetime import date
from pathlib import Path
from typing import Any

import yaml

_BORN = "1980-05-03"
_TEXT = "salario de 3 meses, all of it"
"""What every pattern of the packaged articles takes."""


def packaged_articles(folder: Path) -> list[dict[str, Any]]:
    """Read the articles of a profile, by the names of their files."""
    return [
        yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in sorted(folder.glob("*.article.yaml"))
    ]


def whole_data(article: dict[str, Any]) -> dict[str, str]:
    """Return a value for each datum of an article."""
    return {spec["field"]: _value(spec) for chunk in article["chunks"] for spec in chunk.get("fields", [])}


def _value(spec: dict[str, Any]) -> str:
    match spec["data_type"]:
        case "boolean":
            return "no"
        case "date":
            return _BORN if "years" in str(spec.get("max")) and "-" in str(spec["max"]) else date.today().isoformat()
        case "currency" | "number":
            return str(max(spec.get("min", 0), min(spec.get("max", 100), 100)))
        case _:
            return next(iter(spec["values"])) if spec.get("values") else _TEXT
