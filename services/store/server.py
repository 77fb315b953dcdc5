"""The server store: a Qdrant server, a cluster or Qdrant Cloud."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Self

from services.protocols import Hit, HybridQuery, SearchFilter
from services.settings import Settings
from services.store.connection import connect, explained
from services.store.filters import After, Clause, Condition, IsNull, OneOf, UpTo, clauses, provision
from services.store.layout import (
    DENSE,
    MAX_PARTS,
    SPARSE,
    field_path,
    in_order,
    parts_in_order,
    to_chunk,
    to_hits,
)
from services.store.manifest import Manifest
from services.store.rrf import Scored, fuse
from services.store.server_writer import collection_name
from state.chunks import Chunk

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models


class ServerStore:
    """Satisfies ``ChunkStore`` over the collections of the generation that a manifest describes.

    They are asked for by their own names and not by their aliases, so that vectors of another build are never
    searched with the models of this one: a process that runs through a rebuild goes on with what it opened.

    Raises (from every method): StoreUnavailable, ConfigurationError and IndexMissing, as ``explained`` says; the
    last where the generation is gone, which takes two rebuilds.
    """

    def __init__(
        self, client: "AsyncQdrantClient", manifest: Manifest, *, today: Callable[[], date] = date.today
    ) -> None:
        self._client = client
        self._names = {name: collection_name(name, manifest.generation) for name in manifest.collections}
        self._today = today

    @classmethod
    def connect(cls, settings: Settings, manifest: Manifest) -> Self:
        """Return a store on the server that the settings name."""
        return cls(connect(settings), manifest)

    async def search(
        self, collection: str, queries: Sequence[HybridQuery], *, limit: int, prefetch: int, where: SearchFilter
    ) -> list[list[Hit]]:
        """Search one collection, all queries in one request; see ``ChunkStore.search``."""
        from qdrant_client import models

        condition = _filter(clauses(where, self._today()))
        sides = [_sides(query) for query in queries]
        requests = [
            models.QueryRequest(query=vector, using=name, filter=condition, limit=prefetch, with_payload=True)
            for query in sides
            for name, vector in query
        ]
        if collection not in self._names or not requests:
            return [[] for _ in queries]
        with explained():
            answered = await self._client.query_batch_points(self._names[collection], requests)
        found = [answer.points for answer in answered]
        payloads = {int(str(point.id)): point.payload or {} for points in found for point in points}
        answers = iter(found)
        rankings = [fuse([_scored(next(answers)) for _ in query], limit=limit) for query in sides]
        return [to_hits(ranking, payloads) for ranking in rankings]

    async def fetch(self, ids: Sequence[int]) -> list[Chunk]:
        """Return chunks by id; see ``ChunkStore.fetch``."""
        if not ids:
            return []
        with explained():
            found = await asyncio.gather(*(self._client.retrieve(name, list(ids)) for name in self._names.values()))
        return in_order(ids, (to_chunk(record.payload or {}) for records in found for record in records))

    async def find(self, law_id: str, provision_key: str) -> list[Chunk]:
        """Return the parts of a provision; see ``ChunkStore.find``."""
        condition = _filter(provision(law_id, provision_key))
        with explained():
            pages = await asyncio.gather(
                *(self._client.scroll(name, scroll_filter=condition, limit=MAX_PARTS) for name in self._names.values())
            )
        return parts_in_order(to_chunk(record.payload or {}) for records, _ in pages for record in records)

    async def counts(self) -> dict[str, int]:
        """Return the number of chunks of each collection."""
        with explained():
            counted = await asyncio.gather(*(self._client.count(name, exact=True) for name in self._names.values()))
        return {name: result.count for name, result in zip(self._names, counted, strict=True)}

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _sides(query: HybridQuery) -> list[tuple[str, "models.SparseVector | list[float]"]]:
    from qdrant_client import models

    sides: list[tuple[str, models.SparseVector | list[float]]] = []
    if query.dense is not None:
        sides.append((DENSE, query.dense.tolist()))
    if query.sparse.indices:
        vector = models.SparseVector(indices=list(query.sparse.indices), values=list(query.sparse.values))
        sides.append((SPARSE, vector))
    return sides


def _scored(points: "Sequence[models.ScoredPoint]") -> list[Scored]:
    return [(int(str(point.id)), point.score) for point in points]


def _filter(must: Sequence[Clause]) -> "models.Filter":
    from qdrant_client import models

    return models.Filter(
        must=[models.Filter(should=[_condition(condition) for condition in clause]) for clause in must]
    )


def _condition(condition: Condition) -> "models.IsNullCondition | models.FieldCondition":
    from qdrant_client import models

    key = field_path(condition.field)
    match condition:
        case IsNull():
            return models.IsNullCondition(is_null=models.PayloadField(key=key))
        case OneOf(values=values):
            return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
        case UpTo(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(lte=day))
        case After(day=day):
            return models.FieldCondition(key=key, range=models.DatetimeRange(gt=day))
