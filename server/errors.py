"""Responses to errors in the language of the profile, and schemas of inputs, outputs and failures for OpenAPI."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, Required

from fastapi import FastAPI, Request
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import ConfigDict, with_config
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import TypedDict

from articulado.language.translation import translate, use_locale
from articulado.values.answers import Citation
from articulado.values.errors import (
    ArticuladoError,
    ConfigurationError,
    ContentFiltered,
    ConversationBusy,
    ConversationUnknown,
    IndexMismatch,
    IndexMissing,
    InvalidInput,
    NoResultsFound,
)
from state.context import RunContext

CONTEXT = "context"

V1 = "/v1"

MESSAGES = "messages"  # key of the conversation as LangChain messages, for clients of threads


def served_input(schema: type[Any], beside: Mapping[str, Any] | None = None) -> type[Any]:
    """Return a graph's input schema with the options of the run and the keys of ``beside``; other keys are refused."""
    keys = {**_without_messages(schema), CONTEXT: RunContext, **(beside or {})}
    if MESSAGES in schema.__annotations__:
        keys["question"] = Required[str]
    served: type[Any] = TypedDict(f"Served{schema.__name__}", keys, total=False)  # type: ignore[misc]
    return with_config(ConfigDict(extra="forbid"))(served)


def served_output(schema: type[Any]) -> type[Any]:
    """Return the output schema of a graph without its messages, which repeat the other keys."""
    if MESSAGES not in schema.__annotations__:
        return schema
    served: type[Any] = TypedDict(schema.__name__, _without_messages(schema))  # type: ignore[misc]
    return served


def _without_messages(schema: type[Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.__annotations__.items() if key != MESSAGES}


class Failure(TypedDict):
    """The body of every response that is not a success: ``detail`` is for the user, ``error`` names the kind.

    ``citations`` are there if sources had been found and no answer could be written from them.
    """

    detail: str
    error: str
    citations: NotRequired[list[Citation]]


logger = logging.getLogger(__name__)

HTTP_MESSAGES = {
    404: "server.http_404",
    405: "server.http_405",
}
_RETRY_AFTER = {"Retry-After": {"description": "Segundos que conviene esperar", "schema": {"type": "integer"}}}
_FAILURES: dict[int, tuple[str, str]] = {
    401: ("Hace falta una clave de acceso", "HTTPError"),
    403: ("La página, el nombre o la máquina no se atienden", "HTTPError"),
    404: ("No está: el mensaje dice qué hay", "NoResultsFound"),
    409: ("La conversación tiene una pregunta en curso", "ConversationBusy"),
    413: ("El cuerpo es demasiado grande", "HTTPError"),
    415: ("El cuerpo no es JSON", "HTTPError"),
    422: ("La petición no vale; el mensaje dice por qué", "InvalidInput"),
    429: ("Demasiadas peticiones", "TooManyRequests"),
    500: ("Error de configuración, o inesperado", "ConfigurationError"),
    503: ("No hay sitio (con Retry-After), o no responde el almacén o el modelo", "StoreUnavailable"),
    504: ("Ha tardado demasiado", "DeadlineExceeded"),
}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of failures with these statuses."""
    described: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        description, kind = _FAILURES[status]
        example = {"detail": f"{description}.", "error": kind}
        described[status] = {
            "model": Failure,
            "description": description,
            "content": {"application/json": {"example": example}},
        }
        if status in (429, 503):
            described[status]["headers"] = _RETRY_AFTER
    return described


FAILURES = failures(401, 403, 500, 503)
RUN_FAILURES = failures(422, 429, 504)
BODY_FAILURES = RUN_FAILURES | failures(413, 415)

PROBLEMS = {
    "missing": "server.field_required",
    "extra_forbidden": "server.field_unknown",
    "string_type": "server.field_text",
    "string_unicode": "server.field_halves",
    "string_too_short": "server.field_empty",
    "string_too_long": "server.field_shorter",
    "too_long": "server.field_fewer",
    "list_type": "server.field_list",
    "dict_type": "server.field_object",
    "model_type": "server.field_object",
    "int_type": "server.field_whole",
    "int_parsing": "server.field_whole",
    "int_parsing_size": "server.field_smaller",
    "int_from_float": "server.field_whole",
    "finite_number": "server.field_whole",
    "bool_type": "server.field_true_false",
    "bool_parsing": "server.field_true_false",
    "date_type": "server.field_date",
    "date_parsing": "server.field_date",
    "date_from_datetime_parsing": "server.field_date",
    "literal_error": "server.field_choice",
    "greater_than_equal": "server.field_at_least",
    "less_than_equal": "server.field_at_most",
}


class SpokenLanguage:
    """Serve every request, and the tasks it starts, in one language."""

    def __init__(self, app: ASGIApp, language: str) -> None:
        self._app = app
        self._language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with use_locale(self._language):
            await self._app(scope, receive, send)


def status_of(error: Exception) -> int:
    """Return the HTTP status: 404, 409, 422 the caller can act, 500 the operator must, 503 try again later."""
    if isinstance(error, ConversationUnknown | NoResultsFound):
        return 404
    if isinstance(error, ConversationBusy):
        return 409
    if isinstance(error, InvalidInput | ContentFiltered):
        return 422
    if isinstance(error, ConfigurationError | IndexMissing | IndexMismatch):
        return 500
    return 503 if isinstance(error, ArticuladoError) else 500


def failure_of(error: Exception) -> Failure:
    """Return the public body of a failure; the causes of an unexpected error stay in the log."""
    if isinstance(error, ArticuladoError):
        failure: Failure = {"detail": str(error), "error": type(error).__name__}
        return {**failure, "citations": list(error.citations)} if error.citations else failure
    return {"detail": translate("server.unexpected"), "error": "InternalError"}


def error_event(error: Exception) -> dict[str, Any]:
    failure = failure_of(error)
    event = {"status_code": status_of(error), "message": failure["detail"], "error": failure["error"]}
    return {**event, "citations": failure["citations"]} if "citations" in failure else event


def explain(problems: Sequence[Any], path: str) -> str:
    """Return a message about the first three problems of a request to ``path``."""
    explained = "; ".join(problem_of(problem) for problem in problems[:3])
    if path.startswith(f"{V1}/"):
        return translate("server.invalid_v1", explained=explained)
    schema = f"{path.rpartition('/')[0]}/input_schema"
    return translate("server.invalid", explained=explained, schema=schema)


def problem_of(problem: Any) -> str:
    """Return a message about one problem of a field, as found by pydantic."""
    if not isinstance(problem, dict) or problem["type"] == "json_invalid":
        return translate("server.body_not_json")
    where = [str(part) for part in problem["loc"]]
    field = ".".join(where[1:] if where[:1] in (["body"], ["query"], ["path"]) else where) or "input"
    limits = dict(problem.get("ctx", {}))
    if "expected" in limits:  # pydantic joins the values of a choice with an English word
        limits["expected"] = limits["expected"].replace("' or '", f"'{translate('system.or')}'")
    return translate(
        "server.field", field=field, problem=translate(PROBLEMS.get(problem["type"], "server.field_invalid"), **limits)
    )


class FailureResponse(JSONResponse):
    """Failure as JSON; on the paths of OpenAI's protocol in the form of its errors."""

    def __init__(self, status: int, failure: Failure, error: Exception | None = None, param: str | None = None) -> None:
        super().__init__(failure, status_code=status)
        self._openai = openai_error(status, failure, error, param)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if speaks_openai(scope):
            self.body = self.render(self._openai)
            self.headers["content-length"] = str(len(self.body))
            self.status_code = 400 if self.status_code == 422 else self.status_code
        await super().__call__(scope, receive, send)


class RefusedField(InvalidInput):
    """A field of a request in OpenAI's protocol has an unsupported value; ``code`` is the code of the error."""

    def __init__(self, message: str, param: str, code: str = "unsupported_parameter") -> None:
        super().__init__(message)
        self.param = param
        self.code = code


class ModelUnknown(NoResultsFound):
    """The server has no model of the name that a request in OpenAI's protocol gives."""

    param, code = "model", "model_not_found"


_OPENAI = (f"{V1}/chat/completions", f"{V1}/models")
_OPENAI_KINDS = {
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", None),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}
"""Type and code of an error by its status; others below 500 are an ``invalid_request_error`` without a code."""


def speaks_openai(scope: Scope) -> bool:
    return str(scope["path"]).startswith(_OPENAI)


class OpenAIProblem(TypedDict):
    """An error in OpenAI's protocol: message, kind, and the field that it is about, if any."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIFailure(TypedDict):
    """The body of every response of OpenAI's protocol that is not a success."""

    error: OpenAIProblem


def openai_error(
    status: int, failure: Failure, error: Exception | None = None, param: str | None = None
) -> OpenAIFailure:
    kind, code = _OPENAI_KINDS.get(status, ("invalid_request_error" if status < 500 else "server_error", None))
    return {
        "error": {
            "message": failure["detail"],
            "type": kind,
            "param": getattr(error, "param", param),
            "code": getattr(error, "code", code),
        }
    }


def openai_failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI descriptions of failures with these statuses on a path of OpenAI's protocol."""
    described = failures(*(422 if status == 400 else status for status in statuses))
    told: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        told[status] = described[422 if status == 400 else status]
        kind, code = _OPENAI_KINDS.get(status, ("invalid_request_error" if status < 500 else "server_error", ""))
        problem = {"message": f"{told[status]['description']}.", "type": kind, "param": "model", "code": code or kind}
        told[status] |= {"model": OpenAIFailure, "content": {"application/json": {"example": {"error": problem}}}}
    return told


async def _articulado(request: Request, error: Exception) -> JSONResponse:
    if status_of(error) >= 500:
        logger.error("%s: %s", type(error).__name__, error)
    return FailureResponse(status_of(error), failure_of(error), error)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    failure: Failure = {"detail": explain(problems, request.url.path), "error": "InvalidInput"}
    return FailureResponse(422, failure, param=_field_of(problems))


def _field_of(problems: Sequence[Any]) -> str | None:
    where = [str(part) for part in problems[0]["loc"]] if problems and isinstance(problems[0], dict) else []
    return ".".join(where[1:]) or None


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 400:  # FastAPI's, for a body that cannot be read at all
        return await _invalid(request, RequestValidationError([{"type": "json_invalid", "loc": ()}]))
    key = HTTP_MESSAGES.get(error.status_code)
    detail = translate(key) if key else str(error.detail)
    response = FailureResponse(error.status_code, {"detail": detail, "error": "HTTPError"})
    response.headers.update(error.headers or {})
    return response


def handle_errors(app: FastAPI, language: str) -> None:
    """Install the exception handlers."""

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        # This handler alone runs outside the application's own middleware.
        with use_locale(language):
            return FailureResponse(500, failure_of(error))

    app.add_middleware(SpokenLanguage, language=language)
    app.add_exception_handler(ArticuladoError, _articulado)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, unexpected)


def keep_to_own_routes(app: FastAPI) -> None:
    """Handle errors of routes added later by an Agent Server as that server does, except errors of this project."""
    own = tuple(app.router.routes)
    told, unexpected = app.exception_handlers[HTTPException], app.exception_handlers[Exception]

    async def http(request: Request, error: Exception) -> Response:
        handle: Any = told if _leads_to(own, request.scope) else http_exception_handler
        return await handle(request, error)  # type: ignore[no-any-return]

    async def any_other(request: Request, error: Exception) -> Response:
        if not _leads_to(own, request.scope):
            return PlainTextResponse("Internal Server Error", 500)
        answered: Any = unexpected
        return await answered(request, error)  # type: ignore[no-any-return]

    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(Exception, any_other)


def _leads_to(routes: Sequence[BaseRoute], scope: Scope) -> bool:
    return any(route.matches(scope)[0] is not Match.NONE for route in routes)
