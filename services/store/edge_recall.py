"""The recall gate of the embedded store: a shard that was finished is searched by its graphs and exactly."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import qdrant_edge as q

from articulado.values.protocols import Vector
from services.store.layout import DENSE, PAGE_SIZE, StoredPoint
from services.store.manifest import GraphSearch
from services.store.recall import LIMIT, SAMPLE, measured
from services.store.shard import open_shard, translate_engine_errors


async def measured_shard(generation: Path, name: str) -> GraphSearch:
    """Return how the graph of a collection is to be searched; see ``recall.measured``.

    Raises:
        IndexMismatch: the graph loses too much.
        StoreUnavailable: the shard cannot be read.
    """
    shard = await asyncio.to_thread(open_shard, generation, name)

    def searched(queries: Sequence[Vector], candidates: int | None) -> list[list[float]]:
        params = q.SearchParams(exact=candidates is None, hnsw_ef=candidates or None)
        requests = [
            q.QueryRequest(limit=LIMIT, query=q.Query.Nearest(query.tolist(), using=DENSE), params=params)
            for query in queries
        ]
        with translate_engine_errors(generation, name):
            answers = shard.query_batch(q.QueryBatchRequest(requests))
        return [[point.score for point in points] for points in answers]

    async def search(queries: Sequence[Vector], candidates: int | None) -> list[list[float]]:
        return await asyncio.to_thread(searched, queries, candidates)

    try:
        with translate_engine_errors(generation, name):
            vectors = await asyncio.to_thread(_sample, shard)
        return await measured(name, vectors, search)
    finally:
        await asyncio.to_thread(shard.close)


def _sample(shard: q.EdgeShard) -> list[Sequence[float]]:
    """Return the dense vectors of the first points that have any: ids are hashes, so that they are a sample."""
    vectors: list[Sequence[float]] = []
    page, offset = shard.scroll(q.ScrollRequest(limit=PAGE_SIZE, with_vector=True))
    while page:
        dense = (StoredPoint.of(record.id, record.payload, record.vector).dense for record in page)
        vectors += [vector for vector in dense if vector is not None]
        if offset is None or len(vectors) >= SAMPLE:
            break
        page, offset = shard.scroll(q.ScrollRequest(offset=offset, limit=PAGE_SIZE, with_vector=True))
    return vectors
