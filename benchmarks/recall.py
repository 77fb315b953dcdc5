"""Measure what the graphs of an embedded index lose: recall@100 of 200 questions against exact search, and latency.

    python benchmarks/recall.py INDEX [--collection normativa] [--queries 200] [--links 32] [--candidates 256]

The points of an index are written anew with a graph in each segment, as a collection of more than ``EXACT_UP_TO``
points has them. A question is the vector of a child drawn at random with noise of half its length, so that no point is
its answer. The gate: a mean recall of 0.99 at least. It ends with status 1 below that.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import qdrant_edge as q

from articulado.store import edge_writer
from articulado.store.edge import EdgeStore
from articulado.store.edge_writer import EdgeWriter
from articulado.store.layout import DENSE
from articulado.store.opening import open_index
from articulado.values.protocols import SparseVector

LIMIT = 100
GATE = 0.99
NOISE = 0.5


async def with_graphs(index: Path, collection: str, folder: Path) -> np.ndarray:
    """Write the dense vectors of a collection with graphs; return them, (points, dim)."""
    opened = open_index(index)
    store = EdgeStore(opened.folder, [collection])
    writer, vectors = EdgeWriter(folder, exact_up_to=1), []
    async for page in store.stored(collection):
        points = [point for point in page if point.dense is not None]
        dense = [np.array(point.dense, dtype=np.float32) for point in points]
        chunks = [{**point.chunk(), "parent_content": "", "text": ""} for point in points]
        none = [SparseVector((), ())] * len(points)
        await writer.add(chunks, dense, none, size=opened.manifest.dimensions, replaced={})
        vectors += dense
    await store.close()
    await writer.finish()
    return np.stack(vectors)


def searched(shard: q.EdgeShard, query: np.ndarray, *, exact: bool) -> tuple[set[object], float]:
    """Return the ids of the best points, and the milliseconds that the search took."""
    started = time.perf_counter()
    request = q.QueryRequest(
        limit=LIMIT, query=q.Query.Nearest(query.tolist(), using=DENSE), params=q.SearchParams(exact=exact)
    )
    [points] = shard.query_batch(q.QueryBatchRequest([request]))
    return {point.id for point in points}, 1_000 * (time.perf_counter() - started)


def main() -> None:
    """Print recall and latency; fail below the gate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("--collection", default="normativa")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--links", type=int, default=edge_writer.GRAPH_LINKS)
    parser.add_argument("--candidates", type=int, default=edge_writer.GRAPH_CANDIDATES)
    options = parser.parse_args()
    edge_writer.GRAPH_LINKS, edge_writer.GRAPH_CANDIDATES = options.links, options.candidates
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "generation")
        folder.mkdir()
        started = time.process_time()
        vectors = asyncio.run(with_graphs(options.index, options.collection, folder))
        built = time.process_time() - started
        random = np.random.default_rng(1)
        chosen = vectors[random.choice(len(vectors), options.queries, replace=False)]
        noise = random.standard_normal(chosen.shape).astype(np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        shard = q.EdgeShard.load(str(folder / options.collection))
        recalls, exact_times, graph_times = [], [], []
        for query in chosen + noise:
            expected, exact_time = searched(shard, query, exact=True)
            found, graph_time = searched(shard, query, exact=False)
            recalls.append(len(expected & found) / len(expected))
            exact_times.append(exact_time)
            graph_times.append(graph_time)
        shard.close()
    mean = statistics.mean(recalls)
    print(
        f"{len(vectors):,} vectors, m {options.links}, ef_construct {options.candidates}, built in {built:.0f} s of CPU"
    )
    print(f"recall@{LIMIT}: mean {mean:.4f}, minimum {min(recalls):.2f}")
    print(f"ms, median: graph {statistics.median(graph_times):.1f}, exact {statistics.median(exact_times):.1f}")
    if mean < GATE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
