"""Hybrid search of several queries over several collections: what the search stages and refetch share."""

import asyncio
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from legal.territory import place_called
from nodes.candidates import candidate, in_order, merged
from nodes.later_wordings import later_wordings
from nodes.stage import NO_COST, Cost
from services.field import Field
from services.profile import Profile
from services.protocols import ChunkStore, Embedder, Hit, HybridQuery, SearchFilter, SparseEncoder, SparseVector, Vector
from services.question import searched_matter
from services.vector_cache import VectorCache
from state.chunks import Candidate
from state.context import ResolvedContext
from state.rag import RagState
from state.values import Analysis


@dataclass(frozen=True)
class Caps:
    """How many parents each step of a search yields, at most (docs/retrieval.md has what more and fewer give)."""

    prefetch: int = 100
    per_collection: int = 60
    per_query: int = 100
    overall: int = 100


CAPS = Caps()


@dataclass(frozen=True)
class HybridSearch:
    """Encodes queries and searches with them; vectors stay in a cache, out of the state.

    ``collections`` are those that are searched where a caller names none.
    """

    store: ChunkStore
    embedder: Embedder
    sparse: SparseEncoder
    profile: Profile
    collections: tuple[str, ...]
    field: Field
    dense_vectors: VectorCache[Vector] = dataclasses.field(default_factory=VectorCache)
    sparse_vectors: VectorCache[SparseVector] = dataclasses.field(default_factory=VectorCache)

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
        Where the law of another day is asked for, a later wording stands in for one that the index lacks.
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
        where = search_filter(context, analysis)
        found = await self._candidates(queries, vectors, where, context.collections, caps)
        if where.as_of:
            of_today = await self._candidates(queries, vectors, replace(where, as_of=None), context.collections, caps)
            found += await later_wordings(of_today, where.as_of, self.store)
        return merged(found)[: caps.overall], cost

    async def _candidates(
        self,
        queries: Sequence[str],
        vectors: Sequence[HybridQuery],
        where: SearchFilter,
        chosen: Sequence[str],
        caps: Caps,
    ) -> list[Candidate]:
        """Search the chosen collections, or the default ones, at once; return what each query finds, the best first."""
        collections = chosen or self.collections
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
                of_query.extend(_found(hit, round(hit.score * weight, 6), query) for hit in ranking[position])
            found.extend(in_order(of_query)[: caps.per_query])
        return found


def _found(hit: Hit, score: float, query: str) -> Candidate:
    found = candidate(hit.chunk, score, "hybrid", query)
    return found if hit.similarity is None else {**found, "similarity": round(hit.similarity, 6)}


NO_TERMS = SparseVector((), ())


def searches_of(state: RagState, field: Field) -> list[str]:
    """Return the searches to make: those of the reader, and beside them a first question as it was asked.

    Keywords lose what the encoders have learnt of how people ask (docs/retrieval.md). A follow-up says too little by
    itself, and a search that has all of the question's words makes it superfluous.
    """
    queries, matter = state["queries"], searched_matter(state["question"], field)
    asked = set(field.stems(matter))
    if state.get("carried") or not queries or any(asked <= set(field.stems(query)) for query in queries):
        return queries
    return [*queries, matter]


def search_filter(context: ResolvedContext, analysis: Analysis) -> SearchFilter:
    """Return what may be found: the caller's options go before what the question says.

    Of the community that the caller chose, the question may name a city.
    """
    day, place = analysis["as_of"], analysis["territory"]
    chosen, said = (place_called(name) if name else None for name in (context.territory, place))
    if chosen and not (said and not chosen.city and said.community == chosen.community):
        place = chosen.name
    return SearchFilter(
        as_of=context.as_of or (date.fromisoformat(day) if day else None),
        territory=place,
        chunk_types=tuple(analysis.get("chunk_types", ())),
        fields=tuple((path, tuple(values)) for path, values in analysis.get("fields", {}).items()),
    )


def _direction(vector: Vector | None) -> Vector | None:
    """Return the vector, or ``None`` for one of length zero (no word known), which has no neighbours."""
    return vector if vector is not None and vector.any() else None
