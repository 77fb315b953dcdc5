"""Routes of ``/v1`` that list the calculations and work them out, as JSON, a calendar event or a Word document."""

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from articulado.calculations.catalogue import CALCULATIONS, ListedCalculation, listed
from articulado.calculations.deadlines import calendar_file
from articulado.calculations.values import Result
from articulado.calculations.written import Worked, last_day
from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.values.errors import InvalidInput
from server.conversations.routes import ENDINGS, MEDIA_TYPES, export_calculation
from server.errors import BODY_FAILURES, V1
from server.lookup.law import Calculated, LawDesk
from server.v1 import examples
from server.v1.requests import Calculate

CALENDAR = "text/calendar"
WORD = MEDIA_TYPES["docx"]
_FILES: dict[str, Any] = {CALENDAR: {"schema": {"type": "string"}}, WORD: {"schema": {"type": "string"}}}


def calculation_routes(desk: LawDesk, language: Language) -> APIRouter:
    """Return the routes; ``language`` is that of the notice in a document."""
    router = APIRouter(prefix=V1)

    @router.get(
        "/calculations", summary="Enumerar los cálculos", responses=examples.answered(despido=[examples.CALCULATION])
    )
    async def calculations() -> list[ListedCalculation]:
        """Enumera los cálculos, con el JSON Schema de cada dato y los que se piden primero."""
        return [listed(each) for each in CALCULATIONS.values()]

    described = examples.answered(indemnizacion=examples.WORKED)
    described[200]["content"] |= _FILES

    @router.post(
        "/calculations",
        summary="Calcular una cantidad o un plazo",
        response_model=Worked,
        responses={**BODY_FAILURES, **described},
    )
    async def calculate(request: Request, body: Calculate) -> Response:
        """Calcula paso a paso, con el precepto de cada paso; «status» dice si hay resultado o qué falta.

        Con «Accept: text/calendar» da el último día de un plazo como cita de calendario; con el tipo de Word, un
        documento.
        """
        worked = await desk.calculate(body.calculation, body.inputs, body.question)
        accepted = request.headers.get("accept", "")
        if CALENDAR in accepted:
            return _file(_calendar(worked).encode(), CALENDAR, "plazo.ics")
        if WORD in accepted:
            content = await asyncio.to_thread(export_calculation, worked.document, language)
            return _file(content, WORD, f"calculo.{ENDINGS['docx']}")
        return JSONResponse(worked.document)

    return router


def _calendar(worked: Calculated) -> str:
    """Return the last day of a term as a calendar file.

    Raises:
        InvalidInput: there is no result, or it is no day.
    """
    day = last_day(worked.outcome) if isinstance(worked.outcome, Result) else None
    if worked.calculation is None or not isinstance(worked.outcome, Result) or day is None:
        raise InvalidInput(translate("calculation.no_day", kind=worked.document["calculation"]))
    return calendar_file(worked.outcome, worked.calculation.title, day)


def _file(content: bytes, media_type: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
