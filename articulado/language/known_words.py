"""Folded words of an index, of known questions and of their language, for the spelling of questions."""

import re
import tomllib
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.values.arrays import UNREADABLE, open_arrays
from articulado.values.errors import IndexMissing

FILE = "words.npz"
_LETTERS = re.compile(r"[^\W\d_]+")


class Typing(BaseModel):
    """Sounds, endings and word lists for the spelling of a language; ``data/typing_es.toml`` explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sounds: tuple[tuple[re.Pattern[str], str], ...]
    endings: re.Pattern[str]
    also: frozenset[str]
    lettered: frozenset[str]
    countries: frozenset[str]
    abbreviations: Mapping[str, str]
    elsewhere: Mapping[str, str]

    def sound(self, word: str) -> str:
        for pattern, other in self.sounds:
            word = pattern.sub(other, word)
        return word


@cache
def typing_of(code: str) -> Typing | None:
    file = resources.files("articulado.language").joinpath("data", f"typing_{code}.toml")
    return Typing.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def forms(text: str) -> list[str]:
    """Return the words of a text that consist of letters, in lower case, with accents."""
    return _LETTERS.findall(text.lower())


RARER = 8  # A word of questions alone is a slip if one of the same sound has ``RARER`` times as many texts
KNOWN_SHARE = 0.8  # Share of known stems; reached by 95 % of Spanish questions, 1 % of English, 10 % of Catalan ones
FEWEST_TEXTS = 3  # Texts that must have a word before others are read as it


@dataclass(frozen=True)
class Asked:
    """Words of a language and of known questions in it, the same for every index."""

    others: NDArray[np.uint32]  # sorted hashes of words of the language
    stems: NDArray[np.uint32]  # sorted hashes of their stems
    words: Mapping[str, int]  # questions by word as spelt
    questions: Sequence[Sequence[str]]  # their folded words
    pairs: Mapping[int, int]  # questions by hash of a word pair

    @classmethod
    def of(cls, questions: Iterable[str], others: Iterable[str], typing: Typing, language: Language) -> "Asked":
        """Count the words and pairs of questions; skip those in other languages (``KNOWN_SHARE``)."""
        listed = [*others, *language.stop_words, *typing.also]
        stems = {*map(language.stem_word, listed)}
        stop_words = {*map(fold, language.stop_words)}

        def is_listed(word: str) -> bool:
            return word in stop_words or language.stem_word(word) in stems

        kept = [
            (question, words)
            for question in questions
            if sum(map(is_listed, words := forms(fold(question)))) >= KNOWN_SHARE * len(words)
        ]
        folded = [words for _, words in kept]
        return cls(
            _hashes(map(fold, listed)),
            _hashes(stems),
            Counter(form for question, _ in kept for form in set(forms(question))),
            folded,
            Counter(_hash(pair) for words in folded for pair in {f"{one} {other}" for one, other in pairwise(words)}),
        )


@dataclass(frozen=True)
class KnownWords:
    """Folded words of an index and of known questions, and the other words of their language."""

    texts: Mapping[str, int]  # texts and questions by word
    surfaces: Sequence[str]  # spellings of the same words
    sounds: Sequence[str]  # of the first words, which may replace others
    others: NDArray[np.uint32]  # sorted hashes of words of the language
    stems: NDArray[np.uint32]  # sorted hashes
    pairs: NDArray[np.uint32]  # sorted hashes of word pairs of two questions or more
    pair_counts: NDArray[np.uint8]  # at most 255
    of_index: Mapping[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def build(cls, of_index: Mapping[str, int], asked: "Asked", typing: Typing, language: Language) -> "KnownWords":
        """Join the words of an index with those of its language and of known questions, without slips (``RARER``)."""
        here = {fold(form) for form, count in of_index.items() if count > 0}
        texts, surfaces = _folded(of_index, asked.words)
        sounds = {word: typing.sound(word) for word in texts}
        slips = _slips(texts, sounds, texts.keys() - here, asked.questions, asked.pairs)
        kept = sorted(
            texts.keys() - slips - typing.elsewhere.keys(), key=lambda word: (texts[word] < FEWEST_TEXTS, word)
        )
        targets = [word for word in kept if texts[word] >= FEWEST_TEXTS]
        stems = {language.stem_word(surfaces[word]) for word in kept if word in here or texts[word] >= FEWEST_TEXTS}
        counted = sorted((hashed, min(count, 255)) for hashed, count in asked.pairs.items() if count > 1)
        return cls(
            {word: texts[word] for word in kept},
            [surfaces[word] for word in kept],
            [sounds[word] for word in targets],
            asked.others,
            np.union1d(asked.stems, _hashes(stems)),
            np.array([hashed for hashed, _ in counted], np.uint32),
            np.array([count for _, count in counted], np.uint8),
            {form: count for form, count in of_index.items() if count > 0},
        )

    def likely(self, word: str) -> bool:
        return self.texts.get(word, 0) >= FEWEST_TEXTS

    def pair(self, first: str, second: str) -> int:
        """Return the number of known questions with two adjacent folded words."""
        hashed = _hash(f"{first} {second}")
        index = int(np.searchsorted(self.pairs, np.uint32(hashed)))
        return int(self.pair_counts[index]) if index < len(self.pairs) and self.pairs[index] == hashed else 0

    def save(self, folder: Path) -> None:
        with folder.joinpath(FILE).open("wb") as stream:
            np.savez_compressed(
                stream,
                words=_joined_lines(self.texts),
                texts=np.array([*self.texts.values()], np.uint32),
                surfaces=_joined_lines(self.surfaces),
                sounds=_joined_lines(self.sounds),
                others=self.others,
                stems=self.stems,
                pairs=self.pairs,
                pair_counts=self.pair_counts,
                index_words=_joined_lines(self.of_index),
                index_texts=np.array([*self.of_index.values()], np.uint32),
            )

    @classmethod
    def load(cls, folder: Path) -> "KnownWords | None":
        """Read the words of an index, ``None`` if it has none; raise ``IndexMissing`` for a damaged file."""
        if not folder.joinpath(FILE).exists():
            return None
        with _opened(folder) as stored:
            words, surfaces, sounds = (_lines(stored[name]) for name in ("words", "surfaces", "sounds"))
            texts = dict(zip(words, stored["texts"].tolist(), strict=True))
            others, stems, pairs, counts = (stored[name] for name in ("others", "stems", "pairs", "pair_counts"))
            return cls(texts, surfaces, sounds, others, stems, pairs, counts)


def words_of_index(folder: Path) -> dict[str, int]:
    """Return the number of texts by word as spelt; raise ``IndexMissing`` for a damaged file."""
    if not folder.joinpath(FILE).exists():
        return {}
    with _opened(folder) as stored:
        return dict(zip(_lines(stored["index_words"]), stored["index_texts"].tolist(), strict=True))


@contextmanager
def _opened(folder: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    file = folder / FILE
    try:
        with open_arrays(file) as stored:
            yield stored
    except UNREADABLE as error:
        raise IndexMissing(translate("store.vocabulary_damaged", file=file)) from error


def _hash(word: str) -> int:
    return zlib.crc32(word.encode())


def _hashes(words: Iterable[str]) -> NDArray[np.uint32]:
    return np.unique(np.fromiter(map(_hash, words), np.uint32))


def holds(hashes: NDArray[np.uint32], word: str) -> bool:
    """Tell if the sorted ``hashes`` contain the hash of a word."""
    hashed = _hash(word)
    index = int(np.searchsorted(hashes, np.uint32(hashed)))
    return index < len(hashes) and bool(hashes[index] == hashed)


def _joined_lines(words: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _lines(joined: NDArray[np.uint8]) -> list[str]:
    return joined.tobytes().decode().split("\n") if len(joined) else []


def _slips(
    texts: Mapping[str, int],
    sounds: Mapping[str, str],
    suspects: Container[str],
    questions: Iterable[Sequence[str]],
    pairs: Container[int],
) -> set[str]:
    """Return the words in the place of another of the same sound that is ``RARER`` times as frequent."""
    likely: dict[str, str] = {}
    for word, sound in sounds.items():
        likely[sound] = max(word, likely.get(sound, word), key=lambda each: (texts[each], each))
    meant = {
        word: likely[sound]
        for word, sound in sounds.items()
        if word in suspects and texts[likely[sound]] >= RARER * texts[word]
    }
    balance: Counter[str] = Counter()
    for words in questions:
        for first, second in () if meant.keys().isdisjoint(words) else pairwise(words):
            for slip, pair in ((first, f"{meant.get(first)} {second}"), (second, f"{first} {meant.get(second)}")):
                if slip in meant:
                    balance[slip] += 1 if _hash(pair) in pairs else -1
    return {word for word in meant if balance[word] >= 0}


def _folded(of_index: Mapping[str, int], of_questions: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
    """Return the number of texts and the most frequent spelling of each folded word."""
    texts: Counter[str] = Counter()
    spellings: dict[str, tuple[int, int, str]] = {}
    for form in of_index.keys() | of_questions.keys():
        here, asked = max(of_index.get(form, 0), 0), of_questions.get(form, 0)
        if not here + asked:
            continue
        folded = fold(form)
        texts[folded] += here + asked
        # Questions are often typed without accents.
        spellings[folded] = max(spellings.get(folded, (0, 0, "")), (here, asked * (1 + (form != folded)), form))
    return dict(texts), {folded: form for folded, (_, _, form) in spellings.items()}
