"""How many candidates are reranked, and their final scores: relevance, and beside it the signals of the law."""

from collections.abc import Iterable
from datetime import date

from legal.signals import SignalWeights, final_score
from services.protocols import Reranker
from state.candidates import NAMED_SCORE
from state.chunks import Candidate
from state.values import Usage

MAX_RERANKED = 20
MAX_RERANKED_WHEN_SLOW = 12

MAX_MILLISECONDS = 3_000.0
"""For retrieval and reranking together; where they would take longer, fewer candidates are scored."""

RETRIEVAL_STAGES = frozenset(
    (
        "analyze_question",
        "load_carryover",
        "embed_queries",
        "encode_sparse",
        "hybrid_search",
        "merge_candidates",
        "expand_references",
        "refetch",
        "rerank",
    )
)
"""The stages of a turn whose time is counted: the chat models' own (decompose, answer) no reranker can make up for."""


def rerank_limit(reranker: Reranker, candidates: int, usage: Usage | None) -> int:
    """Return how many of the candidates are scored: all where that is cheap, else 20, or 12 where time is short."""
    if reranker.is_cheap:
        return candidates
    spent = sum(ms for stage, ms in usage["stages"].items() if stage in RETRIEVAL_STAGES) if usage else 0.0
    limit = min(candidates, MAX_RERANKED)
    is_slow = spent + reranker.estimate(limit) > MAX_MILLISECONDS
    return min(limit, MAX_RERANKED_WHEN_SLOW) if is_slow else limit


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
