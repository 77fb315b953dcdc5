"""Limit what one key may begin in a minute, and how many runs of it go on at once."""

import time
from collections import Counter

from limits import RateLimitItemPerMinute
from limits.aio.storage import Storage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.storage import storage_from_string
from starlette.types import ASGIApp, Receive, Scope, Send

from articulado.language.translation import translate
from server.access.authentication import CALLER
from server.limits.refusal import come_back
from server.limits.work import begins_run

_SOON = 1.0
"""Seconds after which a run of the same key may have ended."""


class RateLimit:
    """Refuse runs of a key beyond its limits with HTTP 429; callers without a key, of this machine, have none.

    ``storage`` is where runs are counted (``limits``): "memory://" in this process, "redis://…" for all of several.
    """

    def __init__(self, app: ASGIApp, per_minute: int, at_once: int, storage: str = "memory://") -> None:
        self._app = app
        self._limit = RateLimitItemPerMinute(per_minute)
        self._at_once = at_once
        counted = storage_from_string(f"async+{storage}", implementation="redispy")
        assert isinstance(counted, Storage)
        self._limiter = MovingWindowRateLimiter(counted)
        self._running: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        caller = scope.get("state", {}).get(CALLER, "")
        if not begins_run(scope) or not caller:
            await self._app(scope, receive, send)
            return
        if self._running[caller] >= self._at_once:
            detail = translate("server.too_many_at_once", limit=self._at_once)
            await come_back(429, detail, _SOON)(scope, receive, send)
            return
        if not await self._limiter.hit(self._limit, caller):
            window = await self._limiter.get_window_stats(self._limit, caller)
            detail = translate("server.too_many", limit=self._limit.amount)
            await come_back(429, detail, window.reset_time - time.time())(scope, receive, send)
            return
        self._running[caller] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]
