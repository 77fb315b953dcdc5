"""Values of a case: required data, sections of a response, violations, sources, shortfall, metadata.

Confidences are in [0, 1]. Lengths are counted in tokens.
"""

from typing import Literal

from typing_extensions import TypedDict

from articulado.values.articles import DataType


class ArticleReference(TypedDict):
    """The article that a case is handled by; ``confidence`` in [0, 1], two decimals."""

    article_id: str
    title: str
    confidence: float


class RequiredField(TypedDict):
    """A datum that the case needs; ``uncertain``: the context says too little to be sure of it."""

    field: str
    description: str
    why_needed: str
    data_type: DataType
    required: bool
    uncertain: bool


class RequiredFields(TypedDict):
    """The data that a case needs, of the person and of the plan (or the contract, or the employer)."""

    participant_data: list[RequiredField]
    plan_data: list[RequiredField]


FailureName = Literal["NoResultsFound", "InsufficientContext", "OutOfScope", "OtherArticle", "OtherValue"]
"""``NoResultsFound``: there is no article. ``OutOfScope``: none handles the inquiry. ``OtherArticle``: one of another
topic does than was asked for, or the data are those of another. ``OtherValue``: the inquiry names another value of a
filter field than the filter has, or is of an article that only the filter keeps out."""


class NamedConflict(TypedDict):
    """A filter field of which the inquiry names another value than the caller gave, and what to say of it.

    ``given`` is empty where nothing was given, or neither what was nor what is named is held.
    """

    field: str
    given: str
    message: str


class CaseFailure(TypedDict):
    """Why a case was not handed to the author: the name of the error, and what a user reads."""

    error: FailureName
    message: str


class Section(TypedDict):
    """A part of a response: complete sentences, the steps of one procedure in their order, warnings."""

    topic: str
    answer_components: list[str]
    steps: list[str]
    warnings: list[str]


class Response(TypedDict):
    """The answer to a case."""

    sections: list[Section]


class Violation(TypedDict):
    """Something that an answer may not say and said: the guardrail, and the text that was removed.

    The text is empty where the author reports a violation by words that its answer does not have.
    """

    guardrail: str
    rule: str
    removed: str


class Guardrails(TypedDict):
    """How many guardrails the answer was checked against, and which of them it broke."""

    checked: int
    violated: list[Violation]


class Source(TypedDict):
    """A chunk that the model was shown; ``provisions`` are those that it rests on."""

    chunk_id: int
    article_id: str
    article_title: str
    title: str
    chunk_type: str
    tier: str
    provisions: list[str]
    url: str


class LeftOut(TypedDict):
    """A chunk of the chosen article that had no room in the context."""

    chunk_id: int
    title: str
    chunk_type: str


AnswerPart = Literal["steps", "warnings"]
"""What an answer must have some of where its article has any."""


class Shortfall(TypedDict):
    """Of which parts an answer has none, though its article has some.

    ``max_tokens`` is the least that makes room for them; 0 where it was not room that they lacked.
    """

    parts: list[AnswerPart]
    max_tokens: int


class RejectedDatum(TypedDict):
    """A datum that was collected and is no value of its field: as given, what is wrong with it, what is accepted."""

    field: str
    given: str
    problem: str
    accepted: str


class CaseMetadata(TypedDict):
    """What a result rests on.

    ``article_id`` and ``article_title`` name the article that the case is handled by, or seems to belong to; both are
    empty where there is none. ``token_count`` = context + answer. ``raw_confidence`` is the confidence of what was
    found. ``missing_data`` are required data that were not collected or are no value of their field,
    ``unreadable_data`` all that are none, and ``rejected_data`` says why.
    ``conflicting_data`` came under several names with different values. ``dropped_items`` is what was left out of the
    answer to keep the budget, ``left_out`` the chunks of the article that its author was not shown for the same reason.
    """

    article_id: str
    article_title: str
    token_count: int
    context_tokens: int
    answer_tokens: int
    chunks_used: int
    chunk_ids: list[int]
    raw_confidence: float
    missing_data: list[str]
    unreadable_data: list[str]
    rejected_data: list[RejectedDatum]
    conflicting_data: list[str]
    dropped_items: list[str]
    left_out: list[LeftOut]
