"""Subject of a conversation, and completion of a follow-up with the provisions it takes over."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from articulado.language.folding import fold, words_of
from articulado.language.languages import LANGUAGES, Language
from articulado.language.languages import language as known_language
from articulado.language.sentences import sentences
from articulado.legal.citations.parser import Citation
from articulado.legal.domain.spanish_law import SPANISH_LAW, is_courtesy, points_back
from articulado.legal.labels import SUFFIXES, provision_name
from articulado.legal.laws.registry import known_laws
from articulado.legal.reading import LegalReading, read
from articulado.legal.territory.mentions import place_words
from articulado.retrieval.conversation.leaning import TurnJudge
from articulado.values.answers import Message, NearestNeed, TurnKind

MAX_EARLIER = 8
MAX_QUESTION = 240


@dataclass(frozen=True)
class Subject:
    """The subject of a conversation: the last independent question, and the last follow-up to it."""

    question: str = ""
    added: str = ""

    @property
    def text(self) -> str:
        return " ".join(gist(part) for part in (self.question, self.added) if part)


@dataclass(frozen=True)
class TurnReading:
    """The kind of a turn and its subject, if any; ``leaves``: it leaves the present subject for another."""

    kind: TurnKind
    subject: str = ""
    leaves: bool = False
    asks_deadline: bool = False


def gist(question: str) -> str:
    """Cut a long question to ``MAX_QUESTION`` characters, after moving its interrogative sentences to the front."""
    if len(question) <= MAX_QUESTION:
        return question
    parts = sentences(question)
    asked = [part for part in parts if "?" in part]
    told = [part for part in parts if "?" not in part]
    text = " ".join([*asked, *told])
    return text if len(text) <= MAX_QUESTION else text[:MAX_QUESTION].rsplit(" ", 1)[0]


def read_turn(question: str, conversation: Sequence[Message], language: Language, judge: TurnJudge) -> TurnReading:
    """Classify a question in its conversation, oldest message first."""
    subject, left = Subject(), list[Subject]()
    for earlier, refused, left_before in _questions(conversation)[-MAX_EARLIER:]:
        kind, resumed = ("alone", None) if left_before else _read(earlier, subject, left, language, judge)
        # What was refused is no subject where there is another: the conversation goes back to that.
        if refused and subject.question:
            continue
        if resumed is not None or kind == "alone":
            left = [other for other in (*left, subject) if other is not resumed and other.question]
            subject = Subject(resumed.question, earlier) if resumed else Subject(earlier)
        elif kind == "adds":
            subject = Subject(subject.question, "" if refused else earlier)
    kind, resumed = _read(question, subject, left, language, judge)
    if resumed is not None:
        return TurnReading("adds", resumed.text, leaves=True)
    if kind not in ("adds", "same"):
        return TurnReading(kind, leaves=kind == "alone" and bool(subject.question))
    return TurnReading(kind, subject.text, asks_deadline=judge.asks_deadline(gist(question), gist(subject.question)))


def _read(
    question: str, subject: Subject, left: Sequence[Subject], language: Language, judge: TurnJudge
) -> tuple[TurnKind, Subject | None]:
    if is_courtesy(question, language):
        return "courtesy", None
    if not subject.question:
        return "alone", None
    text, present = gist(question), gist(subject.question)
    resumed = judge.resumed(text, present, [gist(other.question) for other in left])
    if resumed is not None:
        return "adds", left[resumed]
    if judge.is_about_answer(text, present):
        return "same", None
    return ("adds" if judge.leans(text, present) else "alone"), None


class _Question(NamedTuple):
    text: str
    refused: bool
    new_topic: bool


def _questions(conversation: Sequence[Message]) -> list[_Question]:
    questions: list[_Question] = []
    for message in conversation:
        if message["role"] == "user":
            questions.append(_Question(message["content"], False, message.get("new_topic", False)))
        elif questions and message.get("outcome") == "decline":
            questions[-1] = questions[-1]._replace(refused=True)
    return questions


LAST_CHOICE = -1


def choice_taken(message: str, offered: Sequence[NearestNeed]) -> NearestNeed | None:
    """Return the choice that a message takes by number, or by its exact need or question."""
    if not offered:
        return None
    words = words_of(message)
    for choice in offered:
        if words in (words_of(choice["need"]), words_of(choice["question"])):
            return choice
    number = _number_said(words)
    if number == LAST_CHOICE:
        return offered[-1]
    return next((choice for choice in offered if choice["number"] == number), None)


def _number_said(words: Sequence[str]) -> int | None:
    """Return the only number that a message consists of, in any known language."""
    for code in LANGUAGES:
        choosing = known_language(code).query_patterns.choosing
        beside = set(choosing.beside.split())
        numbers = {word: number for number, listed in choosing.numbers.items() for word in listed.split()}
        if any(word not in beside and word not in numbers for word in words):
            continue
        # "One" is the number of "one", but not of "the second one".
        named = {numbers[word] for word in words if word in numbers and word not in beside} or {
            numbers[word] for word in words if word in numbers
        }
        if len(named) == 1:
            return named.pop()
    return None


MAX_EARLIER_NAMES = 6
MAX_CHARACTERS = 200
_NOW = re.compile(r"\b(?:ahora|hoy(?: en dia)?|actual(?:mente|idad)?|vigentes?)\b")
_APARTADO = re.compile(r"\b(?:apartado|punto|numero)\s+(\d{1,2})\b")
_LETTER = re.compile(r"\bletra\s+([a-zñ])\b")
_NUMBER = re.compile(rf"(?<![\d.])\d{{1,4}}(?:\.\d{{1,2}})?(?: (?:{SUFFIXES}))?\b(?!\.?\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Contextualized:
    """A completed question, with the day and territory that it is about, if any."""

    reading: LegalReading
    day: date | None = None
    territory: str | None = None

    @property
    def question(self) -> str:
        return self.reading.text


def contextualize(question: str, earlier: Sequence[str], today: date) -> Contextualized:
    """Complete a question by the ``earlier`` ones, oldest first.

    A question with nothing but a number, day or place takes the provision of the previous one: a bare number is another
    article of that law. A follow-up keeps the day until another is named; every question keeps the place.

    >>> today = date(2026, 11, 22)
    >>> contextualize("¿y el 39?", ["¿qué dice el artículo 38 ET?"], today).question
    '¿y el 39? (artículo 39, Estatuto de los Trabajadores)'
    """
    turns = [turn for turn in earlier if not is_courtesy(turn, SPANISH_LAW.language)][-MAX_EARLIER_NAMES:]
    contextualized = Contextualized(read("", today))
    for turn in [*turns, question]:
        contextualized = _in_context(read(turn, today), contextualized)
    return contextualized


def _in_context(question: LegalReading, previous: Contextualized) -> Contextualized:
    completed = _completed(question, previous.reading)
    is_follow_up = completed is not question or points_back(question.text, SPANISH_LAW.language)
    kept_day = previous.day if is_follow_up and not _NOW.search(fold(question.text)) else None
    territory = question.place.name if question.place else previous.territory
    return Contextualized(completed, question.day or kept_day, territory)


def _completed(question: LegalReading, previous: LegalReading) -> LegalReading:
    text = question.text
    if len(text) > MAX_CHARACTERS or is_courtesy(text, SPANISH_LAW.language):
        return question
    citations = [citation for citation in previous.citations if citation.law_id or not citation.law_named]
    if not citations or question.citations or question.laws:
        return question
    own = _NOW.sub(" ", fold(_without_places(question.without_days)))
    references = _references(own, citations)
    if not references or read(f"{own} ({references})", question.today).topic:
        return question
    changes = own.split() != fold(text).split() or _NUMBER.search(own) or _LETTER.search(own)
    # "¿Por qué?" after more than a look-up is about the topic of that question, and not about all of the provision.
    return read(f"{text} ({references})", question.today) if changes or not previous.topic else question


def _references(own: str, citations: Sequence[Citation]) -> str:
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
