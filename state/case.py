"""The state of the two case graphs: what a caller sends and gets back, over the state of the answering graph."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Required

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from state.articles import DataType, Decision, FieldSpec
from state.chunks import Chunk
from state.rag import RagState
from state.reducers import add_usage
from state.values import DataOutcome, Usage


class RequiredDataInput(TypedDict, total=False):
    """What ``required_data`` takes, beside the filter fields of the profile (``with_filters``)."""

    inquiry: Required[str]


class CaseInput(RequiredDataInput, total=False):
    """What ``generate_response`` takes, beside the filter fields of the profile.

    ``collected_data`` holds a value for each datum, by its name, also in groups (``participant_data``, ``plan_data``).
    ``max_tokens`` bounds context and answer of a response together.
    """

    collected_data: Annotated[dict[str, Any], EphemeralValue]
    max_tokens: Annotated[int, EphemeralValue]


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


class RequiredDataOutput(TypedDict):
    """What ``required_data`` gives back; ``article_reference`` is ``None`` where nothing was found."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    required_fields: RequiredFields
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]
    usage: Annotated[Usage, add_usage]


class ResponseOutput(TypedDict):
    """What ``generate_response`` gives back; ``message`` says why where the decision is not to proceed."""

    decision: Decision
    confidence: float
    response: Response
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata
    warnings: list[str]
    usage: Annotated[Usage, add_usage]


class CaseState(RagState, CaseInput, total=False):
    """All keys of the case graphs: those of the answering graph, the input, and these.

    ``collected`` are the data that the caller sent, checked, by their own names; ``budget`` is ``max_tokens`` with its
    default. ``filters`` are the values of the profile's filter fields, ``assumed`` those that were taken from the
    article because neither the caller nor the inquiry gave one, ``conflicts`` what the inquiry names against them.
    ``article_id`` and ``article_title`` name the article that the case is handled by; ``log_odds`` says how well the
    inquiry alone matches it, before calibration. ``critical`` are the chunks that no answer goes without,
    ``of_article`` the others that an answer may use of the article, ``wanted`` what the case needs.
    ``essential_tokens`` are those of a context with steps and warnings of the article. ``drafted`` is what the author
    wrote, ``reason`` what it says of its decision and may be shown.
    """

    collected: dict[str, str]
    budget: int
    filters: dict[str, str]
    assumed: dict[str, str]
    conflicts: list[NamedConflict]
    article_id: str
    article_title: str
    log_odds: float
    critical: list[Chunk]
    of_article: list[Chunk]
    wanted: list[FieldSpec]
    context_tokens: int
    essential_tokens: int
    raw_confidence: float
    left_out: list[LeftOut]
    dropped_items: list[str]
    shortfall: Shortfall
    failure: CaseFailure | None
    drafted: dict[str, Any]
    reason: str
    article_reference: ArticleReference | None
    required_fields: RequiredFields
    decision: Decision
    confidence: float
    response: Response
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata


def with_filters(schema: type[Any], fields: Sequence[str]) -> type[Any]:
    """Return a schema of the case graphs with the filter fields of a profile as keys of their own.

    They are optional texts that live for one step: on a thread, a run never sees those of the one before.

    Raises:
        ValueError: a field has the name of another key of the state.
    """
    if taken := set(fields) & set(CaseState.__annotations__):
        raise ValueError(min(taken))
    own = dict.fromkeys(fields, Annotated[str, EphemeralValue])
    keys = {**schema.__annotations__, **own}
    filtered: type[Any] = TypedDict(schema.__name__, keys, total=False)  # type: ignore[misc]
    return filtered
