"""The turn to write an index on a server: one machine has it at a time, as long as it goes on renewing it."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from uuid import getnode, uuid4

from language.current import say
from services.store.registry import Registry
from state.errors import ArticuladoError, StoreUnavailable

logger = logging.getLogger(__name__)

LEASE = "lease"

LEASE_SECONDS = 60.0
"""After which a lease that is not renewed is taken over, by the clock of whoever waits for it."""

RENEWALS = 4
"""In the time after which a lease is over."""


class Lease:
    """A point of the registry that names its holder, under a token that is another one at each renewal.

    Each change is conditional: it is made where the token is still the one that was seen. No two clocks are compared:
    who waits takes over what has kept its token for ``seconds``; who holds stops writing when as much has passed since
    it last began a renewal that succeeded. ``owner`` is the machine and the folder of the index on it, of which the
    lock of the folder tells that no other process uses it: what a killed process has left there is taken over at once.
    """

    def __init__(
        self,
        registry: Registry,
        folder: Path,
        *,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._registry = registry
        # Machines that were cloned have one name, and the same folders; their network cards differ.
        self._owner = f"{socket.gethostname()} ({getnode():x}):{folder.absolute()}"
        self._seconds = seconds
        self._clock = clock
        self._pause = pause
        self._token = ""
        self._valid_until = 0.0
        self._renewing: asyncio.Task[None] | None = None

    async def take(self) -> None:
        """Wait until no other machine has the turn, take it, and renew it from then on.

        Raises:
            StoreUnavailable, ConfigurationError: as ``Registry``.
        """
        await self._registry.create()
        seen, since = "", self._clock()
        while True:
            held = await self._registry.read(LEASE) or {}
            token, owner = str(held.get("token", "")), held.get("owner")
            if token != seen:
                if token and owner != self._owner:
                    logger.warning(say("store.lease_held", owner=owner, seconds=round(self._seconds)))
                seen, since = token, self._clock()
            free = not token or owner == self._owner or self._clock() - since >= self._seconds
            if free and await self._renew(expected=token):
                break
            await self._pause(self._seconds / RENEWALS)
        self._renewing = asyncio.create_task(self._keep_renewing())

    def check(self) -> None:
        """Be sure that the turn is still ours.

        Raises:
            StoreUnavailable: it is not, or may not be any more.
        """
        if self._clock() >= self._valid_until:
            raise StoreUnavailable(say("store.lease_lost"))

    async def give_back(self) -> None:
        """Let the next one begin; where the server cannot be told, it waits until the lease is over."""
        if self._renewing is not None:
            self._renewing.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewing
            self._renewing = None
        if self._token:
            with suppress(ArticuladoError):
                await self._write("", expected=self._token)
        self._token, self._valid_until = "", 0.0

    async def _keep_renewing(self) -> None:
        while True:
            await self._pause(self._seconds / RENEWALS)
            try:
                renewed = await self._renew(expected=self._token)
            except ArticuladoError as error:
                logger.warning("the lease could not be renewed: %s", error)
                continue
            if not renewed:
                self._valid_until = 0.0
                return

    async def _renew(self, *, expected: str) -> bool:
        begun, token = self._clock(), uuid4().hex
        if not await self._write(token, expected=expected):
            return False
        self._token, self._valid_until = token, begun + self._seconds
        return True

    async def _write(self, token: str, *, expected: str) -> bool:
        payload = {"token": token, "owner": self._owner}
        return await self._registry.replace(LEASE, payload, field="token", expected=expected)
