"""Answer what is refused for now, and say when to come back."""

import math

from starlette.responses import JSONResponse
from starlette.types import Scope

from server.errors import answer_failure


def come_back(status: int, detail: str, seconds: float) -> JSONResponse:
    """Return the response to a request that is refused for some seconds."""
    response = answer_failure(status, {"detail": detail, "error": "TooManyRequests" if status == 429 else "Busy"})
    response.headers["retry-after"] = str(max(1, math.ceil(seconds)))
    return response


def is_run(scope: Scope) -> bool:
    """Tell whether a request starts work that costs: all that send a body do."""
    return bool(scope["type"] == "http" and scope["method"] == "POST")
