"""The subject of a conversation: the earlier questions without which a turn cannot be understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.legal.domain.spanish_law import is_courtesy, speaks_of_the_answer
from articulado.values.answers import Message
from services.conversation.leaning import LeaningJudge
from services.conversation.refusal import is_refusal

TurnKind = Literal["alone", "adds", "same", "courtesy"]
"""What a turn does: it stands by itself, adds to the subject, asks the same in another way, or only thanks."""

MAX_EARLIER = 8
"""Questions before this one that are read."""
MAX_QUESTION = 240
"""Characters that are kept of a question that others lean on."""


_SENTENCES = re.compile(r"(?<=[.?!])\s+")


@dataclass(frozen=True)
class Subject:
    """What a conversation is about: the question that stood by itself, and the last one that leant on it."""

    question: str = ""
    added: str = ""

    @property
    def text(self) -> str:
        """The subject in a line, empty where there is none."""
        return " ".join(gist(part) for part in (self.question, self.added) if part)


@dataclass(frozen=True)
class TurnReading:
    """What a turn does in its conversation.

    ``subject`` is empty where it leans on nothing; ``leaves`` tells that there was another one, and that the turn
    leaves it: for one of its own, or for an earlier one that it goes back to.
    """

    kind: TurnKind
    subject: str = ""
    leaves: bool = False


def gist(question: str) -> str:
    """Return what a long question comes to, of 240 characters: what it asks goes before the story that it tells.

    >>> gist("Trabajo en un bar. " * 20 + "¿Puedo pedir una reducción de jornada?")[:78]
    '¿Puedo pedir una reducción de jornada? Trabajo en un bar. Trabajo en un bar. T'
    """
    if len(question) <= MAX_QUESTION:
        return question
    sentences = _SENTENCES.split(question.strip())
    asked = [sentence for sentence in sentences if "?" in sentence]
    told = [sentence for sentence in sentences if "?" not in sentence]
    text = " ".join([*asked, *told])
    return text if len(text) <= MAX_QUESTION else text[:MAX_QUESTION].rsplit(" ", 1)[0]


def read_turn(question: str, conversation: Sequence[Message], language: Language, judge: LeaningJudge) -> TurnReading:
    """Read a question in its conversation, oldest message first."""
    subject, left = Subject(), []
    for earlier, refused, left_before in _questions(conversation, language)[-MAX_EARLIER:]:
        kind = "alone" if left_before else _kind(earlier, subject, language, judge)
        # What was refused is no subject where there is another: the conversation goes back to that.
        if kind == "alone" and not (refused and subject.question):
            left.append(subject)
            subject = Subject(earlier)
        elif kind == "adds" and not refused:
            subject = Subject(subject.question, earlier)
    if earlier_subject := _gone_back_to(question, left, language):
        return TurnReading("adds", earlier_subject.text, leaves=True)
    kind = _kind(question, subject, language, judge)
    leaves = kind == "alone" and bool(subject.question)
    return TurnReading(kind, subject.text if kind in ("adds", "same") else "", leaves)


def _gone_back_to(question: str, left: Sequence[Subject], language: Language) -> Subject | None:
    """Return the subject that a question says it goes back to: of those that were left the one whose words it has."""
    if not language.query_patterns.returns.search(fold(question)):
        return None
    words = set(language.stems(question))
    shared = [len(words.intersection(language.stems(subject.text))) for subject in left]
    best = max(range(len(left)), key=lambda place: (shared[place], place), default=None)
    return left[best] if best is not None and shared[best] else None


class _Question(NamedTuple):
    text: str
    refused: bool
    new_topic: bool


def _questions(conversation: Sequence[Message], language: Language) -> list[_Question]:
    """Return the questions of a conversation, whether each was refused, and whether it was found to be a new topic."""
    questions: list[_Question] = []
    for message in conversation:
        if message["role"] == "user":
            questions.append(_Question(message["content"], False, message.get("new_topic", False)))
        elif questions and is_refusal(message["content"], language):
            questions[-1] = questions[-1]._replace(refused=True)
    return questions


def _kind(question: str, subject: Subject, language: Language, judge: LeaningJudge) -> TurnKind:
    if is_courtesy(question, language):
        return "courtesy"
    if not subject.question:
        return "alone"
    if speaks_of_the_answer(question, language):
        return "same"
    return "adds" if judge.leans(gist(question), gist(subject.question)) else "alone"
