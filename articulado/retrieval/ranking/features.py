"""Features of a question and its candidates for the learnt ranking and the relevance judgement.

``…_behind`` are differences to the best candidate, ≤ 0; ``bearing…`` of a card are those of the provisions that
support it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.phrasings import NEIGHBOURS, NO_SUPPORT, Neighbourhood
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import Support
from articulado.values.chunks import CARDS, Candidate, bearing_of, is_card, provision_of

FEATURES = (
    "fused_score",
    "fused_rank",
    "words",
    "words_of_search",
    "cosine",
    "cosine_of_search",
    "precedent",
    "prior",
    "found_by_search",
    "words_behind",
    "cosine_behind",
    "precedent_behind",
    "neighbour",
    "neighbours_mean",
    "neighbour_behind",
    "neighbours_mean_behind",
    "neighbours",
    "neighbour_rank",
    "summary",
    "summary_behind",
    "card",
    "bearing",
    "bearing_behind",
    "bearing_precedent",
)

NO_NEIGHBOURS = Neighbourhood({}, {}, 0.0, 0.0, 0.0, 0.0)

Around = Callable[[str], Neighbourhood]


@dataclass(frozen=True)
class FeatureReader:
    """Reads the features of candidates; ``around`` is ``None`` without a sentence encoder."""

    comparer: Comparer
    precedents: Support
    around: Around | None = None

    def neighbourhood(self, question: str) -> Neighbourhood:
        return self.around(question) if self.around else NO_NEIGHBOURS

    def read(self, question: str, queries: Sequence[str], candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        """Return the features, (candidates, FEATURES) float32."""
        if not candidates:
            return np.empty((0, len(FEATURES)), dtype=np.float32)
        chunks = [candidate["chunk"] for candidate in candidates]
        refs = [provision_of(chunk) for chunk in chunks]
        # The question itself is often one of its searches.
        searches = [query for query in queries if query != question]
        of_question, *of_searches = (self.comparer.of(text) for text in (question, *searches))
        words = [of_question.words(chunk) for chunk in chunks]
        own = words if len(searches) < len(queries) else [0.0] * len(words)
        by_search = [
            max([of_own, *(search.words(chunk) for search in of_searches)])
            for chunk, of_own in zip(chunks, own, strict=True)
        ]
        cosines = of_question.cosines(chunks)
        others = [search.cosines(chunks) for search in of_searches]
        precedents = self.precedents(question)
        around = self.neighbourhood(question)
        scores = np.array([candidate["score"] for candidate in candidates])
        ranks = np.argsort(np.argsort(-scores, kind="stable"))
        support = [around.support.get(ref, NO_SUPPORT) for ref in refs]
        bearing = [bearing_of(chunk) for chunk in chunks]
        borne = [
            max((around.support.get(ref, NO_SUPPORT).best for ref in bearing_refs), default=0.0)
            for bearing_refs in bearing
        ]
        best_borne = max((each.best for ref, each in around.support.items() if ref[0] != CARDS), default=0.0)
        summaries = [around.summaries.get(ref, 0.0) for ref in refs]
        has_summary = [ref in around.summaries for ref in refs]
        return np.array(
            [
                scores,
                [math.log1p(rank) for rank in ranks],
                words,
                by_search,
                cosines,
                [max(values) for values in zip(*others, strict=True)] if others else cosines,
                [precedents.get(ref, 0.0) for ref in refs],
                [self.comparer.domain.prior(question, chunk) for chunk in chunks],
                ["hybrid" in candidate["origins"] for candidate in candidates],
                _behind(words),
                _behind(cosines),
                _behind([precedents.get(ref, 0.0) for ref in refs]),
                [each.best for each in support],
                [each.mean for each in support],
                [each.best - around.answered for each in support],
                [each.mean - around.best_mean for each in support],
                [math.log1p(each.count) for each in support],
                [math.log1p(each.rank) for each in support],
                summaries,
                [
                    value - around.best_summary if known else -0.5
                    for value, known in zip(summaries, has_summary, strict=True)
                ],
                [is_card(chunk) for chunk in chunks],
                borne,
                [value - best_borne for value in borne],
                [max((precedents.get(ref, 0.0) for ref in refs), default=0.0) for refs in bearing],
            ],
            dtype=np.float32,
        ).T


def without_neighbours(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return features with the values that they have without a sentence encoder."""
    columns = {
        "neighbour_rank": math.log1p(NEIGHBOURS),
        "summary_behind": -0.5,
        **dict.fromkeys(FEATURES[FEATURES.index("neighbour") : FEATURES.index("neighbour_rank")], 0.0),
        "summary": 0.0,
        "bearing": 0.0,
        "bearing_behind": 0.0,
    }
    alone = features.copy()
    for name, value in columns.items():
        alone[:, FEATURES.index(name)] = value
    return alone


def _behind(values: Sequence[float]) -> list[float]:
    best = max(values)
    return [value - best for value in values]
