"""Values of a JSON schema, of the words that the description of our API uses."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

MOST = 3
"""Items of lists and objects at most, and characters of texts beyond the fewest."""
_TEXT = st.characters(codec="utf-8")


def anything() -> st.SearchStrategy[Any]:
    """Return any JSON value, small."""
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(_TEXT, max_size=20),
        lambda values: st.lists(values, max_size=MOST) | st.dictionaries(st.text(_TEXT), values, max_size=MOST),
        max_leaves=5,
    )


def values_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return values of a schema, whose references are found in ``root``.

    Raises:
        KeyError: it uses a word that is not known here.
    """
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return values_of(target, root)
    if "anyOf" in schema:
        return st.one_of(*(values_of(one, root) for one in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return _TYPES[schema["type"]](schema, root) if "type" in schema else anything()


def _texts(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[str]:
    if schema.get("format") == "date":
        return st.dates().map(str)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True, alphabet=st.characters(codec="ascii"))
    least = schema.get("minLength", 0)
    most = min(schema.get("maxLength", least + 40), least + 40)
    return st.text(_TEXT, min_size=least, max_size=most)


def _whole_numbers(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[int]:
    return st.integers(schema.get("minimum"), schema.get("maximum"))


def _lists(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values_of(schema["items"], root), max_size=min(schema.get("maxItems", MOST), MOST))


def _objects(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    if "properties" not in schema:
        others = schema.get("additionalProperties", True)
        values = values_of(others, root) if isinstance(others, Mapping) else anything()
        return st.dictionaries(st.text(_TEXT, max_size=10), values, max_size=MOST)
    fields = {name: values_of(field, root) for name, field in schema["properties"].items()}
    needed = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: values for name, values in fields.items() if name in needed},
        optional={name: values for name, values in fields.items() if name not in needed},
    )


_TYPES = {
    "null": lambda schema, root: st.none(),
    "boolean": lambda schema, root: st.booleans(),
    "string": _texts,
    "integer": _whole_numbers,
    "array": _lists,
    "object": _objects,
}
