"""The confidence of a case: how sure it is that the inquiry is of its article, by the curve of its profile."""

from collections.abc import Iterable
from dataclasses import dataclass

from articulado.language.languages import Language
from articulado.values.chunks import Candidate
from services.case.calibration import Calibration, CaseGraph, Curve

BEST_SCORES = 3
CRITICAL_BONUS = 1.1
CRITICAL_CHUNKS = 2
DECIMALS = 2

HIGHEST = 0.99
"""No estimate is a certainty."""

MIN_CONFIDENCE = 0.70
"""Below it, the decision is ``uncertain``."""

MAX_OF_ONE_WORD = 0.60
"""The most that an inquiry of a single content word may reach: what has happened it does not tell."""

MAX_BARE_WORDS = 2
"""Words of an inquiry that asks nothing: one, and an article before it."""

MIN_IN_SCOPE = 0.40
"""Where no article reaches it, the decision is ``out_of_scope``."""


def says_too_little(inquiry: str, language: Language) -> bool:
    """Tell whether an inquiry is a single content word, with an article at most: "loan", "the loan".

    What is asked in more words ("How to rollover?") says what is wanted.
    """
    return len(inquiry.split()) <= MAX_BARE_WORDS and len(language.content_words(inquiry)) <= 1


def confidence_of(similarities: Iterable[float], reranked: Iterable[float] | None, critical: int) -> float:
    """Return the confidence in [0, 1] of what was found, not rounded; 0 where nothing was.

    similarity = mean of the 3 best dense cosines, each clipped to [0, 1] (of fewer, of those there are);
    confidence = similarity, or (similarity + mean of the 3 best rerank scores) / 2 where there are any,
    × 1.1 with 2 or more critical chunks, at most 1.

    >>> round(confidence_of([0.5, 0.4, 0.3, 0.1], [1.0, 0.75, 0.5], critical=0), 3)  # (0.4 + 0.75) / 2
    0.575
    >>> round(confidence_of([0.6], None, critical=2), 3)  # 0.6 · 1.1
    0.66
    """
    base = _mean_of_best(similarities)
    scores = list(reranked or ())
    if scores:
        base = (base + _mean_of_best(scores)) / 2
    return min(1.0, base * CRITICAL_BONUS if critical >= CRITICAL_CHUNKS else base)


def _mean_of_best(scores: Iterable[float]) -> float:
    best = sorted((min(1.0, max(0.0, score)) for score in scores), reverse=True)[:BEST_SCORES]
    return sum(best) / len(best) if best else 0.0


@dataclass(frozen=True)
class ConfidenceEstimator:
    """Tells how sure it is that an inquiry is a case of an article, by the curve of one graph of a profile.

    ``default`` is the curve where the profile has none for the weights of the matching at work (``model``).
    """

    graph: CaseGraph
    model: str
    calibration: Calibration | None
    default: Curve

    @property
    def curve(self) -> Curve:
        """The curve at work: that of the profile, or the default one."""
        own = self.calibration.curve(self.graph, self.model) if self.calibration else None
        return own or self.default

    def confidence(self, log_odds: float) -> float:
        """Return the share of right ones among cases whose article matches like this, in [0, 0.99], two decimals."""
        return min(HIGHEST, round(self.curve(log_odds), DECIMALS))


def raw_confidence(retrieved: Iterable[Candidate], reranked: Iterable[Candidate], critical: int) -> float:
    """Return the confidence of what was found (``confidence_of``), two decimals.

    ``retrieved`` is what the search found of the article by the inquiry alone, ``reranked`` what was reranked of it,
    ``critical`` how many critical chunks the context has.
    """
    similarities = [candidate["similarity"] for candidate in retrieved if "similarity" in candidate]
    rerank_scores = [candidate["rerank_score"] for candidate in reranked if "rerank_score" in candidate]
    return round(confidence_of(similarities, rerank_scores, critical), DECIMALS)
