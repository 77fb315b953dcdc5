"""The protocol of a domain of knowledge, and the plain one, of which nothing is known but its language."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from articulado.language.languages import Language
from articulado.values.chunks import Chunk
from legal.citations.owners import CitationContext
from legal.citations.parser import Citation
from services.domain.concepts import Concept, single_words
from services.domain.lexicon import StemWeights

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
