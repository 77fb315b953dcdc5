"""Measure what an index costs: bytes a point, rate of writing, latency, memory.

    python benchmarks/sizing.py [--points 44000] [--dimensions 192 1536] [--folder FOLDER]

An embedded index of parents and their children is built from words drawn at random, in a process of its own, opened in
another and searched; docs/figures.md works out machines from the figures. The last line is how a ruling of 20,000
characters is cut.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from articulado.encoders.bm25 import Bm25Encoder
from articulado.ingestion.chunking.chunks import children_of
from articulado.ingestion.chunking.semantic import MAX_PART, semantic_spans
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.ids import chunk_id
from articulado.store.builder import IndexBuilder
from articulado.store.embedded import EmbeddedStore
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Description, Fingerprints
from articulado.store.opening import open_index
from articulado.values.chunks import Chunk, blank_chunk
from articulado.values.protocols import HybridQuery, SearchFilter, SparseVector, Vector

COLLECTION = "normativa"
BATCH = 1_024
PARENT_CHARACTERS = (300, 1_800)
"""Drawn evenly: 1,050 on average, as the 66 laws have."""

RULING_CHARACTERS = 20_000
SEARCHES = 200
CHANGED = 0.01
FILLERS = ("de", "la", "que", "el", "en", "y", "los", "del", "se", "las", "por", "un", "para", "con", "no")

Row = tuple[Chunk, Vector | None, SparseVector]


class Texts:
    """Sentences of made-up words, a rank of which is drawn by Zipf's law, and as many common ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        syllables = [consonant + vowel for consonant in "bcdfglmnprstv" for vowel in "aeiou"]
        self._words = ["".join(self._random.choices(syllables, k=self._random.randint(2, 5))) for _ in range(30_000)]
        self._weights = list(np.cumsum(1 / np.arange(1, len(self._words) + 1)))

    def text(self, characters: int) -> str:
        """Return sentences, about so many characters of them."""
        sentences: list[str] = []
        while sum(map(len, sentences)) + len(sentences) < characters:
            count = self._random.randint(6, 40)
            words = self._random.choices(self._words, cum_weights=self._weights, k=count)
            words = [word if self._random.random() < 0.55 else self._random.choice(FILLERS) for word in words]
            sentences.append(" ".join(words).capitalize() + ".")
        return " ".join(sentences)[:characters]


def rows(dimensions: int, version: str) -> Iterator[Row]:
    """Yield parents with words and children with vectors, without end; the texts depend on the version."""
    texts, encoder, noise = Texts(1), Bm25Encoder.of(SPANISH_LAW), np.random.default_rng(1)
    sizes = random.Random(2)
    for number in range(1_000_000_000):
        parent = chunk(number, texts.text(sizes.randint(*PARENT_CHARACTERS)), version)
        yield parent, None, encoder.encode_documents([parent["text"]])[0]
        for child in children_of(parent):
            vector = noise.standard_normal(dimensions, dtype=np.float32)
            yield child, vector / np.linalg.norm(vector), SparseVector((), ())


def chunk(number: int, text: str, version: str) -> Chunk:
    """Return a parent with metadata as long as those of a law."""
    law = f"BOE-A-2015-{number // 70:05}"
    provision = f"Artículo {number % 70 + 1}"
    return {
        **blank_chunk(chunk_id(COLLECTION, law, provision, None, 1), COLLECTION),
        "law_id": law,
        "law_name": "x" * 60,
        "rank": 2,
        "kind": "real_decreto_legislativo",
        "provision": provision,
        "provision_key": f"art:{number % 70 + 1}",
        "title": "x" * 40,
        "breadcrumb": "x" * 80,
        "text": text,
        "strategy": "provision",
        "refs": [chunk_id(COLLECTION, law, f"Artículo {other}", None, 1) for other in range(3)],
        "valid_from": "2015-11-13",
        "chunk_type": "provision",
        "url": f"https://www.boe.es/buscar/act.php?id={law}#a{number % 70 + 1}",
        "content_hash": f"{version}{number:032x}"[:32],
        "source": "official",
    }


async def build(folder: Path, points: int, dimensions: int) -> dict[str, float]:
    """Build the index, then continue it with one point in a hundred changed; return seconds and memory."""
    fingerprints = Fingerprints(embedder="random", sparse="bm25", chunker="sizing")
    description = Description(fingerprints=fingerprints, profile="laboral", language="es", source="sizing")
    new_rows = islice(rows(dimensions, "a"), points)
    adding = 0.0
    async with IndexBuilder(folder, EmbeddedWriter) as builder:
        while batch := list(islice(new_rows, BATCH)):
            started = time.perf_counter()
            await builder.add(*zip(*batch, strict=True))
            adding += time.perf_counter() - started
        started = time.perf_counter()
        index = await builder.commit(description)
        committing = time.perf_counter() - started
    peak = peak_megabytes()
    changed = list(islice(rows(dimensions, "b"), int(points * CHANGED)))
    started = time.perf_counter()
    async with IndexBuilder(folder, EmbeddedWriter) as builder:
        await builder.continue_from(index)
        await builder.add(*zip(*changed, strict=True))
        await builder.commit(description)
    return {
        "points_per_second": points / adding,
        "commit_seconds": committing,
        "build_peak_mb": peak,
        "update_seconds": time.perf_counter() - started,
    }


async def search(folder: Path, dimensions: int) -> dict[str, float]:
    """Open the index and search it with four queries at a time; return milliseconds and memory."""
    index = open_index(folder)
    store = EmbeddedStore(index.folder, list(index.manifest.collections))
    texts, noise, encoder = Texts(3), np.random.default_rng(3), Bm25Encoder.of(SPANISH_LAW)
    queries = [
        HybridQuery(vector / np.linalg.norm(vector), encoder.encode_queries([texts.text(40)])[0])
        for vector in noise.standard_normal((4 * (SEARCHES + 1), dimensions), dtype=np.float32)
    ]
    times = []
    for start in range(0, len(queries), 4):
        started = time.perf_counter()
        batch = queries[start : start + 4]
        await store.search(COLLECTION, batch, limit=10, prefetch=20, where=SearchFilter())
        times.append(1_000 * (time.perf_counter() - started))
    first, *others = times
    await store.close()
    return {
        "open_and_first_search_ms": first,
        "search_p50_ms": statistics.median(others),
        "search_p95_ms": statistics.quantiles(others, n=20)[-1],
        "search_peak_mb": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """Return the largest resident set so far, files mapped into memory included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def bytes_by_part(folder: Path) -> Counter[str]:
    """Return what the parts of a generation take on the disk."""
    total: Counter[str] = Counter()
    for path in open_index(folder).folder.rglob("*"):
        if path.is_file():
            total[_part(path)] += path.stat().st_blocks * 512
    return total


def _part(path: Path) -> str:
    name = path.name.partition("_")[0].partition(".")[0]
    return name if name in ("dense", "sparse", "ref", "fields", "chunks", "points") else "other"


async def ruling(characters: int = RULING_CHARACTERS, samples: int = 50) -> str:
    """Return how many parents and children a ruling is cut into, the changes of subject drawn at random."""
    texts, noise = Texts(5), np.random.default_rng(5)

    async def embed(sentences: Sequence[str]) -> Sequence[Vector]:
        return list(noise.standard_normal((len(sentences), 8), dtype=np.float32))

    parents = children = 0
    for _ in range(samples):
        text = texts.text(characters)
        spans = await semantic_spans(text, embed)
        parents += len(spans)
        children += sum(len(list(children_of(chunk(0, text[start:end], "")))) for start, end in spans)
    mean = f"{parents / samples:.1f} parents and {children / samples:.1f} children"
    return f"a ruling of {characters:,} characters: {mean} (parents of at most {MAX_PART:,} characters)"


def main() -> None:
    """Print the figures of each number of dimensions, one a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=44_000)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[192, 1_536])
    parser.add_argument("--folder", type=Path, help="where the indexes are built (default: the system's temporary one)")
    parser.add_argument("--step", choices=["build", "search"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        [dimensions] = options.dimensions
        step = build(options.folder, options.points, dimensions) if options.step == "build" else None
        print(json.dumps(asyncio.run(step or search(options.folder, dimensions))))
        return
    for dimensions in options.dimensions:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            figures: dict[str, float] = {}
            for step in ("build", "search"):
                arguments = ["--step", step, "--folder", folder]
                arguments += ["--points", str(options.points), "--dimensions", str(dimensions)]
                command = [sys.executable, __file__, *arguments]
                ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                figures |= json.loads(ended.stdout)
            print(f"{options.points:,} points of {dimensions:,} dimensions")
            for name, value in figures.items():
                print(f"  {name:26} {value:12,.1f}")
            for name, size in sorted(bytes_by_part(Path(folder)).items()):
                print(f"  bytes a point, {name:11} {size / options.points:12,.1f}", flush=True)
    print(asyncio.run(ruling()))


if __name__ == "__main__":
    main()
