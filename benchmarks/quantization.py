"""Measure what scalar quantization (int8) of the dense vectors loses and saves: recall@100 of 200 questions, and bytes.

    python benchmarks/quantization.py INDEX [--collection normativa] [--queries 200]

The vectors of a collection are written into an engine of this process with and without quantization, and each with a
graph, as a server has it (``m`` 16). A question is the vector of a child drawn at random with noise of half its
length. Recall is against exact search over the vectors as they are; "rescored" means that the best twice as many by the
quantized vectors are ranked by the vectors as they are.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import qdrant_edge as q

from articulado.store.edge import EdgeStore
from articulado.store.files import bytes_on_disk
from articulado.store.opening import open_index
from articulado.store.server_collection import GRAPH_LINKS

LIMIT = 100
NOISE = 0.5
BATCH = 1_000
VECTOR = "dense"
EF_CONSTRUCT = 100
"""Qdrant's default."""


async def vectors_of(index: Path, collection: str) -> np.ndarray:
    """Return the dense vectors of a collection, (points, dim)."""
    store = EdgeStore(open_index(index).folder, [collection])
    pages = [page async for page in store.stored(collection)]
    await store.close()
    return np.array([point.dense for page in pages for point in page if point.dense is not None], dtype=np.float32)


def written(vectors: np.ndarray, folder: Path, *, quantized: bool) -> q.EdgeShard:
    """Write vectors into a shard of their own, and have its graph built."""
    scalar = q.ScalarQuantizationConfig(q.ScalarType.Int8, quantile=0.99)
    config = q.EdgeConfig(
        vectors={
            VECTOR: q.EdgeVectorParams(
                size=vectors.shape[1],
                distance=q.Distance.Cosine,
                quantization_config=scalar if quantized else None,
                hnsw_config=q.HnswIndexConfig(m=GRAPH_LINKS, ef_construct=EF_CONSTRUCT, full_scan_threshold=10),
            )
        },
        optimizers=q.EdgeOptimizersConfig(indexing_threshold=10, default_segment_number=1),
        wal_enabled=False,
    )
    folder.mkdir()
    shard = q.EdgeShard.create(str(folder), config)
    for start in range(0, len(vectors), BATCH):
        rows = vectors[start : start + BATCH]
        points = [q.Point(start + number, {VECTOR: row.tolist()}, {}) for number, row in enumerate(rows)]
        shard.update(q.UpdateOperation.upsert_points(points))
    shard.optimize()
    shard.flush()
    return shard


def searched(shard: q.EdgeShard, query: np.ndarray, params: q.SearchParams) -> tuple[set[object], float]:
    """Return the ids of the best points, and the milliseconds of processor time that the search took."""
    started = time.process_time()
    request = q.QueryRequest(limit=LIMIT, query=q.Query.Nearest(query.tolist(), using=VECTOR), params=params)
    [points] = shard.query_batch(q.QueryBatchRequest([request]))
    return {point.id for point in points}, 1_000 * (time.process_time() - started)


WAYS = {
    "as they are": (False, q.SearchParams()),
    "int8": (True, q.SearchParams(quantization=q.QuantizationSearchParams(rescore=False))),
    "int8, rescored": (True, q.SearchParams(quantization=q.QuantizationSearchParams(rescore=True, oversampling=2.0))),
}


def main() -> None:
    """Print recall, latency and size of each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--collection", default="normativa")
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    vectors = asyncio.run(vectors_of(options.index, options.collection))
    random = np.random.default_rng(1)
    chosen = vectors[random.choice(len(vectors), options.queries, replace=False)]
    noise = random.standard_normal(chosen.shape).astype(np.float32)
    noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    print(f"{len(vectors):,} vectors of {vectors.shape[1]}, {options.queries} questions")
    with tempfile.TemporaryDirectory() as temporary:
        shards = {}
        for quantized in (False, True):
            started, folder = time.process_time(), Path(temporary, f"{quantized}")
            shards[quantized] = written(vectors, folder, quantized=quantized)
            built, size = time.process_time() - started, bytes_on_disk(folder)
            print(f"quantized {quantized}: {built:.0f} s of processor, {size / len(vectors):.0f} bytes a vector")
        expected = [searched(shards[False], query, q.SearchParams(exact=True))[0] for query in chosen + noise]
        for way, (quantized, params) in WAYS.items():
            found = [searched(shards[quantized], query, params) for query in chosen + noise]
            recalls = [len(ids & best) / len(best) for (ids, _), best in zip(found, expected, strict=True)]
            latency = statistics.median(milliseconds for _, milliseconds in found)
            mean, minimum = statistics.mean(recalls), min(recalls)
            print(f"{way}: recall@{LIMIT} mean {mean:.4f}, minimum {minimum:.2f}; {latency:.1f} ms")
        for shard in shards.values():
            shard.close()


if __name__ == "__main__":
    main()
