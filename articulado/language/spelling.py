"""Spelling of questions: unknown words are read as the known words of an index that they most likely mean.

cost(word → other) = SOUND · d(sounds) + LETTERS · d(letters) − COMMON · ln(1 + texts) − NEAR · Σ ln(1 + pairs)

d is the optimal string alignment distance; the reading with the least cost wins.
"""

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from articulado.language.folding import fold
from articulado.language.known_words import KnownWords, Typing, forms, holds
from articulado.language.languages import Language, language_of
from articulado.values.answers import MendedWord

_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"\S*(?:@|://|www\.)\S*")
_SENTENCE_START = re.compile(r"(?:^|[.!?¿¡:\n]\s*[¿¡\"«(]?)$")

SOUND, LETTERS, COMMON, NEAR = 2.2, 0.8, 0.35, 0.6
KEPT, KEPT_LETTER, KEPT_AKIN, KEPT_LISTED = -2.2, 0.6, -1.0, -3.5
"""Costs of keeping a word: unknown, per letter (few long words are a slip apart), known stem (maximum), listed."""
FEWEST_KNOWN = 3  # Known words that decide the language; of 168 foreign questions one has only known words
KEPT_SHORTENED = -3.0
SHORT = 5  # Up to this many letters sounds may differ by one, else by two; up to three letters by none
PARTED, JOINED = 2.2, -2.0  # Costs of an added and of an omitted blank
UNSEEN = 1.0  # Cost of two words that are adjacent in no question
SHORTEST_JOINED, FEWEST_JOINED = 5, 50  # Letters of a word joined from two, and its texts if both parts are words
MOST_COMPARED = 12
FEW = 2
KNOWN_SHARE, SURE_SHARE = 0.5, 0.8  # Known words of a text to be read: in its own language, in a seemingly other one


class _Token(NamedTuple):
    start: int
    end: int
    word: str
    form: str


class _Reading(NamedTuple):
    """A reading of ``tokens`` words as folded ``words`` and as ``text``."""

    cost: float
    words: tuple[str, ...]
    text: str
    tokens: int = 1


class Speller:
    """Reads the words of questions by a vocabulary; thread-safe. ``names`` (laws, places, acronyms) never change."""

    def __init__(self, known: KnownWords, typing: Typing, language: Language, names: Iterable[str] = ()) -> None:
        self._known, self._typing, self._language = known, typing, language
        self._stem_word = language.stem_word
        self._phrases = _by_first(typing.elsewhere)
        self._words = [*known.texts]
        self._surfaces = dict(zip(self._words, known.surfaces, strict=True))
        self._by_sound: dict[str, str] = {}
        for word, sound in zip(self._words, known.sounds, strict=False):
            if known.texts[word] > known.texts.get(self._by_sound.get(sound, ""), 0):
                self._by_sound[sound] = word
        self._names = frozenset(fold(word) for name in names for word in forms(name))

    def knows(self, word: str) -> bool:
        return self._known.likely(word) or word in self._names

    def knows_all(self, text: str) -> bool:
        """Tell if a text has ``FEWEST_KNOWN`` words and all are known: then its language needs no check."""
        words = [token.word for token in _tokens(text) if token.word.isalpha()]
        return len(words) >= FEWEST_KNOWN and all(map(self.knows, words))

    def mended(self, text: str) -> list[MendedWord]:
        """Return the words of a text that are read as others, in order; none in another language.

        A text of seemingly another language is read if ``SURE_SHARE`` of its words are known, and all of them after
        reading.
        """
        tokens = _tokens(text)
        if all(self.knows(token.word) for token in tokens if token.word.isalpha()):
            return self._read(text, tokens)
        code = language_of(text, self._language)
        is_expected = code == self._language.code
        if not self._is_known(tokens, KNOWN_SHARE if is_expected else SURE_SHARE):
            return []
        mended = self._read(text, tokens)
        return mended if is_expected or self.knows_all(with_mended(text, mended)) else []

    def _read(self, text: str, tokens: Sequence[_Token]) -> list[MendedWord]:
        mended = list(self._said_elsewhere(text, tokens))
        fixed = {token.start for token in tokens if _is_fixed(token, text)}
        fixed.update(index for one in mended for index in range(one["start"], one["end"]))
        index, before = 0, ""
        while index < len(tokens):
            reading = self._reading(text, tokens, index, before, fixed)
            if not reading.text:
                before, index = tokens[index].word, index + 1
                continue
            mended.append(_mended(text, tokens[index], tokens[index + reading.tokens - 1], reading.text))
            before, index = reading.words[-1], index + reading.tokens
        return sorted(mended, key=lambda one: one["start"])

    def _is_known(self, tokens: Sequence[_Token], share: float) -> bool:
        words = [token.word for token in tokens if token.word.isalpha()]
        return sum(map(self._is_of_language, words)) >= share * len(words) if len(words) > FEW else True

    def _is_of_language(self, word: str) -> bool:
        if word in self._known.texts or word in self._typing.abbreviations or holds(self._known.others, word):
            return True
        return len(word) > 3 and self._typing.sound(word) in self._by_sound

    def _said_elsewhere(self, text: str, tokens: Sequence[_Token]) -> Iterator[MendedWord]:
        """Yield the words of other countries, unless the text names one of these."""
        words = [token.word for token in tokens]
        if not self._typing.countries.isdisjoint(words):
            return
        index = 0
        while index < len(words):
            phrases = self._phrases.get(words[index], ())
            for phrase, meant in phrases:
                if tuple(words[index : index + len(phrase)]) == phrase:
                    last = tokens[index + len(phrase) - 1]
                    if " ".join(phrase) != fold(meant):
                        yield _mended(text, tokens[index], last, meant)
                    index += len(phrase) - 1
                    break
            index += 1

    def _reading(self, text: str, tokens: Sequence[_Token], index: int, before: str, fixed: Container[int]) -> _Reading:
        """Return the reading of a word, alone or with the next one; an empty text keeps it. ``fixed`` offsets stay."""
        token, after, behind = (_word_at(tokens, index + step) for step in range(3))
        stays = _Reading(0.0, (token,), "")
        joins = after and tokens[index + 1].start not in fixed and _is_beside(text, tokens, index)
        if tokens[index].start in fixed:
            return stays
        short = self._abbreviation(text, tokens, index)
        if short:
            best = _Reading(KEPT_SHORTENED, tuple(map(fold, forms(short))), short)
        elif self.knows(token) and not (joins and (not self.knows(after) or self._known.likely(token + after))):
            return stays
        else:
            best = self._alone(before, tokens[index], after)
        if joins:
            joined = self._joined(before, token, after, behind)
            if joined and joined.cost < best.cost + self._alone(best.words[-1], tokens[index + 1], behind).cost:
                best = joined
        return best

    def _abbreviation(self, text: str, tokens: Sequence[_Token], index: int) -> str:
        token = tokens[index]
        meant = self._typing.abbreviations.get(token.word, "")
        if len(token.word) > 1 or not meant:
            return meant
        is_small = text[token.start].islower() or text.isupper()
        named = _word_at(tokens, index - 1) in self._typing.lettered
        return meant if is_small and not named and _is_beside(text, tokens, index) else ""

    def _near(self, *words: str) -> float:
        pairs = (self._known.pair(one, other) for one, other in pairwise(words) if one and other)
        return NEAR * sum(math.log1p(count) for count in pairs)

    def _alone(self, before: str, token: _Token, after: str) -> _Reading:
        """Return the likeliest reading of a word; an empty text keeps it."""
        word = token.word
        if self.knows(word):
            return _Reading(-self._near(before, word, after), (word,), "")
        if word in self._known.texts or holds(self._known.others, word):
            kept, max_distance = KEPT_LISTED, 0
        else:
            kept, max_distance = KEPT + KEPT_LETTER * len(word), 2 if len(word) > SHORT else int(len(word) > 3)
        stems = self._stems_of(token)
        if stems:
            kept = min(kept, KEPT_AKIN)
        readings = [
            _Reading(kept, (word,), ""),
            *self._alike(before, word, after, max_distance, stems),
            *self._parted(before, word, after),
        ]
        return min(readings, key=lambda reading: (reading.cost, reading.text))

    def _stems_of(self, token: _Token) -> set[str]:
        """Return the known stems of a word, also without an ending such as a pronoun."""
        stems = map(self._stem_word, {token.word, token.form, self._typing.endings.sub("", token.word)})
        return {stem for stem in stems if holds(self._known.stems, stem)}

    def _alike(self, before: str, word: str, after: str, max_distance: int, stems: Container[str]) -> list[_Reading]:
        """Return other words with other stems whose sounds differ by at most ``max_distance``."""
        sound = self._typing.sound(word)
        # A word that sounds as a known one is written by its sound: "biene" is "viene", however common "tiene" is.
        if max_distance and sound not in self._by_sound:
            similar = process.extract(
                sound, self._known.sounds, scorer=OSA.distance, score_cutoff=max_distance, limit=None
            )
            alike = [(self._words[number], distance) for _, distance, number in similar]
        else:
            alike = [(self._by_sound[sound], 0)] if sound in self._by_sound else []
        costs = sorted(
            (SOUND * distance + LETTERS * OSA.distance(word, other) - self._common(other), other)
            for other, distance in alike
            if not stems or self._stem_word(self._surfaces[other]) not in stems
        )
        return [
            _Reading(cost - self._near(before, other, after), (other,), self._surfaces[other])
            for cost, other in costs[:MOST_COMPARED]
        ]

    def _common(self, word: str) -> float:
        return COMMON * math.log1p(self._known.texts[word])

    def _parted(self, before: str, word: str, after: str) -> Iterator[_Reading]:
        for index in range(1, len(word)):
            one, other = (self._part(part) for part in (word[:index], word[index:]))
            if one and other and (pairs := self._known.pair(one, other)) + (len(one) > 3 < len(other)) >= 1:
                slips = OSA.distance(word, one + other)
                cost = PARTED + LETTERS * slips - self._near(before, one, other, after) + (0 if pairs else UNSEEN)
                yield _Reading(cost, (one, other), f"{self._surfaces[one]} {self._surfaces[other]}")

    def _part(self, part: str) -> str:
        if self._known.likely(part):
            return part
        return self._by_sound.get(self._typing.sound(part), "") if len(part) > 1 else ""

    def _joined(self, before: str, word: str, after: str, behind: str) -> _Reading | None:
        """Return the word that two words make, by letters or by sound."""
        whole = word + after
        if self._known.pair(word, after) or len(whole) < SHORTEST_JOINED:
            return None
        other = whole if self._known.likely(whole) else self._by_sound.get(self._typing.sound(whole))
        if not other or (self.knows(word) and self.knows(after) and self._known.texts.get(whole, 0) < FEWEST_JOINED):
            return None
        cost = JOINED + LETTERS * OSA.distance(whole, other) - self._common(other)
        return _Reading(cost - self._near(before, other, behind), (other,), self._surfaces[other], 2)


def with_mended(text: str, mended: Sequence[MendedWord]) -> str:
    """Return a text with its mended words."""
    parts, index = [], 0
    for word in mended:
        parts += [text[index : word["start"]], word["read"]]
        index = word["end"]
    return "".join([*parts, text[index:]])


def _word_at(tokens: Sequence[_Token], index: int) -> str:
    return tokens[index].word if 0 <= index < len(tokens) else ""


def _is_beside(text: str, tokens: Sequence[_Token], index: int) -> bool:
    return index + 1 < len(tokens) and text[tokens[index].end : tokens[index + 1].start] == " "


def _mended(text: str, first: _Token, last: _Token, read: str) -> MendedWord:
    written = text[first.start : last.end]
    return {"start": first.start, "end": last.end, "written": written, "read": _cased(written, read, text)}


def _by_first(phrases: Mapping[str, str]) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, meant in sorted(phrases.items(), key=lambda item: -len(item[0].split())):
        words = tuple(phrase.split())
        table.setdefault(words[0], []).append((words, meant))
    return table


def _tokens(text: str) -> list[_Token]:
    addresses = [word.span() for word in _ADDRESS.finditer(text)]
    return [
        _Token(word.start(), word.end(), fold(word[0]), word[0].lower())
        for word in _WORD.finditer(text)
        if not any(start <= word.start() < end for start, end in addresses)
    ]


def _is_fixed(token: _Token, text: str) -> bool:
    """Tell if a word may not change: a number, an acronym, or a capitalised name inside a sentence."""
    written = text[token.start : token.end]
    if not token.word.isalpha():
        return True
    if text.isupper() or written.islower():
        return False
    return len(written) > 1 and not (written.istitle() and _SENTENCE_START.search(text[: token.start]))


def _cased(written: str, read: str, text: str) -> str:
    if text.isupper():
        return read.upper()
    return read[0].upper() + read[1:] if written[:1].isupper() else read
