"""Refuse requests that a web page makes behind its reader's back, and bodies that are no JSON.

A page of any site can send requests to a server on its reader's machine. A browser says where they come from
(``Origin``), under which name it called (``Host``, which gives away a name that was made to point to this machine), and
sends JSON of another site only after asking, which is never granted.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.language.translation import translate
from server.errors import answer_failure

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_SENDS_BODY = frozenset(("POST", "PUT", "PATCH"))


class OriginCheck:
    """Let through what is called by one of ``hosts`` (any name where there are none), from nowhere or the same place.

    ``origins`` are pages of other places that may call as well.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK, origins: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and (refused := self._refused(scope["method"], Headers(scope=scope))):
            status, detail = refused
            await answer_failure(status, {"detail": detail, "error": "HTTPError"})(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, method: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if self._hosts and _name_of(host) not in self._hosts:
            return 403, translate("server.host_refused", host=host)
        origin = headers.get("origin", "").lower()
        if origin and origin not in self._origins and _place_of(origin) != host.lower():
            return 403, translate("server.origin_refused", origin=origin)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method in _SENDS_BODY and _has_body(headers) and kind != "application/json" and not kind.endswith("+json"):
            return 415, translate("server.not_json")
        return None


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _place_of(origin: str) -> str:
    """Return the name or address of an ``Origin`` header, with its port; empty where it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """Return the name or address of a ``Host`` header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
