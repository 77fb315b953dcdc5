"""What decides the order of the candidates: relevance, and the law's own order beside it."""

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
            **found,
            "final_score": NAMED_SCORE
            if "direct" in found["origins"]
            else final_score(found["rerank_score"], found["chunk"], weights, as_of, today),
        }
        if "rerank_score" in found
        else found
        for found in candidates
    ]
