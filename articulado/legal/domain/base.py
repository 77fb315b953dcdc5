"""Protocol of a domain of knowledge, the plain domain, weighted concepts, and the lexicon of an index.

``PlainDomain`` weighs words by rarity and knows nothing but its language. ``Lexicon`` holds the document
frequency of each stem; it is stored with the index, whatever the embedder. ``Coverage`` measures the share
of the concepts of a question that a text covers.
"""

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
    """Weighs stems by how much they say."""

    def idf(self, stem: str) -> float:
        """Return the weight of a stem in [0, 1]."""
        ...

    def __hash__(self) -> int:
        """Tell weights apart: what was worked out with some holds for no others."""
        ...


class EqualWeights:
    """All stems say as much; stands in where there is no lexicon."""

    def idf(self, stem: str) -> float:
        """Return 1.0."""
        return 1.0


class WordCount:
    """In how many of some texts each stem occurs, and each of their ``words`` as it is spelt; texts come and go."""

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
        """Count texts that have come."""
        self.texts += other.texts
        self.frequencies.update(other.frequencies)
        self.words.update(other.words)

    def subtract(self, other: "WordCount") -> None:
        """Count texts no more, that have gone."""
        self.texts -= other.texts
        self.frequencies.subtract(other.frequencies)
        self.words.subtract(other.words)

    def dumps(self) -> bytes:
        """Return the count as bytes."""
        return zlib.compress(
            json.dumps([self.texts, self.frequencies, self.words], ensure_ascii=False).encode(), level=1
        )

    @classmethod
    def loads(cls, stored: bytes) -> "WordCount":
        """Read what ``dumps`` has written; of nothing, a count of no texts."""
        return cls(*json.loads(zlib.decompress(stored))) if stored else cls()


class Lexicon:
    """Document frequencies of stems, the most frequent first, ties in alphabetical order."""

    def __init__(self, texts: int, frequencies: dict[str, int]) -> None:
        self.texts = texts
        self.frequencies = frequencies

    @classmethod
    def build(cls, texts: Iterable[str], stems: Callable[[str], Iterable[str]]) -> "Lexicon":
        """Count the texts that each stem occurs in; ``stems`` are those of their language."""
        return cls.of(WordCount.of(texts, stems))

    @classmethod
    def of(cls, count: WordCount) -> "Lexicon":
        """Return the lexicon of texts that were counted."""
        counted = ((stem, texts) for stem, texts in count.frequencies.items() if texts > 0)
        return cls(count.texts, dict(sorted(counted, key=lambda item: (-item[1], item[0]))))

    def save(self, folder: Path) -> None:
        """Write the lexicon into the ``models`` folder of an index."""
        folder.joinpath(_FILE).write_bytes(self._serialised)

    @classmethod
    def load(cls, folder: Path) -> "Lexicon":
        """Read the lexicon of an index.

        Raises:
            IndexMissing: there is none, or it cannot be read.
        """
        try:
            stored = json.loads(folder.joinpath(_FILE).read_bytes())
            return cls(stored["texts"], stored["frequencies"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexMissing(translate("store.vocabulary_damaged", file=folder / _FILE)) from error

    def idf(self, stem: str) -> float:
        """Return the inverse document frequency, scaled to [0, 1].

        idf(s) = ln((N + 1) / (df(s) + 1)) / ln(N + 1): 1 for a stem that no text has, 0 for one that all have.
        """
        if not self.texts:
            return 1.0
        return math.log((self.texts + 1) / (self.frequencies.get(stem, 0) + 1)) / math.log(self.texts + 1)

    @cached_property
    def digest(self) -> str:
        """Name the content in 12 hexadecimal digits, so that a model can tell the lexicon that it was fitted on."""
        return blake2b(self._serialised, digest_size=6).hexdigest()

    @cached_property
    def _serialised(self) -> bytes:
        return json.dumps({"texts": self.texts, "frequencies": self.frequencies}, ensure_ascii=False).encode()


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


class Coverage:
    """Measures how much of some concepts a text covers; what depends on the concepts alone is worked out once."""

    def __init__(self, concepts: Sequence[Concept], weights: StemWeights) -> None:
        self._total = sum(concept.weight for concept in concepts)
        self._concepts = [
            (concept.weight, [_weighed(term, weights) for term in ((concept.stems, 1.0), *concept.legal_terms)])
            for concept in concepts
        ]

    def __call__(self, strengths: Mapping[str, float]) -> float:
        """Return how much of the concepts a text covers, in [0, 1].

        ``strengths`` says for each stem of the text, in [0, 1], how prominent it is there. A concept counts by its own
        words or by the legal term that the text covers best, whichever is more.
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
    """Return the stems of a term with how much each says, how much all say, and how surely it is meant."""
    stems, certainty = term
    weighed = [(stem, weights.idf(stem)) for stem in stems]
    return weighed, sum(idf for _, idf in weighed), certainty


_GUARDRAILS_PRIOR = 0.5


@runtime_checkable
class Domain(Protocol):
    """Reads questions of one domain, in one language. ``name`` is what an index remembers it by (``domain_named``)."""

    @property
    def name(self) -> str:
        """The name that an index stores."""
        ...

    @property
    def language(self) -> Language:
        """The language of questions and texts."""
        ...

    @property
    def quotes_notice(self) -> str:
        """Key of the message before literal quotations of its official texts."""
        ...

    def __hash__(self) -> int:
        """Return the same for equal domains: they are keys of tables."""
        ...

    def stems(self, text: str) -> list[str]:
        """Return the stems of the content words of a text, in order."""
        ...

    def concepts(self, question: str, weights: StemWeights) -> list[Concept]:
        """Return the weighted concepts of a question; none where it has nothing but stop words."""
        ...

    def terms(self, text: str) -> Sequence[tuple[str, float]]:
        """Return the terms of the domain that a text calls for and does not have, with weights in (0, 1]."""
        ...

    def prior(self, question: str, chunk: Chunk) -> float:
        """Return a factor in (0, 1] by what kind of text a chunk is."""
        ...

    def question_topic(self, question: str) -> str:
        """Return what a question says beside the provisions and the day that it names."""
        ...

    def citations(self, text: str, context: CitationContext | None = None) -> Sequence[Citation]:
        """Return the provisions that a text names."""
        ...


@dataclass(frozen=True)
class PlainDomain:
    """Any domain in a language: words count by how rare they are, and that is all that is known."""

    language: Language

    quotes_notice = "quotes_of_articles"

    @property
    def name(self) -> str:
        """The code of the language."""
        return self.language.code

    def stems(self, text: str) -> list[str]:
        """Return the stems of the content words of a text, in order."""
        return self.language.stems(text)

    def concepts(self, question: str, weights: StemWeights) -> list[Concept]:
        """Return the words of a question, weighed by how rare they are."""
        return list(single_words(self.stems(self.language.query_patterns.without_measure(question)), weights))

    def terms(self, text: str) -> Sequence[tuple[str, float]]:
        """Return nothing: there is no table of terms."""
        return ()

    def prior(self, question: str, chunk: Chunk) -> float:
        """Return 1, or less for a chunk that tells what not to say: it answers nothing."""
        return _GUARDRAILS_PRIOR if chunk["chunk_type"] == "guardrails" else 1.0

    def question_topic(self, question: str) -> str:
        """Return the question."""
        return question

    def citations(self, text: str, context: CitationContext | None = None) -> Sequence[Citation]:
        """Return nothing: there are no provisions."""
        return ()
