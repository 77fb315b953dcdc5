"""Chunks, vectors and queries for tests of the store."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

from articulado.values.chunks import Chunk, WordingDates
from articulado.values.protocols import PLAIN, Fusion, HybridQuery, SparseVector, Vector

NO_TERMS = SparseVector((), ())

TUNED = Fusion(k=20, dense=3.0, sparse=1.0)
"""A fusion that is not the plain one."""


SUPERSEDED: WordingDates = {"last_day": "exact"}
"""Of a wording that ended before its law."""


def make_chunk(id: int, **fields: Any) -> Chunk:
    """Make a chunk; one that ends, and says no more of it, is a wording that another one followed."""
    return {  # type: ignore[return-value]
        "id": id,
        "collection": "normativa",
        "law_id": "BOE-A-2015-11430",
        "law_name": "Estatuto de los Trabajadores",
        "rank": 2,
        "kind": "Real Decreto Legislativo",
        "provision": f"Artículo {id}",
        "provision_key": f"art:{id}",
        "title": "Vacaciones anuales",
        "breadcrumb": "TÍTULO I > CAPÍTULO II",
        "summary": "",
        "text": f"Texto del fragmento {id}: «días», ñandú.",
        "part": 1,
        "parts": 1,
        "parent_id": None,
        "parent_content": "",
        "strategy": "provision",
        "refs": [],
        "valid_from": "2015-10-24",
        "valid_to": None,
        "status": "vigente",
        "status_note": "",
        "wording": SUPERSEDED if fields.get("valid_to") else {},
        "notes": [],
        "territory_ccaa": None,
        "territory_municipio": None,
        "chunk_type": "provision",
        "tier": "",
        "topic": "",
        "attributes": {},
        "url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a38",
        "content_hash": "0123abcd",
        "source": "official",
        **fields,
    }


def make_child(id: int, parent: Chunk, **fields: Any) -> Chunk:
    """A piece of a parent, with its metadata, as ingestion cuts it."""
    own = {"id": id, "parent_id": parent["id"], "parent_content": parent["text"], "text": f"Trozo {id}.", "refs": []}
    return {**parent, **own, **fields}  # type: ignore[typeddict-item]


def unit(*values: float) -> Vector:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def terms(weights: dict[int, float]) -> SparseVector:
    ordered = sorted(weights.items())
    return SparseVector(tuple(index for index, _ in ordered), tuple(value for _, value in ordered))


PARTS = ("chunks", "dense", "sparse")


@dataclass(frozen=True)
class Batch:
    """Chunks with their vectors, as ingestion hands them over."""

    chunks: Sequence[Chunk]
    dense: Sequence[Vector | None]
    sparse: Sequence[SparseVector]


def random_vectors(random_source: random.Random, size: int = 8) -> tuple[Vector, SparseVector]:
    dense = unit(*(random_source.gauss(0, 1) for _ in range(size)))
    words = random_source.sample(range(40), k=random_source.randint(1, 12))
    return dense, terms({word: random_source.uniform(0.2, 2.0) for word in words})


def random_batch(seed: int, count: int = 150) -> Batch:
    """Chunks of every status, date and territory; some without words, some without a dense vector."""
    source = random.Random(seed)
    chunks, dense, sparse = [], [], []
    for number in range(count):
        dense_vector, sparse_vector = random_vectors(source)
        chunks.append(
            make_chunk(
                source.getrandbits(53),
                provision=f"Artículo {number}",
                status=source.choice(
                    ["vigente", "vigente", "modificada", "parcialmente_derogada", "derogada", "agotada"]
                ),
                valid_from=source.choice([None, "1980-03-10", "2015-10-24", "2022-03-31"]),
                valid_to=source.choice([None, None, "2015-10-24", "2022-03-31", "2099-01-01"]),
                territory_ccaa=source.choice([None, None, "Cataluña", "Andalucía"]),
                territory_municipio=source.choice([None, "Sevilla"]),
                wording=source.choice([{}, SUPERSEDED, {"first_day": "exact"}]),
            )
        )
        dense.append(None if number % 11 == 10 else dense_vector)
        sparse.append(NO_TERMS if number % 7 == 6 else sparse_vector)
    return Batch(chunks, dense, sparse)


def random_families(seed: int, count: int = 60) -> Batch:
    """Parents that are found by words, their children by meaning (up to four each), and chunks that are both."""
    source = random.Random(f"families {seed}")
    chunks, dense, sparse = [], [], []
    for parent, vector, words in zip(*(getattr(random_batch(seed, count), part) for part in PARTS), strict=True):
        family = [make_child(source.getrandbits(53), parent) for _ in range(source.randint(0, 4))]
        chunks += [parent, *family]
        dense += [None if family else vector, *(random_vectors(source)[0] for _ in family)]
        sparse += [words, *(NO_TERMS for _ in family)]
    return Batch(chunks, dense, sparse)


def random_queries(seed: int, count: int = 4) -> list[HybridQuery]:
    """Return queries that differ in their fusion, too."""
    source, fusions = random.Random(f"queries {seed}"), cycle((TUNED, PLAIN, Fusion(k=2, dense=0.5, sparse=1.5)))
    return [HybridQuery(*random_vectors(source), fusion) for fusion in islice(fusions, count)]
