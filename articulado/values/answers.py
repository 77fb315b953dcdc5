"""Values of a question and its answer: messages, the question of a turn, citations, verdicts, usage, stream events.

``TurnQuestion`` is the question of a turn, read once; ``question_of`` makes one of which only the text is known. Days
are ISO 8601 strings or ``date`` objects.
"""

from datetime import date
from typing import Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

from articulado.values.chunks import Agreement, TextState

AnswerOutcome = Literal["answer", "near", "decline", "ask"]
"""How a question ends: answered, the nearest provisions shown with a warning, declined, or asked what is missing."""
StoreName = Literal["index", "records"]
"""What answers: the index, or the packaged records, which need neither index nor embedder."""

RerankStrategy = Literal["auto", "none", "learnt", "heuristic", "cross_encoder", "llm", "api"]
"""``auto``: the cross-encoder where its files are on the machine, else the learnt ranking, of domains that it knows, or
the heuristic."""


class Days(NamedTuple):
    """The day whose law is asked for, ``None`` for that of today, and today."""

    as_of: date | None
    today: date


class Message(TypedDict):
    """One message of the conversation, as the caller sends and receives it.

    ``new_topic`` is kept in the memory of a thread alone: the question was found to leave the subject before it.
    ``outcome`` is that of an answer; one of which it is not known counts as an answer.
    """

    role: Literal["user", "assistant"]
    content: str
    new_topic: NotRequired[bool]
    outcome: NotRequired[AnswerOutcome]


class Need(TypedDict):
    """Something that the principal model lacks: a named provision, or a keyword search.

    ``by_check`` is set where not the model says so, but the check of its answer.
    """

    kind: Literal["article", "keywords"]
    article: str
    law: str
    keywords: str
    by_check: NotRequired[bool]


TurnKind = Literal["alone", "adds", "same", "courtesy"]
"""Kinds of turns: one stands by itself, adds to the subject, asks the same in another way, or only thanks."""


class NamedProvision(TypedDict):
    """A provision that the question names: ``provision_key`` as in ``Chunk``."""

    law_id: str
    provision_key: str


class NamedDecision(TypedDict):
    """A ruling or a criterion that the question names: by its ``key`` or its ``ecli``, as ``name`` has it."""

    key: str
    ecli: str
    name: str


class Span(TypedDict):
    """A place in the text of a question: ``text[start:end]``."""

    start: int
    end: int


class NamedCitation(Span):
    """A provision that the text cites; ``law_id`` is empty if the text names no law that the registry knows."""

    law_id: str
    provision_key: str


class NamedLaw(Span):
    """A law that the text names; ``law_id`` is empty if the registry does not know it."""

    law_id: str


class NamedPlace(Span):
    """A community or a city, by its canonical name."""

    name: str


class NamedDay(Span):
    """A past day as of which the text asks (ISO 8601)."""

    day: str


MentionType = Literal["date", "amount", "count", "share", "number"]


class NamedValue(Span):
    """A day (ISO 8601), an amount of money, a duration or another count, a share, or a bare number.

    ``value`` is a day or a decimal number. ``unit`` is of a count ("day", "week", "month", "year", "hour", "#" and a
    stem for things) or "euro"; ``per`` is the time that an amount or a count is of ("day", "week", "month", "year").
    """

    type: MentionType
    value: str
    unit: str
    per: str


class MendedWord(Span):
    """Words of the question as it was sent (``written``) that are read as others (``read``)."""

    written: str
    read: str


class TurnQuestion(TypedDict):
    """A question as it is to be understood in its conversation.

    ``asked`` is the question as it was sent, or the one of the choice that it takes; ``mended`` are its words that are
    read as others. ``text`` are its words as read, with the provisions that it takes over from the turns before;
    ``subject`` is what it leans on, empty where it stands alone.
    ``language`` is the code of its language where that is not the one of the profile, else empty. ``meant`` are the ids
    of the answer cards that a question in another language may ask for, the likeliest first: one alone is certain.

    ``new_topic`` is set if it leaves the subject of its conversation: then nothing is carried over. ``about_answer`` is
    set if it speaks of the last answer and searches nothing. ``other_matter`` is the field that the reader finds it of
    instead of the profile's: empty if it does not name it, ``None`` if it finds nothing of the kind.

    ``is_lookup``: it asks for the ``provisions`` and ``decisions`` that it names, and for nothing else. ``missing``
    says why nothing of them is in the index. ``territory`` is the canonical name of a community or a city
    (``articulado.legal.territory.mentions``). ``agreements`` are the ids of the collective agreements that it, or the
    conversation before it, names, ``agreement_names`` the words that name them; of ``excluded_laws`` nothing may be
    cited: those are other agreements.

    ``citations``, ``laws``, ``places``, ``days`` and ``values`` are what the text names, each with its span. ``topic``
    and ``subject_topic`` are the words of text and subject beside provisions and days, without measures and names of
    agreements; ``stems`` are those of both topics. All these were read from the text and the subject in ``read_from``.
    """

    asked: str
    mended: list[MendedWord]
    text: str
    subject: str
    kind: TurnKind
    new_topic: bool
    about_answer: bool
    other_matter: str | None
    language: str
    meant: list[str]
    provisions: list[NamedProvision]
    decisions: list[NamedDecision]
    is_lookup: bool
    missing: list[str]
    acronyms: list[str]
    territory: str | None
    agreements: list[str]
    agreement_names: list[str]
    excluded_laws: list[str]
    citations: list[NamedCitation]
    laws: list[NamedLaw]
    places: list[NamedPlace]
    days: list[NamedDay]
    values: list[NamedValue]
    topic: str
    subject_topic: str
    stems: list[str]
    read_from: list[str]


def question_of(text: str, subject: str = "", kind: TurnKind = "alone") -> TurnQuestion:
    """Return a question of which nothing but its words and its subject is known."""
    return {
        "asked": text,
        "mended": [],
        "text": text,
        "subject": subject,
        "kind": kind,
        "new_topic": False,
        "about_answer": False,
        "other_matter": None,
        "language": "",
        "meant": [],
        "provisions": [],
        "decisions": [],
        "is_lookup": False,
        "missing": [],
        "acronyms": [],
        "territory": None,
        "agreements": [],
        "agreement_names": [],
        "excluded_laws": [],
        "citations": [],
        "laws": [],
        "places": [],
        "days": [],
        "values": [],
        "topic": "",
        "subject_topic": "",
        "stems": [],
        "read_from": [],
    }


def has_own_words(question: TurnQuestion) -> bool:
    """Tell whether a question adds something of its own to a subject, and does not speak of the answer alone."""
    return bool(question["subject"]) and question["kind"] != "same"


def whole_text(question: TurnQuestion) -> str:
    """Return a question and its subject as one text.

    >>> whole_text(question_of("¿y de baja?", "¿cuántas vacaciones tengo?", "adds"))
    '¿y de baja? ¿cuántas vacaciones tengo?'
    """
    return f"{question['text']} {question['subject']}".strip()


def searched_topic(question: TurnQuestion) -> str:
    """Return the words of a question and its subject that are searched for."""
    return f"{question['topic']} {question['subject_topic']}".strip()


class Citation(TypedDict):
    """A fragment that the answer rests on. ``official`` is false if its text is our summary, or a user's document.

    ``document`` is the name of the file of that document, empty for all else; answers kept by earlier versions lack it.
    ``summary`` is ours, too, and may be empty. The wording is in force from ``valid_from`` to the day before
    ``valid_to`` (ISO 8601, ``None`` is open); ``wording`` says which one it is where another day's law is asked for.
    ``text_state`` is that of the chunk, where it has one; ``note`` says it to people. ``page`` is that of a file with
    pages, empty without; ``agreement`` is the scope of an agreement.
    A provision that the answer names and the model did not read has no ``mark``, and its ``text``.
    """

    mark: str
    chunk_id: int
    law_id: str
    law: str
    provision: str
    provision_key: str
    title: str
    url: str
    note: str
    summary: str
    official: bool
    document: NotRequired[str]
    valid_from: str | None
    valid_to: str | None
    wording: str
    text_state: NotRequired[TextState]
    page: str
    agreement: Agreement | None
    text: NotRequired[str]


class CaseGuide(TypedDict):
    """A case guide that looks at a need with a person's own data: id, title, and topic among the filters.

    ``inquiry`` is the question that the guide is asked with: with the subject of its conversation and the title of the
    guide, without which another guide is often chosen by the words of the question alone. ``collected_data`` are the
    data of the guide that the question states, by field.
    """

    article_id: str
    title: str
    topic: str
    inquiry: str
    collected_data: dict[str, str]


class NearestNeed(TypedDict):
    """A numbered choice of a question that the program is unsure about: a need, and the provision that answers it.

    ``number`` begins at 1 and is that of the mark of the provision in the answer. ``need`` is a line as people ask, or
    the title of the provision. ``answer`` is a line of our plain-language summary, else of the text. ``question`` is
    the need with law and provision in parentheses: sent as the next question, it gets the answer of that provision.
    ``provision`` is a label ("Artículo 38").
    """

    number: int
    need: str
    answer: str
    question: str
    law_id: str
    law: str
    provision: str
    provision_key: str
    title: str
    url: str


class Suggestion(TypedDict):
    """A next question that an answer card answers: the need of the card, in the language of the turn, and its id."""

    question: str
    card: str


class Verdict(TypedDict):
    """What verify found about one mark of the answer."""

    mark: str
    valid: bool
    reason: str


class Tokens(TypedDict):
    """Tokens as the provider reports them (0 where it reports none)."""

    input: int
    output: int


class Usage(TypedDict):
    """What a turn has cost: HTTP requests to models, their tokens, milliseconds by stage."""

    turn: int
    model_calls: int
    tokens: Tokens
    stages: dict[str, float]


class StageEvent(TypedDict):
    """A stage begins."""

    type: Literal["stage"]
    stage: str


class TokenEvent(TypedDict):
    """Text of the answer, as the principal writes it."""

    type: Literal["token"]
    text: str


class RetryEvent(TypedDict):
    """What was shown so far is superseded: a new answer follows."""

    type: Literal["retry"]
    reason: str


class FinalEvent(TypedDict):
    """The authoritative result of the turn."""

    type: Literal["final"]
    result: dict[str, object]


StreamEvent = StageEvent | TokenEvent | RetryEvent | FinalEvent
