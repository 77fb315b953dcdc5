"""Verify the required fields named by an author, and resolve the filter values of a case.

Values are compared without case, accents and punctuation. A chunk or article without a value passes any filter on it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from articulado.cases.author import FieldNeeded, FieldsNeeded
from articulado.cases.phrases import is_placeholder, named_choices, read_choice
from articulado.cases.readers import text_of
from articulado.config.sections import TOPIC, FilterField
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.values.cases import Accepted, CollectedValue, FieldSpec, Group, RequiredField, RequiredFields
from articulado.values.chunks import Chunk
from articulado.values.protocols import TokenCounter

GROUPS: tuple[Group, ...] = ("participant_data", "plan_data")


def verify_fields(needed: FieldsNeeded, specs: Sequence[FieldSpec], context: str, language: Language) -> RequiredFields:
    """Return the fields named by an author, each once, plus the required fields of the article that it left out.

    A field whose words are missing from the context is uncertain.
    """
    context_stems = set(language.stems(context.replace("_", " ")))
    by_name = {spec["field"]: spec for spec in specs}
    fields: dict[str, tuple[Group, RequiredField]] = {}
    for group in GROUPS:
        for needed_field in getattr(needed, group):
            spec = by_name.get(needed_field.field)
            fields.setdefault(
                needed_field.field,
                (spec["group"] if spec else group, _field(needed_field, spec, context_stems, language)),
            )
    for spec in specs:
        if spec["required"]:
            fields.setdefault(spec["field"], (spec["group"], _of_spec(spec)))
    return _grouped(fields.values())


def shorten_fields(fields: RequiredFields, budget: int, counter: TokenCounter) -> tuple[RequiredFields, list[str]]:
    """Drop whole fields, optional ones first, to fit ``budget`` tokens; return the rest and the dropped names."""
    fields_in_order = [(group, field) for group in GROUPS for field in fields[group]]
    order = sorted(range(len(fields_in_order)), key=lambda index: (fields_in_order[index][1]["required"], -index))
    dropped: list[int] = []
    while (
        len(dropped) < len(fields_in_order) and counter.count(fields_json(_without(fields_in_order, dropped))) > budget
    ):
        dropped.append(order[len(dropped)])
    return _without(fields_in_order, dropped), [fields_in_order[index][1]["field"] for index in dropped]


def fields_json(fields: RequiredFields) -> str:
    left = Accepted.__annotations__
    written = {
        group: [{name: value for name, value in field.items() if name not in left} for field in fields[group]]
        for group in GROUPS
    }
    return json.dumps(written, ensure_ascii=False, separators=(",", ":"))


def field_specs(details: Iterable[Mapping[str, Any]]) -> list[FieldSpec]:
    """Return the fields of the structured contents of chunks; of fields with the same name the last."""
    specs: dict[str, FieldSpec] = {spec["field"]: spec for content in details for spec in content.get("fields", [])}
    return list(specs.values())


def _field(needed: FieldNeeded, spec: FieldSpec | None, context_stems: set[str], language: Language) -> RequiredField:
    stems = set(language.stems(needed.field.replace("_", " ")))
    is_uncertain = needed.uncertain or not stems or not stems <= context_stems
    field = _of_spec(spec) if spec else cast(RequiredField, needed.model_dump())
    return {
        **field,
        "description": needed.description,
        "why_needed": needed.why_needed,
        "uncertain": is_uncertain,
    }


def _of_spec(spec: FieldSpec) -> RequiredField:
    field = RequiredField(
        field=spec["field"],
        description=spec["description"],
        why_needed=spec["why_needed"],
        data_type=spec["data_type"],
        required=spec["required"],
        uncertain=False,
    )
    if "values" in spec:
        field["values"] = list(spec["values"])
    if "accepts" in spec:
        field["accepts"] = spec["accepts"]
    return field


def _without(fields: Sequence[tuple[Group, RequiredField]], dropped: Sequence[int]) -> RequiredFields:
    return _grouped(pair for index, pair in enumerate(fields) if index not in dropped)


def _grouped(fields: Iterable[tuple[Group, RequiredField]]) -> RequiredFields:
    grouped: RequiredFields = {"participant_data": [], "plan_data": []}
    for group, field in fields:
        grouped[group].append(field)
    return grouped


APPLIES_TO_ALL = ""


def canonical_value(field: FilterField, written: str) -> str:
    """Return the listed value that a text or a synonym names, else the text."""
    key = letters_and_digits(written)
    for value, synonyms in field.values.items():
        if key in map(letters_and_digits, (value, *synonyms)):
            return value
    return written


def is_known_value(field: FilterField, value: str) -> bool:
    return not field.values or value in field.values


def unknown_values(fields: Sequence[FilterField], filters: Mapping[str, str], language: Language) -> list[str]:
    """Return a message for each filter value that the profile does not list."""
    return [
        language.translate(
            "case_unknown_value", value=filters[field.name], field=field.label, known=", ".join(field.values)
        )
        for field in fields
        if field.name in filters and not is_known_value(field, filters[field.name])
    ]


def fill_from_data(
    fields: Sequence[FilterField],
    filters: Mapping[str, str],
    collected: Mapping[str, CollectedValue],
    language: Language,
) -> dict[str, str]:
    """Fill the open filters, except the topic, with the collected data of the same names.

    A datum that names several listed values, or may deny one, is ignored.
    """
    data = {letters_and_digits(name): text_of(value) for name, value in collected.items()}
    filled = dict(filters)
    for field in fields:
        text = data.get(letters_and_digits(field.name), "")
        if field.name == TOPIC or field.name in filters or is_placeholder(text):
            continue
        value = read_choice(text, field.values, language)
        if value or not named_choices(text, field.values):
            filled[field.name] = value or text
    return filled


def contradicted_filters(
    fields: Sequence[FilterField],
    filters: Mapping[str, str],
    collected: Mapping[str, CollectedValue],
    language: Language,
) -> list[str]:
    """Return the names of the fields whose collected datum differs from the filter."""
    data = {letters_and_digits(name): text_of(value) for name, value in collected.items()}
    return [
        field.name
        for field in fields
        if (value := filters.get(field.name))
        and (text := data.get(letters_and_digits(field.name)))
        and not is_placeholder(text)
        and (read_choice(text, field.values, language) or canonical_value(field, text)) != value
    ]


def filter_paths(
    fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]
) -> dict[str, list[str]]:
    """Return the allowed values by payload path: the value of each of ``names``, or no value at all."""
    return {
        field.path: [values[field.name], APPLIES_TO_ALL]
        for field in fields
        if field.name in names and field.name in values
    }


def field_value(chunk: Chunk, field: FilterField) -> str:
    return chunk["topic"] if field.name == TOPIC else chunk["attributes"].get(field.name, APPLIES_TO_ALL)


def passes_filter(chunk: Chunk, fields: Sequence[FilterField], values: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return True if a chunk has the value of each filter in ``names``, or no value at all."""
    return all(
        field_value(chunk, field) in (values[field.name], APPLIES_TO_ALL)
        for field in fields
        if field.name in names and field.name in values
    )


def passes_attributes(attributes: Mapping[str, str], filters: Mapping[str, str]) -> bool:
    return not kept_out_by(attributes, filters)


def kept_out_by(attributes: Mapping[str, str], filters: Mapping[str, str]) -> list[str]:
    """Return the fields, except the topic, in which an article has another value than the filter."""
    return [
        name
        for name, value in filters.items()
        if name != TOPIC and attributes.get(name, APPLIES_TO_ALL) not in (value, APPLIES_TO_ALL)
    ]
