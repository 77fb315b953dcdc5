"""Features of a question and its candidates for the relevance judgement, and linear models over hashed words."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from articulado.language.folding import words_of
from articulado.language.languages import Language
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.learnt import LearntReranker
from articulado.values.answers import TurnQuestion, whole_text
from articulado.values.chunks import Candidate, is_card

MAX_JUDGED = 10
MAX_CARDS = 3
_COVERING = 5

EVIDENCE = (
    "words",
    "unknown_words",
    "rarest_word",
    "mean_rarity",
    "legal_terms",
    "first_similarity",
    "best_similarity",
    "mean_similarity",
    "similarity_margin",
    "first_coverage",
    "best_coverage",
    "joint_coverage",
    "first_fused",
    "second_fused",
    "best_relevance",
    "mean_relevance",
    "named",
    "answered",
    "answered_margin",
    "fifth_answered",
    "share_answered",
    "best_summary",
    "best_card",
)


@dataclass(frozen=True)
class EvidenceReader:
    """Reads the features of a question and its candidates; ``ranking`` scores them, whatever their order."""

    ranking: LearntReranker

    @property
    def comparer(self) -> Comparer:
        return self.ranking.reader.comparer

    async def read(self, question: TurnQuestion, candidates: Sequence[Candidate]) -> list[float]:
        """Return the features ``EVIDENCE`` of at least one candidate, the best first; NaN without cards."""
        # Learnt without the vectors of a sentence encoder: what these say is judged beside it.
        cards = [candidate for candidate in candidates if is_card(candidate["chunk"])][:MAX_CARDS]
        provisions = [candidate for candidate in candidates if not is_card(candidate["chunk"])] or cards
        best = [_without_closeness(candidate) for candidate in provisions[:MAX_JUDGED]]
        chunks = [candidate["chunk"] for candidate in best]
        text = whole_text(question)
        comparer = self.comparer
        domain, compared = comparer.domain, comparer.of(text)
        stems = list(dict.fromkeys(domain.stems(text)))
        rarities = [comparer.weights.idf(stem) for stem in stems] or [1.0]
        cosines = compared.cosines(chunks)
        strengths = [comparer.prominence(chunk) for chunk in chunks[:_COVERING]]
        covered = [compared.words(chunk) for chunk in chunks[:_COVERING]]
        fused = sorted((candidate["score"] for candidate in best), reverse=True)
        scores = [score or 0.0 for score in (await self.ranking.score(question, [], [*best, *cards])).scores]
        odds = [_log_odds(score) for score in sorted(scores[: len(best)], reverse=True)]
        of_cards = [_log_odds(score) for score in scores[len(best) :]]
        around = self.ranking.reader.neighbourhood(text)
        return [
            math.log1p(len(stems)),
            sum(rarity >= 1 for rarity in rarities) / len(rarities),
            max(rarities),
            _mean(rarities),
            math.log1p(len(domain.terms(text))),
            cosines[0],
            max(cosines),
            _mean(sorted(cosines, reverse=True)[:3]),
            max(cosines) - _mean(cosines),
            covered[0],
            max(covered),
            compared.coverage(_joined(strengths)),
            fused[0],
            fused[min(1, len(fused) - 1)],
            odds[0],
            _mean(odds[:3]),
            float(any("direct" in candidate["origins"] for candidate in best)),
            around.answered,
            around.answered - around.unanswered,
            around.fifth,
            around.share,
            around.best_summary,
            max(of_cards, default=math.nan),
        ]


def _without_closeness(candidate: Candidate) -> Candidate:
    candidate = candidate.copy()
    candidate.pop("closeness", None)
    return candidate


def _joined(strengths: Sequence[Mapping[str, float]]) -> dict[str, float]:
    joined: dict[str, float] = {}
    for of_chunk in strengths:
        for stem, strength in of_chunk.items():
            joined[stem] = max(strength, joined.get(stem, 0.0))
    return joined


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(kept / (1 - kept))


TERM_PLACES = 1 << 17
WORD_PLACES = 1 << 13
_SHORTEST_RUN, _LONGEST_RUN = 3, 5


@dataclass(frozen=True)
class WordingModel:
    """Linear models over the words of a question: log odds of the field, and shares of the unanswered ``matters``."""

    idf: NDArray[np.floating]  # (TERM_PLACES,)
    field: NDArray[np.floating]  # (TERM_PLACES,)
    field_bias: float
    matters: tuple[str, ...]
    of_matter: NDArray[np.floating]  # (WORD_PLACES, matters)
    matter_bias: NDArray[np.floating]

    def field_score(self, question: str, language: Language) -> float:
        """Return the log odds, by its words alone, that a question is of the field."""
        places = term_places(question, language)
        weights = weights_at(self.idf, places)
        return float(weights @ self.field[places].astype(np.float64)) + self.field_bias

    def matter_shares(self, question: str, language: Language) -> dict[str, float]:
        """Return the probability of each matter for a question without an answer; they sum to 1."""
        places = word_places(question, language)
        scores = self.of_matter[places].astype(np.float64).sum(axis=0) / max(len(places), 1) ** 0.5 + self.matter_bias
        exponentials = np.exp(scores - scores.max())
        return dict(zip(self.matters, (exponentials / exponentials.sum()).tolist(), strict=True))


def weights_at(idf: NDArray[np.floating], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the idf at the slots of a question, (places,), as a vector of length 1."""
    weights = idf[places].astype(np.float64)
    length = float(np.linalg.norm(weights))
    return weights / length if length else weights


def term_places(question: str, language: Language) -> NDArray[np.intp]:
    """Return the slots of the stems, pairs and runs of letters of a question, in [0, TERM_PLACES)."""
    words = words_of(question)
    terms = [*_stems_and_pairs(words, language), *(run for word in words for run in runs_of(word))]
    return _places(terms, TERM_PLACES)


def word_places(question: str, language: Language) -> NDArray[np.intp]:
    """Return the slots of the stems and pairs of a question, in [0, WORD_PLACES)."""
    return _places(list(_stems_and_pairs(words_of(question), language)), WORD_PLACES)


def _stems_and_pairs(words: Sequence[str], language: Language) -> Iterator[str]:
    # Stop words stay: "me", "mi empresa" and "puedo" tell a worker's question from a headline. Numbers are all one.
    stems = ["0" if word[0].isdigit() else language.stem_word(word) or word for word in words]
    yield from stems
    yield from (f"{first} {second}" for first, second in pairwise(stems))


def runs_of(word: str) -> Iterator[str]:
    """Return the runs of 3 to 5 letters of a word, with begin and end marked."""
    padded = f"<{word}>"
    for length in range(_SHORTEST_RUN, _LONGEST_RUN + 1):
        yield from (f"~{padded[start : start + length]}" for start in range(len(padded) - length + 1))


def _places(terms: Sequence[str], places: int) -> NDArray[np.intp]:
    return np.array(sorted({crc32(term.encode()) % places for term in terms}), dtype=np.intp)
