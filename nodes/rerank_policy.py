"""How many candidates a reranker is given."""

from services.protocols import Reranker
from state.values import Usage

MAX_RERANKED = 20
MAX_WHEN_SLOW = 12

MAX_MILLISECONDS = 3_000.0
"""For retrieval and reranking together; where they would take longer, fewer candidates are scored."""

RETRIEVAL = frozenset(
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


def how_many(reranker: Reranker, candidates: int, usage: Usage | None) -> int:
    """Return how many of the candidates are scored: all where that is cheap, else 20, or 12 where time is short."""
    if reranker.is_cheap:
        return candidates
    spent = sum(ms for stage, ms in usage["stages"].items() if stage in RETRIEVAL) if usage else 0.0
    most = min(candidates, MAX_RERANKED)
    return min(most, MAX_WHEN_SLOW) if spent + reranker.estimate(most) > MAX_MILLISECONDS else most
