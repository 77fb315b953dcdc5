"""Recognise the topics of a question that bring companion provisions.

A topic is recognised if one of the three best provisions belongs to it and the question says one of its
words or a synonym. ``topics_of`` orders topics by their best provision.
"""

from collections.abc import Sequence

from articulado.config.companions import Condition, Topic
from articulado.legal.domain.base import Domain
from articulado.values.chunks import Candidate, ProvisionRef, provision_of

BEST_PROVISIONS = 3
"""How many of the best provisions say what a question is about."""
MIN_CERTAINTY = 0.5
"""How surely a word of the question must stand for a legal term (``Domain.terms``) for the term to count as said."""


def topics_of(question: str, ranked: Sequence[Candidate], topics: Sequence[Topic], domain: Domain) -> list[Topic]:
    """Return the topics of a question, those of its best provisions first; ``ranked`` are its candidates, best first.

    A topic is recognised where one of the three best provisions is one of its own, and the question says one of its
    words, or says what stands for it ("me echaron"). A topic without provisions, or without words, does without. The
    best provision, or a word that the question itself says, may tell that it is another.
    """
    best = list(dict.fromkeys(provision_of(candidate["chunk"]) for candidate in ranked))[:BEST_PROVISIONS]
    said = _Said(question, domain)
    recognised = [
        (place, topic)
        for topic in topics
        if (place := _place(topic.when, best)) is not None
        and (not topic.when.words or said.any_of(topic.when.words))
        and not said.any_of(topic.unless.words, itself=True)
        and not any(map(topic.unless.names, best[:1]))
    ]
    return [topic for _, topic in sorted(recognised, key=lambda pair: pair[0])]


def _place(condition: Condition, best: Sequence[ProvisionRef]) -> int | None:
    """Return the place of the first provision that a condition names, ``None`` where none of them is."""
    if not condition.provisions:
        return len(best)
    return next((place for place, provision in enumerate(best) if condition.names(provision)), None)


class _Said:
    """The stems of a question, and of the legal terms that its words stand for."""

    def __init__(self, question: str, domain: Domain) -> None:
        self._domain = domain
        terms = [term for term, certainty in domain.terms(question) if certainty >= MIN_CERTAINTY]
        self._texts = [frozenset(domain.stems(text)) for text in (question, *terms)]

    def any_of(self, words: Sequence[str], *, itself: bool = False) -> bool:
        """Tell whether one of some words, or all of one of some phrases, are said; by the question ``itself``."""
        phrases = [frozenset(self._domain.stems(phrase)) for phrase in words]
        texts = self._texts[:1] if itself else self._texts
        return any(phrase and phrase <= text for phrase in phrases for text in texts)
