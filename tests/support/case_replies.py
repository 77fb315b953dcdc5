"""Replies of a chat model that writes a case."""

from collections.abc import Sequence
from typing import Any


def fields_reply(article: str, *names: str) -> dict[str, Any]:
    """Return required data: texts of these names that are optional, for an article."""
    text = {"description": "d", "why_needed": "w", "data_type": "text", "required": False, "uncertain": False}
    return {
        "article_reference": {"article_id": article, "title": "made up", "confidence": 0.01},
        "required_fields": {"participant_data": [{"field": name, **text} for name in names], "plan_data": []},
    }


def response_reply(
    *components: str,
    decision: str = "can_proceed",
    reason: str = "",
    steps: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a response of one section."""
    parts = {"answer_components": list(components), "steps": list(steps), "warnings": list(warnings)}
    response = {"sections": [{"topic": "Section", **parts}]}
    return {"decision": decision, "reason": reason, "response": response, "guardrails_violated": []}
