"""Answer what is refused for now, and say when to come back."""

import math

from starlette.responses import JSONResponse

from server.errors import answer_failure


def come_back(status: int, detail: str, seconds: float) -> JSONResponse:
    """Return the response to a request that is refused for some seconds."""
    response = answer_failure(status, {"detail": detail, "error": "TooManyRequests" if status == 429 else "Busy"})
    response.headers["retry-after"] = str(max(1, math.ceil(seconds)))
    return response
