"""Final scores of reranked candidates: relevance, and beside it the signals of the law."""

from collections.abc import Iterable
from datetime import date

from legal.signals import SignalWeights, final_score
from state.candidates import NAMED_SCORE
from state.chunks import Candidate


def with_final_scores(
    candidates: Iterable[Candidate], weights: SignalWeights, as_of: date | None, today: date
) -> list[Candidate]:
    """Give each candidate that was scored its final score (``legal.signals``), in the order of the candidates.

    A provision that was named comes first, whatever its rank or age.
    """
    return [
        {
            **candidate,
            "final_score": NAMED_SCORE
            if "direct" in candidate["origins"]
            else final_score(candidate["rerank_score"], candidate["chunk"], weights, as_of, today),
        }
        if "rerank_score" in candidate
        else candidate
        for candidate in candidates
    ]
