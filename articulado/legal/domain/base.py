"""Protocol of a domain of knowledge, the plain domain, weighted concepts, and the lexicon of an index."""

import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, runtime_checkable

from articulado.language.languages import Language
from articulado.language.translation import translate
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMissing

_FILE = "lexicon.json"


@runtime_checkable
class StemWeights(Protocol):
    """Weights of stems."""

    def idf(self, stem: str) -> float:
        """Return the weight of a stem in [0, 1]."""
        ...

    def __hash__(self) -> int: ...


class EqualWeights:
    """Weight 1 for all stems, without a lexicon."""

    def idf(self, stem: str) -> float:
        return 1.0


class WordCount:
    """Document frequencies of stems, and of ``words`` as spelt; texts are added and removed."""

    def __init__(
        self, texts: int = 0, frequencies: Mapping[str, int] | None = None, words: Mapping[str, int] | None = None
    ) -> None:
        self.texts = texts
        self.frequencies = Counter(frequencies or {})
        self.words = Counter(words or {})

    @classmethod
    def of(cls, texts: Iterable[str], stems: Callable[[str], Iterable[str]]) -> "WordCount":
        """Count texts."""
        count = cls()
        for text in texts:
            count.texts += 1
            count.frequencies.update(set(stems(text)))
        return count

    def add(self, other: "WordCount") -> None:
        self.texts += other.texts
        self.frequencies.update(other.frequencies)
        self.words.update(other.words)

    def subtract(self, other: "WordCount") -> None:
        self.texts -= other.texts
        self.frequencies.subtract(other.frequencies)
        self.words.subtract(other.words)

    def dumps(self) -> bytes:
        return zlib.compress(
            json.dumps([self.texts, self.frequencies, self.words], ensure_ascii=False).encode(), level=1
        )

    @classmethod
    def loads(cls, stored: bytes) -> "WordCount":
        return cls(*json.loads(zlib.decompress(stored))) if stored else cls()


class Lexicon:
    """Document frequencies of stems, the most frequent first, ties in alphabetical order."""

    def __init__(self, texts: int, frequencies: dict[str, int]) -> None:
        self.texts = texts
        self.frequencies = frequencies

    @classmethod
    def build(cls, texts: Iterable[str], stems: Callable[[str], Iterable[str]]) -> "Lexicon":
        return cls.of(WordCount.of(texts, stems))

    @classmethod
    def of(cls, count: WordCount) -> "Lexicon":
        counted = ((stem, texts) for stem, texts in count.frequencies.items() if texts > 0)
        return cls(count.texts, dict(sorted(counted, key=lambda item: (-item[1], item[0]))))

    def save(self, folder: Path) -> None:
        folder.joinpath(_FILE).write_bytes(self._serialised)

    @classmethod
    def load(cls, folder: Path) -> "Lexicon":
        """Read the lexicon of an index; raise ``IndexMissing`` if there is none, or it is damaged."""
        try:
            stored = json.loads(folder.joinpath(_FILE).read_bytes())
            return cls(stored["texts"], stored["frequencies"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexMissing(translate("store.vocabulary_damaged", file=folder / _FILE)) from error

    def idf(self, stem: str) -> float:
        """Return the inverse document frequency in [0, 1]: ln((N + 1) / (df + 1)) / ln(N + 1)."""
        if not self.texts:
            return 1.0
        return math.log((self.texts + 1) / (self.frequencies.get(stem, 0) + 1)) / math.log(self.texts + 1)

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits by which a model recognises the lexicon that it was fitted on."""
        return blake2b(self._serialised, digest_size=6).hexdigest()

    @cached_property
    def _serialised(self) -> bytes:
        return json.dumps({"texts": self.texts, "frequencies": self.frequencies}, ensure_ascii=False).encode()


NUMBER_WEIGHT = 0.3  # Figures weigh little: provisions have figures of their own


@dataclass(frozen=True)
class Concept:
    """A word of a question, or a term of the synonym table, with its legal terms."""

    stems: tuple[str, ...]
    legal_terms: tuple[tuple[tuple[str, ...], float], ...]  # stems and certainty in (0, 1] of each
    weight: float  # in [0, 1]


def single_words(stems: Iterable[str], weights: StemWeights) -> Iterator[Concept]:
    """Yield a concept for each distinct stem; a number weighs less, but not one with a letter ("401k")."""
    for stem in dict.fromkeys(stems):
        weight = weights.idf(stem)
        yield Concept((stem,), (), min(weight, NUMBER_WEIGHT) if stem.isdigit() else weight)


class Coverage:
    """Measures the share of concepts that a text covers."""

    def __init__(self, concepts: Sequence[Concept], weights: StemWeights) -> None:
        self._total = sum(concept.weight for concept in concepts)
        self._concepts = [
            (concept.weight, [_weighed(term, weights) for term in ((concept.stems, 1.0), *concept.legal_terms)])
            for concept in concepts
        ]

    def __call__(self, strengths: Mapping[str, float]) -> float:
        """Return the covered share in [0, 1].

        ``strengths`` is the prominence in [0, 1] of each stem of the text. A concept counts by its own words or by its
        best covered legal term.
        """
        if not self._total:
            return 0.0
        whole = 0.0
        for weight, terms in self._concepts:
            best = 0.0
            for stems, total, certainty in terms:
                covered = 0.0
                for stem, idf in stems:
                    if stem in strengths:
                        covered += idf * strengths[stem]
                if covered and (share := certainty * (covered / total)) > best:
                    best = share
            whole += weight * best
        return whole / self._total


def _weighed(
    term: tuple[Sequence[str], float], weights: StemWeights
) -> tuple[Sequence[tuple[str, float]], float, float]:
    stems, certainty = term
    weighed = [(stem, weights.idf(stem)) for stem in stems]
    return weighed, sum(idf for _, idf in weighed), certainty


_GUARDRAILS_PRIOR = 0.5


@runtime_checkable
class Domain(Protocol):
    """Reader of questions of one domain in one language; ``name`` is stored in indexes (``domain_named``)."""

    @property
    def name(self) -> str: ...

    @property
    def language(self) -> Language: ...

    @property
    def quotes_notice(self) -> str: ...

    def __hash__(self) -> int:
        """Return the same for equal domains: they are keys of caches."""
        ...

    def stems(self, text: str) -> list[str]: ...

    def concepts(self, question: str, weights: StemWeights) -> list[Concept]: ...

    def terms(self, text: str) -> Sequence[tuple[str, float]]:
        """Return terms of the domain that a text lacks and calls for, with weights in (0, 1]."""
        ...

    def prior(self, question: str, chunk: Chunk) -> float:
        """Return a factor in (0, 1] for the score of a chunk, by its kind of provision and its law."""
        ...

    def question_topic(self, question: str) -> str: ...

    def citations(self, text: str, context: CitationContext | None = None) -> Sequence[Citation]: ...


@dataclass(frozen=True)
class PlainDomain:
    """Any domain in a language: words count by their rarity."""

    language: Language

    quotes_notice = "quotes_of_articles"

    @property
    def name(self) -> str:
        return self.language.code

    def stems(self, text: str) -> list[str]:
        return self.language.stems(text)

    def concepts(self, question: str, weights: StemWeights) -> list[Concept]:
        return list(single_words(self.stems(self.language.query_patterns.without_measure(question)), weights))

    def terms(self, text: str) -> Sequence[tuple[str, float]]:
        return ()

    def prior(self, question: str, chunk: Chunk) -> float:
        return _GUARDRAILS_PRIOR if chunk["chunk_type"] == "guardrails" else 1.0

    def question_topic(self, question: str) -> str:
        return question

    def citations(self, text: str, context: CitationContext | None = None) -> Sequence[Citation]:
        return ()
