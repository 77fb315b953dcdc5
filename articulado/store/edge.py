"""Embedded chunk store: Qdrant Edge, the Qdrant engine in this process.

The engine is asked for ids; the chunks read last are kept (``ChunkCache``), because reading one costs more than
finding it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from functools import cache, cached_property, lru_cache
from pathlib import Path
from threading import Lock

import qdrant_edge as q

from articulado.store.edge_segments import INDEXED_FROM, Collection, load_segments, open_shard, translate_engine_errors
from articulado.store.filters import (
    IS_PARENT,
    LAW,
    After,
    AllOf,
    Clause,
    Condition,
    ContainsAny,
    IsMissing,
    IsNull,
    NoneOf,
    OneOf,
    OnOrBefore,
    citing_clauses,
    provision_clauses,
    search_clauses,
    selection_clauses,
    without_absent,
)
from articulado.store.layout import (
    DENSE,
    METADATA,
    PAGE_SIZE,
    POINTS_PER_PARENT,
    SPARSE,
    ChunkCache,
    StoredPoint,
    field_path,
    is_filtered,
    order_articles,
    order_by_ids,
    order_parts,
    to_chunk,
    to_hits,
)
from articulado.store.rrf import Scored, collapse_to_parents, rank
from articulado.store.writer import Points
from articulado.values.chunks import Chunk
from articulado.values.protocols import MAX_SELECTED, Hit, HybridQuery, SearchFilter

MAX_CLAUSES = 256
"""Clauses of filters of which it is kept whether they exclude anything, or which points of a small collection pass."""

MAX_SELECTIONS = 1_024
"""Look-ups of which the ids are kept, about 4 MB: different questions look up the same provisions."""


def edge_filter(clauses: Sequence[Clause]) -> q.Filter:
    """Return the engine's filter for points that satisfy every clause."""
    return q.Filter(must=[q.Filter(should=[_condition(condition) for condition in clause]) for clause in clauses])


def _condition(condition: Condition) -> q.IsNullCondition | q.IsEmptyCondition | q.FieldCondition | q.Filter:
    if isinstance(condition, AllOf):
        return q.Filter(must=[_condition(part) for part in condition.conditions])
    key = field_path(condition.field)
    match condition:
        case IsNull():
            return q.IsNullCondition(key)
        case IsMissing():
            return q.IsEmptyCondition(key)
        case OneOf(values=values):
            return q.FieldCondition(key, match=q.MatchAny(list(values)))
        case NoneOf(values=values):
            return q.FieldCondition(key, match=q.MatchExcept(list(values)))
        case ContainsAny(values=numbers):
            return q.FieldCondition(key, match=q.MatchAny(list(numbers)))
        case OnOrBefore(day=day):
            return q.FieldCondition(key, range=q.RangeDateTime(lte=day.isoformat()))
        case After(day=day):
            return q.FieldCondition(key, range=q.RangeDateTime(gt=day.isoformat()))


class EdgeStore:
    """Satisfies ``ChunkStore`` over one generation of an index: a folder with a shard for each collection.

    Shards are opened at their first use. Several processes may have the same generation open: opening and closing a
    shard rewrites some of its files, but only with what they already hold.

    Raises (from every method): StoreUnavailable, where the files cannot be opened or read.
    """

    def __init__(
        self,
        folder: Path,
        collections: Sequence[str],
        *,
        candidates: Mapping[str, int] | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._folder = folder
        self._names = tuple(collections)
        self._candidates = candidates or {}
        self._today = today
        self._shards: dict[str, q.EdgeShard] = {}
        self._read = ChunkCache()
        self._excludes = lru_cache(MAX_CLAUSES)(self._count_excluded)
        self._passing = lru_cache(MAX_CLAUSES)(self._find_passing)
        self._selected = lru_cache(MAX_SELECTIONS)(self._find_selected)
        self._laws = cache(self._find_laws)
        self._opening = Lock()

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection; see ``ChunkStore.search``."""
        if collection not in self._names:
            return [[] for _ in queries]
        clauses = search_clauses(where, self._today())
        return await asyncio.to_thread(self._search, collection, queries, limit, prefetch, clauses, where.as_of is None)

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id; see ``ChunkStore.fetch``."""
        today = self._today()
        known = self._read.get(ids, today)
        missing = [id for id in dict.fromkeys(ids) if id not in known]
        if missing:
            read = (asyncio.to_thread(self._retrieve, name, missing, today) for name in self._names)
            for chunks in await asyncio.gather(*read):
                known |= chunks
        return order_by_ids(ids, known.values())

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return the parts of a provision; see ``ChunkStore.find``."""
        return order_parts(await self._filtered(provision_clauses(law_id, provision_key), self._names))

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        """Return the chunks that refer to one of these; see ``ChunkStore.citing``."""
        return (
            sorted(await self._filtered(citing_clauses(ids), self._names), key=lambda chunk: chunk["id"]) if ids else []
        )

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        """Return the chunks that pass a filter; see ``ChunkStore.select``."""
        names = [name for name in self._names if name in collections]
        clauses = selection_clauses(where, self._today())
        return order_articles(await self._filtered(clauses, names, recurs=not where.provisions))[:limit]

    async def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        """Yield every point of a collection, children too, in pages by ascending id."""

        def read(offset: "q.PointId | None") -> "tuple[list[q.Record], q.PointId | None]":
            with self._engine(collection) as shard:
                return shard.scroll(
                    q.ScrollRequest(offset=offset, limit=PAGE_SIZE, with_payload=True, with_vector=True)
                )

        page, offset = await asyncio.to_thread(read, None)
        while page:
            yield [StoredPoint.of(record.id, record.payload, record.vector) for record in page]
            page, offset = await asyncio.to_thread(read, offset) if offset is not None else ([], None)

    async def unfinished(self) -> set[int]:
        """Return none: an update changes copies."""
        return set()

    async def counts(self) -> dict[str, int]:
        """Return the number of chunks of each collection."""

        def count(name: str) -> int:
            with self._engine(name) as shard:
                # Without a filter the engine knows the number; asked for it exactly, it goes through all points.
                return shard.count(q.CountRequest(exact=False))

        counted = await asyncio.gather(*(asyncio.to_thread(count, name) for name in self._names))
        return dict(zip(self._names, counted, strict=True))

    def open(self) -> None:
        """Open every shard now: files that are open outlive the removal of their generation.

        Raises:
            StoreUnavailable: one cannot be opened.
        """
        for name in self._names:
            self._shard(name)

    async def close(self) -> None:
        """Close the shards; a later call opens them again."""
        with self._opening:
            shards = dict(self._shards)
            self._shards.clear()

        def close(name: str, shard: q.EdgeShard) -> None:
            with translate_engine_errors(self._folder, name):
                shard.close()

        for name, shard in shards.items():
            await asyncio.to_thread(close, name, shard)

    async def _filtered(self, clauses: Sequence[Clause], names: Sequence[str], *, recurs: bool = False) -> list[Chunk]:
        """Return the chunks of collections that satisfy all clauses, by collection and ascending id.

        The engine is asked for ids alone: children are told by the table of points (the engine would read the payload
        of each point), and chunks that were read before are kept.
        """
        today = self._today()

        def read(name: str) -> list[Chunk]:
            remaining = self._remaining(name, [clause for clause in clauses if clause != IS_PARENT])
            if remaining is None:
                return []
            ids = list(self._selected(name, tuple(remaining), recurs))
            if IS_PARENT in clauses:
                parents = self._table.parents(ids)
                ids = [id for id in ids if parents.get(id, id) == id]
            return order_by_ids(ids, self._chunks(name, ids, today).values())

        # One after the other: each takes less than to hand it to a thread of its own.
        return await asyncio.to_thread(lambda: [chunk for name in names for chunk in read(name)])

    def _find_selected(self, name: str, clauses: tuple[Clause, ...], recurs: bool) -> tuple[int, ...]:
        """Return the points of a collection that satisfy all clauses, by ascending id."""
        condition = self._condition(name, clauses) if recurs else edge_filter(clauses)
        ids, offset = self._scroll(name, condition, None)
        while offset is not None:
            page, offset = self._scroll(name, condition, offset)
            ids += page
        return tuple(ids)

    def _scroll(
        self, name: str, condition: q.Filter, offset: "q.PointId | None"
    ) -> "tuple[list[int], q.PointId | None]":
        request = q.ScrollRequest(offset=offset, limit=PAGE_SIZE, filter=condition, with_payload=False)
        with self._engine(name) as shard:
            records, following = shard.scroll(request)
        return [_id(record.id) for record in records], following

    def _search(
        self,
        collection: str,
        queries: Sequence[HybridQuery],
        limit: int,
        prefetch: int,
        clauses: Sequence[Clause],
        of_today: bool,
    ) -> list[list[Hit]]:
        vectors = [_vectors(query) for query in queries]
        points = prefetch * POINTS_PER_PARENT
        remaining = self._remaining(collection, clauses)
        if remaining is None:
            return [[] for _ in queries]
        # Of another day there are too many to ask each once.
        remaining = [clause for clause in remaining if not of_today or self._excludes(collection, clause)]
        condition = self._condition(collection, remaining) if remaining else None
        params = q.SearchParams(hnsw_ef=self._candidates.get(collection))
        requests = [
            q.QueryRequest(limit=points, query=vector, filter=condition, params=params)
            for pair in vectors
            for vector in pair
        ]
        if not requests:
            return [[] for _ in queries]
        with self._engine(collection) as shard:
            answers = iter(shard.query_batch(q.QueryBatchRequest(requests)))
        rankings = [
            rank(query, [self._parents(next(answers), prefetch) for _ in pair], limit=limit)
            for query, pair in zip(queries, vectors, strict=True)
        ]
        # Reading a payload costs more than finding it: only those of the best are read.
        best = list(dict.fromkeys(ranked.point for ranking in rankings for ranked in ranking))
        chunks = self._chunks(collection, best, self._today())
        return [to_hits(ranking, chunks) for ranking in rankings]

    @cached_property
    def _table(self) -> Points:
        return Points.load(self._folder)

    @cached_property
    def _listed(self) -> dict[str, Collection]:
        """What is listed of the segments of each collection; without that the engine is asked more."""
        try:
            return load_segments(self._folder)
        except (OSError, ValueError, TypeError, KeyError):
            return {}

    @cached_property
    def _valued(self) -> dict[str, frozenset[str] | None]:
        """The fields that each collection has values of, as far as that is known."""
        return {name: listed.valued for name, listed in self._listed.items()}

    def _condition(self, collection: str, clauses: Sequence[Clause]) -> q.Filter:
        """Return the engine's filter of clauses; in a collection that is too small for indexes by the points that pass.

        Without indexes each search of a request would read every payload, and what cases are filtered by recurs.
        """
        listed = self._listed.get(collection)
        if listed is None or listed.valued is None or listed.points >= INDEXED_FROM:
            return edge_filter(clauses)
        return q.Filter(must=[q.HasIdCondition(set(self._passing(collection, tuple(clauses))))])

    def _find_passing(self, collection: str, clauses: tuple[Clause, ...]) -> tuple[int, ...]:
        """Return the points of a small collection that satisfy all clauses."""
        request = q.ScrollRequest(limit=INDEXED_FROM, filter=edge_filter(clauses), with_payload=False)
        with self._engine(collection) as shard:
            records, _ = shard.scroll(request)
        return tuple(_id(record.id) for record in records)

    def _remaining(self, collection: str, clauses: Sequence[Clause]) -> list[Clause] | None:
        """Return the clauses that the engine has to test the points of a collection by; ``None``: none can pass."""
        valued = self._valued.get(collection)
        if valued is None:
            return list(clauses)
        return without_absent(clauses, lambda field: is_filtered(field) and field not in valued, self._laws(collection))

    def _find_laws(self, collection: str) -> frozenset[str] | None:
        """Return the laws of a collection that is too small for indexes; ``None`` for a larger one."""
        if self._listed[collection].points >= INDEXED_FROM:
            return None
        request = q.ScrollRequest(limit=INDEXED_FROM, with_payload=[field_path(LAW)])
        with self._engine(collection) as shard:
            records, _ = shard.scroll(request)
        return frozenset(str((record.payload or {})[METADATA][LAW]) for record in records)

    def _count_excluded(self, collection: str, clause: Clause) -> bool:
        """Tell whether there is a point of a collection that does not satisfy a clause.

        Most of what an index holds is in force and of the whole state; to have the engine test that of each point takes
        as long as comparing its vector.
        """
        with self._engine(collection) as shard:
            passing = shard.count(q.CountRequest(exact=True, filter=edge_filter([clause])))
            return bool(passing < shard.count(q.CountRequest(exact=True)))

    def _chunks(self, collection: str, ids: Sequence[int], today: date) -> dict[int, Chunk]:
        """Return chunks of a collection by id: those that are kept, and the others as they are read."""
        chunks = self._read.get(ids, today)
        if missing := [id for id in ids if id not in chunks]:
            chunks |= self._retrieve(collection, missing, today)
        return chunks

    def _retrieve(self, collection: str, ids: Sequence[int], today: date) -> dict[int, Chunk]:
        """Read those of some chunks that a collection has, by id, and keep them."""
        with self._engine(collection) as shard:
            records = shard.retrieve(list(ids), with_payload=True, with_vector=False)
        chunks = {_id(record.id): to_chunk(record.payload or {}, today) for record in records}
        self._read.put(chunks.values(), today)
        return chunks

    def _parents(self, points: Sequence[q.ScoredPoint], limit: int) -> list[Scored]:
        ranking = [(_id(point.id), point.score) for point in points]
        return collapse_to_parents(ranking, self._table.parents([point for point, _ in ranking]), limit)

    def _shard(self, name: str) -> q.EdgeShard:
        with self._opening:
            if name not in self._shards:
                self._shards[name] = open_shard(self._folder, name)
            return self._shards[name]

    @contextmanager
    def _engine(self, name: str) -> Iterator[q.EdgeShard]:
        """Yield the shard of a collection; failures of the engine within the block become errors of this project."""
        with translate_engine_errors(self._folder, name):
            yield self._shard(name)


def _id(point: "q.PointId") -> int:
    """Return the id of a point, which is a number in all that this project writes."""
    return point if isinstance(point, int) else int(str(point))


def _vectors(query: HybridQuery) -> list[q.Query]:
    """Return the searches of a query, at most two: the dense one first."""
    vectors = []
    if query.dense is not None:
        vectors.append(q.Query.Nearest(query.dense.tolist(), using=DENSE))
    if query.sparse.indices:
        sparse = q.SparseVector(list(query.sparse.indices), list(query.sparse.values))
        vectors.append(q.Query.Nearest(sparse, using=SPARSE))
    return vectors
