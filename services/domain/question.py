"""What a question says beside its matter: words of the protocol, citations, courtesies, references to what was said."""

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
_CITING = re.compile(
    rf"\b(?:arts?|articulos?|apartados?|letras?|parrafos?|numeros?|num|puntos?|disposicion(?:es)?|{ADJECTIVES}"
    r"|anexos?|preceptos?|norma|texto|contenido|literal(?:mente)?|segun"
    r"|conforme|dicen?|dijo|deci[ar]|regula(?:n|ba|r)?|establec(?:e|en|ia)|dispon(?:e|en|ia)|preve|explica(?:me|r)?"
    rf"|e\.\s?t\.?|[a-z]|\d+(?:\.\d+)*|[ivx]+|{SUFFIXES})\b\.?"
)
_SHORT = 2


def without_protocol(question: str) -> str:
    """Leave out what only the protocol between the models says: ``===META===``, ``USED|1``, ``[C1]``."""
    return " ".join(_PROTOCOL.sub(" ", question).split())


def searched_topic(question: str, domain: Domain) -> str:
    """Return what of a question is to be searched: no words of the protocol, no named provisions, no measures."""
    return domain.language.query_patterns.without_measure(domain.matter(without_protocol(question)))


def topic_of(question: str) -> str:
    """Return what a question of Spanish law says beside provisions that it names, and the day as of which it asks."""
    question = without_days(question, today=date.today()) or question
    citations = parse_citations(question)
    if not citations:
        return question
    spans = [(one.start, one.end) for one in citations]
    spans += [(one.start, one.end) for one in law_mentions(question)]
    for start, end in sorted(spans, reverse=True):
        question = f"{question[:start]} {question[end:]}"
    kept = [word for word in question.split() if _CITING.sub("", fold(word)).strip(" .,;:¿?¡!()\"'«»")]
    return " ".join(kept) if content_words(" ".join(kept)) else ""


def is_courtesy(question: str, language: Language) -> bool:
    """Tell whether a message only thanks, agrees or takes leave."""
    return bool(language.query_patterns.courtesy.fullmatch(fold(question)))


def points_back(question: str, language: Language) -> bool:
    """Tell whether a question begins like a follow-up, or has a pronoun for what was spoken of before."""
    folded, query_patterns = fold(question), language.query_patterns
    return bool(query_patterns.opening.match(folded) or query_patterns.pointing.search(folded))


def earlier_topic(question: str, asked: Sequence[str], language: Language) -> str:
    """Return the earlier question that a follow-up is about, empty where it stands by itself.

    ``asked`` are the questions before it, in order. A short question may be about what was asked before, too.
    """
    stands_alone = not points_back(question, language) and len(set(language.content_words(question))) > _SHORT
    if not asked or stands_alone:
        return ""
    return next(
        (one for one in reversed(asked) if not points_back(one, language) and not is_courtesy(one, language)), asked[-1]
    )
