"""What a question is about: weighted concepts, and how much of them a text covers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from legal.dates import without_days
from legal.synonyms import find_terms, of_the_field
from legal.territory import place_words
from services.figures import without_measure
from services.lexicon import StemWeights
from services.text import stem_word, stems

_NUMBER_WEIGHT = 0.3
"""A figure of the question (an amount, a year) says little: provisions have figures of their own."""
_PLACE_WEIGHT = 0.1
"""A place says which law may be found; of the matter it says something only where the law itself names it."""
_FOREIGN_WEIGHT = 0.35
"""Of a word that no text of the index has, in a question that is of the field beyond doubt: a name, a trade, a town."""


@dataclass(frozen=True)
class Concept:
    """A word of a question, or a term of the synonym table, and the legal terms that say the same.

    ``legal`` holds the stems of each term and how surely it is meant, in (0, 1]; ``weight`` in [0, 1] is how much the
    concept says.
    """

    stems: tuple[str, ...]
    legal: tuple[tuple[tuple[str, ...], float], ...]
    weight: float


def concepts_of(question: str, weights: StemWeights) -> list[Concept]:
    """Take a question apart; empty where it has nothing but stop words."""
    question = without_days(without_measure(question), today=date.today())
    places = {stem for word in place_words(question) for stem in stems(word)}
    content = dict.fromkeys(stems(question))
    concepts: dict[tuple[str, ...], Concept] = {}
    terms = find_terms(question, stem_word)
    of_field = of_the_field(question, stem_word)
    for term in terms:
        own = tuple(stem for stem in term.stems if stem in content)
        legal = tuple((tuple(stems(name)), surely) for name, surely in term.legal)
        # A word that no text has says nothing about how much the legal names say.
        known = tuple(stem for stem in own if weights.idf(stem) < 1)
        weighed = known or tuple(stem for name, _ in legal for stem in name)
        concepts[term.stems] = Concept(own, legal, max(weights.idf(stem) for stem in weighed))
        for stem in own:
            content.pop(stem, None)
    for stem in content:
        weight = weights.idf(stem)
        if stem in places:
            weight = min(weight, _PLACE_WEIGHT)
        elif stem[0].isdigit():
            weight = min(weight, _NUMBER_WEIGHT)
        elif of_field and weight >= 1:
            weight = _FOREIGN_WEIGHT
        concepts[(stem,)] = Concept((stem,), (), weight)
    return list(concepts.values())


def coverage(concepts: Sequence[Concept], strengths: Mapping[str, float], weights: StemWeights) -> float:
    """Return how much of the concepts a text covers, in [0, 1].

    ``strengths`` says for each stem of the text, in [0, 1], how prominent it is there. A concept counts by its own
    words or by the legal term that the text covers best, whichever is more.
    """
    total = sum(concept.weight for concept in concepts)
    if not total:
        return 0.0
    covered = sum(concept.weight * _covered(concept, strengths, weights) for concept in concepts)
    return covered / total


def _covered(concept: Concept, strengths: Mapping[str, float], weights: StemWeights) -> float:
    own = _share(concept.stems, strengths, weights)
    return max([own, *(surely * _share(term, strengths, weights) for term, surely in concept.legal)])


def _share(term: Sequence[str], strengths: Mapping[str, float], weights: StemWeights) -> float:
    total = sum(weights.idf(stem) for stem in term)
    return sum(weights.idf(stem) * strengths.get(stem, 0.0) for stem in term) / total if total else 0.0
