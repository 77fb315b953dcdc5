"""The filter fields of a case: what the caller wrote, as the chunks have it."""

from collections.abc import Mapping, Sequence

from language.folding import letters_and_digits
from services.profile.sections import FilterField
from state.chunks import Chunk

APPLIES_TO_ALL = ""
"""What a chunk has in a field that it does not name."""


def canonical(field: FilterField, written: str) -> str:
    """Return the known value that is meant, whatever its case, accents, spaces and marks; else what was written."""
    key = letters_and_digits(written)
    for value, others in field.values.items():
        if key in map(letters_and_digits, (value, *others)):
            return value
    return written


def is_known(field: FilterField, value: str) -> bool:
    """Tell whether a profile has a value for a field; one that lists none takes all."""
    return not field.values or value in field.values


def paths(fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return what a chunk must hold, by path: the value of each of the ``names`` that has one, or none at all."""
    return {
        field.path: [values[field.name], APPLIES_TO_ALL]
        for field in fields
        if field.name in names and field.name in values
    }


def held(chunk: Chunk, field: FilterField) -> str:
    """Return the value of a field that a chunk has."""
    return chunk["topic"] if field.path == "topic" else chunk["attributes"].get(field.name, APPLIES_TO_ALL)


def admits(chunk: Chunk, fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]) -> bool:
    """Tell whether a chunk passes the filter of ``paths``."""
    return all(
        held(chunk, field) in (values[field.name], APPLIES_TO_ALL)
        for field in fields
        if field.name in names and field.name in values
    )
