"""Publish a generation on a server, one writer a profile at a time, and delete unused generations."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import getnode, uuid4

from articulado.language.translation import translate
from articulado.store.generations import Index
from articulado.store.layout import METADATA, field_path
from articulado.store.registry import KnownGeneration, Registry, Served
from articulado.store.server_collection import (
    delete_collections,
    scroll,
    stored_collections,
    switch_aliases,
)
from articulado.store.writer import Point, Points, digest_of_hash
from articulado.values.errors import ArticuladoError, StoreUnavailable

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models


logger = logging.getLogger(__name__)

LOCK = "writer"  # registry key of a profile's lock

LOCK_SECONDS = 60.0  # seconds without renewal after which a waiting writer takes the lock over, by its own clock

RENEWALS = 4  # renewals within `LOCK_SECONDS`


class WriterLock:
    """Registry point that names the writer of an index, with a token that changes at each renewal.

    Each change is conditional on the last seen token. No clocks are compared: a waiting writer takes over a token
    unchanged for ``seconds``; the holder stops writing ``seconds`` after its last renewal began. A killed process of
    the same machine and folder is replaced at once: the folder's own lock excludes others.
    """

    def __init__(
        self,
        registry: Registry,
        folder: Path,
        *,
        seconds: float = LOCK_SECONDS,
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
        """Wait for the lock, take it, and keep renewing it."""
        seen, since = "", self._clock()
        while True:
            held = await self._registry.read(LOCK) or {}
            token, is_own = str(held.get("token", "")), held.get("owner") == self._owner
            if token != seen:
                if token and not is_own:
                    owner, seconds = held.get("owner"), round(self._seconds)
                    logger.warning(translate("store.lock_held", owner=owner, seconds=seconds))
                seen, since = token, self._clock()
            is_free = not token or is_own or self._clock() - since >= self._seconds
            if is_free and await self._renew(expected=token):
                self._renewing = asyncio.create_task(self._keep_renewing())
                return
            await self._pause(self._seconds / RENEWALS)

    def check(self) -> None:
        if self._clock() >= self._valid_until:
            raise StoreUnavailable(translate("store.lock_lost"))

    async def give_back(self) -> None:
        """Release the lock; if the server is unreachable, the lock expires by itself."""
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
                logger.warning("the lock could not be renewed: %s", error)
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
        return await self._registry.replace(LOCK, payload, field="token", expected=expected)


class Publication:
    """Publishes and deletes generations of an index for one writer; replaced ones stay for the time ``held``."""

    def __init__(
        self, client: "AsyncQdrantClient", registry: Registry, lock: WriterLock, *, prefix: str, held: timedelta
    ) -> None:
        self._client = client
        self._registry = registry
        self._lock = lock
        self._prefix = prefix
        self._held = held
        self._served = Served()

    async def look(self) -> None:
        self._served = await self._registry.served()

    async def publish(self, index: Index, collections: Mapping[str, str]) -> None:
        """Store a generation's files, switch aliases and workers to it; ``StoreUnavailable``: the lock is lost."""
        self._lock.check()
        await self._registry.add(index)
        self._lock.check()
        await switch_aliases(self._client, {f"{self._prefix}{name}": stored for name, stored in collections.items()})
        manifest = index.manifest
        new = KnownGeneration(generation=manifest.generation, stored_as=manifest.stored_as, published=datetime.now(UTC))
        served = Served(generations=(*self._served.generations, new))
        if not await self._registry.serve(served, instead_of=self._served):
            raise StoreUnavailable(translate("store.lock_lost"))
        self._served = served

    async def sweep(self) -> None:
        """Delete old generations; keep the served one, the previous one, and those replaced less than ``held`` ago."""
        known, now = self._served.generations, datetime.now(UTC)
        gone = [
            before
            for before, after in pairwise(known)
            if after is not known[-1] and now - after.published >= self._held
        ]
        kept = tuple(generation for generation in known if generation not in gone)
        for stored_as in {old.stored_as for old in gone} - {remaining.stored_as for remaining in kept}:
            collections = await stored_collections(self._client, stored_as)
            await delete_collections(self._client, collections)
        if gone:
            for old in gone:
                await self._registry.forget(old.generation)
            self._lock.check()
            await self._registry.serve(Served(generations=kept), instead_of=self._served)

    async def remove(self, generation: str, stored_as: str | None) -> None:
        """Delete an unpublished generation; see ``IndexWriter.remove``."""
        known = self._served.generations
        if stored_as and stored_as not in {served.stored_as for served in known}:
            await delete_collections(self._client, await stored_collections(self._client, stored_as))
        if generation not in {served.generation for served in known}:
            await self._registry.forget(generation)


FIELDS = [field_path("parent_id"), field_path("content_hash")]


async def fetched_table(client: "AsyncQdrantClient", stored: Mapping[str, str]) -> Points:
    """Return the table of points from the payloads on the server; ``stored``: the server's name of each collection."""
    points: list[Point] = []
    for position, collection in enumerate(stored.values()):
        async for page in scroll(client, collection, with_payload=FIELDS):
            points += [_row(record, position) for record in page]
    return await asyncio.to_thread(Points.of, points)


def _row(record: "models.Record", position: int) -> Point:
    metadata = (record.payload or {}).get(METADATA, {})
    id = int(str(record.id))
    return Point(id, metadata.get("parent_id") or id, digest_of_hash(metadata.get("content_hash", "")), position)
