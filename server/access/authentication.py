"""Tell who calls, by the key that a request carries."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.language.translation import translate
from server.access.keys import KeyRing
from server.address import is_loopback
from server.errors import answer_failure

CALLER = "caller"
"""Where the name of the caller's key is in the state of a request; empty where the server has no keys."""
OPEN_PATHS = frozenset(("/health", "/healthz", "/readyz", "/"))
"""What anybody may ask: it says nothing but that the server is there. The page asks its reader for a key."""
OPEN_FOLDERS = ("/page/",)
"""Where the files of the page are."""
LOCAL_PATHS = frozenset(("/metrics",))
"""What this machine may ask without a key."""


class Authentication:
    """Refuse requests without a key of the ring, with HTTP 401; without keys, those of other machines, with 403."""

    def __init__(self, app: ASGIApp, ring: KeyRing | None = None) -> None:
        self._app = app
        self._ring = ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # The file of the keys is looked at, which must not hold up other requests.
        has_keys, caller = await asyncio.to_thread(identify, self._ring, Headers(scope=scope))
        if caller is None and not _is_open(scope):
            response = answer_failure(401, {"detail": translate("server.no_key"), "error": "HTTPError"})
            response.headers["www-authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        if not has_keys and not is_local(scope):
            await answer_failure(403, {"detail": translate("server.not_local"), "error": "HTTPError"})(
                scope, receive, send
            )
            return
        scope.setdefault("state", {})[CALLER] = caller or ""
        await self._app(scope, receive, send)


def identify(ring: KeyRing | None, headers: Headers) -> tuple[bool, str | None]:
    """Return whether the server has keys, and the name of the one in a request (blocking).

    The name is empty without keys, and ``None`` where there is no such key.
    """
    if ring is None or not ring.keys:
        return False, ""
    return True, caller_of(ring, headers)


def caller_of(ring: KeyRing, headers: Headers) -> str | None:
    """Return the name of the key in ``Authorization: Bearer`` or ``X-Api-Key``; ``None`` where there is no such key."""
    scheme, _, text = headers.get("authorization", "").partition(" ")
    given = text.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()
    return ring.caller(given) if given else None


def is_local(scope: Scope) -> bool:
    """Tell whether a request comes from this machine."""
    client = scope.get("client")
    return client is not None and is_loopback(client[0])


def _is_open(scope: Scope) -> bool:
    if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
        return True  # A browser asks whether it may send the key; the origin has been checked.
    path = scope["path"]
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDERS) or (is_local(scope) and path in LOCAL_PATHS)
