"""What speaks for it that a question is answered by what was found: the features of the judgement."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from articulado.legal.domain.base import Coverage, Domain, StemWeights
from articulado.values.chunks import Candidate
from services.domain.prominence import Prominence
from services.rerank.heuristic import HeuristicReranker, Similarity

MAX_JUDGED = 10
"""How many of the best candidates are looked at."""
_COVERING = 5
"""How many of them are looked at word by word."""

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
)
"""Names of the features, in their order."""


@dataclass(frozen=True)
class EvidenceReader:
    """Reads the features off a question and its candidates, whatever reranker has ordered them.

    ``heuristic`` scores the candidates where another reranker, or none, has.
    """

    domain: Domain
    weights: StemWeights
    similarity: Similarity
    heuristic: HeuristicReranker
    prominence: Prominence

    async def read(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the features of a question, ``EVIDENCE``; ``candidates`` are at least one, the best first."""
        best = candidates[:MAX_JUDGED]
        chunks = [candidate["chunk"] for candidate in best]
        stems = list(dict.fromkeys(self.domain.stems(question)))
        rarities = [self.weights.idf(stem) for stem in stems] or [1.0]
        cosines = self.similarity(question, chunks)
        coverage = Coverage(self.domain.concepts(question, self.weights), self.weights)
        strengths = [self.prominence(chunk) for chunk in chunks[:_COVERING]]
        covered = [coverage(of_chunk) for of_chunk in strengths]
        fused = sorted((candidate["score"] for candidate in best), reverse=True)
        relevant = sorted((await self.heuristic.score(question, [], best)).scores, key=lambda score: -(score or 0.0))
        odds = [_log_odds(score or 0.0) for score in relevant]
        return [
            math.log1p(len(stems)),
            sum(rarity >= 1 for rarity in rarities) / len(rarities),
            max(rarities),
            _mean(rarities),
            math.log1p(len(self.domain.terms(question))),
            cosines[0],
            max(cosines),
            _mean(sorted(cosines, reverse=True)[:3]),
            max(cosines) - _mean(cosines),
            covered[0],
            max(covered),
            coverage(_joined(strengths)),
            fused[0],
            fused[min(1, len(fused) - 1)],
            odds[0],
            _mean(odds[:3]),
            float(any("direct" in candidate["origins"] for candidate in best)),
        ]


def _joined(strengths: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the greatest strength of each stem."""
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
