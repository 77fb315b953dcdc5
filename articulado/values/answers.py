"""Values of a question and its answer: messages, citations, verdicts, usage, stream events. Days are ISO 8601."""

from datetime import date
from typing import Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

from articulado.values.chunks import Agreement, TextState

AnswerOutcome = Literal["answer", "near", "decline", "ask"]
"""Answered, nearest provisions shown with a warning, declined, or asked for missing data."""
StoreName = Literal["index", "records"]  # the index, or the packaged records, which need neither index nor embedder

RerankStrategy = Literal["auto", "none", "learnt", "heuristic", "cross_encoder", "llm", "api"]
"""``auto``: the cross-encoder if its files are installed, else the learnt ranking (known domains) or the heuristic."""


class Days(NamedTuple):
    """Day whose law is asked for (``None``: today's law), and today."""

    as_of: date | None
    today: date


class Message(TypedDict):
    """A message of the conversation as callers send and receive it.

    ``new_topic`` (thread memory only): the question left the earlier subject. ``outcome`` of an answer; unknown counts
    as "answer".
    """

    role: Literal["user", "assistant"]
    content: str
    new_topic: NotRequired[bool]
    outcome: NotRequired[AnswerOutcome]


class Need(TypedDict):
    """Named provision or keyword search that the model, or the check of its answer (``by_check``), asks for."""

    kind: Literal["article", "keywords"]
    article: str
    law: str
    keywords: str
    by_check: NotRequired[bool]


TurnKind = Literal["alone", "adds", "same", "courtesy"]  # Independent, adds to the subject, repeats it, or thanks


class NamedProvision(TypedDict):
    """Provision named by the question."""

    law_id: str
    provision_key: str


class NamedDecision(TypedDict):
    """Ruling or criterion named by the question, by ``key`` or ``ecli``; ``name`` as written."""

    key: str
    ecli: str
    name: str


class Span(TypedDict):
    """Slice ``text[start:end]`` of a question."""

    start: int
    end: int


class NamedCitation(Span):
    """Cited provision; ``law_id`` is empty for an unregistered or unnamed law."""

    law_id: str
    provision_key: str


class NamedLaw(Span):
    """Named law; ``law_id`` is empty for an unregistered one."""

    law_id: str


class NamedPlace(Span):
    """Community or city, by its canonical name."""

    name: str


class NamedDay(Span):
    """Past day (ISO 8601) as of which the question asks."""

    day: str


MentionType = Literal["date", "amount", "count", "share", "number"]


class NamedValue(Span):
    """Day (ISO 8601), amount of money, duration or other count, share, or bare number.

    ``unit``: "euro", or of a count "day", "week", "month", "year", "hour", or "#" and a stem. ``per``: "day", "week",
    "month" or "year".
    """

    type: MentionType
    value: str
    unit: str
    per: str


class MendedWord(Span):
    """Misspelt words as ``written``, and as ``read``."""

    written: str
    read: str


class TurnQuestion(TypedDict):
    """A question as understood in its conversation.

    ``asked``: as sent, or as the chosen option; ``text``: as read (words in ``mended`` replaced), with provisions of
    earlier turns; ``subject``: earlier subject that it depends on, or empty. ``language``: code if it differs from the
    profile's. ``meant``: ids of answer cards that a question in another language may ask for, the likeliest first; a
    single one is certain.

    ``new_topic``: nothing is carried over. ``about_answer``: about the last answer, nothing is searched.
    ``asks_deadline``: a follow-up that asks how long somebody has to act.
    ``other_matter``: other field of knowledge according to the reader; empty: unnamed field, ``None``: same field.

    ``is_lookup``: asks only for the text of its ``provisions`` and ``decisions``; ``missing`` tells why they are not in
    the index. ``territory``: canonical name. ``agreements``: ids of named collective agreements, ``agreement_names``
    their words; ``excluded_laws``: other agreements, never cited.

    ``topic`` and ``subject_topic``: words of text and subject without provisions, days, measures and agreement names;
    ``stems``: of both. These and the spans were read from ``read_from``.
    """

    asked: str
    mended: list[MendedWord]
    text: str
    subject: str
    kind: TurnKind
    new_topic: bool
    about_answer: bool
    asks_deadline: bool
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
    return {
        "asked": text,
        "mended": [],
        "text": text,
        "subject": subject,
        "kind": kind,
        "new_topic": False,
        "about_answer": False,
        "asks_deadline": False,
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
    """Tell if the question adds words to an earlier subject, which it depends on."""
    return bool(question["subject"]) and question["kind"] != "same"


def whole_text(question: TurnQuestion) -> str:
    """Return question and subject as one text: "¿y de baja? ¿cuántas vacaciones tengo?"."""
    return f"{question['text']} {question['subject']}".strip()


def searched_topic(question: TurnQuestion) -> str:
    return f"{question['topic']} {question['subject_topic']}".strip()


class Citation(TypedDict):
    """Fragment that the answer rests on.

    ``official``: false for our summaries and users' documents; ``document``: file name of the latter, absent from old
    answers. ``summary`` is ours and may be empty. The wording is in force from ``valid_from`` until the day before
    ``valid_to`` (``None``: open); ``wording`` names it if another day's law is asked for. ``note`` tells readers the
    ``text_state``. ``page``: empty for files without pages. A provision that the answer names but the model did not
    read has ``text`` and an empty ``mark``.
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
    """Case guide that uses a person's own data; ``topic`` is its topic among the filters.

    ``inquiry``: question to ask the guide, with its title and the conversation's subject. ``collected_data``: data that
    the question states, by field.
    """

    article_id: str
    title: str
    topic: str
    inquiry: str
    collected_data: dict[str, str]


class NearestNeed(TypedDict):
    """Numbered choice offered for an unclear question: a need, and the provision that answers it.

    ``number``: from 1, equal to the provision's mark. ``need``: a line as people ask, or the provision's title.
    ``answer``: a line of our summary or of the text. ``question``: the need with law and provision in parentheses; sent
    back, it gets that provision's answer. ``provision``: label ("Artículo 38").
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
    """Next question, in the language of the turn, with the id of the answer card that answers it."""

    question: str
    card: str


class Verdict(TypedDict):
    """Result of the check of one mark of the answer."""

    mark: str
    valid: bool
    reason: str


class Tokens(TypedDict):
    """Tokens reported by the provider; 0 if it reports none."""

    input: int
    output: int


class Usage(TypedDict):
    """Cost of a turn: HTTP requests to models, tokens, and milliseconds by stage."""

    turn: int
    model_calls: int
    tokens: Tokens
    stages: dict[str, float]


class StageEvent(TypedDict):
    """A stage begins."""

    type: Literal["stage"]
    stage: str


class TokenEvent(TypedDict):
    """Text of the answer while it is written."""

    type: Literal["token"]
    text: str


class RetryEvent(TypedDict):
    """All text so far is replaced by a new answer."""

    type: Literal["retry"]
    reason: str


class FinalEvent(TypedDict):
    """Authoritative result of the turn."""

    type: Literal["final"]
    result: dict[str, object]


StreamEvent = StageEvent | TokenEvent | RetryEvent | FinalEvent
