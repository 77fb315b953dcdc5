"""Turns to write an index on a server: one for each collection, and one to publish what was written."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import getnode, uuid4

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, StoreUnavailable
from services.store.registry import Registry

logger = logging.getLogger(__name__)

LEASE = "lease"
"""The key of the turn to publish; that of a collection has its name after it."""

LEASE_SECONDS = 60.0
"""After which a lease that is not renewed is taken over, by the clock of whoever waits for it."""

RENEWALS = 4
"""In the time after which a lease is over."""

AWAY_SECONDS = 180.0
"""The same for a lease whose holder has said that it comes back for it."""


class Lease:
    """A point of the registry that names its holder, under a token that is another one at each renewal.

    Each change is conditional: it is made where the token is still the one that was seen. No two clocks are compared:
    who waits takes over what has kept its token for as many seconds as the point says; who holds stops writing when
    ``seconds`` have passed since it last began a renewal that succeeded. ``owner`` is the machine and the folder of the
    index on it, of which the lock of the folder tells that no other process uses it: what a killed process has left
    there, or one that comes back for it, is taken over at once. ``collection`` is empty for the turn to publish.
    """

    def __init__(
        self,
        registry: Registry,
        folder: Path,
        collection: str = "",
        *,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._registry = registry
        self._collection = collection
        self._key = f"{LEASE}:{collection}" if collection else LEASE
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
        seen, since = "", self._clock()
        while True:
            held = await self._registry.read(self._key) or {}
            token, seconds = str(held.get("token", "")), float(held.get("seconds", self._seconds))
            if token != seen:
                if token and not self._is_own(held):
                    self._tell(str(held.get("owner")), seconds)
                seen, since = token, self._clock()
            free = not token or self._is_own(held) or self._clock() - since >= seconds
            if free and await self._begin(token):
                return
            await self._pause(self._seconds / RENEWALS)

    async def take_if_free(self) -> bool:
        """Take the turn if nobody has it; tell whether it was taken."""
        held = await self._registry.read(self._key) or {}
        token = str(held.get("token", ""))
        return (not token or self._is_own(held)) and await self._begin(token)

    def check(self) -> None:
        """Be sure that the turn is still ours.

        Raises:
            StoreUnavailable: it is not, or may not be any more.
        """
        if self._clock() >= self._valid_until:
            raise StoreUnavailable(translate("store.lease_lost"))

    async def give_back(self) -> None:
        """Let the next one begin; where the server cannot be told, it waits until the lease is over."""
        await self._let_go("", LEASE_SECONDS)

    async def leave(self) -> None:
        """Stop renewing, and come back: from this folder the turn is taken up at once, elsewhere much later."""
        await self._let_go(uuid4().hex, AWAY_SECONDS)

    async def _let_go(self, token: str, seconds: float) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewing
            self._renewing = None
        if self._token:
            with suppress(ArticuladoError):
                await self._write(token, expected=self._token, seconds=seconds)
        self._token, self._valid_until = "", 0.0

    def _is_own(self, held: dict[str, object]) -> bool:
        return held.get("owner") == self._owner

    def _tell(self, owner: str, seconds: float) -> None:
        if self._collection:
            logger.warning(
                translate("store.lease_held", collection=self._collection, owner=owner, seconds=round(seconds)),
            )
        else:
            logger.warning(translate("store.publication_held", owner=owner, seconds=round(seconds)))

    async def _begin(self, token: str) -> bool:
        if not await self._renew(expected=token):
            return False
        self._renewing = asyncio.create_task(self._keep_renewing())
        return True

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
        if not await self._write(token, expected=expected, seconds=self._seconds):
            return False
        self._token, self._valid_until = token, begun + self._seconds
        return True

    async def _write(self, token: str, *, expected: str, seconds: float) -> bool:
        payload = {"token": token, "owner": self._owner, "seconds": seconds}
        return await self._registry.replace(self._key, payload, field="token", expected=expected)


class Turns:
    """The turns that one build has: to write some collections, and to publish.

    They are taken in one order (collections by name, then the one to publish), so that no two builds wait for each
    other.
    """

    def __init__(
        self, registry: Registry, folder: Path, *, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._registry = registry
        self._folder = folder
        self._pause = pause
        self._leases: dict[str, Lease] = {}
        self._spare: set[str] = set()

    async def take(self, collections: Iterable[str]) -> None:
        """Wait for the turns to write collections.

        Raises (as all methods): StoreUnavailable, ConfigurationError.
        """
        for name in sorted(collections):
            await self._take(name)

    async def take_free(self, collections: Iterable[str]) -> set[str]:
        """Take the turns of those collections that nobody has, and return them."""
        taken = set()
        for name in sorted(collections):
            lease = self._lease(name)
            if await lease.take_if_free():
                self._leases[name] = lease
                taken.add(name)
        self._spare |= taken
        return taken

    async def take_publication(self) -> None:
        """Wait for the turn to publish; nothing else is waited for with it."""
        await self._take("")

    def check(self) -> None:
        """Be sure of all turns; see ``Lease.check``."""
        for lease in self._leases.values():
            lease.check()

    async def give_back(self, *, and_return: bool = False) -> None:
        """Let others begin; with ``and_return`` they wait for some minutes, for this build to be taken up again.

        What was only taken because it was free is given back in any case.
        """
        for name in list(self._leases):
            lease = self._leases.pop(name)
            await (lease.leave() if and_return and name not in self._spare else lease.give_back())

    async def _take(self, name: str) -> None:
        if name not in self._leases:
            lease = self._lease(name)
            await lease.take()
            self._leases[name] = lease

    def _lease(self, name: str) -> Lease:
        return Lease(self._registry, self._folder, name, pause=self._pause)
