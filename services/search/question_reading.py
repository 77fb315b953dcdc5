"""Read off a question on Spanish law what needs no model: named provisions, territory and acronyms."""

from collections.abc import Sequence
from datetime import date

from language.spanish import content_words
from legal.citations.owners import CitationContext
from legal.citations.parser import parse_citations
from legal.laws.mentions import law_mentions
from legal.territory.mentions import find_place
from legal.vocabulary.synonyms import find_acronyms
from services.domain.question import topic_of
from state.values import Analysis, Message, NamedProvision

MAX_LOOKUP_WORDS = 2
"""How many words beside the provision a mere look-up has at most, as "¿qué dice el artículo 38 del ET?"."""


def read_question(
    question: str,
    conversation: Sequence[Message],
    default_law: str,
    as_of: date | None = None,
    territory: str | None = None,
) -> Analysis:
    """Return the provisions, the territory and the acronyms that the question names.

    An article without a law is of the law that the conversation spoke of last, else of ``default_law``. A law's name
    means the law of the day that is asked about, ``as_of``. A place in the question goes before ``territory``.
    """
    place = find_place(question)
    citations = parse_citations(question, CitationContext(day=as_of))
    law = _last_law_named(conversation) or default_law
    named = [(citation.law_id or ("" if citation.law_named else law), citation.provision_key) for citation in citations]
    return {
        "provisions": [NamedProvision(law_id=law_id, provision_key=key) for law_id, key in dict.fromkeys(named)],
        "is_lookup": bool(named) and len(content_words(topic_of(question))) <= MAX_LOOKUP_WORDS,
        "acronyms": find_acronyms(question),
        "territory": place.name if place else territory,
    }


def empty_analysis() -> Analysis:
    """Return the analysis of a question in which nothing is read."""
    return {"provisions": [], "is_lookup": False, "acronyms": [], "territory": None}


def _last_law_named(conversation: Sequence[Message]) -> str | None:
    """Return the law that the last message naming one names first."""
    for message in reversed(conversation):
        named = [mention.law_id for mention in law_mentions(message["content"]) if mention.law_id and not mention.weak]
        if named:
            return named[0]
    return None
