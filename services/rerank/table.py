"""The rerankers by strategy, and what "auto" stands for."""

from collections.abc import Callable

from services.lexicon import StemWeights
from services.protocols import RerankerTable
from services.rerank.heuristic import HeuristicReranker
from state.chunks import Chunk
from state.context import RerankStrategy


def rerankers(weights: StemWeights | None = None, spoken: Callable[[Chunk], str] = lambda chunk: "") -> RerankerTable:
    """Return the rerankers by strategy; "none" has none, and "auto" stands for another (``resolve_strategy``).

    ``spoken`` tells how people ask about the provision of a chunk.
    """
    return {"heuristic": HeuristicReranker(weights, spoken)}


def resolve_strategy(strategy: RerankStrategy) -> RerankStrategy:
    """Return what "auto" stands for: the best strategy that this machine can run."""
    return "heuristic" if strategy == "auto" else strategy
