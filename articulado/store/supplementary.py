"""Chunk stores that wrap or replace another one: optional look-ups, portable addresses, missing index.

``SupplementaryStore`` continues without the collections that do not answer a look-up; searches still fail.
``PortableStore`` replaces the path of a local document by its name. ``MissingIndex`` raises the error that
explains the missing index.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from articulado.values.chunks import Chunk, portable_url
from articulado.values.errors import ArticuladoError, IndexMissing, StoreUnavailable
from articulado.values.protocols import MAX_SELECTED, ChunkStore, Hit, HybridQuery, Keep, SearchFilter, keep_nothing

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


class MissingIndex:
    """Satisfies ``ChunkStore`` and ``Embedder``: every call raises ``error``, which says why there is no index."""

    fingerprint = "none"
    dimensions = 0

    def __init__(self, error: ArticuladoError) -> None:
        self.error = error

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def fetch(self, ids: Sequence[int]) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def find(self, law_id: str, provision_key: str) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def citing(self, ids: Sequence[int]) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def select(self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def counts(self) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def embed_queries(self, texts: Sequence[str], *, deadline: float | None = None) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def embed_documents(self, texts: Sequence[str], *, keep: Keep = keep_nothing) -> NoReturn:
        """Raise the error."""
        raise self.error

    async def close(self) -> None:
        """Do nothing: there is nothing open."""
