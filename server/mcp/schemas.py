"""The schemas that clients read: of what a tool takes and gives back, in the language of the profile."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from articulado.config.profile import Profile
from server.mcp.texts import Texts
from server.mcp.tools import Tool

_CHOICES = "collections"
"""The argument whose values a profile has."""


def input_schema(tool: Tool, profile: Profile, texts: Texts) -> dict[str, Any]:
    """Return the JSON schema of the arguments of a tool."""
    labels = {field.name: field.label for field in profile.filter_fields}
    schema: dict[str, Any] = _plain(tool.arguments.model_json_schema(), labels | texts.arguments)
    if _CHOICES in schema["properties"]:
        [listed] = (kind for kind in schema["properties"][_CHOICES]["anyOf"] if kind["type"] == "array")
        listed["items"]["enum"] = list(profile.for_questions)
    return schema


def output_schema(tool: Tool, texts: Texts) -> dict[str, Any]:
    """Return the JSON schema of the result of a tool."""
    schema: dict[str, Any] = _plain(TypeAdapter(tool.result).json_schema(mode="serialization"), texts.results)
    return schema


def _plain(schema: Any, described: Mapping[str, str]) -> Any:
    """Return a schema with our descriptions in place of those of the code, and without titles."""
    if isinstance(schema, list):
        return [_plain(one, described) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: {name: _plain(one, described) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _plain(value, described)
        for key, value in schema.items()
        if key not in ("title", "description")
    }
    for name, one in kept.get("properties", {}).items():
        if name in described:
            kept["properties"][name] = {**one, "description": described[name]}
    return kept
