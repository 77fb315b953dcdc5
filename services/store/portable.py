"""A store whose chunks are served to others: of the documents of this machine it says the name, not where they lie."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace

from articulado.values.chunks import Chunk, portable_url
from articulado.values.protocols import MAX_SELECTED, ChunkStore, Hit, HybridQuery, SearchFilter
from services.store.supplementary import UNAVAILABLE


@dataclass(frozen=True)
class PortableStore:
    """Satisfies ``ChunkStore`` over another; the addresses of its chunks hold on any machine, or are names."""

    store: ChunkStore

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection; see ``ChunkStore.search``."""
        rankings = await self.store.search(collection, queries, limit=limit, prefetch=prefetch, where=where)
        return [[replace(hit, chunk=_portable(hit.chunk)) for hit in ranking] for ranking in rankings]

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id; see ``ChunkStore.fetch``."""
        return await _portable_chunks(self.store.fetch(ids))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return the parts of a provision; see ``ChunkStore.find``."""
        return await _portable_chunks(self.store.find(law_id, provision_key))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks that refer to one of these; see ``ChunkStore.citing``."""
        return await _portable_chunks(self.store.citing(ids))

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Return the chunks that pass a filter; see ``ChunkStore.select``."""
        return await _portable_chunks(self.store.select(collections, where, limit=limit))

    async def counts(self) -> dict[str, int]:
        """Return the number of chunks of each collection."""
        return await self.store.counts()

    async def close(self) -> None:
        """Close the store beneath."""
        await self.store.close()


async def _portable_chunks(looking_up: Awaitable[list[Chunk]]) -> list[Chunk]:
    try:
        return [_portable(chunk) for chunk in await looking_up]
    except UNAVAILABLE as error:
        error.chunks = [_portable(chunk) for chunk in error.chunks]
        raise


def _portable(chunk: Chunk) -> Chunk:
    url = portable_url(chunk["url"])
    return chunk if url == chunk["url"] else {**chunk, "url": url}
