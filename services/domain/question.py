"""What a question says beside its topic: words of the protocol, citations, courtesies, references to earlier turns."""

import re
from collections.abc import Sequence
from datetime import date

from language.folding import fold
from language.languages import Language
from language.spanish import content_words
from legal.citations.parser import parse_citations
from legal.dates.finder import without_days
from legal.labels import ADJECTIVES, SUFFIXES
from legal.laws.mentions import law_mentions
from services.domain.base import Domain

_PROTOCOL = re.compile(
    r"=+\s*META\s*=+|\b(?:USED|DROP|NEED)\s*\|\s*(?:[C\d,\s]*\d\b|ninguno\b)?|\[\s*C\s*\d+\s*\]", re.IGNORECASE
)
_CITING_WORDS = re.compile(
    rf"\b(?:arts?|articulos?|apartados?|letras?|parrafos?|numeros?|num|puntos?|disposicion(?:es)?|{ADJECTIVES}"
    r"|anexos?|preceptos?|norma|texto|contenido|literal(?:mente)?|segun"
    r"|conforme|dicen?|dijo|deci[ar]|regula(?:n|ba|r)?|establec(?:e|en|ia)|dispon(?:e|en|ia)|preve|explica(?:me|r)?"
    rf"|e\.\s?t\.?|[a-z]|\d+(?:\.\d+)*|[ivx]+|{SUFFIXES})\b\.?"
)
_SHORT_QUESTION = 2
"""Content words of a question that may be too short to stand by itself."""


def without_protocol(question: str) -> str:
    """Leave out what only the protocol between the models says: ``===META===``, ``USED|1``, ``[C1]``."""
    return " ".join(_PROTOCOL.sub(" ", question).split())


def searched_topic(question: str, domain: Domain) -> str:
    """Return what of a question is to be searched: no words of the protocol, no named provisions, no measures.

    >>> from services.domain.spanish_law import SPANISH_LAW
    >>> searched_topic("según el art. 48 bis ET, ¿cuánto tiempo dura el permiso parental?", SPANISH_LAW)
    'el ¿cuánto dura el permiso parental?'
    """
    return domain.language.query_patterns.without_measure(domain.question_topic(without_protocol(question)))


def topic_of(question: str) -> str:
    """Return what a question of Spanish law says beside the provisions and the day that it names; maybe nothing.

    >>> topic_of("LGSS 205 jubilación"), topic_of("¿Qué decía el artículo 38.3 del E.T. en 2019?")
    ('jubilación', '')
    """
    question = without_days(question, today=date.today()) or question
    citations = parse_citations(question)
    if not citations:
        return question
    spans = [(citation.start, citation.end) for citation in citations]
    spans += [(mention.start, mention.end) for mention in law_mentions(question)]
    for start, end in sorted(spans, reverse=True):
        question = f"{question[:start]} {question[end:]}"
    kept = [word for word in question.split() if _CITING_WORDS.sub("", fold(word)).strip(" .,;:¿?¡!()\"'«»")]
    return " ".join(kept) if content_words(" ".join(kept)) else ""


def is_courtesy(question: str, language: Language) -> bool:
    """Tell whether a message only thanks, agrees or takes leave."""
    return bool(language.query_patterns.courtesy.fullmatch(fold(question)))


def points_back(question: str, language: Language) -> bool:
    """Tell whether a question begins like a follow-up, or has a pronoun for what was spoken of before."""
    folded, query_patterns = fold(question), language.query_patterns
    return bool(query_patterns.opening.match(folded) or query_patterns.pointing.search(folded))


def earlier_question(question: str, earlier: Sequence[str], language: Language) -> str:
    """Return which of the ``earlier`` questions (oldest first) a follow-up is about: the last that stands by itself.

    Empty where the question itself stands by itself; a short one may be about what was asked before, too.
    """
    is_long = len(set(language.content_words(question))) > _SHORT_QUESTION
    if not earlier or (is_long and not points_back(question, language)):
        return ""
    independent = (
        candidate
        for candidate in reversed(earlier)
        if not points_back(candidate, language) and not is_courtesy(candidate, language)
    )
    return next(independent, earlier[-1])
