"""Cosines between an inquiry and many short texts, by weighted terms."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from articulado.language.languages import Language
from articulado.retrieval.relevance.evidence import runs_of, words_of

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
        self._size, self._count = len(texts), len(texts) + len(background)
        rows = list(self._numbered([*texts, *background]))
        lengths = [row.size for row in rows[: self._size]]
        all_terms = np.concatenate([*rows, np.empty(0, np.intp)])
        self._texts_with = np.bincount(all_terms, minlength=len(self._numbers))
        rarities = np.log((self._count + 1) / (self._texts_with + 1)) * [_share(term) for term in self._numbers]
        # Rows of texts become postings of terms: where each term begins, then places and weights.
        terms, places = all_terms[: sum(lengths)], np.repeat(np.arange(self._size), lengths)
        weights = rarities[terms]
        norms = np.sqrt(np.bincount(places, weights * weights, minlength=self._size))
        by_term = np.argsort(terms, kind="stable")
        self._places = places[by_term]
        self._weights = (weights / np.where(norms > 0, norms, 1.0)[places])[by_term]
        self._starts = np.searchsorted(terms[by_term], np.arange(len(self._numbers) + 1))

    def cosines(self, text: str) -> NDArray[np.float64]:
        """Return the cosine of a text with each of the index, (texts,), in [0, 1]."""
        cosines = np.zeros(self._size)
        for term, weight in self._weigh(set(self._terms(text))).items():
            if (number := self._numbers.get(term)) is not None:
                posting = slice(self._starts[number], self._starts[number + 1])
                cosines[self._places[posting]] += weight * self._weights[posting]
        return cosines

    def _weigh(self, terms: set[str]) -> dict[str, float]:
        weights = {term: self._weight(term) for term in terms}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}

    def _weight(self, term: str) -> float:
        number = self._numbers.get(term)
        texts = 0 if number is None else int(self._texts_with[number])
        return math.log((self._count + 1) / (texts + 1)) * _share(term)

    def _numbered(self, texts: Iterable[str]) -> Iterator[NDArray[np.intp]]:
        """Yield the numbers of the terms of each text, sorted, each once; a term is numbered where it first comes."""
        self._numbers: dict[str, int] = {}
        of_words: dict[str, tuple[str, list[int]]] = {}
        number = self._number
        for text in texts:
            words = words_of(text)
            for word in words:
                if word not in of_words:
                    stem = self._stem(word)
                    of_words[word] = stem, [number(stem), *map(number, self._runs(word))]
            found = {one for word in words for one in of_words[word][1]}
            found.update(number(pair) for pair in _pairs([of_words[word][0] for word in words]))
            yield np.fromiter(sorted(found), np.intp, len(found))

    def _number(self, term: str) -> int:
        return self._numbers.setdefault(term, len(self._numbers))

    def _terms(self, text: str) -> Iterator[str]:
        words = words_of(text)
        stems = [self._stem(word) for word in words]
        yield from stems
        yield from _pairs(stems)
        for word in words:
            yield from self._runs(word)

    def _stem(self, word: str) -> str:
        # Stop words stay: "me", "mi" and "do I" tell who asks. Numbers are all one.
        return "0" if word[0].isdigit() else self._language.stem_word(word) or word

    def _runs(self, word: str) -> Iterator[str]:
        return runs_of(word) if word not in self._language.stop_words else iter(())


def _pairs(stems: Sequence[str]) -> Iterator[str]:
    return (f"{first} {second}" for first, second in pairwise(stems))


def _share(term: str) -> float:
    """Return what a term weighs beside a word as rare."""
    return _RUN if term.startswith("~") else _PAIR if " " in term else 1.0
