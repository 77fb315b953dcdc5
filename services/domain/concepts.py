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


def coverage(concepts: Sequence[Concept], strengths: Mapping[str, float], weights: StemWeights) -> float:
    """Return how much of the concepts a text covers, in [0, 1].

    ``strengths`` says for each stem of the text, in [0, 1], how prominent it is there. A concept counts by its own
    words or by the legal term that the text covers best, whichever is more.
    """
    total = sum(concept.weight for concept in concepts)
    if not total:
        return 0.0
    covered = sum(concept.weight * _concept_coverage(concept, strengths, weights) for concept in concepts)
    return covered / total


def _concept_coverage(concept: Concept, strengths: Mapping[str, float], weights: StemWeights) -> float:
    own_words = _term_coverage(concept.stems, strengths, weights)
    legal_terms = (certainty * _term_coverage(term, strengths, weights) for term, certainty in concept.legal_terms)
    return max([own_words, *legal_terms])


def _term_coverage(term: Sequence[str], strengths: Mapping[str, float], weights: StemWeights) -> float:
    total = sum(weights.idf(stem) for stem in term)
    return sum(weights.idf(stem) * strengths.get(stem, 0.0) for stem in term) / total if total else 0.0
