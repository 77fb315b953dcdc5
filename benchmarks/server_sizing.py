"""Measure what an index costs a real Qdrant server: seconds to write, milliseconds a search, memory, disk.

    python -m benchmarks.server_sizing URL [--points 200000] [--dimensions 192] [--quantization int8] [--shards 1]
        [--replicas 1] [--on-disk] [--pids PID …] [--storage FOLDER …] [--keep]

Points are made up as in benchmarks/sizing.py, but for the vectors: random directions within 24 of the dimensions and a
little noise beyond, for in those of all dimensions every graph loses too much. With the processes and the folders of a
server on this machine, their resident memory and what they take on the disk are told before and after. What is made has
a prefix of its own and is deleted in the end, unless it is to be kept.
"""

import argparse
import asyncio
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from uuid import uuid4

import numpy as np

from articulado.config.settings import Settings
from articulado.encoders.bm25 import Bm25Encoder
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.store.builder import IndexBuilder
from articulado.store.generations import Description, Fingerprints
from articulado.store.server import ServerStore
from articulado.store.server_collection import connect
from articulado.store.server_writer import server_writer
from articulado.values.chunks import Chunk
from articulado.values.protocols import HybridQuery, SearchFilter, SparseVector, Vector
from benchmarks.sizing import BATCH, COLLECTION, SEARCHES, Texts, rows

RANK = 24
NOISE = 0.1
MEGABYTE = 1 << 20


def structured(dimensions: int, seed: int) -> Iterator[Vector]:
    """Yield unit vectors, without end."""
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((dimensions, RANK)))[0].T
    random = np.random.default_rng(seed)
    while True:
        vector = random.standard_normal(RANK) @ basis + NOISE * random.standard_normal(dimensions)
        yield (vector / np.linalg.norm(vector)).astype(np.float32)


def made_up(dimensions: int) -> Iterator[tuple[Chunk, Vector | None, SparseVector]]:
    """Yield parents with words and children with vectors, without end."""
    vectors = structured(dimensions, 1)
    for chunk, vector, words in rows(8, "a"):
        yield chunk, None if vector is None else next(vectors), words


def resident(pids: list[int]) -> dict[str, float]:
    """Return megabytes that processes have in memory: of their own, and of files that are mapped."""
    total = {"RssAnon": 0.0, "RssFile": 0.0}
    for pid in pids:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in total:
                total[name] += int(value.split()[0]) / 1_024
    return total


def on_disk(folders: list[Path]) -> float:
    """Return megabytes that folders take."""
    sizes = (subprocess.run(["du", "-sk", folder], capture_output=True, text=True, check=True) for folder in folders)
    return sum(int(done.stdout.split()[0]) for done in sizes) / 1_024


async def run(options: argparse.Namespace, settings: Settings) -> None:
    """Write, search and tell."""
    fingerprints = Fingerprints(embedder="random", sparse="bm25", chunker="sizing")
    description = Description(fingerprints=fingerprints, profile="laboral", language="es", source="sizing")
    before, disk = resident(options.pids), on_disk(options.storage)
    new_rows = islice(made_up(options.dimensions), options.points)
    adding = 0.0
    with tempfile.TemporaryDirectory() as folder:
        async with IndexBuilder(Path(folder), server_writer(settings)) as builder:
            while batch := list(islice(new_rows, BATCH)):
                started = time.perf_counter()
                await builder.add(*zip(*batch, strict=True))
                adding += time.perf_counter() - started
            started = time.perf_counter()
            index = await builder.commit(description)
            committing = time.perf_counter() - started
        print(f"written: {options.points / adding:.0f} points a second; commit {committing:.0f} s")
        print(f"graphs: {index.manifest.graphs}")
        store = ServerStore.connect(settings, index)
        texts, vectors, encoder = Texts(3), structured(options.dimensions, 3), Bm25Encoder.of(SPANISH_LAW)
        times = []
        for _ in range(SEARCHES + 1):
            queries = [HybridQuery(next(vectors), encoder.encode_queries([texts.text(40)])[0]) for _ in range(4)]
            started = time.perf_counter()
            await store.search(COLLECTION, queries, limit=10, prefetch=20, where=SearchFilter())
            times.append(1_000 * (time.perf_counter() - started))
        await store.close()
    first, *others = times
    print(f"four queries: first {first:.0f} ms, p50 {statistics.median(others):.0f}, ", end="")
    print(f"p95 {statistics.quantiles(others, n=20)[-1]:.0f} ms")
    for name, megabytes in resident(options.pids).items():
        more = (megabytes - before[name]) * MEGABYTE / options.points
        print(f"{name}: {megabytes:.0f} MB, {more:.0f} bytes a point more")
    now = on_disk(options.storage)
    print(f"disk: {now:.0f} MB, {(now - disk) * MEGABYTE / options.points:.0f} bytes a point more")
    if not options.keep:
        client = connect(settings)
        for collection in (await client.get_collections()).collections:
            if collection.name.startswith(settings.qdrant_prefix):
                await client.delete_collection(collection.name)
        await client.close()


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--points", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=192)
    parser.add_argument("--quantization", choices=["none", "int8"], default="none")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--replicas", type=int, default=1)
    parser.add_argument("--on-disk", action="store_true")
    parser.add_argument("--pids", type=int, nargs="*", default=[])
    parser.add_argument("--storage", type=Path, nargs="*", default=[])
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    settings = Settings.read(
        None,
        store="server",
        qdrant_url=options.url,
        qdrant_prefix=f"sizing-{uuid4().hex[:8]}-",
        qdrant_quantization=options.quantization,
        qdrant_shards=options.shards,
        qdrant_replicas=options.replicas,
        qdrant_on_disk=options.on_disk,
    )
    asyncio.run(run(options, settings))


if __name__ == "__main__":
    main()
