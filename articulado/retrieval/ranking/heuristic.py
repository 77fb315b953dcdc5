"""Heuristic reranker without a provider: covered words, learnt similarity, precedents and prior.

``HeuristicReranker`` scores every candidate in [0, 1], in about 0.05 ms each; its docstring has the
formula. ``WordShare`` returns the share of a question's concepts that a provision covers.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from articulado.retrieval.ranking.comparison import Comparer, Comparison, is_unlearnt
from articulado.values.answers import TurnQuestion, has_own_words, whole_text
from articulado.values.chunks import Candidate, Chunk, ProvisionRef, provision_of
from articulado.values.protocols import Reranked

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


Support = Callable[[str], Mapping[ProvisionRef, float]]
"""Returns, for a question, the cosine in [0, 1] of the nearest precedent that each provision answers."""


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
    (``Wanted``), is relevant, the more the more it has of the question else: its relevance is 0.9 + 0.1 times what it
    would be. Beside such a passage, what lacks a rare word of the question loses half.

    Closeness by a sentence encoder, where the index has it, adds 0.15 · (closeness − 0.5) to ``s`` of an article. Of
    running text, which nothing was fitted to, it stands alone beside the words: s = closeness + 0.3 · words, with the
    curve 0.5 and 0.1.

    Without a similarity the words count alone. Without ``support`` there are no precedents, and the curve is lower
    and steeper: 0.42 and 0.11. Concepts and prior are
    the domain's to say: the prior of Spanish law puts rules before transitional dispositions, and general statutes
    before those of a special regime that the question does not name (``articulado.legal.vocabulary.matters``). The
    last step
    spreads the scores so that the legal signals weigh the same for every question (docs/retrieval.md has what each
    choice gives).
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
        """Score every candidate (``Reranker.score``), in about 0.05 ms each."""
        scores = self.relevances(question, queries, candidates)
        wanted = self._comparer.of(whole_text(question)).wanted
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
        relevances = [
            _relevance(score + _CITATION_SHARE * citing[ref] + _precedent(precedents.get(ref, 0.0)) + near, *curve)
            for score, ref, near in zip(own, map(provision_of, chunks), map(_nearness, candidates), strict=True)
        ]
        return [
            _by_closeness(candidate, _covered(of_question, of_searches, candidate["chunk"]))
            if "closeness" in candidate and is_unlearnt(candidate["chunk"])
            else relevance
            for candidate, relevance in zip(candidates, relevances, strict=True)
        ]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _covered(question: Comparison, searches: Sequence[Comparison], chunk: Chunk) -> float:
    """Return the share in [0, 1] of the concepts of the question, or of its best search, that a chunk covers."""
    return max(question.words(chunk), *(_SEARCH_WEIGHT * search.words(chunk) for search in searches), 0.0)


def _by_closeness(candidate: Candidate, words: float) -> float:
    return _relevance(candidate["closeness"] + _CLOSE_WORDS * words, *_CLOSE_CURVE)


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

    def __init__(self, comparer: Comparer) -> None:
        self._comparer = comparer

    def __call__(self, question: TurnQuestion, chunks: Sequence[Chunk]) -> list[float]:
        """Return one share in [0, 1] for each chunk, in their order."""
        whole = self._comparer.of(whole_text(question))
        if not question["subject"]:
            return [whole.words(chunk) for chunk in chunks]
        alone = self._comparer.of(question["text"])
        own = _SHARE_OF_OWN_WORDS
        return [(1 - own) * whole.words(chunk) + own * alone.words(chunk) for chunk in chunks]
