"""What the caller reads when something fails: a status, a kind and a message in Spanish, never a traceback."""

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from server.schemas import Failure
from state.errors import ArticuladoError, ConfigurationError, ContentFiltered, IndexMismatch, IndexMissing, InvalidInput

logger = logging.getLogger(__name__)

UNEXPECTED = (
    "Ha ocurrido un error inesperado en el servidor. Vuelva a intentarlo; si se repite, consulte su registro, "
    "donde queda la causa."
)
HTTP_MESSAGES = {
    404: "Esa dirección no existe en este servidor. La lista de direcciones está en /docs.",
    405: "Esa dirección no admite este método HTTP. Los métodos de cada una están en /docs.",
}
PROBLEMS = {
    "missing": "es obligatorio",
    "extra_forbidden": "no es un campo conocido",
    "string_type": "debe ser un texto",
    "list_type": "debe ser una lista",
    "dict_type": "debe ser un objeto",
    "model_type": "debe ser un objeto",
    "int_type": "debe ser un número entero",
    "int_parsing": "debe ser un número entero",
    "int_parsing_size": "debe ser un número entero más pequeño",
    "int_from_float": "debe ser un número entero",
    "finite_number": "debe ser un número entero",
    "bool_type": "debe ser true o false",
    "bool_parsing": "debe ser true o false",
    "date_type": "debe ser una fecha AAAA-MM-DD",
    "date_parsing": "debe ser una fecha AAAA-MM-DD",
    "date_from_datetime_parsing": "debe ser una fecha AAAA-MM-DD",
    "literal_error": "debe ser uno de: {expected}",
    "greater_than_equal": "debe ser {ge} o más",
    "less_than_equal": "debe ser {le} o menos",
}


def status_of(error: Exception) -> int:
    """Return the HTTP status: 422 the caller can act, 500 the operator must, 503 try again later."""
    if isinstance(error, InvalidInput | ContentFiltered):
        return 422
    if isinstance(error, ConfigurationError | IndexMissing | IndexMismatch):
        return 500
    return 503 if isinstance(error, ArticuladoError) else 500


def failure_of(error: Exception) -> Failure:
    """Return what the caller may read; the causes of an unexpected error stay in the log."""
    if isinstance(error, ArticuladoError):
        return {"detail": str(error), "error": type(error).__name__}
    return {"detail": UNEXPECTED, "error": "InternalError"}


def explain(problems: Sequence[Any], path: str) -> str:
    """Say in Spanish what a request to this path lacks, at most three things."""
    explained = "; ".join(_problem(problem) for problem in problems[:3])
    schema = f"{path.rpartition('/')[0]}/input_schema"
    return f"La petición no es válida: {explained}. El esquema de la entrada está en {schema}."


def _problem(problem: Any) -> str:
    if not isinstance(problem, dict) or problem["type"] == "json_invalid":
        return "el cuerpo no es JSON"
    field = ".".join(str(part) for part in problem["loc"]) or "input"
    explanation = PROBLEMS.get(problem["type"], "no es válido")
    # Pydantic joins the values of a choice with an English word.
    return f"«{field}» {explanation.format_map(problem.get('ctx', {}))}".replace("' or '", "' o '")


def answer_failure(status: int, failure: Failure) -> JSONResponse:
    """Return the response for a failure."""
    return JSONResponse(failure, status_code=status)


async def _articulado(request: Request, error: Exception) -> JSONResponse:
    if status_of(error) >= 500:
        logger.error("%s: %s", type(error).__name__, error)
    return answer_failure(status_of(error), failure_of(error))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    return answer_failure(422, {"detail": explain(problems, request.url.path), "error": "InvalidInput"})


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    detail = HTTP_MESSAGES.get(error.status_code, str(error.detail))
    return answer_failure(error.status_code, {"detail": detail, "error": "HTTPError"})


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    return answer_failure(500, failure_of(error))


def handle_errors(app: FastAPI) -> None:
    """Install the handlers; Starlette itself logs what is unexpected."""
    app.add_exception_handler(ArticuladoError, _articulado)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)
