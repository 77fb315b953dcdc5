"""States of a turn that has just begun, for tests that call a stage by itself."""

from collections.abc import Mapping
from typing import Any

from articulado.values.answers import question_of
from state.rag import fresh_turn

OF_QUESTION = ("kind", "new_topic", "about_answer", "asks_deadline", "other_matter")


def begun(read: Mapping[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    """Return a state at the start of a turn, with these values; ``turn_question`` has those of ``read``."""
    question: Any = values.pop("turn_question", None) or question_of(values.get("question", "¿Qué?"))
    said = {name: values.pop(name) for name in OF_QUESTION if name in values}
    return {**fresh_turn(), "warnings": [], **values, "turn_question": {**question, **(read or {}), **said}}
