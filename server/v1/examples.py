"""Example requests and results for OpenAPI, without ``None`` (FastAPI drops it), and types of OpenAI's protocol."""

import json
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from articulado.calculations.wordings import ListedCalculation
from articulado.calculations.written import Worked
from articulado.values.answers import NearestNeed
from articulado.values.findings import Finding
from server.lookup.results import Comparison, SearchResult, Verification

_LAW_ID, _LAW = "BOE-A-2015-11430", "Estatuto de los Trabajadores"
_URL = "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a48"
_HOLIDAYS = "El periodo de vacaciones anuales retribuidas […] no será inferior a treinta días naturales."

ASK: dict[str, Any] = {"question": "¿Cuántos días de vacaciones me corresponden?", "territory": "Madrid"}
FEEDBACK: dict[str, Any] = {
    "question": "¿Cuántos días de vacaciones me corresponden?",
    "answer": "Treinta días naturales [C1].",
    "rating": "up",
    "comment": "Clara y con su artículo.",
}
REQUIRED_DATA: dict[str, Any] = {
    "inquiry": "Le han dado la carta de despido",
    "fields": {"topic": "despido_disciplinario"},
}
RESPOND: dict[str, Any] = {
    **REQUIRED_DATA,
    "collected_data": {"fecha_despido": "2026-11-20", "antiguedad": "2019-03-01"},
    "max_tokens": 3_000,
}
VERIFY: dict[str, Any] = {
    "answer": "Las vacaciones son de treinta días naturales [C1].",
    "context": [{"law_id": "ET", "provision": "Artículo 38", "text": _HOLIDAYS}],
}
CALCULATE: dict[str, Any] = {
    "calculation": "compensation/objective",
    "inputs": {"start": "2019-03-01", "end": "2026-02-28", "annual_salary": 36_500},
}
SENT_FILE: dict[str, Any] = {"name": "carta.txt", "content": "Q2FydGEgZGUgZGVzcGlkby4="}
CHECK: dict[str, Any] = {"text": "Según el artículo 38 del Estatuto de los Trabajadores…", "day": "2026-11-20"}

EVENTS = """event: stage
data: {"stage": "hybrid_search"}

event: token
data: {"text": "Treinta días"}

event: sources
data: {"citations": []}

event: final
data: {"answer": "Treinta días naturales [C1].", "outcome": "answer", "choices": []}
"""
_NEED = "Mi jefe me acosa qué derechos tengo"
CHOICE: NearestNeed = {
    "number": 1,
    "need": _NEED,
    "answer": "Derechos básicos del trabajador […]",
    "question": f"{_NEED} (Artículo 4, {_LAW})",
    "law_id": _LAW_ID,
    "law": _LAW,
    "provision": "Artículo 4",
    "provision_key": "art:4",
    "title": "Derechos laborales",
    "url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a4",
}
_UNSURE = {
    "answer": f"[…] Puede que busque esto:\n\n1. {CHOICE['question']}: {CHOICE['answer']} [C1] […]",
    "outcome": "near",
    "choices": [CHOICE],
}
UNSURE_EVENTS = f"""event: stage
data: {{"stage": "abstain"}}

event: final
data: {json.dumps(_UNSURE, ensure_ascii=False)}
"""


class Model(TypedDict):
    """A model in OpenAI's protocol; ``created`` is a Unix time."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(TypedDict):
    """The models of a server in OpenAI's protocol."""

    object: Literal["list"]
    data: list[Model]


class UrlCitation(TypedDict):
    """A source and the place of its mark in the text, ``content[start_index:end_index]``."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(TypedDict):
    """A citation of a message."""

    type: Literal["url_citation"]
    url_citation: UrlCitation


class AnswerMessage(TypedDict):
    """The message of an answer; ``reasoning_content`` has its stages, if they were asked for."""

    role: Literal["assistant"]
    content: str
    annotations: list[Annotation]
    reasoning_content: NotRequired[str]


class Choice(TypedDict):
    """The one answer of a completion."""

    index: int
    message: AnswerMessage
    finish_reason: Literal["stop", "length"]


class ChatUsage(TypedDict):
    """Tokens of the chat models of a run; 0 without one."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_767_225_600,
    "model": "articulado",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Treinta días naturales [C1].", "annotations": []},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
}
CHUNKS = """data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant"}}]}

data: [DONE]
"""

ABOUT: dict[str, Any] = {
    "title": "Derecho laboral y de la Seguridad Social",
    "language": "es",
    "index_day": "2026-11-20",
    "laws": 66,
    "territories": ["Andalucía", "Comunidad de Madrid"],
    "keys": False,
}
FOUND: SearchResult = {
    "query": "permiso por nacimiento",
    "as_of": "2024-01-01",
    "index_day": "2026-11-20",
    "answers": True,
    "hits": [
        {
            "rank": 1,
            "chunk_id": 5171283476129,
            "law_id": _LAW_ID,
            "law": _LAW,
            "provision": "Artículo 48",
            "provision_key": "art:48",
            "title": "Suspensión con reserva de puesto de trabajo",
            "collection": "normativa",
            "score": 0.93,
            "status": "modificada",
            "valid_from": "2023-03-01",
            "valid_to": "2025-07-31",
            "certainty": "sure",
            "in_force": True,
            "official": True,
            "document": "",
            "url": _URL,
            "excerpt": "4. El nacimiento […] durante dieciséis semanas.",
        }
    ],
    "warnings": [],
}
COMPARISON: Comparison = {
    "law_id": _LAW_ID,
    "law": _LAW,
    "provision": "Artículo 48",
    "provision_key": "art:48",
    "title": "Suspensión con reserva de puesto de trabajo",
    "url": _URL,
    "index_day": "2026-11-20",
    "before": {
        "day": "2019-05-01",
        "certainty": "sure",
        "in_force": True,
        "valid_from": "2019-04-01",
        "valid_to": "2021-01-01",
        "status": "modificada",
        "status_note": "",
        "text": "4. […] durante ocho semanas.",
    },
    "after": {
        "day": "2024-01-01",
        "certainty": "sure",
        "in_force": True,
        "valid_from": "2023-03-01",
        "valid_to": "2025-07-31",
        "status": "modificada",
        "status_note": "",
        "text": "4. […] durante dieciséis semanas.",
    },
    "same": False,
    "summary": "El texto cambió entre el 1 de mayo de 2019 y el 1 de enero de 2024.",
    "paragraphs": [
        {
            "kind": "changed",
            "pieces": [
                {"kind": "same", "text": "4. […] durante "},
                {"kind": "removed", "text": "ocho"},
                {"kind": "added", "text": "dieciséis"},
                {"kind": "same", "text": " semanas."},
            ],
        }
    ],
}
_FINDING: Finding = {
    "check": "figure",
    "kind": "other_figure",
    "severity": "error",
    "where": "31 días",
    "start": 22,
    "end": 29,
    "message": "La cifra no consta en la fuente [C1].",
    "mark": "C1",
    "evidence": "treinta días naturales",
}
VERIFIED: Verification = {"ok": False, "index_day": "2026-11-20", "findings": [_FINDING]}
KEPT: dict[str, Any] = {"id": "5f2b1c0e8a3d4b6f9c7e1a2d3b4c5d6e"}
CALCULATION: ListedCalculation = {
    "calculation": "compensation/objective",
    "title": "Indemnización del despido objetivo",
    "group": "Indemnizaciones",
    "provision": "artículo 53 ET",
    "first": ["start"],
    "inputs": {
        "start": {
            "title": "Inicio del contrato",
            "description": "¿Desde qué día trabaja en la empresa?",
            "type": "string",
            "format": "date",
        }
    },
}
WORKED: Worked = {
    **CALCULATE,  # type: ignore[typeddict-item]
    "title": "Indemnización del despido objetivo",
    "status": "result",
    "understood": "",
    "text": "Indemnización por despido objetivo: 14.000,00 €.",
    "reason": "",
    "field": "",
    "provision": "",
    "values": [{"name": "compensation", "value": "14000.00", "unit": "EUR"}],
    "steps": [
        {
            "name": "compensation_days",
            "text": "20 días por año: 20 × 84/12 = 140,0000 días (apartado 1.b).",
            "formula": "20 × 84/12",
            "value": "140",
            "unit": "days",
            "provision": f"{_LAW_ID}#Artículo 53",
            "authority": "",
        }
    ],
    "not_applied": [
        {"text": "tope de 12 mensualidades (36.500,00 €): no se alcanza", "provision": f"{_LAW_ID}#Artículo 53"}
    ],
    "assumptions": ["Mensualidad = salario anual con pagas / 12."],
    "warnings": [],
    "missing": [],
    "alternatives": [],
    "sensitive": "",
    "excluded": [],
    "law_day": "2026-02-28",
    "wordings": [
        {"provision": f"{_LAW_ID}#Artículo 53", "since": "2025-04-03", "certainty": "exact", "confirmed": True}
    ],
    "notes": ["Se supone: Mensualidad = salario anual con pagas / 12."],
    "provisions": [
        {
            "provision": f"{_LAW_ID}#Artículo 53",
            "law_id": _LAW_ID,
            "law": _LAW,
            "label": "Artículo 53",
            "cited": "artículo 53 ET",
            "url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a53",
        }
    ],
}


def answered(**examples: Any) -> dict[int | str, dict[str, Any]]:
    named = {name: {"value": value} for name, value in examples.items()}
    return {200: {"content": {"application/json": {"examples": named}}}}
