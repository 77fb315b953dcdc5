"""Routes of ``/v1`` without a chat model: search, provisions, verify, check, and calculations."""

import asyncio
import base64
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse, Response
from typing_extensions import TypedDict

from articulado.calculations.deadlines import calendar_event
from articulado.calculations.wordings import CALCULATIONS, ListedCalculation, listed
from articulado.calculations.written import Worked
from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.legal.territory.table import gazetteer
from articulado.values.documents import OwnReading
from articulado.values.errors import InvalidInput
from articulado.verification.briefs.passages import BriefReport
from server.conversations.routes import ENDINGS, MEDIA_TYPES, export_calculation
from server.errors import BODY_FAILURES, RUN_FAILURES, V1, failures
from server.guards import Policy
from server.lookup.law import LawDesk
from server.lookup.results import Comparison, DossierVerification, ProvisionOnDay, SearchResult, Verification
from server.v1.examples import answered
from server.v1.requests import MAX_QUESTION, Calculate, Check, Day, Options, SentFile, Verify

_DAYS = re.compile(r"(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})")


class About(TypedDict):
    """The content of the server: its profile, the day of its index, and the number of its laws."""

    title: str
    language: str
    index_day: str | None
    laws: int
    territories: list[str]
    keys: bool


def law_routes(desk: LawDesk, policy: Policy, *, has_keys: Callable[[], bool]) -> APIRouter:
    """Return the routes that read and check the law."""
    router = APIRouter(prefix=V1)

    @router.get("/about", summary="Saber de qué se responde", responses=answered(laboral="about"))
    async def about() -> About:
        """Dice con qué perfil, índice y normas responde el servidor, y para qué territorios."""
        known = await desk.about()
        return {
            **known,
            "territories": sorted(community.name for community in gazetteer().community),
            "keys": await asyncio.to_thread(has_keys),
        }

    @router.get(
        "/search",
        summary="Buscar preceptos",
        responses={**RUN_FAILURES, **answered(nacimiento="found")},
    )
    async def search(
        q: Annotated[
            str,
            Query(
                min_length=1,
                max_length=MAX_QUESTION,
                description="Pregunta o palabras",
                examples=["días de vacaciones"],
            ),
        ],
        limit: Annotated[int, Query(ge=1, le=100, description="Resultados como máximo")] = 10,
        date: Annotated[
            Day | None, Query(description="Derecho vigente en esta fecha (AAAA-MM-DD)", examples=["2024-01-01"])
        ] = None,
        territory: Annotated[
            str | None,
            Query(max_length=100, description="Comunidad autónoma o municipio", examples=["Comunidad de Madrid"]),
        ] = None,
        collection: Annotated[
            list[str] | None,
            Query(
                max_length=50, description="Colección en la que se busca; se puede repetir", examples=[["normativa"]]
            ),
        ] = None,
    ) -> SearchResult:
        """Busca preceptos, sin redactar respuesta; «answers» dice si alguno responde a la pregunta."""
        context = Options(as_of=date, territory=territory, collections=collection).context()
        policy.check_options(context.max_chunks_in_prompt, context.rerank_strategy)
        return await desk.search(q, limit, context)

    @router.get(
        "/provisions/{law}/{label:path}",
        summary="Leer un precepto",
        responses={
            **failures(404, 422),
            **answered(comparacion="comparison"),
        },
    )
    async def provision(
        law: Annotated[
            str, PathParameter(description="Norma: siglas, nombre o identificador del BOE", examples=["ET"])
        ],
        label: Annotated[
            str,
            PathParameter(description="Precepto: número, nombre o clave («38», «DA 3ª», «art:38»)", examples=["38"]),
        ],
        date: Annotated[
            Day | None, Query(description="Redacción de este día (AAAA-MM-DD)", examples=["2024-01-01"])
        ] = None,
        diff: Annotated[
            str | None,
            Query(
                description="Cambios entre dos días: AAAA-MM-DD..AAAA-MM-DD; no se combina con «date»",
                examples=["2019-01-01..2024-01-01"],
                json_schema_extra={"pattern": _DAYS.pattern},
            ),
        ] = None,
    ) -> ProvisionOnDay | Comparison:
        """Da un precepto en su redacción de hoy o de un día, o lo que cambió entre dos."""
        if diff is None:
            return await desk.provision(law, label, date)
        if date is not None:
            raise InvalidInput(translate("desk.date_and_diff"))
        return await desk.compare(law, label, *_days(diff))

    @router.post(
        "/verify",
        summary="Comprobar una respuesta",
        responses={**BODY_FAILURES, **answered(hallazgos="verified")},
    )
    async def verify(body: Verify) -> Verification | DossierVerification:
        """Comprueba una respuesta de cualquier sistema con sus textos, o un expediente de articulado."""
        if body.dossier is not None:
            if body.answer or body.context:
                raise InvalidInput(translate("desk.one_to_verify"))
            from articulado.verification.dossier import read_dossier

            return await desk.verify_dossier(read_dossier(json.dumps(body.dossier), "dossier"))
        if not body.answer:
            raise InvalidInput(translate("desk.one_to_verify"))
        from articulado.verification.checks import read_item

        return await desk.verify(read_item(1, translate("desk.item"), body.model_dump()).answer, body.as_of)

    @router.post("/check", summary="Comprobar un escrito", responses=BODY_FAILURES)
    async def check(body: Check) -> BriefReport:
        """Comprueba las citas de un escrito: si existen, si estaban en vigor y si dicen lo que se cita."""
        if bool(body.text.strip()) == bool(body.content):
            raise InvalidInput(translate("desk.one_to_check"))
        return await desk.check_brief(body.name, _content(body), body.day)

    @router.post("/documents", summary="Leer un documento propio", responses=BODY_FAILURES)
    async def document(body: SentFile) -> OwnReading:
        """Lee un documento (convenio, carta, nómina, escrito…) y dice qué ha sido de él; no se guarda nada.

        Su «document» se puede enviar con una pregunta a «/v1/ask».
        """
        return await desk.read_document(body.name, _decoded(body.content))

    return router


def _content(body: Check) -> bytes:
    if not body.content:
        body.name = "escrito.txt"
        return body.text.encode("utf-8", "replace")
    return _decoded(body.content)


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except ValueError as error:  # binascii.Error, or what is not ASCII
        raise InvalidInput(translate("desk.not_base64")) from error


def _days(written: str) -> tuple[date, date]:
    found = _DAYS.fullmatch(written)
    try:
        if found:
            return date.fromisoformat(found[1]), date.fromisoformat(found[2])
    except ValueError:
        pass
    raise InvalidInput(translate("desk.no_days", written=written))


CALENDAR = "text/calendar"
WORD = MEDIA_TYPES["docx"]
_FILES: dict[str, Any] = {CALENDAR: {"schema": {"type": "string"}}, WORD: {"schema": {"type": "string"}}}


def calculation_routes(desk: LawDesk, language: Language) -> APIRouter:
    """Return the routes of calculations; ``language`` is that of the notice in a document."""
    router = APIRouter(prefix=V1)

    @router.get("/calculations", summary="Enumerar los cálculos", responses=answered(despido="calculations"))
    async def calculations() -> list[ListedCalculation]:
        """Enumera los cálculos, con el JSON Schema de cada dato y los que se piden primero."""
        return [listed(each) for each in CALCULATIONS.values()]

    described = answered(indemnizacion="worked")
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
            return _file(calendar_event(worked).encode(), CALENDAR, "plazo.ics")
        if WORD in accepted:
            content = await asyncio.to_thread(export_calculation, worked.document, language)
            return _file(content, WORD, f"calculo.{ENDINGS['docx']}")
        return JSONResponse(worked.document)

    return router


def _file(content: bytes, media_type: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)
