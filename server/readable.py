"""A check that a body can be read at all: what cannot would be taken for an error of the server."""

import json
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError

from state.errors import InvalidInput

MAX_DEPTH = 50
TOO_DEEP = f"La petición tiene más de {MAX_DEPTH} niveles, unos dentro de otros. Envíe los datos con menos niveles."
HALVES = (
    "La petición tiene caracteres incompletos (mitades de un par de Unicode, como \\ud83d sin su pareja). Quítelos."
)


async def check_readable(request: Request) -> None:
    """Read the body of a ``POST`` as JSON; the request keeps what was read.

    Raises:
        RequestValidationError: it is no JSON.
        InvalidInput: objects and lists are nested too deeply, or a text cannot be written as UTF-8.
    """
    if request.method != "POST":
        return
    try:
        body = await request.json()
    except ValueError as error:
        raise RequestValidationError(errors=["Invalid JSON body"]) from error
    except RecursionError as error:
        raise InvalidInput(TOO_DEEP) from error
    if depth(body) > MAX_DEPTH:
        raise InvalidInput(TOO_DEEP)
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(HALVES) from error


def depth(value: Any) -> int:
    """Return how many objects and lists are within each other, 0 for neither; no recursion, however many."""
    levels, within = 0, [value]
    while within := [one for one in within if isinstance(one, dict | list)]:
        levels += 1
        within = [one for outer in within for one in (outer.values() if isinstance(outer, dict) else outer)]
    return levels
