"""A store that is asked for what makes an answer better: where it does not answer, the answer comes without."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError, IndexMissing, StoreUnavailable
from articulado.values.protocols import MAX_SELECTED, ChunkStore, Hit, HybridQuery, SearchFilter

UNAVAILABLE = (StoreUnavailable, IndexMissing)
"""What is raised where a collection does not answer, or a server has it no longer."""


@dataclass(frozen=True)
class SupplementaryStore:
    """Satisfies ``ChunkStore`` over another: look-ups that fail find what the collections that answer hold.

    Searches fail as they do there. ``failures`` takes what failed.

    A search says which collection does not answer (``HybridSearch.run_or_by_words``), so that nothing is hidden.
    """

    store: ChunkStore
    failures: list[ArticuladoError] | None = None

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection; see ``ChunkStore.search``."""
        return await self.store.search(collection, queries, limit=limit, prefetch=prefetch, where=where)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id; see ``ChunkStore.fetch``."""
        return await self._what_there_is(self.store.fetch(ids))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return the parts of a provision; see ``ChunkStore.find``."""
        return await self._what_there_is(self.store.find(law_id, provision_key))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks that refer to one of these; see ``ChunkStore.citing``."""
        return await self._what_there_is(self.store.citing(ids))

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Return the chunks that pass a filter; see ``ChunkStore.select``."""
        return await self._what_there_is(self.store.select(collections, where, limit=limit))

    async def counts(self) -> dict[str, int]:
        """Return the number of chunks of each collection."""
        return await self.store.counts()

    async def close(self) -> None:
        """Close the store beneath."""
        await self.store.close()

    async def _what_there_is(self, looking_up: Awaitable[list[Chunk]]) -> list[Chunk]:
        try:
            return await looking_up
        except UNAVAILABLE as error:
            if self.failures is not None:
                self.failures.append(error)
            return list(error.chunks)
