"""An independent and slow hybrid search: numpy, BM25's IDF and RRF written out as the documentation states them.

On each side every point is scored; then a parent takes the place of the best of its children, and of itself.
"""

import math
from datetime import date
from fractions import Fraction

from fakes.chunks import Batch

from services.protocols import HybridQuery, SearchFilter
from state.chunks import Chunk


def passes(chunk: Chunk, where: SearchFilter, today: date) -> bool:
    day = (where.as_of or today).isoformat()
    if chunk["valid_from"] is not None and chunk["valid_from"] > day:
        return False
    if chunk["valid_to"] is not None and chunk["valid_to"] <= day:
        return False
    if where.as_of is None and chunk["status"] in ("derogada", "agotada"):
        return False
    if chunk["territory_ccaa"] is None:
        return True
    return where.territory is not None and where.territory in (chunk["territory_ccaa"], chunk["territory_municipio"])


def search(
    batch: Batch, query: HybridQuery, *, limit: int, prefetch: int, where: SearchFilter, today: date
) -> list[tuple[int, float]]:
    allowed = [passes(chunk, where, today) for chunk in batch.chunks]
    sides = []
    if query.dense is not None:
        sides.append(
            {
                chunk["id"]: float(vector @ query.dense)
                for chunk, vector, ok in zip(batch.chunks, batch.dense, allowed, strict=True)
                if ok and vector is not None
            }
        )
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
        sides.append(scores)
    parent_of = {
        chunk["id"]: chunk["id"] if chunk["parent_id"] is None else chunk["parent_id"] for chunk in batch.chunks
    }
    fused: dict[int, Fraction] = {}
    for scores in sides:
        families: dict[int, list[float]] = {}
        for point, score in scores.items():
            families.setdefault(parent_of[point], []).append(score)
        ranking = sorted(families, key=lambda parent: (-max(families[parent]), parent))[:prefetch]
        for rank, parent in enumerate(ranking):
            fused[parent] = fused.get(parent, Fraction(0)) + Fraction(1, 2 + rank)
    best = sorted(fused, key=lambda point: (-fused[point], point))[:limit]
    return [(point, float(fused[point] / Fraction(len(sides), 2))) for point in best]


def _idf(documents: int, containing: int) -> float:
    return math.log((documents - containing + 0.5) / (containing + 0.5) + 1)
