"""Values of a case: content of knowledge-base chunks (``Chunk.details``), and results of a case.

profiles/README.md describes the file format, ``articulado.guides.schema`` validates it. Confidences are in [0, 1].
"""

from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from articulado.values.chunks import Chunk

DataType = Literal["text", "currency", "date", "boolean", "number"]
Group = Literal["participant_data", "plan_data"]
Decision = Literal["can_proceed", "uncertain", "out_of_scope"]
DataOutcome = Literal["found", "uncertain", "out_of_scope"]  # result of the search for required data
Concern = Literal["taxes", "fees", "deadlines", "other"]


Elapsed = Literal["working_days", "days", "weeks", "months", "years"]

CollectedValue = str | bool | int | float

LEAST_NUMBER = 0  # minimum of numbers whose field has no `min`


class Computed(TypedDict):
    """Number of whole units from date field ``since`` to ``until``: ``today``, ``year_end`` (31 December), or a date
    field (``today`` while empty).
    """

    since: str
    unit: Elapsed
    until: NotRequired[str]


class FieldSpec(TypedDict):
    """A datum that a case needs.

    ``aliases``: other names used by callers. ``values``: accepted texts with variants, more than one with ``several``.
    ``min`` and ``max``: inclusive numbers or date expressions. ``pattern``: regular expression, case and accents
    ignored. ``accepts``: description of accepted values. ``unit``: unit of time to which values are converted; a date
    with a unit may be given as elapsed time. ``computed``: derivation of a missing number. ``names``: filter field
    whose other values this datum may name, such as the institution that receives money.
    """

    field: str
    group: Group
    description: str
    why_needed: str
    data_type: DataType
    required: bool
    aliases: list[str]
    values: NotRequired[dict[str, list[str]]]
    min: NotRequired[float | str]
    max: NotRequired[float | str]
    pattern: NotRequired[str]
    accepts: NotRequired[str]
    unit: NotRequired[Elapsed]
    several: NotRequired[bool]
    names: NotRequired[str]
    computed: NotRequired[Computed]


class Condition(TypedDict):
    """Exactly one comparison of a datum in a decision rule.

    ``before`` and ``after``: date expressions, exclusive. With ``elapsed``, ``below`` and ``above`` compare whole units
    of time since a date.
    """

    field: str
    one_of: NotRequired[list[str]]
    below: NotRequired[float]
    above: NotRequired[float]
    before: NotRequired[str]
    after: NotRequired[str]
    elapsed: NotRequired[Elapsed]


class CalculationRequest(TypedDict):
    """Calculation by kind ("deadline/dismissal"); ``inputs``: field (or ``today``) of each input; ``given``: fixed
    inputs.
    """

    kind: str
    inputs: dict[str, str]
    given: NotRequired[dict[str, str]]


class DecisionRule(TypedDict):
    """Decision if the condition holds and the calculated term has ended; without ``decision``, only the result is
    shown.
    """

    when: NotRequired[Condition]
    calculation: NotRequired[CalculationRequest]
    decision: NotRequired[Decision]
    because: NotRequired[str]


class WorkedCalculation(TypedDict):
    """Calculation of a case in words, the result first."""

    kind: str
    title: str
    lines: list[str]


class Frame(TypedDict):
    """Sentence from which an answer is built."""

    topic: str
    text: str


class Guard(TypedDict):
    """Statement that no answer may make; ``violated_by``: regular expressions, case ignored."""

    id: str
    rule: str
    violated_by: list[str]


class ArticleWarning(TypedDict):
    """Warning about a chunk's content."""

    about: Concern
    text: str


class Issue(TypedDict):
    """Frequent problem and its solution."""

    issue: str
    answer: str


class Faq(TypedDict):
    """Frequent question."""

    question: str
    answer: str


class Details(TypedDict, total=False):
    """Structured content of a chunk, by its type.

    ``provisions``: its legal basis ("BOE-A-2015-11430#Artículo 55"). ``inquiries``: ways to ask for the article,
    matched but never shown.
    """

    article_title: str
    inquiries: list[str]
    fields: list[FieldSpec]
    rules: list[DecisionRule]
    frames: list[Frame]
    guards: list[Guard]
    steps: list[str]
    issues: list[Issue]
    faqs: list[Faq]
    warnings: list[ArticleWarning]
    provisions: list[str]


def details_of(chunk: Chunk) -> Details:
    return cast(Details, chunk.get("details", {}))


def article_title(chunk: Chunk) -> str:
    return details_of(chunk).get("article_title") or chunk["law_name"]


WRITERS_PARTS = frozenset(("decision_guide", "response_frames", "guardrails"))
"""Chunk types with instructions for the writer; readers see the article's title instead."""


def shown_title(chunk: Chunk) -> str:
    """Return the title for readers: the chunk's, or the article's if the chunk is for the writer or has none."""
    return article_title(chunk) if chunk["chunk_type"] in WRITERS_PARTS else chunk["title"] or article_title(chunk)


class ArticleReference(TypedDict):
    """Article that handles a case; ``confidence`` in [0, 1], two decimals."""

    article_id: str
    title: str
    confidence: float


class Accepted(TypedDict, total=False):
    """Accepted values of a datum, as listed or described by its article."""

    values: list[str]
    accepts: str


class RequiredField(Accepted):
    """Datum that the case needs; ``uncertain``: the context is too thin to be sure."""

    field: str
    description: str
    why_needed: str
    data_type: DataType
    required: bool
    uncertain: bool


class RequiredFields(TypedDict):
    """Required data of the person and of the plan, contract or employer."""

    participant_data: list[RequiredField]
    plan_data: list[RequiredField]


FailureName = Literal["NoResultsFound", "InsufficientContext", "OutOfScope", "OtherArticle", "OtherValue"]
"""``NoResultsFound``: no article. ``OutOfScope``: no article handles the inquiry. ``OtherArticle``: an article of
another topic than requested does. ``OtherValue``: the inquiry names another filter value than the caller.
"""


class NamedConflict(TypedDict):
    """Filter field with another value in the inquiry than given by the caller (empty: none given), and a message.

    ``is_held``: the profile has articles for the named value.
    """

    field: str
    given: str
    message: str
    is_held: bool


class CaseFailure(TypedDict):
    """Reason why a case was not answered: error name, and message for the user."""

    error: FailureName
    message: str


class Section(TypedDict):
    """Part of a response: sentences, steps of one procedure in order, warnings."""

    topic: str
    answer_components: list[str]
    steps: list[str]
    warnings: list[str]


class Response(TypedDict):
    """Answer to a case."""

    sections: list[Section]


class Violation(TypedDict):
    """Forbidden statement removed from an answer; ``removed`` is empty if the answer lacks the reported words."""

    guardrail: str
    rule: str
    removed: str


class Guardrails(TypedDict):
    """Number of checked guardrails, and the violated ones."""

    checked: int
    violated: list[Violation]


class CitedProvision(TypedDict):
    """Legal basis of a guide: readable law name, and label of the provision ("Artículo 55")."""

    law_id: str
    law: str
    provision: str
    url: str


class Source(TypedDict):
    """Chunk shown to the model; ``cited``: its ``provisions`` for display."""

    chunk_id: int
    article_id: str
    article_title: str
    title: str
    chunk_type: str
    tier: str
    provisions: list[str]
    cited: list[CitedProvision]
    url: str


class LeftOut(TypedDict):
    """Chunk of the chosen article that did not fit into the context."""

    chunk_id: int
    title: str
    chunk_type: str


AnswerPart = Literal["steps", "warnings"]  # parts that an answer needs if its article has them


class Shortfall(TypedDict):
    """Parts missing from an answer although its article has them.

    ``max_tokens``: smallest limit with room for them; 0 if room was not the cause.
    """

    parts: list[AnswerPart]
    max_tokens: int


class RejectedDatum(TypedDict):
    """Collected datum that is no value of its field: as given, the problem, and accepted values."""

    field: str
    given: str
    problem: str
    accepted: str


class MissingField(TypedDict):
    """Requested datum; ``given`` and ``problem`` describe an unusable value."""

    field: str
    description: str
    why_needed: str
    json_schema: dict[str, Any]
    given: NotRequired[str]
    problem: NotRequired[str]


class MissingData(TypedDict):
    """Interrupt of a case that lacks data; resume it with an object of values by field."""

    type: Literal["missing_data"]
    article_id: str
    article_title: str
    message: str
    fields: list[MissingField]


class CaseMetadata(TypedDict):
    """Basis of a result.

    ``article_id`` and ``article_title``: the article that handles the case or seems to; empty if none. ``token_count``:
    context + answer. ``raw_confidence``: of the search. ``missing_data``: required data not collected or unusable;
    ``unreadable_data``: all unusable data, with reasons in ``rejected_data``; ``conflicting_data``: sent under several
    names with different values. ``dropped_items``: removed from the answer, and ``left_out``: chunks not shown, to keep
    the budget. ``question``: the inquiry and data as sentences, to ask ``rag`` the same.
    """

    article_id: str
    article_title: str
    question: str
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
