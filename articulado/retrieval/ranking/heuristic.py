"""Heuristic reranker without a provider: covered words, learnt similarity, precedents and prior."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from articulado.retrieval.ranking.comparison import Comparer, Comparison, is_unlearnt
from articulado.values.answers import TurnQuestion, has_own_words, whole_text
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, provision_of
from articulado.values.protocols import Reranked

_SEARCH_WEIGHT = 0.9

_SIMILARITY_WEIGHT = 2.5

_CITATION_SHARE = 0.1

OWN_WORDS = 0.3
"""Share of a follow-up's own words in the relevance of a candidate (docs/decisions/0063)."""

_PRECEDENT_WEIGHT, _FAR = 0.5, 0.3

_CLOSE_WORDS, _CLOSE_CURVE = 0.3, (0.5, 0.1)
_CLOSE_WEIGHT, _CLOSE_MIDDLE = 0.15, 0.5

_PLAIN_CURVE, _CURVE_OF_PRECEDENTS = (0.42, 0.11), (0.6, 0.15)
"""Score of probability 0.5, and spread of the curve (docs/decisions/0053)."""


Support = Callable[[str], Mapping[ProvisionRef, float]]
"""Returns, for a question, the cosine in [0, 1] of the nearest precedent that each provision answers."""


class HeuristicReranker:
    """Scores by covered words and similarity, in about 0.05 ms a candidate; needs no provider.

    With C(x) the IDF-weighted share of the concepts of x that the candidate covers, each by its most prominent place::

        words      = max(C(question), 0.9 · max over searches of C(search))
        similarity = max(0, cosine of the question, 0.9 · max over searches of the cosine of each)
        own        = (words + 2.5 · similarity) / 3.5 · prior
        s          = own + 0.1 · max own of the candidates that refer to it + 0.5 · max(0, precedent − 0.3)
        relevance  = 1 / (1 + e^((0.6 − s) / 0.15)); without ``support`` 0.42 and 0.11

    A sentence encoder adds 0.15 · (closeness − 0.5) to ``s`` of an article; for running text s = closeness + 0.3 ·
    words, with 0.5 and 0.1. For a follow-up, 30 % is the relevance for its own words (docs/decisions/0053).
    """

    limit = None

    def __init__(self, comparer: Comparer, support: Support | None = None) -> None:
        self._comparer = comparer
        self.support = support

    async def score(
        self,
        question: TurnQuestion,
        queries: Sequence[str],
        candidates: Sequence[Candidate],
        *,
        deadline: float | None = None,
    ) -> Reranked:
        scores = self.relevances(question, queries, candidates)
        wanted = self._comparer.of(whole_text(question)).wanted
        return Reranked(wanted.reconsidered(scores, [candidate["chunk"] for candidate in candidates]))

    def relevances(
        self, question: TurnQuestion, queries: Sequence[str], candidates: Sequence[Candidate]
    ) -> list[float]:
        """Return the probability in (0, 1) that each candidate is right, without rows and passages (``Wanted``)."""
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
        of_question, *of_searches = (self._comparer.of(text) for text in (question, *searches))
        cosines = [
            max(0.0, own, *(_SEARCH_WEIGHT * cosine for cosine in others))
            for own, *others in zip(*(each.cosines(chunks) for each in (of_question, *of_searches)), strict=True)
        ]
        similarity_weight = _SIMILARITY_WEIGHT if self._comparer.similarity else 0.0
        own = [
            self._comparer.domain.prior(question, chunk)
            * (_covered(of_question, of_searches, chunk) + similarity_weight * cosine)
            / (1 + similarity_weight)
            for chunk, cosine in zip(chunks, cosines, strict=True)
        ]
        citing, precedents = _best_citing(chunks, own), self.support(question) if self.support else {}
        curve = _CURVE_OF_PRECEDENTS if self.support else _PLAIN_CURVE
        relevances = []
        for candidate, score in zip(candidates, own, strict=True):
            chunk, closeness = candidate["chunk"], candidate.get("closeness", _CLOSE_MIDDLE)
            if "closeness" in candidate and is_unlearnt(chunk):
                words = _covered(of_question, of_searches, chunk)
                relevances.append(_relevance(closeness + _CLOSE_WORDS * words, *_CLOSE_CURVE))
                continue
            ref = provision_of(chunk)
            precedent = _PRECEDENT_WEIGHT * max(0.0, precedents.get(ref, 0.0) - _FAR)
            near = _CLOSE_WEIGHT * (closeness - _CLOSE_MIDDLE)
            relevances.append(_relevance(score + _CITATION_SHARE * citing[ref] + precedent + near, *curve))
        return relevances

    async def close(self) -> None: ...


def _covered(question: Comparison, searches: Sequence[Comparison], chunk: Chunk) -> float:
    return max(question.words(chunk), *(_SEARCH_WEIGHT * search.words(chunk) for search in searches), 0.0)


def _relevance(score: float, midpoint: float, spread: float) -> float:
    return 1 / (1 + math.exp((midpoint - score) / spread))


def _best_citing(chunks: Sequence[Chunk], scores: Sequence[float]) -> Mapping[tuple[str, str], float]:
    provisions = {chunk["id"]: provision_of(chunk) for chunk in chunks}
    best: dict[tuple[str, str], float] = defaultdict(float)
    for chunk, score in zip(chunks, scores, strict=True):
        for provision in {provisions[ref] for ref in chunk["refs"] if ref in provisions} - {provision_of(chunk)}:
            best[provision] = max(best[provision], score)
    return best


_SHARE_OF_OWN_WORDS = 0.5


class WordShare:
    """Measures the share of the concepts of a question that a provision covers, as ``HeuristicReranker`` does."""

    def __init__(self, comparer: Comparer) -> None:
        self._comparer = comparer

    def __call__(self, question: TurnQuestion, chunks: Sequence[Chunk]) -> list[float]:
        """Return one share in [0, 1] for each chunk, in order."""
        whole = self._comparer.of(whole_text(question))
        if not question["subject"]:
            return [whole.words(chunk) for chunk in chunks]
        alone = self._comparer.of(question["text"])
        own = _SHARE_OF_OWN_WORDS
        return [(1 - own) * whole.words(chunk) + own * alone.words(chunk) for chunk in chunks]
