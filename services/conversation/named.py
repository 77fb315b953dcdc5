"""Complete a question on Spanish law by its conversation: "¿y el 39?" after a question about article 38."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from articulado.language.folding import fold
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.dates.finder import find_date, without_days
from articulado.legal.domain.spanish_law import SPANISH_LAW, is_courtesy, points_back, topic_of
from articulado.legal.labels import SUFFIXES, provision_name
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.legal.territory.mentions import find_place, place_words

MAX_EARLIER = 6
"""Questions before this one that are read: what was said longer ago is not what a follow-up is about."""
MAX_CHARACTERS = 200
"""A question that is longer speaks for itself."""
_NOW = re.compile(r"\b(?:ahora|hoy(?: en dia)?|actual(?:mente|idad)?|vigentes?)\b")
_APARTADO = re.compile(r"\b(?:apartado|punto|numero)\s+(\d{1,2})\b")
_LETTER = re.compile(r"\bletra\s+([a-zñ])\b")
_NUMBER = re.compile(rf"(?<![\d.])\d{{1,4}}(?:\.\d{{1,2}})?(?: (?:{SUFFIXES}))?\b(?!\.?\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Contextualized:
    """A question with the provisions that it takes over in parentheses; day and territory that it is about, if any."""

    question: str
    day: date | None = None
    territory: str | None = None


def contextualize(question: str, earlier: Sequence[str], today: date) -> Contextualized:
    """Complete a question by the ``earlier`` ones, oldest first.

    A question that has nothing of its own but a number, a day or a place is about the provision that the one before
    it names: a bare number is another article of that law, an apartado or a letter is of that provision. So is one that
    has nothing at all ("explícamelo") after a mere look-up. A follow-up keeps the day until another is said, or the
    present one; every question keeps the place.

    >>> today = date(2026, 11, 22)
    >>> contextualize("¿y el 39?", ["¿qué dice el artículo 38 ET?"], today).question
    '¿y el 39? (artículo 39, Estatuto de los Trabajadores)'
    """
    turns = [turn for turn in earlier if not is_courtesy(turn, SPANISH_LAW.language)][-MAX_EARLIER:]
    contextualized = Contextualized("")
    for turn in [*turns, question]:
        contextualized = _in_context(turn, contextualized, today)
    return contextualized


def _in_context(question: str, previous: Contextualized, today: date) -> Contextualized:
    completed = _completed(question, previous.question, today)
    is_follow_up = completed != question or points_back(question, SPANISH_LAW.language)
    kept_day = previous.day if is_follow_up and not _NOW.search(fold(question)) else None
    place = find_place(question)
    territory = place.name if place else previous.territory
    return Contextualized(completed, find_date(question, today=today) or kept_day, territory)


def _completed(question: str, previous: str, today: date) -> str:
    """Return a question with the provisions that it takes over from the previous one, or as it is if there are none."""
    if len(question) > MAX_CHARACTERS or is_courtesy(question, SPANISH_LAW.language):
        return question
    citations = [citation for citation in parse_citations(previous) if citation.law_id or not citation.law_named]
    if not citations or parse_citations(question) or law_mentions(question):
        return question
    own = _NOW.sub(" ", fold(_without_places(without_days(question, today=today))))
    references = _references(own, citations)
    if not references or topic_of(f"{own} ({references})"):
        return question
    changes = own.split() != fold(question).split() or _NUMBER.search(own) or _LETTER.search(own)
    # "¿Por qué?" after more than a look-up is about the topic of that question, and not about all of the provision.
    return f"{question} ({references})" if changes or not topic_of(previous) else question


def _references(own: str, citations: Sequence[Citation]) -> str:
    """Return the provisions that folded words are about; empty where there is a number that is no provision's."""
    last = citations[-1]
    apartado, letter = _APARTADO.search(own), _LETTER.search(own)
    if apartado or letter:
        number = apartado[1] if apartado else last.apartado
        return _written(last.provision_key, last.law_id, number, letter[1] if letter else None)
    numbers = _NUMBER.findall(own)
    if any(_YEAR.fullmatch(number) for number in numbers):
        return ""
    written = [_written(f"art:{number}", last.law_id) for number in numbers]
    written = written or [
        _written(citation.provision_key, citation.law_id, citation.apartado, citation.letter) for citation in citations
    ]
    return "; ".join(dict.fromkeys(written))


def _written(key: str, law_id: str | None, apartado: str | None = None, letter: str | None = None) -> str:
    law = known_laws().get(law_id or "")
    inside = f"{f'letra {letter} del ' if letter else ''}{f'apartado {apartado} del ' if apartado else ''}"
    return f"{inside}{provision_name(key)}{f', {law.short}' if law else ''}"


def _without_places(text: str) -> str:
    places = place_words(text)
    return " ".join(word for word in text.split() if fold(word).strip(" .,;:¿?¡!") not in places)
