"""Publish a generation on a server, hold the leases for it, and delete unused generations.

A lease allows one machine at a time to write a collection, and one to publish. ``fetched_table`` reads the
table of points (ids, parents, digests) from the payloads on the server.
"""

import asyncio
import logging
import socket
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import getnode, uuid4

import numpy as np

from articulado.language.translation import translate
from articulado.store.files import CHECKSUMS
from articulado.store.generations import MANIFEST, Index
from articulado.store.layout import METADATA, field_path
from articulado.store.registry import KnownGeneration, Registry, Served
from articulado.store.server_collection import (
    delete_collections,
    plain_name,
    scroll,
    stored_collections,
    switch_aliases,
    translate_server_errors,
)
from articulado.store.writer import POINTS, BaseReplaced, Point, Points, digest_of_hash
from articulado.values.errors import ArticuladoError, StoreUnavailable

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models


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


class Publication:
    """What is served of an index, as one writer sees and changes it.

    ``held``: how long what is no longer served is kept. ``base_replaced`` tells that ``begin`` has found another
    generation served.

    Raises (from every method): StoreUnavailable, ConfigurationError and IndexMissing, as ``translate_server_errors``
    says.
    """

    def __init__(
        self, client: "AsyncQdrantClient", registry: Registry, turns: Turns, *, prefix: str, held: timedelta
    ) -> None:
        self._client = client
        self._registry = registry
        self._turns = turns
        self._prefix = prefix
        self._held = held
        self._served = Served()
        self.base_replaced = False

    async def look(self) -> str:
        """Return the generation that is served now; empty where there is none."""
        self._served = await self._registry.served()
        return self._served.generation

    async def begin(self, *, instead_of: str) -> None:
        """Wait until nobody else publishes, and be sure that this generation is served still.

        Raises:
            BaseReplaced: another one is.
        """
        await self._turns.take_publication()
        if await self.look() != instead_of:
            self.base_replaced = True
            raise BaseReplaced(translate("store.base_replaced"))

    async def publish(self, index: Index, collections: Mapping[str, str]) -> None:
        """Keep what a generation has beside its points, point the aliases to it, and have workers go over to it.

        ``collections`` are the names on the server of all that it has.

        Raises:
            StoreUnavailable: the turn was lost, or another machine has published; nothing was.
        """
        names = [str(path.relative_to(index.folder)) for path in index.folder.rglob("*") if path.is_file()]
        self._turns.check()
        await self._registry.add(index, [name for name in names if name not in (MANIFEST, CHECKSUMS, POINTS)])
        self._turns.check()
        await switch_aliases(self._client, {f"{self._prefix}{name}": stored for name, stored in collections.items()})
        manifest = index.manifest
        new = KnownGeneration(generation=manifest.generation, stored_as=manifest.stored_as, published=datetime.now(UTC))
        served = Served(generations=(*self._served.generations, new))
        if not await self._registry.serve(served, instead_of=self._served):
            raise StoreUnavailable(translate("store.lease_lost"))
        self._served = served

    async def sweep(self) -> None:
        """Delete generations that nobody can hold any more.

        The last one is kept beside the one that is served, and so is what was served a short while ago.
        """
        known, now = self._served.generations, datetime.now(UTC)
        gone = [
            before
            for before, after in pairwise(known)
            if after is not known[-1] and now - after.published >= self._held
        ]
        kept = tuple(one for one in known if one not in gone)
        for stored_as in {one.stored_as for one in gone} - {one.stored_as for one in kept}:
            collections = await stored_collections(self._client, stored_as)
            await delete_collections(self._client, collections)
            for name in (plain_name(collection, stored_as, self._prefix) for collection in collections):
                notes = await self._registry.notes(stored_as, name)
                await self._registry.forget_notes(stored_as, name, len(notes))
        if gone:
            await self._registry.forget([one.generation for one in gone], [one.generation for one in kept])
            self._turns.check()
            await self._registry.serve(Served(generations=kept), instead_of=self._served)

    async def remove(self, generation: str, stored_as: str | None) -> None:
        """Delete what there is of a generation that is not served, and never will be; see ``IndexWriter.remove``."""
        known = self._served.generations
        if stored_as and stored_as not in {one.stored_as for one in known}:
            await delete_collections(self._client, await stored_collections(self._client, stored_as))
        if generation not in {one.generation for one in known} and await self._registry.has_record(generation):
            # Parts are shared: they may be what another build is about to publish.
            await self._turns.take_publication()
            await self.look()
            await self._registry.forget([generation], [one.generation for one in self._served.generations])


FIELDS = [field_path("parent_id"), field_path("content_hash")]

IDS_PER_REQUEST = 1_000


async def fetched_table(client: "AsyncQdrantClient", stored: Mapping[str, str], names: Iterable[str]) -> Points:
    """Return the table of all points of some collections; ``stored`` has the server's name of each, in their order."""
    positions = {name: position for position, name in enumerate(stored)}
    points: list[Point] = []
    for name in names:
        async for page in scroll(client, stored[name], with_payload=FIELDS):
            points += [_row(record, positions[name]) for record in page]
    return await asyncio.to_thread(Points.of, points)


async def as_stored(
    client: "AsyncQdrantClient", table: Points, stored: Mapping[str, str], touched: Mapping[int, str]
) -> Points:
    """Return a table in which the touched points (each with its collection) are as most replicas have them now.

    One of which those that are asked do not agree is none, for nobody knows what it is.
    """
    from qdrant_client import models

    positions = {name: position for position, name in enumerate(stored)}
    by_collection: defaultdict[str, list[int]] = defaultdict(list)
    for point, name in touched.items():
        by_collection[name].append(point)
    points: list[Point] = []
    for name, ids in by_collection.items():
        for start in range(0, len(ids), IDS_PER_REQUEST):
            asked = ids[start : start + IDS_PER_REQUEST]
            with translate_server_errors():
                records = await client.retrieve(
                    stored[name], asked, with_payload=FIELDS, consistency=models.ReadConsistencyType.QUORUM
                )
            points += [_row(record, positions[name]) for record in records]
    return await asyncio.to_thread(_replaced, table, touched, points) if touched else table


def _replaced(table: Points, touched: Collection[int], now: Sequence[Point]) -> Points:
    kept = table.table[:, ~np.isin(table.table[0], list(touched))]
    rows = np.concatenate([kept, Points.of(now).table], axis=1)
    return Points(np.ascontiguousarray(rows[:, np.argsort(rows[0], kind="stable")]))


def _row(record: "models.Record", position: int) -> Point:
    """Return the row of a point in the table, from what the server has of it."""
    metadata = (record.payload or {}).get(METADATA, {})
    id = int(str(record.id))
    return Point(id, metadata.get("parent_id") or id, digest_of_hash(metadata.get("content_hash", "")), position)
