"""What a question is about: weighted concepts, and how much of them a text covers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.domain.lexicon import StemWeights

NUMBER_WEIGHT = 0.3
"""A figure of the question (an amount, a year) says little: provisions have figures of their own."""


@dataclass(frozen=True)
class Concept:
    """A word of a question, or a term of the synonym table, and the legal terms that say the same.

    ``legal_terms`` holds the stems of each legal term and how surely it is meant, in (0, 1]; ``weight`` in [0, 1] is
    how much the concept says.
    """

    stems: tuple[str, ...]
    legal_terms: tuple[tuple[tuple[str, ...], float], ...]
    weight: float


def single_words(stems: Iterable[str], weights: StemWeights) -> Iterator[Concept]:
    """Yield a concept for each stem, in order, each once; a number says less, but not one with a letter ("401k")."""
    for stem in dict.fromkeys(stems):
        weight = weights.idf(stem)
        yield Concept((stem,), (), min(weight, NUMBER_WEIGHT) if stem.isdigit() else weight)


class Coverage:
    """Measures how much of some concepts a text covers; what depends on the concepts alone is worked out once."""

    def __init__(self, concepts: Sequence[Concept], weights: StemWeights) -> None:
        self._total = sum(concept.weight for concept in concepts)
        self._concepts = [
            (concept.weight, [_weighed(term, weights) for term in ((concept.stems, 1.0), *concept.legal_terms)])
            for concept in concepts
        ]

    def __call__(self, strengths: Mapping[str, float]) -> float:
        """Return how much of the concepts a text covers, in [0, 1].

        ``strengths`` says for each stem of the text, in [0, 1], how prominent it is there. A concept counts by its own
        words or by the legal term that the text covers best, whichever is more.
        """
        if not self._total:
            return 0.0
        whole = 0.0
        for weight, terms in self._concepts:
            best = 0.0
            for stems, total, certainty in terms:
                covered = 0.0
                for stem, idf in stems:
                    if stem in strengths:
                        covered += idf * strengths[stem]
                if covered and (share := certainty * (covered / total)) > best:
                    best = share
            whole += weight * best
        return whole / self._total


def _weighed(
    term: tuple[Sequence[str], float], weights: StemWeights
) -> tuple[Sequence[tuple[str, float]], float, float]:
    """Return the stems of a term with how much each says, how much all say, and how surely it is meant."""
    stems, certainty = term
    weighed = [(stem, weights.idf(stem)) for stem in stems]
    return weighed, sum(idf for _, idf in weighed), certainty
