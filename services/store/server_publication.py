"""Which generations a server serves: publishing another one, and removing those that nobody can hold any more."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from articulado.language.translation import translate
from articulado.values.errors import StoreUnavailable
from services.store.checksums import CHECKSUMS
from services.store.lease import Turns
from services.store.manifest import MANIFEST, Index
from services.store.points import POINTS
from services.store.registry import KnownGeneration, Registry, Served
from services.store.server_collection import delete_collections, plain_name, stored_collections, switch_aliases
from services.store.writer import BaseReplaced

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient


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
