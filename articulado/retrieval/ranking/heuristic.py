"""Heuristic reranker without a provider: covered words, learnt similarity, precedents and prior.

``HeuristicReranker`` scores every candidate in [0, 1], in about 0.05 ms each; its docstring has the
formula. ``Prominence`` weighs stems by position: title 1, lay phrasings 0.9, text 0.75, chapter 0.6, law
name 0.4. ``WordShare`` returns the share of a question's concepts that a provision covers.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from articulado.encoders.dual import DualEncoder
from articulado.legal.domain.base import Coverage, Domain, EqualWeights, StemWeights
from articulado.retrieval.coverage import Wanted, is_unlearnt
from articulado.values.answers import TurnQuestion, has_own_words, whole_text
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, indexed_text, provision_of
from articulado.values.protocols import Reranked

MAX_KEPT = 4_096
"""Chunks whose stems are kept: about 40 MB; a question looks at about a hundred."""

_TITLE, _LAY_PHRASINGS, _TEXT, _BREADCRUMB, _LAW = 1.0, 0.9, 0.75, 0.6, 0.4
"""How prominent a stem is by the part of a chunk that it stands in."""


class Prominence:
    """Reads how prominent each stem of a chunk is, in (0, 1]; kept for the next question, by what the chunk says.

    ``lay_phrasings`` returns how people ask about a chunk; by default nothing is known of that.
    """

    def __init__(self, domain: Domain, lay_phrasings: Callable[[Chunk], str] = lambda chunk: "") -> None:
        self._stems = domain.stems
        self._lay_phrasings = lay_phrasings
        self._read = lru_cache(MAX_KEPT)(self._worked_out)

    def __call__(self, chunk: Chunk) -> Mapping[str, float]:
        """Return the strength of each stem of a chunk; not to be changed."""
        topic = chunk["topic"].replace("_", " ")
        return self._read(
            chunk["law_name"],
            chunk["breadcrumb"],
            chunk["text"],
            " ".join((self._lay_phrasings(chunk), topic, *chunk["attributes"].values())),
            f"{chunk['provision']} {chunk['title']}",
        )

    def _worked_out(self, law: str, breadcrumb: str, text: str, phrasings: str, title: str) -> Mapping[str, float]:
        strengths: dict[str, float] = {}
        for strength, part in (
            (_LAW, law),
            (_BREADCRUMB, breadcrumb),
            (_TEXT, text),
            (_LAY_PHRASINGS, phrasings),
            (_TITLE, title),
        ):
            strengths.update(dict.fromkeys(self._stems(part), strength))
        return strengths


_SEARCH_WEIGHT = 0.9
"""What one search of the decomposer counts for, in words or similarity, against the whole question."""

_SIMILARITY_WEIGHT = 2.5
"""What learnt similarity counts for beside the words, which count 1."""

_CITATION_SHARE = 0.1
"""What a provision gets of the best score among the candidates that refer to it."""

OWN_WORDS = 0.3
"""Share of a follow-up's own words in the relevance of a candidate (docs/conversations.md)."""

_PRECEDENT_WEIGHT, _FAR = 0.5, 0.3
"""What a precedent adds for each point of its cosine above that of questions that have nothing in common."""

_CLOSE_WORDS, _CLOSE_CURVE = 0.3, (0.5, 0.1)
"""Weight of the words beside the closeness by a sentence encoder, and the curve of their sum: of running text."""
_CLOSE_WEIGHT, _CLOSE_MIDDLE = 0.15, 0.5
"""Weight of the closeness beside an encoder that was fitted to articles, and the closeness that changes nothing."""

_PLAIN_CURVE, _CURVE_OF_PRECEDENTS = (0.42, 0.11), (0.6, 0.15)
"""Where a candidate is as likely right as wrong, and how fast that changes (docs/retrieval.md)."""


class Similarity(Protocol):
    """Measures how near a question and some provisions are in meaning."""

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each chunk, in their order."""
        ...


Support = Callable[[str], Mapping[ProvisionRef, float]]
"""Returns, for a question, the cosine in [0, 1] of the nearest precedent that each provision answers."""


class EncodedSimilarity:
    """Satisfies ``Similarity`` with the learnt encoder, which keeps the vectors of chunks by their text."""

    def __init__(self, encoder: DualEncoder) -> None:
        self._encoder = encoder

    def __call__(self, question: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return one cosine in [−1, 1] for each chunk, in their order; 0 where no word of a text is known."""
        question_vector = self._encoder.embed_question(question)
        return [float(question_vector @ self._encoder.embed_document(indexed_text(chunk))) for chunk in chunks]


class HeuristicReranker:
    """Scores by how much of the question a candidate covers, and how similar it is. Costs nothing, never fails.

    With C(x) the IDF-weighted share of the concepts of x that the candidate covers, directly or by a term of the domain
    that says the same, each by its most prominent place (title 1, lay phrasings 0.9, text 0.75, chapter 0.6, name of
    the law 0.4)::

        words      = max(C(question), 0.9 · max over searches of C(search))
        similarity = max(0, cosine of the question, 0.9 · max over searches of the cosine of each)
        own        = (words + 2.5 · similarity) / 3.5 · prior
        precedent  = cosine of the nearest question that is known to be answered by the provision
        s          = own + 0.1 · max own of the candidates that refer to it + 0.5 · max(0, precedent − 0.3)
        relevance  = 1 / (1 + e^((0.6 − s) / 0.15))

    Of a follow-up with a subject the relevance for its own words is 30 % of it, that for all of it the rest: the
    subject has more words, and what is new is what is asked.

    What has a row of a table that the question names, or a passage of a text of one's own that has its words
    (``articulado.retrieval.coverage``), is relevant, the more the more it has of the question else: its relevance is
    0.9 + 0.1 times what it would be. Beside such a passage, what lacks a rare word of the question loses half.

    Closeness by a sentence encoder, where the index has it, adds 0.15 · (closeness − 0.5) to ``s`` of an article. Of
    running text, which nothing was fitted to, it stands alone beside the words: s = closeness + 0.3 · words, with the
    curve 0.5 and 0.1.

    Without a ``similarity`` the words count alone. Without ``support`` there are no precedents, and the curve is lower
    and steeper: 0.42 and 0.11. Concepts and prior are
    the ``domain``'s to say: the prior of Spanish law puts rules before transitional dispositions, and general statutes
    before those of a special regime that the question does not name (``articulado.legal.vocabulary.matters``). The
    last step
    spreads the scores so that the legal signals weigh the same for every question (docs/retrieval.md has what each
    choice gives).
    """

    is_cheap = True

    def __init__(
        self,
        domain: Domain,
        weights: StemWeights | None = None,
        prominence: Prominence | None = None,
        similarity: Similarity | None = None,
        support: Support | None = None,
    ) -> None:
        self._domain = domain
        self._weights = weights or EqualWeights()
        self._prominence = prominence or Prominence(domain)
        self._similarity = similarity
        self.support = support

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        """Score every candidate (``Reranker.score``), in about 0.05 ms each."""
        wanted = Wanted(whole_text(question), self._domain, self._weights)
        scores = self.relevances(question, queries, candidates)
        return Reranked(wanted.reconsidered(scores, [candidate["chunk"] for candidate in candidates]))

    def relevances(
        self, question: TurnQuestion, queries: Sequence[str], candidates: Sequence[Candidate]
    ) -> list[float]:
        """Return how likely each candidate is right, in (0, 1), without regard to rows and passages (``Wanted``)."""
        scores = self._relevance(whole_text(question), queries, candidates)
        if has_own_words(question):
            alone = self._relevance(question["text"], (), candidates)
            pairs = zip(scores, alone, strict=True)
            return [(1 - OWN_WORDS) * whole + OWN_WORDS * by_itself for whole, by_itself in pairs]
        return scores

    def _relevance(self, question: str, queries: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
        chunks = [candidate["chunk"] for candidate in candidates]
        # The question itself, which counts for more, is often one of its searches.
        searches = [query for query in queries if query != question]
        of_question, *of_searches = (
            Coverage(self._domain.concepts(text, self._weights), self._weights) for text in (question, *searches)
        )
        cosines = self._similarities(question, searches, chunks)
        similarity_weight = _SIMILARITY_WEIGHT if self._similarity else 0.0
        own = [
            self._domain.prior(question, chunk)
            * (self._covered(of_question, of_searches, chunk) + similarity_weight * cosine)
            / (1 + similarity_weight)
            for chunk, cosine in zip(chunks, cosines, strict=True)
        ]
        citing, precedents = _best_citing(chunks, own), self.support(question) if self.support else {}
        curve = _CURVE_OF_PRECEDENTS if self.support else _PLAIN_CURVE
        relevances = [
            _relevance(score + _CITATION_SHARE * citing[ref] + _precedent(precedents.get(ref, 0.0)) + near, *curve)
            for score, ref, near in zip(own, map(provision_of, chunks), map(_nearness, candidates), strict=True)
        ]
        return [
            self._by_closeness(candidate, self._covered(of_question, of_searches, candidate["chunk"]))
            if "closeness" in candidate and is_unlearnt(candidate["chunk"])
            else relevance
            for candidate, relevance in zip(candidates, relevances, strict=True)
        ]

    def _by_closeness(self, candidate: Candidate, words: float) -> float:
        return _relevance(candidate["closeness"] + _CLOSE_WORDS * words, *_CLOSE_CURVE)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _similarities(self, question: str, queries: Sequence[str], chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return the best cosine of question and searches for each chunk, in [0, 1]."""
        if not self._similarity:
            return [0.0] * len(chunks)
        of_question = self._similarity(question, chunks)
        of_queries = [self._similarity(query, chunks) for query in queries]
        return [
            max(0.0, own, *(_SEARCH_WEIGHT * cosine for cosine in others))
            for own, *others in zip(of_question, *of_queries, strict=True)
        ]

    def _covered(self, question: Coverage, searches: Sequence[Coverage], chunk: Chunk) -> float:
        """Return the share in [0, 1] of the concepts of the question, or of its best search, that a chunk covers."""
        strengths = self._prominence(chunk)
        best_search = max((search(strengths) for search in searches), default=0.0)
        return max(question(strengths), _SEARCH_WEIGHT * best_search)


def _relevance(score: float, midpoint: float, spread: float) -> float:
    """Return how often a candidate of this score is right, in (0, 1)."""
    return 1 / (1 + math.exp((midpoint - score) / spread))


def _nearness(candidate: Candidate) -> float:
    """Return what the closeness by a sentence encoder adds to the score of a text that an encoder was fitted to."""
    return _CLOSE_WEIGHT * (candidate.get("closeness", _CLOSE_MIDDLE) - _CLOSE_MIDDLE)


def _precedent(cosine: float) -> float:
    return _PRECEDENT_WEIGHT * max(0.0, cosine - _FAR)


def _best_citing(chunks: Sequence[Chunk], scores: Sequence[float]) -> Mapping[tuple[str, str], float]:
    """Return, by provision, the best score of another provision among the candidates that refers to it."""
    provisions = {chunk["id"]: provision_of(chunk) for chunk in chunks}
    best: dict[tuple[str, str], float] = defaultdict(float)
    for chunk, score in zip(chunks, scores, strict=True):
        for provision in {provisions[ref] for ref in chunk["refs"] if ref in provisions} - {provision_of(chunk)}:
            best[provision] = max(best[provision], score)
    return best


_SHARE_OF_OWN_WORDS = 0.5
"""Part of a follow-up's own words: its subject has more words, and what is new is what is asked."""


class WordShare:
    """Measures the share of the concepts of a question that a provision covers, as ``HeuristicReranker`` does."""

    def __init__(self, domain: Domain, weights: StemWeights | None = None) -> None:
        self._domain = domain
        self._weights = weights or EqualWeights()
        self._prominence = Prominence(domain)

    def __call__(self, question: TurnQuestion, chunks: Sequence[Chunk]) -> list[float]:
        """Return one share in [0, 1] for each chunk, in their order."""
        shares = self._shares(whole_text(question), chunks)
        if not question["subject"]:
            return shares
        pairs = zip(shares, self._shares(question["text"], chunks), strict=True)
        return [(1 - _SHARE_OF_OWN_WORDS) * whole + _SHARE_OF_OWN_WORDS * alone for whole, alone in pairs]

    def _shares(self, question: str, chunks: Sequence[Chunk]) -> list[float]:
        coverage = Coverage(self._domain.concepts(question, self._weights), self._weights)
        return [coverage(self._prominence(chunk)) for chunk in chunks]
