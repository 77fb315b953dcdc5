"""The reranker that needs no model: words, learnt likeness, and what is known of the field."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from services.domain.base import Domain
from services.domain.concepts import Concept, coverage
from services.domain.lexicon import EqualWeights, StemWeights
from services.models.vector_cache import VectorCache
from services.offline.encoder.encoder import DualEncoder
from services.protocols import Reranked, Vector
from state.chunks import Candidate, Chunk, indexed_text, provision_of

_TITLE, _SPOKEN, _TEXT, _BREADCRUMB, _LAW = 1.0, 0.9, 0.75, 0.6, 0.4
"""How prominent a stem is by where it stands."""
_QUERIES = 0.9
"""What one search of the decomposer counts for, in words or likeness, against the whole question."""
_LIKENESS = 2.5
"""What learnt likeness counts for beside the words, which count 1."""
_CITED = 0.1
"""What is passed on to a provision that a candidate refers to, of the score of the best one that does."""
_OFF_FIELD = 0.6
_EVEN, _SCALE = 0.42, 0.11
"""Where a candidate is as likely right as wrong, and how fast that changes (docs/retrieval.md)."""


class Similarity(Protocol):
    """Tells how near a question and some provisions are in meaning."""

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each chunk, in their order."""
        ...


class HeuristicReranker:
    """Scores by how much of the question a candidate covers, and how like it is. Costs nothing, never fails.

    With C(x) the IDF-weighted share of the concepts of x that the candidate covers, directly or by a term of the field
    that says the same, each by its most prominent place (title 1, words of people 0.9, text 0.75, chapter 0.6, name of
    the law 0.4)::

        words     = max(C(question), 0.9 · max over searches of C(search))
        likeness  = max(0, cosine of the question, 0.9 · max over searches of the cosine of each)
        own       = (words + 2.5 · likeness) / 3.5 · prior, 0.6 of it where no word is of the field alone
        s         = own + 0.1 · max own of the candidates that refer to it
        relevance = 1 / (1 + e^((0.42 − s) / 0.11))

    Without an encoder the words count alone. What concepts, prior and words of the field are is the ``domain``'s to
    say: the prior of Spanish law puts rules before transitional dispositions, and general statutes before those of a
    special regime that the question does not name (``legal.vocabulary.regimes``). The last step turns a
    score into how often such a one is right, so that the relevance floor and the legal signals weigh the same for every
    question.
    """

    is_cheap = True

    def __init__(
        self,
        domain: Domain,
        weights: StemWeights | None = None,
        spoken: Callable[[Chunk], str] = lambda chunk: "",
        likeness: Similarity | None = None,
    ) -> None:
        self._field = domain
        self._weights = weights or EqualWeights()
        self._spoken = spoken
        self._likeness = likeness

    def estimate(self, candidates: int) -> float:
        """Return 0: its time does not count."""
        return 0.0

    async def score(
        self,
        question: str,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``), in about 0.7 ms each."""
        chunks = [candidate["chunk"] for candidate in candidates]
        asked = self._field.concepts(question, self._weights)
        searched = [self._field.concepts(query, self._weights) for query in queries]
        certain = 1.0 if self._field.on_field(question) else _OFF_FIELD
        cosines = self._alike(question, queries, chunks)
        learnt = _LIKENESS if self._likeness else 0.0
        own = [
            certain
            * self._field.prior(question, chunk)
            * (self._words(asked, searched, chunk) + learnt * cosine)
            / (1 + learnt)
            for chunk, cosine in zip(chunks, cosines, strict=True)
        ]
        cited = _passed_on(chunks, own)
        return Reranked(
            [_chance(score + _CITED * cited[provision_of(chunk)]) for chunk, score in zip(chunks, own, strict=True)]
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _alike(self, question: str, queries: Sequence[str], chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the best cosine of question and searches for each chunk, in [0, 1]."""
        if not self._likeness:
            return [0.0] * len(chunks)
        of_question = self._likeness(question, chunks)
        of_queries = [self._likeness(query, chunks) for query in queries if query != question]
        return [
            max(0.0, own, *(_QUERIES * cosine for cosine in others))
            for own, *others in zip(of_question, *of_queries, strict=True)
        ]

    def _words(self, asked: list[Concept], searched: list[list[Concept]], chunk: Chunk) -> float:
        strengths = _strengths(chunk, self._spoken(chunk), self._field.stems)
        best_search = max((coverage(concepts, strengths, self._weights) for concepts in searched), default=0.0)
        return max(coverage(asked, strengths, self._weights), _QUERIES * best_search)


def _chance(score: float) -> float:
    return 1 / (1 + math.exp((_EVEN - score) / _SCALE))


def _passed_on(chunks: Sequence[Chunk], scores: Sequence[float]) -> Mapping[tuple[str, str], float]:
    """Return for each provision the best score of another one among the candidates that refers to it."""
    places = {chunk["id"]: provision_of(chunk) for chunk in chunks}
    best: dict[tuple[str, str], float] = defaultdict(float)
    for chunk, score in zip(chunks, scores, strict=True):
        for place in {places[ref] for ref in chunk["refs"] if ref in places} - {provision_of(chunk)}:
            best[place] = max(best[place], score)
    return best


def _strengths(chunk: Chunk, spoken: str, stems: Callable[[str], list[str]]) -> dict[str, float]:
    """Return how prominent each stem of a chunk is, in (0, 1]."""
    strengths: dict[str, float] = {}
    topic = chunk["topic"].replace("_", " ")
    for strength, text in (
        (_LAW, chunk["law_name"]),
        (_BREADCRUMB, chunk["breadcrumb"]),
        (_TEXT, chunk["text"]),
        (_SPOKEN, " ".join((spoken, topic, *chunk["attributes"].values()))),
        (_TITLE, f"{chunk['provision']} {chunk['title']}"),
    ):
        strengths.update(dict.fromkeys(stems(text), strength))
    return strengths


MAX_HELD = 8_192
"""Vectors of chunks that are kept: 6 MB at 192 dimensions; a question looks at about a hundred."""


class EncodedSimilarity:
    """Cosine of question and chunk; the vectors of chunks are kept, by what they say."""

    def __init__(self, encoder: DualEncoder) -> None:
        self._encoder = encoder
        self._vectors: VectorCache[Vector] = VectorCache(MAX_HELD)

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each chunk, in their order; 0 where a text says nothing."""
        asked = self._encoder.embed_question(question)
        vectors: dict[str, Vector] = {}
        missing: dict[str, str] = {}
        keys = []
        for text in map(indexed_text, chunks):
            key = self._vectors.key("dense", self._encoder.fingerprint, text)
            keys.append(key)
            known = self._vectors.get(key)
            if known is None:
                missing[key] = text
            else:
                vectors[key] = known
        for key, vector in zip(missing, self._encoder.embed_all(list(missing.values())), strict=True):
            vectors[key] = vector
            self._vectors.put(key, vector)
        return [float(asked @ vectors[key]) for key in keys]
