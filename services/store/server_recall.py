"""The recall gate of the server store: a collection is searched as the server decides, and exactly."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from articulado.values.protocols import Vector
from services.store.connection import translate_server_errors
from services.store.layout import DENSE, StoredPoint
from services.store.manifest import GraphSearch
from services.store.recall import LIMIT, SAMPLE, measured
from services.store.server_collection import scroll

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

OVERSAMPLING = 2.0
"""Times as many points are found by quantized vectors as are wanted, and ranked by the vectors themselves."""

QUERIES_PER_REQUEST = 5
"""Exact search reads every vector: of millions that takes a second."""


def dense_params(candidates: int | None) -> "models.SearchParams":
    """Return how dense vectors are searched: by the graph with so many candidates, 0 as many as the server takes."""
    from qdrant_client import models

    rescored = models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING)
    return models.SearchParams(hnsw_ef=candidates or None, quantization=rescored)


async def measured_collection(client: "AsyncQdrantClient", collection: str, name: str) -> GraphSearch:
    """Return how the graph of a collection is to be searched; see ``recall.measured``.

    What the server has not put into a graph it searches exactly, so that nothing is lost there.

    Raises:
        IndexMismatch: the graph loses too much.
        StoreUnavailable, ConfigurationError, IndexMissing: as ``translate_server_errors`` says.
    """
    from qdrant_client import models

    exactly = models.SearchParams(exact=True, quantization=models.QuantizationSearchParams(ignore=True))

    async def search(queries: Sequence[Vector], candidates: int | None) -> list[list[float]]:
        params = exactly if candidates is None else dense_params(candidates)
        requests = [
            models.QueryRequest(query=query.tolist(), using=DENSE, limit=LIMIT, params=params) for query in queries
        ]
        found: list[list[float]] = []
        for start in range(0, len(requests), QUERIES_PER_REQUEST):
            with translate_server_errors():
                answers = await client.query_batch_points(collection, requests[start : start + QUERIES_PER_REQUEST])
            found += [[point.score for point in answer.points] for answer in answers]
        return found

    return await measured(name, await _sample(client, collection), search)


async def _sample(client: "AsyncQdrantClient", collection: str) -> list[Sequence[float]]:
    """Return the dense vectors of the first points that have any: ids are hashes, so that they are a sample."""
    vectors: list[Sequence[float]] = []
    async for page in scroll(client, collection, with_payload=False, with_vectors=[DENSE]):
        dense = (StoredPoint.of(record.id, record.payload, record.vector).dense for record in page)
        vectors += [vector for vector in dense if vector is not None]
        if len(vectors) >= SAMPLE:
            break
    return vectors
