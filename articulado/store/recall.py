"""Recall gate: measure the recall of the graph against exact search before a generation is published.

A graph search considers a number of candidates (``ef``): a higher number is slower and misses fewer of the
best points. The gate returns the lowest tested number that reaches the recall ``GATE`` on a sample of
searches. The queries are vectors of the collection with noise of half their length, so that no point is its
own answer. ``WrittenSample`` compares a sample of the written chunks with the chunks that the store reads
back.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from articulado.language.formats import written
from articulado.language.translation import translate
from articulado.store.generations import INSPECTION_HINT, REBUILD_HINT, GraphSearch
from articulado.store.layout import METADATA, Payload
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMismatch
from articulado.values.protocols import Vector

LIMIT = 100
"""Of the best points that are compared."""

GATE = 0.99
"""Mean share of them that the graph must find."""

SAMPLE = 50
"""Queries that are compared."""

MEASURED_FROM = 1_000
"""Points of a collection: one of fewer has no graph in any engine as it is set up here, or none that misses any."""

CANDIDATES = (0, 128, 256, 512, 1024)
"""The numbers that are tried, in this order; 0 leaves it to the engine."""

NOISE = 0.5
"""Length of the noise, of that of the vector."""

Search = Callable[[Sequence[Vector], int | None], Awaitable[list[list[float]]]]
"""Return the scores of the ``LIMIT`` best points for each vector, the best one first, with so many candidates;
``None``: exactly. Points of equal scores are equally good, whichever of them is found."""

ROUNDING = 1e-5
"""By which the same score may differ, as the one way or the other computes it."""


async def measured(name: str, vectors: Sequence[Sequence[float]], search: Search) -> GraphSearch:
    """Return with how many candidates the graph of a collection is to be searched; ``vectors`` are some of its own.

    Raises:
        IndexMismatch: none of the numbers reaches the gate.
    """
    if not vectors:
        return GraphSearch(candidates=0, recall=1)
    queries = _queries(vectors[:SAMPLE])
    exact = await search(queries, None)
    best = 0.0
    for candidates in CANDIDATES:
        recall = _recall(await search(queries, candidates), exact)
        if recall >= GATE:
            return GraphSearch(candidates=candidates, recall=round(recall, 4))
        best = max(best, recall)
    raise IndexMismatch(
        translate(
            "store.recall_too_low",
            name=name,
            recall=written(best, 3),
            gate=written(GATE, 2),
            candidates=CANDIDATES[-1],
            inspection=INSPECTION_HINT,
            command=REBUILD_HINT,
        )
    )


def _queries(vectors: Sequence[Sequence[float]]) -> list[Vector]:
    random = np.random.default_rng(1)
    queries = []
    for vector in np.asarray(vectors, dtype=np.float32):
        noise = random.standard_normal(len(vector)).astype(np.float32)
        queries.append(vector + noise * (NOISE * np.linalg.norm(vector) / np.linalg.norm(noise)))
    return queries


def _recall(found: Sequence[Sequence[float]], exact: Sequence[Sequence[float]]) -> float:
    """Return the mean share of the best that was found; 1 where there is nothing to be found.

    >>> _recall([[0.9, 0.5], [0.8, 0.7]], [[0.9, 0.6], [0.8, 0.7]])
    0.75
    """
    shares = [
        sum(score >= best[-1] - ROUNDING for score in scores) / len(best)
        for scores, best in zip(found, exact, strict=True)
        if best
    ]
    return float(np.mean(shares)) if shares else 1.0


SAMPLED = 32
"""Chunks of each place of writing that are looked at."""


class WrittenSample:
    """Hashes of some of the chunks that were written to one place: those of the smallest ids, which are hashes too."""

    def __init__(self) -> None:
        self._hashes: dict[int, str] = {}

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Take chunks into account that are written."""
        self._hashes |= {chunk["id"]: chunk["content_hash"] for chunk in chunks}
        if len(self._hashes) > SAMPLED:
            self._hashes = {id: self._hashes[id] for id in sorted(self._hashes)[:SAMPLED]}

    @property
    def ids(self) -> list[int]:
        """The points to read back."""
        return list(self._hashes)

    def check(self, payloads: Mapping[int, Payload], generation: Path | str) -> None:
        """Compare what was read back with what was written.

        Raises:
            IndexMismatch: points are missing, or others than were written.
        """
        stored = {id: payload.get(METADATA, {}).get("content_hash") for id, payload in payloads.items()}
        if differing := sum(stored.get(id) != written for id, written in self._hashes.items()):
            advice = translate("store.still_served", command=REBUILD_HINT)
            raise IndexMismatch(
                translate(
                    "store.points_differ",
                    folder=generation,
                    differing=differing,
                    sample=len(self._hashes),
                    advice=advice,
                )
            )
