"""What people say and what the law says."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from legal.synonym_table import Synonyms, load_synonyms, words_of

__all__ = ["Spoken", "Stem", "expand", "find_terms", "load_synonyms", "of_the_field", "root"]

Stem = Callable[[str], str]
"""From a lower-case word to what it shares with its inflected forms."""

_ENDING = re.compile(r"(?<=\w\w\w)(?:es|[aeo]s|s|[aeo])$")


def root(word: str) -> str:
    """Return a lower-case word without accents and without the ending of gender, number or person."""
    folded = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return _ENDING.sub("", folded)


@dataclass(frozen=True)
class Spoken:
    """A term of the table in a text: the stems of its words, and the legal terms it calls for with their weights."""

    stems: tuple[str, ...]
    legal: tuple[tuple[str, float], ...]


def expand(text: str, stem: Stem = root) -> list[tuple[str, float]]:
    """Return the legal terms that a text calls for, with weights in (0, 1], in the order of the text.

    Terms that the text has already are left out.

    Args:
        text: a question or a search, as typed.
        stem: what makes inflected forms equal; pass the same function each time, because the table is kept for it.
    """
    found: dict[str, float] = {}
    for term, weight in (target for spoken in find_terms(text, stem) for target in spoken.legal):
        found[term] = max(weight, found.get(term, 0.0))
    said = f" {' '.join(map(stem, words_of(text)))} "
    return [(term, weight) for term, weight in found.items() if f" {' '.join(map(stem, words_of(term)))} " not in said]


def find_terms(text: str, stem: Stem = root) -> list[Spoken]:
    """Return the terms of the table in a text, in its order; the longest that begins at a word wins."""
    table = _table(stem)
    words = words_of(text)
    keys = [stem(word) for word in words]
    found = []
    at = 0
    while at < len(words):
        length, targets = table.longest_match(words, keys, at)
        if targets:
            found.append(Spoken(tuple(keys[at : at + length]), tuple(targets.items())))
        at += length
    return found


def of_the_field(text: str, stem: Stem = root) -> bool:
    """Tell whether a text has a word or a term that only a question of the field has."""
    table = _table(stem)
    words = words_of(text)
    return table.has_field_word(words, [stem(word) for word in words])


class _Table:
    """Targets by the stems of a term, and by the acronym as a whole word."""

    def __init__(self, synonyms: Synonyms, stem: Stem) -> None:
        self._stem = stem
        self._phrases: dict[tuple[str, ...], dict[str, float]] = {}
        self._acronyms: dict[str, dict[str, float]] = {}
        for synonym in synonyms.synonym:
            for term in synonym.terms:
                self._add(term, synonym.legal, synonym.weight)
            if synonym.both_ways:
                for term in synonym.legal:
                    self._add(term, synonym.terms[:1], synonym.weight)
        self._field = {" ".join(map(stem, words_of(word))) for word in synonyms.field if not word.isupper()}
        self._field_acronyms = {word.lower() for word in synonyms.field if word.isupper()}
        self._longest = max(map(len, self._phrases), default=1)

    def longest_match(self, words: list[str], keys: list[str], at: int) -> tuple[int, dict[str, float]]:
        """Return the number of words of the longest term at a position (1 if there is none), and its targets."""
        for length in range(min(self._longest, len(words) - at), 0, -1):
            if targets := self._phrases.get(tuple(keys[at : at + length])):
                return length, targets
        return 1, self._acronyms.get(words[at], {})

    def has_field_word(self, words: list[str], keys: list[str]) -> bool:
        """Tell whether a text has a word or a phrase of the field."""
        if not self._field_acronyms.isdisjoint(words):
            return True
        spoken = f" {' '.join(keys)} "
        return any(f" {phrase} " in spoken for phrase in self._field)

    def _add(self, term: str, legal: Iterable[str], weight: float) -> None:
        words = words_of(term)
        if term.isupper() and len(words) == 1:
            self._acronyms.setdefault(words[0], {}).update(dict.fromkeys(legal, weight))
        else:
            key = tuple(map(self._stem, words))
            self._phrases.setdefault(key, {}).update(dict.fromkeys(legal, weight))


@lru_cache(maxsize=4)
def _table(stem: Stem) -> _Table:
    return _Table(load_synonyms(), stem)
