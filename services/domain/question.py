"""What a question says beside its topic: words of the protocol, citations, courtesies, references to earlier turns."""

import re
from datetime import date

from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.language.spanish import content_words
from legal.citations.parser import parse_citations
from legal.dates.finder import without_days
from legal.decisions import decisions_in
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
    """Return what a question of Spanish law says beside the provisions, decisions and day that it names; maybe nothing.

    >>> topic_of("LGSS 205 jubilación"), topic_of("¿Qué decía el artículo 38.3 del E.T. en 2019?")
    ('jubilación', '')
    """
    question = without_days(question, today=date.today()) or question
    spans = [(citation.start, citation.end) for citation in parse_citations(question)]
    spans += [(decision.start, decision.end) for decision in decisions_in(question)]
    if not spans:
        return question
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


def speaks_of_the_answer(question: str, language: Language) -> bool:
    """Tell whether a question speaks of the answer before it and of nothing else.

    >>> from articulado.language.languages import language
    >>> [speaks_of_the_answer(question, language("es")) for question in ("¿en qué artículo lo pone?", "¿cuánto?")]
    [True, False]
    """
    folded, patterns = fold(question), language.query_patterns
    if not patterns.talk.search(folded) or patterns.asking.search(folded):
        return False
    return not language.content_words(patterns.talk.sub(" ", folded))


def asks_for_the_place(question: str, language: Language) -> bool:
    """Tell whether a question asks where it stands what was answered ("¿en qué artículo lo pone?")."""
    place = language.query_patterns.place.search(fold(question))
    return bool(place) and speaks_of_the_answer(question, language)


def with_subject(question: str, subject: str, language: Language) -> str:
    """Return a question with what it leans on in parentheses, for whoever reads it by itself."""
    return f"{question} {language.translate('rag_about', subject=subject)}" if subject else question


def split_subject(text: str, language: Language) -> tuple[str, str]:
    """Return the question and the subject of what ``with_subject`` wrote; without a subject it is empty.

    >>> from articulado.language.languages import language
    >>> split_subject("¿y de baja? (sobre: ¿cuántas vacaciones tengo?)", language("es"))
    ('¿y de baja?', '¿cuántas vacaciones tengo?')
    """
    before, after = language.data.messages["rag_about"].split("{subject}")
    question, found, rest = text.rpartition(f" {before}")
    return (question, rest.removesuffix(after)) if found and rest.endswith(after) else (text, "")
