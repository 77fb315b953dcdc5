"""The filter fields of a case: their values as the caller writes them and as the chunks have them."""

from collections.abc import Mapping, Sequence

from articulado.config.sections import TOPIC, FilterField
from articulado.guides.data_values import is_placeholder
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.values.chunks import Chunk
from services.case.data.phrases import named_choices

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


def unknown_values(fields: Sequence[FilterField], filters: Mapping[str, str], language: Language) -> list[str]:
    """Return a message for each value that the profile does not know, with those that it does."""
    return [
        language.translate(
            "case_unknown_value", value=filters[field.name], field=field.label, known=", ".join(field.values)
        )
        for field in fields
        if field.name in filters and not is_known_value(field, filters[field.name])
    ]


def fill_from_data(
    fields: Sequence[FilterField], filters: Mapping[str, str], collected: Mapping[str, str], language: Language
) -> dict[str, str]:
    """Return the filters, with those that the caller left open, but the topic, filled from the data of their names.

    A datum stands for the value that it names, in whatever words. One that names none is taken as it is: the case is
    then known to be of what the knowledge base does not hold. One that names several says nothing, nor does a
    placeholder.
    """
    data = {letters_and_digits(name): text for name, text in collected.items()}
    filled = dict(filters)
    for field in fields:
        text = data.get(letters_and_digits(field.name), "")
        if field.name == TOPIC or field.name in filters or is_placeholder(text):
            continue
        written = canonical_value(field, text)
        named = {written} if is_known_value(field, written) else named_choices(text, field.values, language)
        if len(named) <= 1:
            filled[field.name] = next(iter(named), text)
    return filled


def contradicted_filters(
    fields: Sequence[FilterField], filters: Mapping[str, str], collected: Mapping[str, str], language: Language
) -> list[str]:
    """Return the names of the fields whose value was sent among the data, too, as another one.

    A datum agrees that names the value, in whatever words, and one that stands for no value says nothing.
    """
    data = {letters_and_digits(name): text for name, text in collected.items()}
    return [
        field.name
        for field in fields
        if (value := filters.get(field.name))
        and (text := data.get(letters_and_digits(field.name)))
        and not is_placeholder(text)
        and canonical_value(field, text) != value
        and value not in named_choices(text, field.values, language)
    ]


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
    return chunk["topic"] if field.name == TOPIC else chunk["attributes"].get(field.name, APPLIES_TO_ALL)


def passes_filter(chunk: Chunk, fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]) -> bool:
    """Tell whether a chunk passes the filter of ``filter_paths``."""
    return all(
        field_value(chunk, field) in (values[field.name], APPLIES_TO_ALL)
        for field in fields
        if field.name in names and field.name in values
    )


def passes_attributes(attributes: Mapping[str, str], filters: Mapping[str, str]) -> bool:
    """Tell whether an article passes a filter, its topic aside; one without a value in a field applies to all."""
    return not kept_out_by(attributes, filters)


def kept_out_by(attributes: Mapping[str, str], filters: Mapping[str, str]) -> list[str]:
    """Return the names of the fields, but the topic, in which an article has another value than the filter."""
    return [
        name
        for name, value in filters.items()
        if name != TOPIC and attributes.get(name, APPLIES_TO_ALL) not in (value, APPLIES_TO_ALL)
    ]
