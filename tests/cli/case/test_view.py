"""What a case looks like on screen: decision, guide and confidence, and the words of its data."""

from collections.abc import Sequence
from io import StringIO
from typing import Any, get_args

import pytest
from rich.console import Console

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.values.cases import DataType
from cli.case.command import print_required_data, print_response

WORDS = {
    "es": {"text": "texto", "currency": "importe", "date": "fecha", "boolean": "sí o no", "number": "número"},
    "en": {"text": "text", "currency": "amount", "date": "date", "boolean": "yes or no", "number": "number"},
}
PROFILES = {"es": load_profile("laboral"), "en": load_profile("plan_401k")}


def shown(show: Any, result: dict[str, Any], code: str) -> list[str]:
    out = Console(file=StringIO(), width=200)
    show(out, result, PROFILES[code], language(code))
    return out.file.getvalue().splitlines()


def account(title: str, chunks: int) -> dict[str, Any]:
    tokens = {"token_count": 9, "context_tokens": 5, "answer_tokens": 4}
    return {"article_id": "a", "article_title": title, "question": "¿Y $5?", **tokens, "chunks_used": chunks}


def response(decision: str, confidence: float, title: str, chunks: int) -> dict[str, Any]:
    return {
        "decision": decision,
        "confidence": confidence,
        "message": "Falta un dato",
        "response": {"sections": []},
        "guardrails": {"checked": 0, "violated": []},
        "warnings": [],
        "sources": [],
        "metadata": account(title, chunks),
    }


def required_data(outcome: str, title: str, chunks: int, fields: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "article_reference": {"article_id": "a", "title": title, "confidence": 0.93} if title else None,
        "message": "" if outcome == "found" else "Which of them?",
        "required_fields": {"participant_data": list(fields), "plan_data": []},
        "warnings": [],
        "sources": [],
        "metadata": account(title, chunks),
    }


@pytest.mark.parametrize(
    ("code", "decision", "lines"),
    [
        (
            "es",
            "uncertain",
            ["Falta algo por aclarar antes de seguir", "Guía: El finiquito, confianza 0,99", "Falta un dato"],
        ),
        ("en", "can_proceed", ["The case can proceed", "Guide: El finiquito, confidence 0.99", "Falta un dato"]),
    ],
)
def test_a_confidence_is_shown_with_its_guide_and_below_one(code, decision, lines):
    assert shown(print_response, response(decision, 1.0, "El finiquito", chunks=1), code)[:3] == lines


def test_an_unread_guide_is_named_without_counts():
    lines = shown(print_response, response("uncertain", 0.49, "El finiquito", chunks=0), "es")
    assert lines[:2] == ["Falta algo por aclarar antes de seguir", "Guía: El finiquito, confianza 0,49"]
    assert not [line for line in lines if "tokens" in line]


def test_without_a_guide_no_confidence_is_shown():
    assert shown(print_response, response("out_of_scope", 0.0, "", chunks=0), "es")[:2] == [
        "Fuera del alcance",
        "Falta un dato",
    ]


@pytest.mark.parametrize(
    ("outcome", "title", "opening"),
    [
        (
            "uncertain",
            "Loans",
            ["Something is left to be cleared up first", "Guide: Loans, confidence 0.93", "Which of them?"],
        ),
        ("out_of_scope", "", ["Out of scope", "Which of them?"]),
    ],
)
def test_missing_required_data_begin_with_the_reason(outcome, title, opening):
    lines = shown(print_required_data, required_data(outcome, title, chunks=0), "en")
    assert lines[: len(opening)] == opening
    assert not [line for line in lines if "tokens" in line]


@pytest.mark.parametrize("code", ["es", "en"])
def test_types_of_data_are_words_of_the_language(code):
    fields = [
        {"field": kind, "data_type": kind, "required": False, "uncertain": False, "description": "d", "why_needed": "w"}
        for kind in get_args(DataType)
    ]
    lines = shown(print_required_data, required_data("found", "Guide", 1, fields), code)
    assert lines[0] == {"es": "Guía: Guide, confianza 0,93", "en": "Guide: Guide, confidence 0.93"}[code]
    told = [line.strip() for line in lines if line.endswith(": d")]
    assert told == [f"{kind} ({WORDS[code][kind]}): d" for kind in get_args(DataType)]


def test_a_case_ends_with_the_command_that_asks_it_as_a_question():
    lines = shown(print_response, response("can_proceed", 0.9, "Finiquito", 1), "es")
    assert "Como pregunta, con estos datos: articulado ask '¿Y $5?'" in lines
