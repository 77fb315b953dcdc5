"""Hybrid search (dense and BM25) of several queries in several collections, for any day of the law."""

import asyncio
import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import islice

import numpy as np

from articulado.config.profile import Profile
from articulado.config.sections import Caps
from articulado.encoders.meaning import MeaningEmbedder
from articulado.encoders.phrasings import Phrasings
from articulado.language.languages import spoken_now
from articulado.language.translation import translate
from articulado.legal.domain.base import Domain
from articulado.legal.laws.registry import known_laws
from articulado.legal.territory.mentions import place_called
from articulado.legal.validity import in_force
from articulado.legal.wordings import annotate_upcoming, annotate_validity
from articulado.models.embeddings import VectorCache
from articulado.models.retry import UNLIMITED, QuestionTime
from articulado.retrieval.fusion import candidate, in_order, merged
from articulado.retrieval.ranking.cards import CardReader
from articulado.store.generations import MeaningSpace
from articulado.store.supplementary import UNAVAILABLE
from articulado.values.answers import TurnQuestion
from articulado.values.chunks import CARDS, Candidate, Chunk, provision_of
from articulado.values.errors import NO_COST, Cost, IndexMissing, ModelError, StoreUnavailable, cost_of_failure
from articulado.values.protocols import (
    ChunkStore,
    Embedded,
    Embedder,
    Fusion,
    Hit,
    HybridQuery,
    SearchFilter,
    SearchScope,
    SparseEncoder,
    SparseVector,
    Vector,
)

MAX_OF_PHRASINGS, MAX_CARDS_OF_PHRASINGS = 20, 10
_PROVISION_ADDED = re.compile(r"Se añaden? (?:por|, con efectos|con efectos|est[ae]|el art|la disposici)")


@dataclass(frozen=True)
class MeaningSearch:
    """Search by a sentence encoder in ``space``; by words if the encoder in use is not that of the index."""

    space: MeaningSpace
    embedder: MeaningEmbedder | None


@dataclass(frozen=True)
class HybridSearch:
    """Encodes queries and searches with them; the vectors are cached outside of the state."""

    store: ChunkStore
    embedder: Embedder
    sparse: SparseEncoder
    profile: Profile
    collections: tuple[str, ...]
    domain: Domain
    fusion: Fusion
    question_time: QuestionTime = UNLIMITED
    knows_words: bool = False  # the embedder returns a zero vector for unknown words: no error
    meaning: MeaningSearch | None = None
    dense_vectors: VectorCache[Vector] = dataclasses.field(default_factory=VectorCache)
    sparse_vectors: VectorCache[SparseVector] = dataclasses.field(default_factory=VectorCache)

    async def embed(self, queries: Sequence[str], deadline: float | None) -> tuple[list[Vector], Cost]:
        """Return the dense vectors and the cost; raise ``ModelError`` if the embedder fails or is late."""
        return await self._embed(self.embedder, queries, deadline)

    async def _embed(
        self, embedder: Embedder, queries: Sequence[str], deadline: float | None
    ) -> tuple[list[Vector], Cost]:
        keys = {query: self.dense_vectors.key("dense", embedder.fingerprint, query) for query in queries}
        vectors = {query: cached for query, key in keys.items() if (cached := self.dense_vectors.get(key)) is not None}
        cost = NO_COST
        if missing := [query for query in keys if query not in vectors]:
            embedded = await embedder.embed_queries(
                missing, deadline=self.question_time.deadline_of("embedder", deadline)
            )
            cost = {"requests": embedded.requests, "input_tokens": embedded.tokens, "output_tokens": 0}
            self._check(embedded, embedder)
            for query, vector in zip(missing, embedded.vectors, strict=True):
                vectors[query] = vector
                self.dense_vectors.put(keys[query], vector)
        return [vectors[query] for query in queries], cost

    def _check(self, embedded: Embedded, embedder: Embedder) -> None:
        dimensions = embedder.dimensions
        for vector in embedded.vectors:
            if vector.shape != (dimensions,) or not np.isfinite(vector).all() or not (self.knows_words or vector.any()):
                error = ModelError(
                    translate("models.unusable_vectors", name=embedder.fingerprint, dimensions=dimensions)
                )
                error.attempts = embedded.requests
                raise error

    async def encode(self, queries: Sequence[str]) -> list[SparseVector]:
        """Return the sparse vector of each query, made off the event loop if it is not cached."""
        keys = {query: self.sparse_vectors.key("sparse", self.sparse.fingerprint, query) for query in queries}
        vectors = {query: cached for query, key in keys.items() if (cached := self.sparse_vectors.get(key)) is not None}
        if missing := [query for query in keys if query not in vectors]:
            encoded = await asyncio.to_thread(self.sparse.encode_queries, missing)
            for query, vector in zip(missing, encoded, strict=True):
                vectors[query] = vector
                self.sparse_vectors.put(keys[query], vector)
        return [vectors[query] for query in queries]

    async def run(
        self,
        queries: Sequence[str],
        where: SearchFilter,
        *,
        collections: Sequence[str] = (),
        lexical_only: bool = False,
        deadline: float | None = None,
        caps: Caps | None = None,
        unavailable: set[str] | None = None,
        problems: list[str] | None = None,
    ) -> tuple[list[Candidate], Cost]:
        """Search every collection with every query at once; return the best chunks, each once, and the cost.

        Weighted score = RRF score × weight of the collection. On another day, a later wording replaces one that the
        index lacks; today, future provisions are found too. ``unavailable`` receives collections that do not answer, if
        others find anything; without it, each must answer. ``problems`` receives the reasons for a search by words.
        Raises ``ModelError`` if the embedder is down or late, ``StoreUnavailable`` or ``IndexMissing`` if a collection
        that must answer does not.
        """
        caps = caps or self.profile.search.caps
        dense: Sequence[Vector | None] = [None] * len(queries)
        cost = NO_COST
        if not lexical_only:
            dense, cost = await self.embed(queries, deadline)
        searched = collections or self.collections
        by_meaning: Sequence[Vector | None] = [None] * len(queries)
        if not lexical_only and self._by_meaning(searched):
            by_meaning = await self._meant(queries, deadline, problems)
        sparse = await self.encode(queries)
        usual, own = (
            [
                # A zero vector (no word known) has no neighbours.
                HybridQuery(vector if vector is not None and vector.any() else None, terms, self.fusion)
                for vector, terms in zip(each, sparse, strict=True)
            ]
            for each in (dense, by_meaning)
        )
        vectors = {name: own if name in self._by_meaning(searched) else usual for name in searched}
        candidates = await self._candidates(
            queries, vectors, replace(where, upcoming=where.as_of is None), caps, unavailable
        )
        if where.as_of is None:
            candidates = await with_upcoming(candidates, self.question_time.calendar(), self.store)
        else:
            of_today = await self._candidates(queries, vectors, replace(where, as_of=None), caps, unavailable)
            candidates += await later_wordings(of_today, where.as_of, self.store)
        return merged(candidates)[: caps.overall], cost

    async def run_or_by_words(
        self,
        queries: Sequence[str],
        where: SearchFilter,
        *,
        collections: Sequence[str] = (),
        lexical_only: bool = False,
        deadline: float | None = None,
        caps: Caps | None = None,
    ) -> tuple[list[Candidate], Cost, list[str]]:
        """Search as ``run``, by words if the embedder fails, without unavailable collections; also return warnings.

        Raises ``StoreUnavailable`` or ``IndexMissing`` if a collection does not answer and no other finds anything.
        """
        unavailable: set[str] = set()
        search = partial(
            self.run, queries, where, collections=collections, deadline=deadline, caps=caps, unavailable=unavailable
        )
        problems: list[str] = []
        try:
            candidates, cost = await search(lexical_only=lexical_only, problems=problems)
        except ModelError as error:
            candidates, _ = await search(lexical_only=True)
            cost = cost_of_failure(error)
            problems = [spoken_now().translate("rag_searched_by_words", problem=error)]
        if labels := [collection.label for collection in self.profile.collections if collection.name in unavailable]:
            problems.append(spoken_now().translate("rag_searched_without", collections=", ".join(labels)))
        return candidates, cost, problems

    async def _candidates(
        self,
        queries: Sequence[str],
        vectors: Mapping[str, Sequence[HybridQuery]],
        where: SearchFilter,
        caps: Caps,
        unavailable: set[str] | None,
    ) -> list[Candidate]:
        async def search(name: str) -> list[list[Hit]] | StoreUnavailable | IndexMissing:
            try:
                return await self.store.search(
                    name, vectors[name], limit=caps.per_collection, prefetch=caps.prefetch, where=where
                )
            except UNAVAILABLE as error:
                if unavailable is None:
                    raise
                return error

        answers = await asyncio.gather(*map(search, vectors))
        rankings = {name: hits for name, hits in zip(vectors, answers, strict=True) if isinstance(hits, list)}
        # A collection of which the index has nothing answers, too: what counts is whether anything was found.
        has_found = any(map(any, rankings.values()))
        for name, failure in zip(vectors, answers, strict=True):
            if not isinstance(failure, list):
                if not has_found or unavailable is None:
                    raise failure
                unavailable.add(name)
        candidates: list[Candidate] = []
        for position, query in enumerate(queries):
            of_query: list[Candidate] = []
            for name, ranking in rankings.items():
                weight = self.profile.weight(name)
                hits = [_candidate(hit, round(hit.score * weight, 6), query) for hit in ranking[position]]
                of_query.extend(self._with_closeness(name, hits))
            candidates.extend(in_order(of_query)[: caps.per_query])
        return candidates

    async def _meant(
        self, queries: Sequence[str], deadline: float | None, problems: list[str] | None
    ) -> Sequence[Vector | None]:
        names = self.meaning.space.collections if self.meaning else ()
        labels = ", ".join(collection.label for collection in self.profile.collections if collection.name in names)
        problem = spoken_now().translate("rag_without_meaning", collections=labels)
        if self.meaning and self.meaning.embedder:
            try:
                return (await self._embed(self.meaning.embedder, queries, deadline))[0]
            except ModelError as error:
                problem = spoken_now().translate("rag_searched_by_words", problem=error)
        if problems is not None:
            problems.append(problem)
        return [None] * len(queries)

    def _with_closeness(self, collection: str, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Add the closeness; a text found by words is at most as close as the last one found by vectors."""
        cosines = [each["similarity"] for each in candidates if "similarity" in each]
        if self.meaning is None or collection not in self.meaning.space.collections or not cosines:
            return candidates
        closeness, farthest = self.meaning.space.closeness, min(cosines)
        return [{**each, "closeness": round(closeness(each.get("similarity", farthest)), 6)} for each in candidates]

    def _by_meaning(self, searched: Sequence[str]) -> frozenset[str]:
        return frozenset(self.meaning.space.collections).intersection(searched) if self.meaning else frozenset()


def _candidate(hit: Hit, score: float, query: str) -> Candidate:
    result = candidate(hit.chunk, score, "hybrid", query)
    return result if hit.similarity is None else {**result, "similarity": round(hit.similarity, 6)}


async def with_upcoming(candidates: Sequence[Candidate], today: date, store: ChunkStore) -> list[Candidate]:
    """Drop future wordings of provisions that have a current one, and add a note to the others."""

    def is_upcoming(each: Candidate) -> bool:
        return (each["chunk"]["valid_from"] or "") > today.isoformat()

    provisions = {provision_of(each["chunk"]) for each in candidates if is_upcoming(each)}
    indexed = [await store.find(*provision) for provision in provisions]
    current = {provision_of(chunk) for chunks in indexed for chunk in chunks if in_force(chunk, None, today)}
    return [
        annotate_upcoming(each) if is_upcoming(each) else each
        for each in candidates
        if not is_upcoming(each) or provision_of(each["chunk"]) not in current
    ]


async def later_wordings(candidates: Sequence[Candidate], day: date, store: ChunkStore) -> list[Candidate]:
    """Return the candidates of provisions without an indexed wording of ``day``, each with a note on its own days."""
    later = [wording for wording in candidates if _may_stand_in(wording["chunk"], day)]
    provisions = list(dict.fromkeys(provision_of(wording["chunk"]) for wording in later))
    indexed = await asyncio.gather(*(store.find(*provision) for provision in provisions))
    lacking = {
        provision
        for provision, chunks in zip(provisions, indexed, strict=True)
        if not any(in_force(chunk, day, day) for chunk in chunks)
    }
    return [annotate_validity(wording, day) for wording in later if provision_of(wording["chunk"]) in lacking]


def _may_stand_in(chunk: Chunk, day: date) -> bool:
    law = known_laws().get(chunk["law_id"])
    if law is None or law.published > day or (chunk["valid_from"] or "") <= day.isoformat():
        return False
    return not any(_PROVISION_ADDED.match(note) for note in chunk["notes"])


async def answers_of_phrasings(
    question: str,
    phrasings: Phrasings,
    reader: CardReader | None,
    search: HybridSearch,
    where: SearchFilter,
    days: tuple[date | None, date],
) -> list[Candidate]:
    """Return the provisions that answer the nearest known questions, and the likeliest cards, with search score 0.

    ``days`` are the day whose law is asked for and today.
    """
    # In a thread: an encoder may take a while, or ask an endpoint.
    around = await asyncio.to_thread(phrasings.around, question)
    provisions = [ref for ref in around.support if ref[0] != CARDS][:MAX_OF_PHRASINGS]
    likely: Iterable[str] = (id for law, id in around.support if law == CARDS)
    if reader:
        likely = await asyncio.to_thread(reader.asked, question)
    cards = [(CARDS, id) for id in islice(likely, MAX_CARDS_OF_PHRASINGS)]
    refs = (*provisions, *cards)
    if not refs:
        return []
    chunks = await search.store.select(search.collections, replace(where, provisions=refs))
    return [candidate(chunk, 0.0, "phrasing") for chunk in chunks if in_force(chunk, *days)]


def territory_asked(of_question: str | None, of_caller: str | None) -> str | None:
    """Return the territory whose law is asked for: the caller's, or the question's if it is inside that."""
    callers, questions = (place_called(name) if name else None for name in (of_caller, of_question))
    inside = callers and questions and not callers.city and questions.community == callers.community
    return callers.name if callers and not inside else of_question


def community_asked(of_question: str | None, of_caller: str | None) -> str | None:
    """Return the autonomous community of ``territory_asked``, if any."""
    name = territory_asked(of_question, of_caller)
    place = place_called(name) if name else None
    return place.community if place else None


def search_filter(
    question: TurnQuestion, as_of: date | None, territory: str | None, scope: SearchScope | None = None
) -> SearchFilter:
    """Return the filter of a search; the caller's ``territory`` precedes the question's; ``scope`` is a case's."""
    return SearchFilter(
        as_of=as_of,
        territory=territory_asked(question["territory"], territory),
        excluded_laws=tuple(question["excluded_laws"]),
        chunk_types=tuple(scope["chunk_types"]) if scope else (),
        fields=tuple((path, tuple(values)) for path, values in scope["fields"].items()) if scope else (),
    )
