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
            (
                concept.weight,
                _Term(concept.stems, 1.0, weights),
                [_Term(stems, certainty, weights) for stems, certainty in concept.legal_terms],
            )
            for concept in concepts
        ]

    def __call__(self, strengths: Mapping[str, float]) -> float:
        """Return how much of the concepts a text covers, in [0, 1].

        ``strengths`` says for each stem of the text, in [0, 1], how prominent it is there. A concept counts by its own
        words or by the legal term that the text covers best, whichever is more.
        """
        if not self._total:
            return 0.0
        covered = 0.0
        for weight, own_words, legal_terms in self._concepts:
            best = own_words.covered(strengths)
            for term in legal_terms:
                best = max(best, term.covered(strengths))
            covered += weight * best
        return covered / self._total


class _Term:
    """The stems of a term, how much each says, and how surely it is meant."""

    __slots__ = ("_certainty", "_stems", "_total")

    def __init__(self, stems: Sequence[str], certainty: float, weights: StemWeights) -> None:
        self._stems = [(stem, weights.idf(stem)) for stem in stems]
        self._total = sum(weight for _, weight in self._stems)
        self._certainty = certainty

    def covered(self, strengths: Mapping[str, float]) -> float:
        """Return the share of the term that a text covers, times its certainty."""
        covered = 0.0
        for stem, weight in self._stems:
            if stem in strengths:
                covered += weight * strengths[stem]
        return self._certainty * (covered / self._total) if covered else 0.0
