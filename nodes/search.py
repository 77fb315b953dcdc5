"""Hybrid search of several queries over several collections: what the search stages and refetch share."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from legal.territory import find_territory
from nodes.candidates import candidate, in_order, merged
from nodes.stage import NO_COST, Cost
from services.profile import Profile
from services.protocols import ChunkStore, Embedder, HybridQuery, SearchFilter, SparseEncoder, SparseVector, Vector
from services.vector_cache import VectorCache
from state.chunks import Candidate
from state.context import ResolvedContext
from state.values import Analysis


@dataclass(frozen=True)
class Caps:
    """How many parents each step of a search yields, at most."""

    prefetch: int = 20
    per_collection: int = 10
    per_query: int = 20
    overall: int = 30


CAPS = Caps()


@dataclass(frozen=True)
class HybridSearch:
    """Encodes queries and searches with them; vectors stay in a cache, out of the state."""

    store: ChunkStore
    embedder: Embedder
    sparse: SparseEncoder
    profile: Profile
    dense_vectors: VectorCache[Vector] = field(default_factory=VectorCache)
    sparse_vectors: VectorCache[SparseVector] = field(default_factory=VectorCache)

    async def embed(self, queries: Sequence[str], deadline: float | None) -> tuple[list[str], Cost]:
        """Embed the queries that the cache lacks, in one batch; return the keys of all, and the cost."""
        keys = [self.dense_vectors.key("dense", self.embedder.fingerprint, query) for query in queries]
        missing = {key: query for key, query in zip(keys, queries, strict=True) if self.dense_vectors.get(key) is None}
        if not missing:
            return keys, NO_COST
        embedded = await self.embedder.embed_queries(list(missing.values()), deadline=deadline)
        for key, vector in zip(missing, embedded.vectors, strict=True):
            self.dense_vectors.put(key, vector)
        return keys, {"requests": embedded.requests, "input_tokens": embedded.tokens, "output_tokens": 0}

    async def encode(self, queries: Sequence[str]) -> list[str]:
        """Encode the queries that the cache lacks, off the event loop; return the keys of all."""
        keys = [self.sparse_vectors.key("sparse", self.sparse.fingerprint, query) for query in queries]
        missing = {key: query for key, query in zip(keys, queries, strict=True) if self.sparse_vectors.get(key) is None}
        if missing:
            vectors = await asyncio.to_thread(self.sparse.encode_queries, list(missing.values()))
            for key, vector in zip(missing, vectors, strict=True):
                self.sparse_vectors.put(key, vector)
        return keys

    async def run(
        self,
        queries: Sequence[str],
        dense_keys: Sequence[str],
        sparse_keys: Sequence[str],
        *,
        context: ResolvedContext,
        analysis: Analysis,
        deadline: float | None = None,
        caps: Caps = CAPS,
    ) -> tuple[list[Candidate], Cost]:
        """Search every collection with every query at once; return the best parents, each once, and the cost.

        ``weighted score = RRF score × weight of the collection``, and ``caps`` say how many come through. No dense
        keys mean a search by words alone. Vectors that the cache no longer has (a forked checkpoint, another process)
        are made again.
        """
        cost = NO_COST
        if any(self.dense_vectors.get(key) is None for key in dense_keys):
            _, cost = await self.embed(queries, deadline)
        if any(self.sparse_vectors.get(key) is None for key in sparse_keys):
            await self.encode(queries)
        dense = [_direction(self.dense_vectors.get(key)) for key in dense_keys] or [None] * len(queries)
        vectors = [
            HybridQuery(direction, self.sparse_vectors.get(key) or NO_TERMS)
            for direction, key in zip(dense, sparse_keys, strict=True)
        ]
        collections = context.collections or self.profile.names
        where = search_filter(context, analysis)
        rankings = await asyncio.gather(
            *(
                self.store.search(name, vectors, limit=caps.per_collection, prefetch=caps.prefetch, where=where)
                for name in collections
            )
        )
        found: list[Candidate] = []
        for position, query in enumerate(queries):
            of_query: list[Candidate] = []
            for name, ranking in zip(collections, rankings, strict=True):
                weight = self.profile.weight(name)
                of_query.extend(
                    candidate(hit.chunk, round(hit.score * weight, 6), "hybrid", query) for hit in ranking[position]
                )
            found.extend(in_order(of_query)[: caps.per_query])
        return merged(found)[: caps.overall], cost


NO_TERMS = SparseVector((), ())


def search_filter(context: ResolvedContext, analysis: Analysis) -> SearchFilter:
    """Return what may be found: the caller's options go before what the question says."""
    said = analysis["as_of"]
    return SearchFilter(
        as_of=context.as_of or (date.fromisoformat(said) if said else None),
        territory=find_territory(context.territory or "") or analysis["territory"],
    )


def _direction(vector: Vector | None) -> Vector | None:
    """Return the vector, or ``None`` for one of length zero (no word known), which has no neighbours."""
    return vector if vector is not None and vector.any() else None
