"""A limit on the size of request bodies; LangServe by itself takes any."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import answer_failure


class BodyLimit:
    """Refuse bodies of more than ``limit`` bytes, with or without a declared length, with HTTP 413."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit
        self._message = (
            f"La petición es demasiado grande: el máximo son {limit} bytes. "
            "Acorte el texto, el historial («history») o los datos («collected_data»)."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        declared = Headers(scope=scope).get("content-length", "") if scope["type"] == "http" else ""
        if declared.isdigit() and int(declared) > self._limit:
            await answer_failure(413, {"detail": self._message, "error": "HTTPError"})(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._limit:
                raise HTTPException(413, self._message)
            return message

        await self._app(scope, counted, send)
