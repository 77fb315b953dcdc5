"""Say what is wrong with an article file in words for its editor; pydantic's own are many lines of English."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from state.errors import InvalidInput

_MESSAGES = {
    "missing": "falta",
    "extra_forbidden": "no es una clave conocida",
    "string_type": "debe ser un texto (póngalo entre comillas si parece un número, una fecha, un sí o un no)",
    "string_too_short": "no puede estar vacío",
    "too_short": "no puede estar vacía",
    "list_type": "debe ser una lista",
    "bool_type": "debe ser true o false",
    "float_type": "debe ser un número",
    "finite_number": "debe ser un número",
    "model_type": "debe ser una serie de claves con su valor",
    "date_type": "debe ser una fecha, AAAA-MM-DD",
}


def article_error(file: Path, where: str, what: str) -> InvalidInput:
    """Return the error for an article that cannot be used; ``where`` is a location in it, or empty."""
    return InvalidInput(f"El artículo «{file}» no se puede usar: {f'{where}: ' if where else ''}{what}.")


def schema_error(file: Path, error: ValidationError) -> InvalidInput:
    """Return the first problem that pydantic has found as an error that names file, chunk and key."""
    first = error.errors(include_url=False)[0]
    return article_error(file, location(first["loc"]), _what(first))


def location(path: Sequence[str | int]) -> str:
    """Return in Spanish where in an article a problem is, counting from 1.

    >>> location(("chunks", 2, "fields", 0, "data_type"))
    'trozo 3, fields 1, data_type'
    """
    steps: list[str] = []
    for part in path:
        if isinstance(part, int) and steps:
            steps[-1] += f" {part + 1}"
        else:
            steps.append("trozo" if part == "chunks" else str(part))
    return ", ".join(steps)


def _what(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return f"los valores posibles son {str(context['expected']).replace(' or ', ', ')}"
        case "string_pattern_mismatch":
            return (
                f"«{error['input']}» no vale: solo letras minúsculas sin acentos y cifras, separadas por "
                f"{'guiones bajos' if '_' in context['pattern'] else 'guiones'}"
            )
        case other:
            return _MESSAGES.get(other, error["msg"])
