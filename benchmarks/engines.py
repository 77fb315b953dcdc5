"""Compare engines for the embedded store: our arrays and Qdrant Edge, on the same points, with and without filters.

    pip install 'qdrant-edge-py>=0.9,<0.10'
    python -m benchmarks.engines [--points 50000 250000] [--folder FOLDER]

Points are those of ``benchmarks.sizing``: parents with words, children with vectors of 192 dimensions. Each engine
writes them in a process of its own, and is opened and searched in another: four queries at a time, each by its dense
and its sparse vector, 100 points a side; without a filter, with the clause of the day, which all points pass, and with
that of one law. Edge has the payload indexes that these filters need, its vectors are mapped, and it searches exactly,
as ours does.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from articulado.encoders.bm25 import Bm25Encoder
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.collection import Collection
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.filters import Clause, IsNull, OneOf, OnOrBefore
from articulado.store.layout import to_payload
from articulado.values.protocols import HybridQuery
from benchmarks.sizing import BATCH, COLLECTION, Row, Texts, rows

DIMENSIONS = 192
LIMIT = 100
SEARCHES = 60
DAY = date(2026, 1, 1)
LAW = "BOE-A-2015-00003"
FILTERS: dict[str, list[Clause]] = {
    "none": [],
    "day": [(IsNull("valid_from"), OnOrBefore("valid_from", DAY))],
    "law": [(OneOf("law_id", (LAW,)),)],
}
Search = Callable[[list[HybridQuery], str], None]


def batches(points: int) -> Iterator[list[Row]]:
    """Yield the points in batches."""
    made = islice(rows(DIMENSIONS, "a"), points)
    while batch := list(islice(made, BATCH)):
        yield batch


def write_arrays(folder: Path, points: int) -> float:
    """Write the points with our store; return the seconds, those of making the points left out."""
    import asyncio

    folder.mkdir()
    writer, spent = EmbeddedWriter(folder), 0.0
    for batch in batches(points):
        started = time.perf_counter()
        chunks, dense, sparse = zip(*batch, strict=True)
        asyncio.run(writer.add(chunks, dense, sparse, size=DIMENSIONS, replaced={}))
        spent += time.perf_counter() - started
    started = time.perf_counter()
    asyncio.run(writer.finish())
    return spent + time.perf_counter() - started


def open_arrays(folder: Path) -> Search:
    """Open what ``write_arrays`` has written."""
    collection = Collection(folder / COLLECTION)

    def search(queries: list[HybridQuery], where: str) -> None:
        collection.search(queries, FILTERS[where], points=LIMIT, parents=LIMIT)

    return search


def write_edge(folder: Path, points: int) -> float:
    """Write the points with Qdrant Edge; return the seconds, those of making the points left out."""
    import qdrant_edge as q

    folder.mkdir()
    config = q.EdgeConfig(
        vectors={"dense": q.EdgeVectorParams(size=DIMENSIONS, distance=q.Distance.Cosine, memory=q.Memory.Cold)},
        sparse_vectors={"sparse": q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
        optimizers=q.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1),
        wal_enabled=False,
    )
    shard, spent = q.EdgeShard.create(str(folder), config), 0.0
    for batch in batches(points):
        started = time.perf_counter()
        made = []
        for chunk, dense, sparse in batch:
            vectors: dict[str, Any] = {} if dense is None else {"dense": dense.tolist()}
            if sparse.indices:
                vectors["sparse"] = q.SparseVector(list(sparse.indices), list(sparse.values))
            made.append(q.Point(chunk["id"], vectors, to_payload(chunk)))
        shard.update(q.UpdateOperation.upsert_points(made))
        spent += time.perf_counter() - started
    started = time.perf_counter()
    for field, kind in (("law_id", q.PayloadSchemaType.Keyword), ("valid_from", q.PayloadSchemaType.Datetime)):
        shard.update(q.UpdateOperation.create_field_index(f"metadata.{field}", kind))
    shard.flush()
    shard.close()
    return spent + time.perf_counter() - started


def open_edge(folder: Path) -> Search:
    """Open what ``write_edge`` has written."""
    import qdrant_edge as q

    shard = q.EdgeShard.load(str(folder))
    begun: list[Any] = [
        q.IsNullCondition("metadata.valid_from"),
        q.FieldCondition("metadata.valid_from", range=q.RangeDateTime(lte=DAY.isoformat())),
    ]
    filters = {
        "none": None,
        "day": q.Filter(must=[q.Filter(should=begun)]),
        "law": q.Filter(must=[q.FieldCondition("metadata.law_id", match=q.MatchAny([LAW]))]),
    }

    def search(queries: list[HybridQuery], where: str) -> None:
        requests = []
        for query in queries:
            assert query.dense is not None
            sparse = q.SparseVector(list(query.sparse.indices), list(query.sparse.values))
            sides = (q.Query.Nearest(query.dense.tolist(), using="dense"), q.Query.Nearest(sparse, using="sparse"))
            requests += [q.QueryRequest(limit=LIMIT, query=side, filter=filters[where]) for side in sides]
        shard.query_batch(q.QueryBatchRequest(requests))

    return search


ENGINES = {"arrays": (write_arrays, open_arrays), "edge": (write_edge, open_edge)}


def measured(folder: Path, opener: Callable[[Path], Search]) -> dict[str, float]:
    """Open and search what was written; return milliseconds and megabytes."""
    texts, noise, encoder = Texts(3), np.random.default_rng(3), Bm25Encoder.of(SPANISH_LAW)
    queries = [
        HybridQuery(vector / np.linalg.norm(vector), encoder.encode_queries([texts.text(40)])[0])
        for vector in noise.standard_normal((4 * (SEARCHES + 1), DIMENSIONS), dtype=np.float32)
    ]
    before = peak_megabytes()
    started = time.perf_counter()
    search = opener(folder)
    search(queries[:4], "day")
    figures = {"open_and_first_ms": 1_000 * (time.perf_counter() - started)}
    for where in FILTERS:
        times, spent = [], time.process_time()
        for start in range(4, len(queries), 4):
            began = time.perf_counter()
            search(queries[start : start + 4], where)
            times.append(1_000 * (time.perf_counter() - began))
        figures[f"{where}_p50_ms"] = statistics.median(times)
        figures[f"{where}_cpu_ms"] = 1_000 * (time.process_time() - spent) / len(times)
    return {**figures, "memory_mb": peak_megabytes() - before}


def peak_megabytes() -> float:
    """Return the largest resident set so far, files mapped into memory included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def main() -> None:
    """Print the figures of each engine and number of points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, nargs="+", default=[50_000, 250_000])
    parser.add_argument("--folder", type=Path, help="where the indexes are built (default: the system's temporary one)")
    parser.add_argument("--step", choices=["write", "search"], help=argparse.SUPPRESS)
    parser.add_argument("--engine", choices=list(ENGINES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        write, opener = ENGINES[options.engine]
        if options.step == "write":
            seconds = write(options.folder, options.points[0])
            print(json.dumps({"write_s": seconds, "write_peak_mb": peak_megabytes()}))
        else:
            print(json.dumps(measured(options.folder, opener)))
        return
    for points in options.points:
        for engine in ENGINES:
            with tempfile.TemporaryDirectory(dir=options.folder) as parent:
                folder = Path(parent) / engine
                figures: dict[str, float] = {}
                for step in ("write", "search"):
                    arguments = ["--step", step, "--engine", engine, "--points", str(points), "--folder", str(folder)]
                    command = [sys.executable, "-m", "benchmarks.engines", *arguments]
                    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                    figures |= json.loads(ended.stdout)
                size = sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()) / (1 << 20)
                written = ", ".join(f"{name} {value:,.1f}" for name, value in {**figures, "disk_mb": size}.items())
                print(f"{points:,} points, {engine}: {written}", flush=True)


if __name__ == "__main__":
    main()
