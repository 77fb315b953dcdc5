"""A sentence of a law or of an answer as the check of claims compares it: words, stems, terms and what is denied."""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from language.cuts import sentences
from language.folding import fold
from language.numerals import read_words
from language.spanish import stem_word, stop_words
from services.verification.claims.contrasts import Term, contrasts, terms_among

_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+|[,;:.()%]")
_CUES = frozenset(("no", "ni", "nunca", "tampoco", "jamas", "sin", "ningun", "ninguna"))
_REACH = 7
"""Words after a word of negation among which stands what it denies."""
_NO_DENIAL = frozenset(("obstante", "solo", "solamente", "unicamente", "perjuicio", "embargo", "mas", "menos"))
"""Words before which a word of negation denies nothing ("sin perjuicio", "no solo")."""
_UNIT_REACH = 4
"""Words after a figure among which stands what it counts."""
_PERCENT = "%"
"""The stem of "por ciento", and of its sign."""
_STOPS = frozenset(",;:.()")
_MARK = re.compile(r"\[C\d+\]|\*\*|__")


@dataclass(frozen=True)
class Passage:
    """A sentence taken apart; ``words`` are folded, punctuation among them; ``stems`` has "" for what says nothing.

    ``text`` is as it stands in its source. ``spans`` are the places of the words in it.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    stems: tuple[str, ...]

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the table in it."""
        return tuple(map(self._turned, terms_among(self.words)))

    def _turned(self, term: Term) -> Term:
        """Return the term that excludes a term, where a word of negation before it makes it that."""
        if not contrasts()[term.contrast].turns or self.words[term.first] in _CUES:
            return term
        for position in range(term.first - 1, max(-1, term.first - 1 - _REACH), -1):
            if self.words[position] in _STOPS:
                break
            if position in self.cues:
                return replace(term, member=1 - term.member)
        return term

    @cached_property
    def around(self) -> dict[tuple[int, int], dict[str, tuple[int, int]]]:
        """What was read of the surroundings of words of it: the evidence keeps it here."""
        return {}

    @cached_property
    def denied(self) -> frozenset[int]:
        """The positions of the words that are denied: the first that says something after a word of negation."""
        return frozenset(reach[0] for cue in self.cues if (reach := self._reach_of(cue)) and self.words[cue] != "ni")

    @cached_property
    def unclear(self) -> frozenset[int]:
        """The positions of the words that may be denied: what goes on after a word that is."""
        return frozenset(n for cue in self.cues for n in self._reach_of(cue)) - self.denied

    @cached_property
    def cues(self) -> tuple[int, ...]:
        """The positions of the words of negation."""
        after = (*self.words[1:], "")
        return tuple(n for n, word in enumerate(self.words) if word in _CUES and after[n] not in _NO_DENIAL)

    def _reach_of(self, cue: int) -> list[int]:
        """Return the positions of the content words after a word of negation, before a stop."""
        reach = range(cue + 1, min(cue + 1 + _REACH, len(self.words)))
        stop = next((n for n in reach if self.words[n] in _STOPS), len(self.words))
        return [n for n in reach if n < stop and self.stems[n]]

    @cached_property
    def figures(self) -> tuple[tuple[int, str], ...]:
        """The positions of the figures, each with the stem of what it counts ("33 días": "dia")."""
        found = []
        for position in self.content:
            if self.stems[position][0].isdigit():
                after = range(position + 1, min(position + 1 + _UNIT_REACH, len(self.words)))
                stop = next((n for n in after if self.words[n] in _STOPS), len(self.words))
                unit = next((self.stems[n] for n in after if n < stop and self.stems[n]), "")
                if unit and not unit[0].isdigit():
                    found.append((position, unit))
        return tuple(found)

    @cached_property
    def content(self) -> tuple[int, ...]:
        """The positions of the content words."""
        return tuple(n for n, stem in enumerate(self.stems) if stem)

    @cached_property
    def stem_set(self) -> frozenset[str]:
        """The stems in it."""
        return frozenset(stem for stem in self.stems if stem)

    @cached_property
    def at_stem(self) -> dict[str, list[int]]:
        """The positions of each stem."""
        table: dict[str, list[int]] = {}
        for position in self.content:
            table.setdefault(self.stems[position], []).append(position)
        return table


@lru_cache(maxsize=8_192)
def read_passage(text: str) -> Passage:
    """Take a sentence apart; markers and bold are blanks, numbers in words are figures."""
    blank = _MARK.sub(lambda match: " " * len(match[0]), text)
    folded = fold(blank)
    stop = stop_words()
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    stems: list[str] = []
    end = 0
    for match in _WORD.finditer(folded):
        if match.start() < end:
            continue
        word, end = match[0], match.end()
        stem = ""
        if word[0].isdigit():
            stem = word
        elif word == _PERCENT or (word == "ciento" and words and words[-1] == "por"):
            stem = _PERCENT
        elif word[0].isalpha():
            number = read_words(folded[match.start() : match.start() + 60]) if _may_be_number(word) else None
            if number is not None and number[0] > 1:
                stem, end = str(number[0]), match.start() + number[1]
            elif word not in stop:
                stem = stem_word(blank[match.start() : match.end()].lower())
        words.append(folded[match.start() : end])
        spans.append((match.start(), end))
        stems.append(stem)
    return Passage(text, tuple(words), tuple(spans), tuple(stems))


@lru_cache(maxsize=16_384)
def _may_be_number(word: str) -> bool:
    return read_words(word) is not None or word in ("mil", "ciento", "cien")


@lru_cache(maxsize=512)
def passages_of(text: str) -> tuple[Passage, ...]:
    r"""Return the passages of a source: its sentences, each item of a list behind the words that lead to it.

    >>> [passage.text for passage in passages_of("No cotizan:\n\na) Las dietas.\n\nb) La ropa.")]
    ['No cotizan:', 'No cotizan: a) Las dietas.', 'No cotizan: b) La ropa.']
    """
    texts: list[str] = []
    head = ""
    for paragraph in filter(None, map(str.strip, text.split("\n"))):
        item = bool(_ITEM.match(paragraph))
        if not item:
            head = ""
        for start, end in sentences(paragraph):
            sentence = paragraph[start:end]
            texts.append(f"{head} {sentence}" if item and head and start == 0 else sentence)
        if paragraph.endswith(":") and not item:
            head = paragraph[sentences(paragraph)[-1][0] :]
    return tuple(map(read_passage, texts))


_ITEM = re.compile(r"(?:[a-zñ]|\d{1,2}|\d{1,2}\.?[ºª]|[ivx]+)(?:bis)?[).]+ |[-–—•*] ", re.IGNORECASE)


def clause_around(passage: Passage, first: int, last: int) -> tuple[int, int]:
    """Return where the clause that holds ``words[first:last]`` begins and ends in the text."""
    begin = next((n + 1 for n in range(first - 1, -1, -1) if passage.words[n] in _STOPS), 0)
    finish = next((n for n in range(last, len(passage.words)) if passage.words[n] in _STOPS), len(passage.words))
    return passage.spans[begin][0], passage.spans[finish - 1][1]
