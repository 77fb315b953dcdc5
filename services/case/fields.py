"""The data that a case needs, as an author found them: checked against the articles that it was shown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from language.languages import Language
from services.case.schema import FieldNeeded, FieldsNeeded
from services.protocols import TokenCounter
from state.articles import FieldSpec, Group
from state.case import RequiredField, RequiredFields

GROUPS: tuple[Group, ...] = ("participant_data", "plan_data")


def checked(needed: FieldsNeeded, specs: Sequence[FieldSpec], context: str, language: Language) -> RequiredFields:
    """Return the fields that an author found, each once, and the required ones of the article that it left out.

    Group, type, and whether a field is required are the article's to say, where it has the field. One of which the
    context does not have the words is marked as uncertain.
    """
    told = set(language.stems(context.replace("_", " ")))
    by_name = {spec["field"]: spec for spec in specs}
    fields: dict[str, tuple[Group, RequiredField]] = {}
    for group in GROUPS:
        for one in getattr(needed, group):
            spec = by_name.get(one.field)
            fields.setdefault(one.field, (spec["group"] if spec else group, _field(one, spec, told, language)))
    for spec in specs:
        if spec["required"]:
            fields.setdefault(spec["field"], (spec["group"], _of_spec(spec)))
    return _grouped(fields.values())


def within(fields: RequiredFields, budget: int, counter: TokenCounter) -> tuple[RequiredFields, list[str]]:
    """Drop whole fields until the rest has ``budget`` tokens at most; return it, and the names of those that went.

    What is optional goes first, from the last one on, then what is required.
    """
    kept = [(group, one) for group in GROUPS for one in fields[group]]
    order = sorted(range(len(kept)), key=lambda place: (kept[place][1]["required"], -place))
    dropped: list[int] = []
    while len(dropped) < len(kept) and counter.count(written(_without(kept, dropped))) > budget:
        dropped.append(order[len(dropped)])
    return _without(kept, dropped), [kept[place][1]["field"] for place in dropped]


def written(fields: RequiredFields) -> str:
    """Return the fields as they count against the budget: compact JSON."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def specs_of(details: Iterable[Mapping[str, Any]]) -> list[FieldSpec]:
    """Return the fields that the structured content of some chunks names, each once."""
    found: dict[str, FieldSpec] = {spec["field"]: spec for one in details for spec in one.get("fields", [])}
    return list(found.values())


def _field(one: FieldNeeded, spec: FieldSpec | None, told: set[str], language: Language) -> RequiredField:
    words = set(language.stems(one.field.replace("_", " ")))
    return {
        "field": one.field,
        "description": one.description,
        "why_needed": one.why_needed,
        "data_type": spec["data_type"] if spec else one.data_type,
        "required": spec["required"] if spec else one.required,
        "uncertain": one.uncertain or not words or not words <= told,
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


def _without(kept: Sequence[tuple[Group, RequiredField]], dropped: Sequence[int]) -> RequiredFields:
    return _grouped(one for place, one in enumerate(kept) if place not in dropped)


def _grouped(fields: Iterable[tuple[Group, RequiredField]]) -> RequiredFields:
    grouped: RequiredFields = {"participant_data": [], "plan_data": []}
    for group, one in fields:
        grouped[group].append(one)
    return grouped
