"""Fields and rules of a made-up case, read as of a fixed day, for tests."""

from datetime import date
from typing import Any

from articulado.cases.typed_data import ReadData, read_data
from articulado.config.sections import Calendar
from articulado.language.languages import language
from articulado.values.cases import CollectedValue, DecisionRule, FieldSpec

MONDAY = date(2026, 11, 23)
"""The day of the case."""
WEEKDAYS = Calendar()


def field(name: str, kind: str = "text", *, required: bool = True, aliases: tuple[str, ...] = (), **more: Any) -> Any:
    """Return a field; ``more`` are its list, its range and the like."""
    return {
        "field": name,
        "group": "participant_data",
        "description": "What it is.",
        "why_needed": "w",
        "data_type": kind,
        "required": required,
        "aliases": list(aliases),
        **more,
    }


def rule(name: str, decision: str = "uncertain", **when: Any) -> Any:
    """Return a rule on a field whose reason is "Because."."""
    return {"when": {"field": name, **when}, "decision": decision, "because": "Because."}


def read(
    fields: list[FieldSpec],
    collected: dict[str, CollectedValue],
    rules: list[DecisionRule] | None = None,
    *,
    code: str = "en",
    calendar: Calendar = WEEKDAYS,
    today: date = MONDAY,
) -> ReadData:
    """Read data as of the day of the case."""
    return read_data(fields, rules or [], collected, today, calendar, language(code))
