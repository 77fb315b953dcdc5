"""Chunk stores that wrap or replace another: tolerant look-ups, portable addresses, missing index."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from articulado.values.chunks import Chunk, portable_url
from articulado.values.errors import ArticuladoError, IndexMissing, StoreUnavailable
from articulado.values.protocols import MAX_SELECTED, ChunkStore, Hit, HybridQuery, SearchFilter

UNAVAILABLE = (StoreUnavailable, IndexMissing)  # errors of a collection that does not answer or was deleted


@dataclass(frozen=True)
class _Wrapper:
    """``ChunkStore`` over another; subclasses change the outcome of look-ups."""

    store: ChunkStore

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        return await self.store.search(collection, queries, limit=limit, prefetch=prefetch, where=where)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        return await self._chunks(self.store.fetch(ids))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        return await self._chunks(self.store.find(law_id, provision_key))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        return await self._chunks(self.store.citing(ids))

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        return await self._chunks(self.store.select(collections, where, limit=limit))

    async def counts(self) -> dict[str, int]:
        return await self.store.counts()

    async def close(self) -> None:
        await self.store.close()

    async def _chunks(self, lookup: Awaitable[list[Chunk]]) -> list[Chunk]:
        raise NotImplementedError


@dataclass(frozen=True)
class SupplementaryStore(_Wrapper):
    """``ChunkStore`` whose look-ups return the chunks of the collections that answer; ``failures`` takes the errors."""

    failures: list[ArticuladoError] | None = None

    async def _chunks(self, lookup: Awaitable[list[Chunk]]) -> list[Chunk]:
        try:
            return await lookup
        except UNAVAILABLE as error:
            if self.failures is not None:
                self.failures.append(error)
            return list(error.chunks)


class PortableStore(_Wrapper):
    """``ChunkStore`` that replaces paths of local documents by their names."""

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        rankings = await super().search(collection, queries, limit=limit, prefetch=prefetch, where=where)
        return [[replace(hit, chunk=_portable(hit.chunk)) for hit in ranking] for ranking in rankings]

    async def _chunks(self, lookup: Awaitable[list[Chunk]]) -> list[Chunk]:
        try:
            return [_portable(chunk) for chunk in await lookup]
        except UNAVAILABLE as error:
            error.chunks = [_portable(chunk) for chunk in error.chunks]
            raise


def _portable(chunk: Chunk) -> Chunk:
    url = portable_url(chunk["url"])
    return chunk if url == chunk["url"] else {**chunk, "url": url}


class MissingIndex:
    """``ChunkStore`` and ``Embedder`` whose calls raise ``error``, the reason why there is no index."""

    fingerprint = "none"
    dimensions = 0

    def __init__(self, error: ArticuladoError) -> None:
        self.error = error

    async def _fail(self, *_: object, **__: object) -> NoReturn:
        raise self.error

    search = fetch = find = citing = select = counts = embed_queries = embed_documents = _fail

    async def close(self) -> None: ...
