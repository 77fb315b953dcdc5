"""The filter fields of a case: their values as the caller writes them and as the chunks have them."""

from collections.abc import Mapping, Sequence

from language.folding import letters_and_digits
from services.profile.sections import FilterField
from state.chunks import Chunk

APPLIES_TO_ALL = ""
"""Value of a chunk that is not restricted in a field."""


def canonical_value(field: FilterField, written: str) -> str:
    """Return the value that a text or a synonym names, whatever its case, accents, spaces and marks; else the text."""
    key = letters_and_digits(written)
    for value, synonyms in field.values.items():
        if key in map(letters_and_digits, (value, *synonyms)):
            return value
    return written


def is_known_value(field: FilterField, value: str) -> bool:
    """Tell whether a field has a value; one that lists none takes all."""
    return not field.values or value in field.values


def filter_paths(
    fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]
) -> dict[str, list[str]]:
    """Return the allowed values by payload path: for each of ``names`` that has a value, that one or none at all."""
    return {
        field.path: [values[field.name], APPLIES_TO_ALL]
        for field in fields
        if field.name in names and field.name in values
    }


def field_value(chunk: Chunk, field: FilterField) -> str:
    """Return the value that a chunk has in a field."""
    return chunk["topic"] if field.path == "topic" else chunk["attributes"].get(field.name, APPLIES_TO_ALL)


def passes_filter(chunk: Chunk, fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]) -> bool:
    """Tell whether a chunk passes the filter of ``paths``."""
    return all(
        field_value(chunk, field) in (values[field.name], APPLIES_TO_ALL)
        for field in fields
        if field.name in names and field.name in values
    )
