"""Cosines between an inquiry and many short texts, by weighted terms."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from language.languages import Language
from services.relevance.wording import runs_of, words_of

_PAIR, _RUN = 0.7, 0.5
"""What a pair of words, or a run of letters, weighs beside a word as rare."""


class TermIndex:
    """Texts as weighted terms: the stems of their words, pairs of neighbours, and runs of 3 to 5 letters.

    weight(t) = ln((N + 1) / (n(t) + 1)), of N texts of which n(t) have the term, times 0.7 for a pair and 0.5 for a run
    of letters, which survives misspelling; a text is of length 1. ``background`` are texts that count for N alone: how
    people ask of anything at all tells which words of an inquiry say something.
    """

    def __init__(self, texts: Sequence[str], background: Sequence[str], language: Language) -> None:
        self._language = language
        terms_of_texts = [set(self._terms(text)) for text in texts]
        self._count = len(texts) + len(background)
        self._texts_with = Counter(term for terms in terms_of_texts for term in terms)
        for text in background:
            self._texts_with.update(set(self._terms(text)))
        self._size = len(texts)
        places: dict[str, list[int]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        for place, terms in enumerate(terms_of_texts):
            for term, weight in self._weigh(terms).items():
                places[term].append(place)
                weights[term].append(weight)
        self._postings = {
            term: (np.array(places[term], dtype=np.intp), np.array(weights[term], dtype=np.float64)) for term in places
        }

    def cosines(self, text: str) -> NDArray[np.float64]:
        """Return the cosine of a text with each of the index, (texts,), in [0, 1]."""
        cosines = np.zeros(self._size)
        for term, weight in self._weigh(set(self._terms(text))).items():
            if term in self._postings:
                places, weights = self._postings[term]
                cosines[places] += weight * weights
        return cosines

    def _weigh(self, terms: set[str]) -> dict[str, float]:
        weights = {term: self._weight(term) for term in terms}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}

    def _weight(self, term: str) -> float:
        rarity = math.log((self._count + 1) / (self._texts_with.get(term, 0) + 1))
        return rarity * (_RUN if term.startswith("~") else _PAIR if " " in term else 1.0)

    def _terms(self, text: str) -> Iterator[str]:
        words = words_of(text)
        # Stop words stay: "me", "mi" and "do I" tell who asks. Numbers are all one.
        stems = ["0" if word[0].isdigit() else self._language.stem_word(word) or word for word in words]
        yield from stems
        yield from (f"{first} {second}" for first, second in pairwise(stems))
        for word in words:
            if word not in self._language.stop_words:
                yield from runs_of(word)
