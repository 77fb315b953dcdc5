"""An independent and slow hybrid search: numpy, BM25's IDF and weighted RRF as the documentation states them.

On each side every point is scored; then a parent takes the place of the best of its children, and of itself. The rank r
(from 0) gives weight / (k + r) on each side, by the weights and the k of the query; what is first on every side that it
has is worth 1.
"""

import math
from datetime import date
from fractions import Fraction

from support.chunks import Batch

from articulado.values.chunks import Chunk
from articulado.values.protocols import HybridQuery, SearchFilter

COMMUNITIES = {"Cataluña": "Cataluña", "Andalucía": "Andalucía", "Sevilla": "Andalucía"}
"""The community of each territory that the tests search in."""


def passes(chunk: Chunk, where: SearchFilter, today: date) -> bool:
    day = (where.as_of or today).isoformat()
    if chunk["valid_from"] is not None and chunk["valid_from"] > day:
        return False
    # Where no day is asked for, what was repealed is found: its note says what has become of it.
    repealed = chunk["status"] in ("derogada", "agotada") or "last_day" not in chunk["wording"]
    if chunk["valid_to"] is not None and chunk["valid_to"] <= day and not (repealed and where.as_of is None):
        return False
    if where.chunk_types and chunk["chunk_type"] not in where.chunk_types:
        return False
    if where.provisions and (chunk["law_id"], chunk["provision_key"]) not in where.provisions:
        return False
    for path, values in where.fields:
        kind, _, name = path.partition(".")
        value = chunk["attributes"].get(name) if kind == "attributes" else chunk[kind]
        if value not in values:
            return False
    return chunk["territory_ccaa"] in (None, COMMUNITIES.get(where.territory)) and (
        chunk["territory_municipio"] in (None, where.territory)
    )


def search(
    batch: Batch, query: HybridQuery, *, limit: int, prefetch: int, where: SearchFilter, today: date
) -> list[tuple[int, float]]:
    allowed = [passes(chunk, where, today) for chunk in batch.chunks]
    fusion, sides = query.fusion, list[tuple[Fraction, dict[int, float]]]()
    if query.dense is not None:
        similarities = {
            chunk["id"]: float(vector @ query.dense)
            for chunk, vector, ok in zip(batch.chunks, batch.dense, allowed, strict=True)
            if ok and vector is not None
        }
        sides.append((Fraction(fusion.dense), similarities))
    if query.sparse.indices:
        with_words = [dict(zip(vector.indices, vector.values, strict=True)) for vector in batch.sparse]
        documents = sum(1 for words in with_words if words)
        scores = {}
        for chunk, words, ok in zip(batch.chunks, with_words, allowed, strict=True):
            shared = [index for index in query.sparse.indices if index in words]
            if ok and shared:
                scores[chunk["id"]] = sum(
                    words[index] * weight * _idf(documents, sum(index in other for other in with_words))
                    for index, weight in zip(query.sparse.indices, query.sparse.values, strict=True)
                    if index in words
                )
        sides.append((Fraction(fusion.sparse), scores))
    parent_of = {
        chunk["id"]: chunk["id"] if chunk["parent_id"] is None else chunk["parent_id"] for chunk in batch.chunks
    }
    fused: dict[int, Fraction] = {}
    for weight, scores in sides:
        families: dict[int, list[float]] = {}
        for point, score in scores.items():
            families.setdefault(parent_of[point], []).append(score)
        ranking = sorted(families, key=lambda parent: (-max(families[parent]), parent))[:prefetch]
        for rank, parent in enumerate(ranking):
            fused[parent] = fused.get(parent, Fraction(0)) + weight / (fusion.k + rank)
    best = sorted(fused, key=lambda point: (-fused[point], point))[:limit]
    highest = sum((weight for weight, _ in sides), Fraction(0)) / fusion.k
    return [(point, float(fused[point] / highest)) for point in best]


def _idf(documents: int, containing: int) -> float:
    return math.log((documents - containing + 0.5) / (containing + 0.5) + 1)
