"""Chunk store on a Qdrant server, a cluster or Qdrant Cloud; small collections are searched exactly."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Self

from articulado.config.settings import Settings
from articulado.store.filters import (
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
)
from articulado.store.generations import Index
from articulado.store.layout import (
    DENSE,
    METADATA,
    POINTS_PER_PARENT,
    SPARSE,
    StoredPoint,
    field_path,
    order_articles,
    order_by_ids,
    order_parts,
    to_chunk,
    to_hits,
)
from articulado.store.registry import Registry
from articulado.store.rrf import collapse_to_parents, rank
from articulado.store.server_collection import (
    EXACT_UP_TO,
    collection_name,
    connect,
    patience,
    scroll,
    translate_server_errors,
)
from articulado.store.supplementary import UNAVAILABLE
from articulado.values.chunks import Chunk
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import MAX_SELECTED, Hit, HybridQuery, SearchFilter

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models


OVERSAMPLING = 2.0
"""Candidates by quantized vectors, as a multiple of the wanted points; the best are re-ranked by full vectors."""

CANDIDATES = 512  # candidates of a graph search (`hnsw_ef`)


def dense_params(points: int) -> "models.SearchParams":
    """Return the search parameters of a collection by its number of points."""
    from qdrant_client import models

    rescored = models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING)
    is_small = points <= EXACT_UP_TO
    return models.SearchParams(exact=is_small, hnsw_ef=None if is_small else CANDIDATES, quantization=rescored)


Order = Callable[[Iterable[Chunk]], list[Chunk]]


MAX_MET = 1_000_000  # cached parents of points, about 100 MB


def server_filter(clauses: Sequence[Clause]) -> "models.Filter":
    from qdrant_client import models

    return models.Filter(
        must=[models.Filter(should=[_condition(condition) for condition in clause]) for clause in clauses]
    )


def _condition(
    condition: Condition,
) -> "models.IsNullCondition | models.IsEmptyCondition | models.FieldCondition | models.Filter":
    from qdrant_client import models

    if isinstance(condition, AllOf):
        return models.Filter(must=[_condition(part) for part in condition.conditions])
    key = field_path(condition.field)
    match condition:
        case IsNull():
            return models.IsNullCondition(is_null=models.PayloadField(key=key))
        case IsMissing():
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
        case OneOf(values=values):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        case NoneOf(values=values):
            return models.FieldCondition(key=key, match=models.MatchExcept(**{"except": list(values)}))
        case ContainsAny(values=numbers):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(numbers)))
        case OnOrBefore(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(lte=day))
        case After(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(gt=day))


def _by_id(chunks: Iterable[Chunk]) -> list[Chunk]:
    return sorted(chunks, key=lambda chunk: chunk["id"])


class ServerStore:
    """``ChunkStore`` over the collections of one generation; see ``translate_server_errors`` for its errors.

    Collections are addressed by name, not alias: a process keeps its generation during a rebuild, but sees an update
    in place at once. Two rebuilds later its generation is deleted, and calls raise ``IndexMissing``.
    """

    def __init__(
        self,
        client: "AsyncQdrantClient",
        index: Index,
        *,
        prefix: str = "",
        today: Callable[[], date] = date.today,
    ) -> None:
        manifest = index.manifest
        self._client = client
        self._stored_as = manifest.stored_as
        self._registry = Registry(client, manifest.profile, prefix=prefix)
        self._names = {name: collection_name(f"{prefix}{name}", manifest.stored_as) for name in manifest.collections}
        self._points = manifest.collections
        self._met: dict[int, int] = {}
        self._today = today

    @classmethod
    def connect(cls, settings: Settings, index: Index) -> Self:
        return cls(connect(settings, timeout=patience(settings)), index, prefix=settings.qdrant_prefix)

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection: one request for all queries, a second one for parents."""
        from qdrant_client import models

        condition = server_filter(search_clauses(where, self._today()))
        vectors = [_vectors(query) for query in queries]
        params = dense_params(self._points.get(collection, 0))
        requests = [
            models.QueryRequest(
                query=vector,
                using=name,
                filter=condition,
                limit=prefetch * POINTS_PER_PARENT,
                params=params if name == DENSE else None,
            )
            for pair in vectors
            for name, vector in pair
        ]
        if collection not in self._names or not requests:
            return [[] for _ in queries]
        with translate_server_errors():
            answers = await self._client.query_batch_points(self._names[collection], requests)
        rankings = [[(int(str(point.id)), point.score) for point in answer.points] for answer in answers]
        parents = await self._parents(self._names[collection], [point for ranking in rankings for point, _ in ranking])
        of_points = iter(rankings)
        fused = [
            rank(query, [collapse_to_parents(next(of_points), parents, prefetch) for _ in pair], limit=limit)
            for query, pair in zip(queries, vectors, strict=True)
        ]
        best = list({ranked.point: None for ranking in fused for ranked in ranking})
        with translate_server_errors():
            records = await self._client.retrieve(self._names[collection], best) if best else []
        today = self._today()
        chunks = {int(str(record.id)): to_chunk(record.payload or {}, today) for record in records}
        return [to_hits(ranking, chunks) for ranking in fused]

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id, in the order of the ids."""
        if not ids:
            return []

        async def read(name: str) -> list[Chunk]:
            return self._chunks(await self._client.retrieve(name, list(ids)))

        return await self._from_each(self._names, read, partial(order_by_ids, ids))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        return await self._filtered(provision_clauses(law_id, provision_key), self._names, order_parts)

    async def citing(self, ids: Sequence[int]) -> list[Chunk]:
        return await self._filtered(citing_clauses(ids), self._names, _by_id) if ids else []

    async def select(
        self, collections: Sequence[str], where: SearchFilter, *, limit: int = MAX_SELECTED
    ) -> list[Chunk]:
        names = [name for name in self._names if name in collections]
        return (await self._filtered(selection_clauses(where, self._today()), names, order_articles))[:limit]

    async def stored(self, collection: str) -> AsyncIterator[list[StoredPoint]]:
        async for page in scroll(self._client, self._names[collection], with_vectors=True):
            yield [StoredPoint.of(record.id, record.payload, record.vector) for record in page]

    async def is_being_updated(self) -> bool:
        return await self._registry.updated() == self._stored_as

    async def counts(self) -> dict[str, int]:
        with translate_server_errors():
            counted = await asyncio.gather(*(self._client.count(name, exact=True) for name in self._names.values()))
        return {name: result.count for name, result in zip(self._names, counted, strict=True)}

    async def close(self) -> None:
        await self._client.close()

    async def _filtered(self, clauses: Sequence[Clause], names: Iterable[str], order: Order) -> list[Chunk]:
        condition = server_filter(clauses)

        async def read(name: str) -> list[Chunk]:
            pages = scroll(self._client, name, condition=condition)
            return [chunk async for page in pages for chunk in self._chunks(page)]

        return await self._from_each(names, read, order)

    def _chunks(self, records: Iterable["models.Record"]) -> list[Chunk]:
        return [to_chunk(record.payload or {}, self._today()) for record in records]

    async def _from_each(
        self, names: Iterable[str], read: Callable[[str], Awaitable[list[Chunk]]], order: Order
    ) -> list[Chunk]:
        """Read each collection and order the chunks; an error of one carries the chunks of the others."""

        async def read_one(name: str) -> list[Chunk] | ArticuladoError:
            try:
                with translate_server_errors():
                    return await read(self._names[name])
            except UNAVAILABLE as error:
                return error

        answers = await asyncio.gather(*map(read_one, names))
        chunks = order([chunk for answer in answers if isinstance(answer, list) for chunk in answer])
        for failure in answers:
            if not isinstance(failure, list):
                failure.chunks = chunks
                raise failure
        return chunks

    async def _parents(self, collection: str, points: Sequence[int]) -> dict[int, int]:
        if unmet := sorted(set(points) - self._met.keys()):
            with translate_server_errors():
                records = await self._client.retrieve(collection, unmet, with_payload=[field_path("parent_id")])
            payloads = {int(str(record.id)): record.payload or {} for record in records}
            if len(self._met) > MAX_MET:
                self._met.clear()
            self._met |= {point: payload[METADATA]["parent_id"] or point for point, payload in payloads.items()}
        return {point: self._met[point] for point in points if point in self._met}


def _vectors(query: HybridQuery) -> list[tuple[str, "models.SparseVector | list[float]"]]:
    from qdrant_client import models

    vectors: list[tuple[str, models.SparseVector | list[float]]] = []
    if query.dense is not None:
        vectors.append((DENSE, query.dense.tolist()))
    if query.sparse.indices:
        sparse = models.SparseVector(indices=list(query.sparse.indices), values=list(query.sparse.values))
        vectors.append((SPARSE, sparse))
    return vectors
