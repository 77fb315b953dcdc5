"""Read off a question on Spanish law what needs no model: named provisions, territory and acronyms."""

from collections.abc import Sequence
from datetime import date

from articulado.language.spanish import content_words
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations
from articulado.legal.domain.spanish_law import topic_of
from articulado.legal.ids import BOE_ID_TYPED, boe_id
from articulado.legal.labels import is_unit
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.territory.mentions import find_place
from articulado.legal.vocabulary.synonyms import find_acronyms
from articulado.values.answers import Analysis, Message, NamedProvision
from services.search.named_decisions import decisions_named

MAX_LOOKUP_WORDS = 2
"""How many words beside the provision a mere look-up has at most, as "¿qué dice el artículo 38 del ET?"."""


def read_question(
    question: str,
    conversation: Sequence[Message],
    default_law: str,
    as_of: date | None = None,
    territory: str | None = None,
    indexed: IndexedLaws = NO_LAWS,
) -> Analysis:
    """Return the provisions, the decisions, the territory and the acronyms that the question names.

    An article without a law is of the one whose identifier the question has, else of the law that the conversation
    spoke of last, else of ``default_law``. A law's name means the law of the day that is asked about, ``as_of``; one
    that the registry does not know may be one of those that are ``indexed``. A place in the question goes before
    ``territory``.
    """
    place = find_place(question)
    citations = parse_citations(question, CitationContext(day=as_of))
    identifier = _identifier(question)
    law = identifier or _last_law_named(conversation) or default_law
    named = []
    for citation in citations:
        if citation.law_id is None and citation.law_named and not identifier:
            cited_law = indexed.law_cited(question, citation.end) or ""
            # "El apartado 2 del acuerdo" is of no norm that anybody could look up.
            if cited_law or not is_unit(citation.provision_key):
                named.append((cited_law, citation.provision_key))
        else:
            named.append((citation.law_id or law, citation.provision_key))
    analysis: Analysis = {
        "provisions": [NamedProvision(law_id=law_id, provision_key=key) for law_id, key in dict.fromkeys(named)],
        "is_lookup": False,
        "acronyms": find_acronyms(question),
        "territory": place.name if place else territory,
    }
    if decisions := decisions_named(question):
        analysis["decisions"] = decisions
    return {**analysis, "is_lookup": bool(named or decisions) and asks_for_provisions_alone(question)}


def asks_for_provisions_alone(question: str) -> bool:
    """Tell whether a question that names provisions or decisions has hardly a word beside them."""
    return len(content_words(topic_of(question))) <= MAX_LOOKUP_WORDS


def empty_analysis() -> Analysis:
    """Return the analysis of a question in which nothing is read."""
    return {"provisions": [], "is_lookup": False, "acronyms": [], "territory": None}


def _last_law_named(conversation: Sequence[Message]) -> str | None:
    """Return the law that the last message naming one names first."""
    for message in reversed(conversation):
        text = message["content"]
        named = [mention.law_id for mention in law_mentions(text) if mention.law_id and not mention.weak]
        if law := named[0] if named else _identifier(text):
            return law
    return None


def _identifier(text: str) -> str:
    """Return the first identifier of a law in a text; empty without one."""
    typed = BOE_ID_TYPED.search(text)
    return boe_id(typed[0]) if typed else ""
