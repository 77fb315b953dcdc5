"""Spanish labour law as a domain: concepts, legal terms, citations, and priors by kind of provision."""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from articulado.language.folding import fold
from articulado.language.languages import Language, language
from articulado.language.spanish import stem_word
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.dates.finder import without_days
from articulado.legal.domain.base import NUMBER_WEIGHT, Concept, StemWeights
from articulado.legal.reading import read
from articulado.legal.territory.mentions import place_words
from articulado.legal.vocabulary.matters import prior
from articulado.legal.vocabulary.synonyms import expand, find_terms, has_field_term
from articulado.values.chunks import Chunk

_PROTOCOL = re.compile(
    r"=+\s*META\s*=+|\b(?:USED|DROP|NEED)\s*\|\s*(?:[C\d,\s]*\d\b|ninguno\b)?|\[\s*C\s*\d+\s*\]", re.IGNORECASE
)


def without_protocol(question: str) -> str:
    """Remove marks of the protocol between the models: ``===META===``, ``USED|1``, ``[C1]``."""
    return " ".join(_PROTOCOL.sub(" ", question).split())


def is_courtesy(question: str, language: Language) -> bool:
    """Tell if a message only greets, thanks, agrees or takes leave."""
    return bool(language.query_patterns.courtesy.fullmatch(fold(question)))


def points_back(question: str, language: Language) -> bool:
    """Tell if a question begins like a follow-up, or has a pronoun for an earlier subject."""
    folded, query_patterns = fold(question), language.query_patterns
    return bool(query_patterns.opening.match(folded) or query_patterns.pointing.search(folded))


_PLACE_WEIGHT = 0.1  # A place tells the law, and the topic only if the law names it
_FOREIGN_WEIGHT = 0.35  # Weight of words absent from the index in a question of the domain: names, trades, towns


class SpanishLaw:
    """``Domain`` of Spanish labour and social-security law."""

    name = "spanish_law"
    quotes_notice = "quotes_of_law"

    @property
    def language(self) -> Language:
        return language("es")

    def stems(self, text: str) -> list[str]:
        return self.language.stems(text)

    def concepts(self, question: str, weights: StemWeights) -> list[Concept]:
        return list(_concepts(question, weights, date.today()))

    def terms(self, text: str) -> Sequence[tuple[str, float]]:
        return expand(text, stem_word)

    def prior(self, question: str, chunk: Chunk) -> float:
        return prior(question, chunk)

    def question_topic(self, question: str) -> str:
        return read(question, date.today()).topic

    def citations(self, text: str, context: CitationContext | None = None) -> Sequence[Citation]:
        return parse_citations(text, context) if context else read(text, date.today()).citations


@lru_cache(maxsize=256)
def _concepts(question: str, weights: StemWeights, today: date) -> tuple[Concept, ...]:
    spanish = language("es")
    question = without_days(spanish.query_patterns.without_measure(question), today=today)
    places = {stem for word in place_words(question) for stem in spanish.stems(word)}
    content = dict.fromkeys(spanish.stems(question))
    concepts: dict[tuple[str, ...], Concept] = {}
    in_domain = has_field_term(question, stem_word)
    for term in find_terms(question, stem_word):
        own = tuple(stem for stem in term.stems if stem in content)
        legal_terms = tuple((tuple(spanish.stems(name)), certainty) for name, certainty in term.legal)
        # A word that no text has says nothing about how much the legal terms say.
        indexed = tuple(stem for stem in own if weights.idf(stem) < 1)
        weighed = indexed or tuple(stem for legal_stems, _ in legal_terms for stem in legal_stems)
        concepts[term.stems] = Concept(own, legal_terms, max(weights.idf(stem) for stem in weighed))
        for stem in own:
            content.pop(stem, None)
    for stem in content:
        weight = weights.idf(stem)
        if stem in places:
            weight = min(weight, _PLACE_WEIGHT)
        elif stem[0].isdigit():
            weight = min(weight, NUMBER_WEIGHT)
        elif in_domain and weight >= 1:
            weight = _FOREIGN_WEIGHT
        concepts[(stem,)] = Concept((stem,), (), weight)
    return tuple(concepts.values())


SPANISH_LAW = SpanishLaw()
