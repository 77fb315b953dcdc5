"""Embedded chunk store: the collections of a generation as arrays, searched exactly in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from articulado.store.collection import Collection
from articulado.store.filters import (
    Clause,
    citing_clauses,
    provision_clauses,
    search_clauses,
    selection_clauses,
)
from articulado.store.layout import (
    PAGE_SIZE,
    POINTS_PER_PARENT,
    ChunkCache,
    StoredPoint,
    order_articles,
    order_by_ids,
    order_parts,
    to_chunk,
    to_hits,
)
from articulado.store.rrf import rank
from articulado.values.chunks import Chunk
from articulado.values.protocols import MAX_SELECTED, Hit, HybridQuery, SearchFilter

MAX_SELECTIONS = 1_024  # cached look-ups, about 4 MB: different questions look up the same provisions


class EmbeddedStore:
    """``ChunkStore`` over one generation, opened at first use; damaged files raise ``StoreUnavailable``."""

    def __init__(self, folder: Path, collections: Sequence[str], *, today: Callable[[], date] = date.today) -> None:
        self._folder = folder
        self._names = tuple(collections)
        self._today = today
        self._collections: dict[str, Collection] = {}
        self._read = ChunkCache()
        self._selected = lru_cache(MAX_SELECTIONS)(self._find_selected)
        self._opening = Lock()

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection in a thread."""
        if collection not in self._names:
            return [[] for _ in queries]
        clauses = search_clauses(where, self._today())
        return await asyncio.to_thread(self._search, collection, queries, limit, prefetch, clauses)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id, cached ones without reading."""
        today = self._today()
        cached = self._read.get(ids, today)
        if missing := [id for id in dict.fromkeys(ids) if id not in cached]:
            cached |= await asyncio.to_thread(self._chunks, self._names, missing, today)
        return order_by_ids(ids, cached.values())

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        return order_parts(await self._filtered(provision_clauses(law_id, provision_key), self._names))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        chunks = await self._filtered(citing_clauses(ids), self._names) if ids else []
        return sorted(chunks, key=lambda chunk: chunk["id"])

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        names = [name for name in self._names if name in collections]
        return order_articles(await self._filtered(selection_clauses(where, self._today()), names))[:limit]

    async def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        """Yield all points of a collection, children included, by ascending id."""

        def read(start: int) -> list[StoredPoint]:
            opened = self._collection(collection)
            rows = np.arange(start, min(start + PAGE_SIZE, len(opened)), dtype=np.int32)
            sparse, dense = opened.sparse_of(rows), opened.dense_of(rows)
            return [
                StoredPoint(
                    int(opened.ids[row]),
                    opened.payload(row),
                    dense.get(row),
                    sparse[row].values if row in sparse else None,
                )
                for row in rows.tolist()
            ]

        for start in range(0, len(self._collection(collection)), PAGE_SIZE):
            yield await asyncio.to_thread(read, start)

    async def is_being_updated(self) -> bool:
        return False

    async def counts(self) -> dict[str, int]:
        return {name: len(await asyncio.to_thread(self._collection, name)) for name in self._names}

    def open(self) -> None:
        """Open every collection now: open files outlive the removal of their generation."""
        for name in self._names:
            self._collection(name)

    async def close(self) -> None:
        with self._opening:
            self._collections.clear()

    async def _filtered(self, clauses: Sequence[Clause], names: Sequence[str]) -> list[Chunk]:
        today = self._today()

        def read() -> list[Chunk]:
            ids = [id for name in names for id in self._selected(name, tuple(clauses))]
            return order_by_ids(ids, self._chunks(names, ids, today).values())

        # One after the other: each takes less than to hand it to a thread of its own.
        return await asyncio.to_thread(read)

    def _find_selected(self, name: str, clauses: tuple[Clause, ...]) -> tuple[int, ...]:
        collection = self._collection(name)
        passing = collection.passing(clauses)
        return tuple((collection.ids if passing is None else collection.ids[passing]).tolist())

    def _search(
        self, name: str, queries: Sequence[HybridQuery], limit: int, prefetch: int, clauses: Sequence[Clause]
    ) -> list[list[Hit]]:
        collection = self._collection(name)
        sides = collection.search(queries, clauses, points=prefetch * POINTS_PER_PARENT, parents=prefetch)
        rankings = [rank(query, of_query, limit=limit) for query, of_query in zip(queries, sides, strict=True)]
        best = list(dict.fromkeys(ranked.point for ranking in rankings for ranked in ranking))
        chunks = self._chunks([name], best, self._today())
        return [to_hits(ranking, chunks) for ranking in rankings]

    def _chunks(self, names: Iterable[str], ids: Sequence[int], today: date) -> dict[int, Chunk]:
        chunks = self._read.get(ids, today)
        if missing := [id for id in ids if id not in chunks]:
            new: dict[int, Chunk] = {}
            for collection in map(self._collection, names):
                rows = collection.rows_of(missing).tolist()
                new |= {int(collection.ids[row]): to_chunk(collection.payload(row), today) for row in rows}
            self._read.put(new.values(), today)
            chunks |= new
        return chunks

    def _collection(self, name: str) -> Collection:
        with self._opening:
            if name not in self._collections:
                self._collections[name] = Collection(self._folder / name)
            return self._collections[name]
