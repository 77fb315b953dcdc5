"""Final scores of reranked candidates: relevance adjusted by legal signals.

``with_final_scores`` keeps the order of the candidates. A named provision scores highest, then the answer
of a named agreement (at least 0.95). ``raised`` raises the relevance of provisions of a named agreement,
because the learnt models know law alone.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import date

from articulado.legal.validity import SignalWeights, final_score
from articulado.values.chunks import NAMED_SCORE, Candidate

SPEAKS_OF_IT = 0.5
"""Relevance and share of the question's words, together, from which on what a named agreement says is on the subject.

Measured on six made-up agreements: what answers has 0.5 to 2, the best of what does not, where nothing does, 0.42.
"""
NEAR_THE_BEST = 0.8
"""Share of those of the best provision of an agreement that a further one must have."""
ASKED_OF = 0.95
"""Least score of such an article: it goes before all law, and after a provision that was named itself."""


def with_final_scores(
    candidates: Iterable[Candidate],
    weights: SignalWeights,
    as_of: date | None,
    today: date,
    named_agreements: Collection[str] = (),
) -> list[Candidate]:
    """Add the legal signals to the score of each scored candidate; the order of the candidates is kept.

    A provision that was named comes first, whatever its rank or age; then what a named agreement says of the question.
    """
    return [
        {**candidate, "final_score": _final_score(candidate, weights, as_of, today, named_agreements)}
        if "rerank_score" in candidate
        else candidate
        for candidate in candidates
    ]


def _final_score(
    candidate: Candidate, weights: SignalWeights, as_of: date | None, today: date, named_agreements: Collection[str]
) -> float:
    if "direct" in candidate["origins"]:
        return NAMED_SCORE
    if is_asked_of(candidate, named_agreements):
        return candidate["rerank_score"]
    return final_score(candidate["rerank_score"], candidate["chunk"], weights, as_of, today)


def raised(
    candidates: Sequence[Candidate], scores: Sequence[float | None], shares: Sequence[float]
) -> list[float | None]:
    """Return the relevance of provisions of agreements that a question names, in their order.

    ``shares`` are those of the question's words that each has. How people ask has been learnt of law alone: what of an
    agreement is on the subject is worth more there than it seems, and is told by its words and beside the others.
    """
    support = [share + (score or 0.0) for score, share in zip(scores, shares, strict=True)]
    best: dict[str, float] = {}
    for candidate, worth in zip(candidates, support, strict=True):
        law_id = candidate["chunk"]["law_id"]
        best[law_id] = max(worth, best.get(law_id, SPEAKS_OF_IT))
    return [
        score and _beside(score, worth, best[candidate["chunk"]["law_id"]])
        for candidate, score, worth in zip(candidates, scores, support, strict=True)
    ]


def _beside(score: float, worth: float, best: float) -> float:
    """Return the relevance of what is worth so much beside the best of its agreement, or beside what is enough."""
    if worth >= max(SPEAKS_OF_IT, NEAR_THE_BEST * best):
        return ASKED_OF + (NAMED_SCORE - ASKED_OF) * min(1.0, worth / 2)
    return score * worth / best


def is_asked_of(candidate: Candidate, named_agreements: Collection[str]) -> bool:
    """Tell whether a candidate is what an agreement that the question names says of what is asked."""
    return candidate["chunk"]["law_id"] in named_agreements and candidate.get("rerank_score", 0.0) >= ASKED_OF
