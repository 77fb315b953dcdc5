"""Synonyms of everyday and legal terms (``data/synonyms.toml``), and their matches in a text."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from articulado.language.folding import without_accents
from articulado.legal.data import read_table

_WORD = re.compile(r"\w+")
_LINKS = frozenset(
    ("a", "al", "con", "de", "del", "el", "en", "la", "las", "lo", "los", "o", "para", "por", "un", "una", "y")
)
_POSSESSIVES = frozenset(("mi", "mis", "su", "sus", "tu", "tus"))
_SKIPPED = _LINKS | _POSSESSIVES
_AS_WRITTEN = "="
_ENDING = re.compile(r"(?<=\w\w\w)(?:es|[aeo]s|s|[aeo])$")
_CAPITALS = re.compile(r"\b([A-ZÑ]{2,})s?\b")

Stem = Callable[[str], str]  # Map a lower-case word to the stem that it shares with its inflected forms


class Synonym(BaseModel):
    """One entry of the table; the data file explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    terms: list[str] = Field(min_length=1)
    legal: list[str] = Field(min_length=1)
    weight: float = Field(1.0, gt=0, le=1)
    both_ways: bool = False

    @model_validator(mode="after")
    def _every_term_has_words(self) -> "Synonym":
        for term in (*self.terms, *self.legal):
            if not _words_of_term(term):
                raise ValueError(f"«{term}» no contiene ninguna palabra significativa")
        for term in self.legal:
            if term.startswith(_AS_WRITTEN):
                raise ValueError(f"«{term}»: el signo «=» solo vale en «terms» y en «field»")
        return self


class Synonyms(BaseModel):
    """The whole table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: list[str] = Field(min_length=1)
    synonym: list[Synonym] = Field(min_length=1)


def load_synonyms(source: str | None = None) -> Synonyms:
    """Read the table of the package, or a TOML text; raise ``ValueError`` if two entries share a term."""
    synonyms = Synonyms.model_validate(read_table("synonyms.toml", source))
    owner: dict[tuple[str, ...], Synonym] = {}
    for synonym in synonyms.synonym:
        for term in synonym.terms:
            if owner.setdefault(_words_of_term(term), synonym) is not synonym:
                raise ValueError(f"El término «{term}» está en dos entradas de la tabla de sinónimos: deje una sola.")
    return synonyms


def significant_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()) if word not in _SKIPPED]


@lru_cache(maxsize=8_192)
def _words_of_term(term: str) -> tuple[str, ...]:
    return tuple(significant_words(term))


def as_written(term: str) -> bool:
    """Tell if a term is matched without stemming: an acronym, or marked with "="."""
    return term.startswith(_AS_WRITTEN) or (term.isupper() and len(significant_words(term)) == 1)


@lru_cache(maxsize=65_536)
def _unaccented(word: str) -> str:
    return without_accents(word)


def root(word: str) -> str:
    """Return a lower-case word without accents and without the ending of gender, number or person."""
    return _ENDING.sub("", _unaccented(word))


MAX_READ = 256


@dataclass(frozen=True)
class LayTerm:
    """The stems of a term of the table in a text, and its legal terms with weights."""

    stems: tuple[str, ...]
    legal: tuple[tuple[str, float], ...]


def expand(text: str, stem: Stem = root) -> list[tuple[str, float]]:
    """Return the legal terms that a text calls for and lacks ("echar": "despido"), in order, with weights in (0, 1].

    The table is cached by ``stem``: pass the same function each time.
    """
    return list(_expanded(text, stem))


@lru_cache(maxsize=MAX_READ)
def _expanded(text: str, stem: Stem) -> tuple[tuple[str, float], ...]:
    weights: dict[str, float] = {}
    for term, weight in (target for lay_term in find_terms(text, stem) for target in lay_term.legal):
        weights[term] = max(weight, weights.get(term, 0.0))
    stems = _joined_stems(text, stem)
    return tuple((term, weight) for term, weight in weights.items() if _joined_stems(term, stem) not in stems)


def _joined_stems(text: str, stem: Stem) -> str:
    return f" {' '.join(map(stem, significant_words(text)))} "


def find_terms(text: str, stem: Stem = root) -> list[LayTerm]:
    """Return the terms of the table in a text, in order; of overlapping terms the longest wins, then the first."""
    return list(_found(text, stem))


@lru_cache(maxsize=MAX_READ)
def _found(text: str, stem: Stem) -> tuple[LayTerm, ...]:
    return tuple(_table(stem).find(text))


def has_field_term(text: str, stem: Stem = root) -> bool:
    """Tell if a text has a term of labour law: an entry of ``field`` in the table."""
    return _table(stem).has_field_term(text)


class TermSpan(NamedTuple):
    """A term of the table in ``words[start:end]``, and its legal terms with weights."""

    start: int
    end: int
    targets: dict[str, float]


class TermTable:
    """A synonym table: targets by the stems of a term, or by its words if it is matched as written."""

    def __init__(self, synonyms: Synonyms, stem: Stem) -> None:
        self._stem = stem
        self._by_stems: dict[tuple[str, ...], dict[str, float]] = {}
        self._by_words: dict[tuple[str, ...], dict[str, float]] = {}
        for synonym in synonyms.synonym:
            for term in synonym.terms:
                self._add(term, synonym.legal, synonym.weight)
            if synonym.both_ways:
                for term in synonym.legal:
                    self._add(term, synonym.terms[:1], synonym.weight)
        self._field_stems = {self._stems(term) for term in synonyms.field if not as_written(term)}
        self._field_words = {_unaccented_words(term) for term in synonyms.field if as_written(term)}
        self._longest = max(map(len, (*self._by_stems, *self._by_words)), default=1)
        self._first_stems = {stems[0] for stems in self._by_stems}
        self._first_words = {words[0] for words in self._by_words}
        self._longest_of_field = max(map(len, self._field_stems | self._field_words))

    def find(self, text: str) -> list[LayTerm]:
        """Return the terms in a text, in order; of overlapping terms the longest wins, then the first."""
        words = significant_words(text)
        keys = [self._stem(word) for word in words]
        kept: list[TermSpan] = []
        for span in sorted(self._matches(words, keys), key=lambda span: (span.start - span.end, span.start)):
            if all(span.end <= other.start or other.end <= span.start for other in kept):
                kept.append(span)
        kept.sort(key=lambda span: span.start)
        return [LayTerm(tuple(keys[span.start : span.end]), tuple(span.targets.items())) for span in kept]

    def has_field_term(self, text: str) -> bool:
        words = significant_words(text)
        keys, written = [self._stem(word) for word in words], list(map(_unaccented, words))
        return any(
            tuple(keys[start:end]) in self._field_stems or tuple(written[start:end]) in self._field_words
            for start, end in _spans(len(words), self._longest_of_field)
        )

    def _matches(self, words: list[str], keys: list[str]) -> Iterator[TermSpan]:
        written = list(map(_unaccented, words))
        for start, end in _spans(len(words), self._longest):
            # Few words begin a term, and an index is taught with tens of thousands of texts.
            if keys[start] not in self._first_stems and written[start] not in self._first_words:
                continue
            by_words = self._by_words.get(tuple(written[start:end]), {})
            if targets := self._by_stems.get(tuple(keys[start:end]), {}) | by_words:
                yield TermSpan(start, end, targets)

    def _add(self, term: str, legal: Iterable[str], weight: float) -> None:
        targets = dict.fromkeys((name.removeprefix("=") for name in legal), weight)
        if as_written(term):
            self._by_words.setdefault(_unaccented_words(term), {}).update(targets)
        else:
            self._by_stems.setdefault(self._stems(term), {}).update(targets)

    def _stems(self, term: str) -> tuple[str, ...]:
        return tuple(map(self._stem, _words_of_term(term)))


def _unaccented_words(term: str) -> tuple[str, ...]:
    return tuple(map(_unaccented, _words_of_term(term)))


def _spans(words: int, longest: int) -> Iterator[tuple[int, int]]:
    return ((start, end) for start in range(words) for end in range(start + 1, min(start + longest, words) + 1))


@lru_cache(maxsize=4)
def _table(stem: Stem) -> TermTable:
    return TermTable(_packaged(), stem)


@cache
def _packaged() -> Synonyms:
    return load_synonyms()


def find_acronyms(text: str) -> list[str]:
    """Return the acronyms of the table that a text has in capitals ("ERTE"), in order, each once."""
    return [name for name in dict.fromkeys(_CAPITALS.findall(text)) if name in known_acronyms()]


@cache
def known_acronyms() -> frozenset[str]:
    synonyms = _packaged().synonym
    return frozenset(term for entry in synonyms for term in (*entry.terms, *entry.legal) if term.isupper())


GLOSSES = resources.files("articulado.legal.data").joinpath("glosses")
"""Spanish glosses of languages that the sentence encoder does not read (``<code>.txt``)."""
MAX_UNKNOWN = 0.34
_LONGEST_GLOSSED = 4
_QUESTION_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+")


def glossed(text: str, code: str) -> str:
    """Translate a question word by word into Spanish; return it unchanged if too few words are in the table."""
    table, words = _glosses(code), _QUESTION_WORD.findall(_bare(text))
    glosses: list[str] = []
    unknown = index = 0
    while index < len(words):
        length, gloss = _gloss_at(words[index : index + _LONGEST_GLOSSED], table)
        unknown += gloss is None and not words[index].isdigit()
        glosses.append(words[index] if gloss is None else gloss)
        index += length
    return " ".join(filter(None, glosses)) if unknown <= MAX_UNKNOWN * len(words) else text


def names_elsewhere(text: str) -> bool:
    """Tell if a glossed question names another country and not Spain."""
    words = f" {' '.join(_QUESTION_WORD.findall(_bare(text)))} "
    return " espan" not in words and any(f" {name} " in words for name in _elsewhere())


@cache
def _elsewhere() -> frozenset[str]:
    lines = GLOSSES.joinpath("elsewhere.txt").read_text("utf-8").splitlines()
    return frozenset(_bare(line) for line in lines if not line.startswith("#"))


def _gloss_at(words: Sequence[str], table: Mapping[str, str]) -> tuple[int, str | None]:
    for length in range(len(words), 0, -1):
        if (gloss := table.get(" ".join(words[:length]))) is not None:
            return length, gloss
    beginnings = (words[0][:end] + "*" for end in range(len(words[0]), 0, -1))
    return 1, next((table[each] for each in beginnings if each in table), None)


@cache
def _glosses(code: str) -> Mapping[str, str]:
    file = GLOSSES.joinpath(f"{code}.txt")
    if not code or not file.is_file():
        return {}
    lines = (line.partition("=") for line in file.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {_bare(word): gloss for word, mark, gloss in lines if mark}


def _bare(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(each) != "Mn")
