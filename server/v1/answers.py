"""Routes of ``/v1`` that answer questions, handle cases and store ratings of answers."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from typing_extensions import TypedDict

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError
from server.conversations.routes import KEEP_TURNS, THREAD, Threads
from server.errors import BODY_FAILURES, CONTEXT, V1, error_event, failures, served_output
from server.guards import Policy
from server.operations.requests import current_caller
from server.runnable import ServedGraph
from server.v1.examples import EXAMPLES, answered
from server.v1.requests import Ask, GivenFeedback, RequiredData, Respond
from state.case import RequiredDataOutput, ResponseOutput
from state.rag import RagOutput

logger = logging.getLogger(__name__)

EVENTS = "text/event-stream"
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "La respuesta, o sus eventos: stage, token, retry, sources, final, error",
        "content": {
            EVENTS: {
                "schema": {"type": "string"},
                "examples": {
                    "respuesta": {"value": EXAMPLES["events"]},
                    "opciones": {"value": EXAMPLES["unsure_events"]},
                },
            }
        },
    }
}
Answer: Any = served_output(RagOutput)


class Kept(TypedDict):
    """The id of a stored rating."""

    id: str


def answer_routes(rag: ServedGraph, cases: Mapping[str, ServedGraph], threads: Threads, policy: Policy) -> APIRouter:
    """Return the routes of answers, cases and ratings."""
    router = APIRouter(prefix=V1)

    @router.post(
        "/ask",
        summary="Responder a una pregunta",
        response_model=Answer,
        responses={**BODY_FAILURES, **failures(409), **_STREAM},
    )
    async def ask(request: Request, body: Ask) -> Response:
        """Responde a una pregunta, con sus fuentes; con «Accept: text/event-stream», según se escribe.

        Una respuesta que no consta es también un resultado: «outcome» dice qué ha sido de la pregunta.
        """
        sent: dict[str, Any] = {"question": body.question, CONTEXT: body.context()}
        if body.thread_id:
            sent[THREAD] = body.thread_id
        if body.keep_turns is not None:
            sent[KEEP_TURNS] = body.keep_turns
        policy.check_options(body.max_chunks, body.rerank_strategy)
        if EVENTS in request.headers.get("accept", ""):
            return EventSourceResponse(_events(rag, sent))
        return JSONResponse(await rag.ainvoke(sent))

    @router.post(
        "/feedback",
        summary="Valorar una respuesta",
        status_code=201,
        responses={**BODY_FAILURES, 201: answered(guardada="kept")[200]},
    )
    async def feedback(body: GivenFeedback) -> Kept:
        """Guarda qué ha parecido una respuesta, tanto tiempo como su conversación."""
        kept, name = threads.kept_as(body.thread_id or "-")
        given = await kept.feedback.put(
            current_caller(),
            name if body.thread_id else "",
            body.question,
            body.answer,
            body.rating,
            body.comment,
        )
        return {"id": given["id"]}

    if cases:
        _add_cases(router, cases, policy)
    return router


def _add_cases(router: APIRouter, cases: Mapping[str, ServedGraph], policy: Policy) -> None:
    @router.post(
        "/case/required-data",
        summary="Saber qué datos necesita un caso",
        response_model=RequiredDataOutput,
        responses=BODY_FAILURES,
    )
    async def required_data(body: RequiredData) -> Response:
        """Dice qué datos necesita un caso, y según qué guía; «outcome» y «message» dicen si no la hay."""
        return JSONResponse(await cases["required_data"].ainvoke(_case(body, policy)))

    @router.post(
        "/case/respond",
        summary="Responder a un caso",
        response_model=ResponseOutput,
        responses=BODY_FAILURES,
    )
    async def respond(body: Respond) -> Response:
        """Responde a un caso con los datos recogidos; «decision» y «message» dicen si no puede seguir, y por qué."""
        collected = {"collected_data": body.collected_data, "max_tokens": body.max_tokens}
        return JSONResponse(await cases["generate_response"].ainvoke(_case(body, policy) | collected))


def _case(body: RequiredData, policy: Policy) -> dict[str, Any]:
    policy.check_options(body.max_chunks, body.rerank_strategy)
    return {"inquiry": body.inquiry, **body.fields, CONTEXT: body.context()}


async def _events(rag: ServedGraph, sent: dict[str, Any]) -> AsyncIterator[ServerSentEvent]:
    try:
        async for event in rag.astream(sent):
            kind = event["type"]
            if kind == "final":
                result = cast("dict[str, Any]", event["result"])
                yield _event("sources", {"citations": result["citations"]})
                yield _event("final", result)
            else:
                yield _event(kind, {name: value for name, value in event.items() if name != "type"})
    except Exception as error:
        if not isinstance(error, ArticuladoError):
            logger.exception(translate("server.interrupted"))
        yield _event("error", error_event(error))


def _event(name: str, data: Mapping[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False), event=name)
