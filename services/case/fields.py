"""The data that a case needs, as an author named them: verified against the articles that it was shown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from articulado.language.languages import Language
from articulado.values.articles import FieldSpec, Group
from articulado.values.cases import RequiredField, RequiredFields
from articulado.values.protocols import TokenCounter
from services.case.schema import FieldNeeded, FieldsNeeded

GROUPS: tuple[Group, ...] = ("participant_data", "plan_data")


def verify_fields(needed: FieldsNeeded, specs: Sequence[FieldSpec], context: str, language: Language) -> RequiredFields:
    """Return the fields that an author named, each once, and the required ones of the article that it left out.

    Where the article has a field, its group, type and whether it is required are taken from there. A field whose words
    the context does not have is marked as uncertain.
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
    """Drop whole fields until the rest has ``budget`` tokens at most; return it, and the names of the dropped ones.

    What is optional goes first, from the last one on, then what is required.
    """
    fields_in_order = [(group, field) for group in GROUPS for field in fields[group]]
    order = sorted(range(len(fields_in_order)), key=lambda index: (fields_in_order[index][1]["required"], -index))
    dropped: list[int] = []
    while (
        len(dropped) < len(fields_in_order) and counter.count(fields_json(_without(fields_in_order, dropped))) > budget
    ):
        dropped.append(order[len(dropped)])
    return _without(fields_in_order, dropped), [fields_in_order[index][1]["field"] for index in dropped]


def fields_json(fields: RequiredFields) -> str:
    """Return the compact JSON of fields, whose tokens count against the budget."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def field_specs(details: Iterable[Mapping[str, Any]]) -> list[FieldSpec]:
    """Return the fields that the structured content of some chunks names, each once."""
    specs: dict[str, FieldSpec] = {spec["field"]: spec for content in details for spec in content.get("fields", [])}
    return list(specs.values())


def _field(
    needed_field: FieldNeeded, spec: FieldSpec | None, context_stems: set[str], language: Language
) -> RequiredField:
    stems = set(language.stems(needed_field.field.replace("_", " ")))
    return {
        "field": needed_field.field,
        "description": needed_field.description,
        "why_needed": needed_field.why_needed,
        "data_type": spec["data_type"] if spec else needed_field.data_type,
        "required": spec["required"] if spec else needed_field.required,
        "uncertain": needed_field.uncertain or not stems or not stems <= context_stems,
    }


def _of_spec(spec: FieldSpec) -> RequiredField:
    return {
        "field": spec["field"],
        "description": spec["description"],
        "why_needed": spec["why_needed"],
        "data_type": spec["data_type"],
        "required": spec["required"],
        "uncertain": False,
    }


def _without(fields: Sequence[tuple[Group, RequiredField]], dropped: Sequence[int]) -> RequiredFields:
    return _grouped(pair for index, pair in enumerate(fields) if index not in dropped)


def _grouped(fields: Iterable[tuple[Group, RequiredField]]) -> RequiredFields:
    grouped: RequiredFields = {"participant_data": [], "plan_data": []}
    for group, field in fields:
        grouped[group].append(field)
    return grouped
