"""Values of a case: the structured content of the chunks that decide it, and its results.

The content of a knowledge-base chunk (``Chunk.details``) has fields, rules, frames and steps, all plain
dictionaries. The file format is described in profiles/README.md; ``articulado.guides.schema`` validates it.
The results are required data, sections of a response, violations, sources, shortfall and metadata.
Confidences are in [0, 1]. Lengths are counted in tokens.
"""

from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from articulado.values.chunks import Chunk

DataType = Literal["text", "currency", "date", "boolean", "number"]
Group = Literal["participant_data", "plan_data"]
Decision = Literal["can_proceed", "uncertain", "out_of_scope"]
DataOutcome = Literal["found", "uncertain", "out_of_scope"]
"""What became of the search for the data that a case needs."""
Concern = Literal["taxes", "fees", "deadlines", "other"]


Elapsed = Literal["working_days", "days", "weeks", "months", "years"]
"""Units in which time is counted."""

CollectedValue = str | bool | int | float
"""A datum as it was sent."""

LEAST_NUMBER = 0
"""Least value of a number or an amount whose field names no ``min``."""


class Computed(TypedDict):
    """A number that follows from a date: the whole units from the date field ``since`` to ``until``.

    ``until`` is ``today``, ``year_end`` (31 December of this year) or another date field: ``today`` while that has no
    day.
    """

    since: str
    unit: Elapsed
    until: NotRequired[str]


class FieldSpec(TypedDict):
    """A datum that a case needs; ``aliases`` are other names under which callers send it.

    ``values`` are those of a text, each with other ways to write it. ``min`` and ``max`` are inclusive: numbers, or for
    a date a date expression (``articulado.guides.schema``). ``pattern`` is a regular expression that a text has
    somewhere, without regard to case and accents. ``accepts`` says in words what is accepted. ``unit`` is what a number
    of time is counted in: values in other units are converted. A date with a ``unit`` is when something began, and may
    be given by how long it has lasted. ``computed`` gives a number that was not sent.
    With ``several``, a text may name more than one of the ``values``.
    ``names`` is a filter field whose other values this datum may name, such as the institution that receives the money.
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
    """What a decision rule asks of one datum: exactly one of the comparisons.

    ``before`` and ``after`` are date expressions, and strict. With ``elapsed``, ``below`` and ``above`` are about the
    whole units of time from a date to the day of the case.
    """

    field: str
    one_of: NotRequired[list[str]]
    below: NotRequired[float]
    above: NotRequired[float]
    before: NotRequired[str]
    after: NotRequired[str]
    elapsed: NotRequired[Elapsed]


class CalculationRequest(TypedDict):
    """A calculation by its kind ("deadline/dismissal").

    ``inputs`` has the field of the article, or ``today``, that each input is read from, and ``given`` the inputs that
    the article itself fixes.
    """

    kind: str
    inputs: dict[str, str]
    given: NotRequired[dict[str, str]]


class DecisionRule(TypedDict):
    """The decision where a condition holds, where the last day of a calculated term has passed, or where both do.

    A rule with a calculation and without a decision is there for the result alone.
    """

    when: NotRequired[Condition]
    calculation: NotRequired[CalculationRequest]
    decision: NotRequired[Decision]
    because: NotRequired[str]


class WorkedCalculation(TypedDict):
    """A calculation of a case in words, the result first; ``kind`` and ``title`` name it."""

    kind: str
    title: str
    lines: list[str]


class Frame(TypedDict):
    """A sentence that an answer is built from."""

    topic: str
    text: str


class Guard(TypedDict):
    """What no answer may say; ``violated_by`` are regular expressions, searched without regard to case."""

    id: str
    rule: str
    violated_by: list[str]


class ArticleWarning(TypedDict):
    """A warning that belongs to what a chunk says."""

    about: Concern
    text: str


class Issue(TypedDict):
    """Something that often goes wrong, and what to do."""

    issue: str
    answer: str


class Faq(TypedDict):
    """A frequent question."""

    question: str
    answer: str


class Details(TypedDict, total=False):
    """The structured content of a chunk, by its type; ``warnings`` may go with any.

    ``article_title`` names its article. ``provisions`` are those that it rests on ("BOE-A-2015-11430#Artículo 55").
    ``inquiries``, of the first chunk of an article, are ways in which people ask for it: matched, and never shown.
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
    """Return the structured content of a chunk; empty where it has none."""
    return cast(Details, chunk.get("details", {}))


def article_title(chunk: Chunk) -> str:
    """Return the title of the article that a chunk is of."""
    return details_of(chunk).get("article_title") or chunk["law_name"]


WRITERS_PARTS = frozenset(("decision_guide", "response_frames", "guardrails"))
"""Types of chunk that tell the writer of an answer what to do: their titles are of no use to who reads it."""


def shown_title(chunk: Chunk) -> str:
    """Return the title under which a part of an article is shown to people; for the writer's own, the article's."""
    return article_title(chunk) if chunk["chunk_type"] in WRITERS_PARTS else chunk["title"] or article_title(chunk)


class ArticleReference(TypedDict):
    """The article that a case is handled by; ``confidence`` in [0, 1], two decimals."""

    article_id: str
    title: str
    confidence: float


class Accepted(TypedDict, total=False):
    """The values of a datum that its article lists, and in the article's words what is accepted, where it says so."""

    values: list[str]
    accepts: str


class RequiredField(Accepted):
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

    ``given`` is empty if nothing was given. ``is_held``: the profile has articles for what is named.
    """

    field: str
    given: str
    message: str
    is_held: bool


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


class CitedProvision(TypedDict):
    """A provision that a guide rests on: ``law`` is a name to be read, ``provision`` a label ("Artículo 55")."""

    law_id: str
    law: str
    provision: str
    url: str


class Source(TypedDict):
    """A chunk that the model was shown; ``provisions`` are those that it rests on, ``cited`` the same to be shown."""

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


class MissingField(TypedDict):
    """A datum that is asked for: ``given`` and ``problem`` are there if something was sent that is no value."""

    field: str
    description: str
    why_needed: str
    json_schema: dict[str, Any]
    given: NotRequired[str]
    problem: NotRequired[str]


class MissingData(TypedDict):
    """Value of the interrupt of a case that lacks data; it is resumed with an object of values by field."""

    type: Literal["missing_data"]
    article_id: str
    article_title: str
    message: str
    fields: list[MissingField]


class CaseMetadata(TypedDict):
    """What a result rests on.

    ``article_id`` and ``article_title`` name the article that the case is handled by, or seems to belong to; both are
    empty where there is none. ``token_count`` = context + answer. ``raw_confidence`` is the confidence of what was
    found. ``missing_data`` are required data that were not collected or are no value of their field,
    ``unreadable_data`` all that are none, and ``rejected_data`` says why.
    ``conflicting_data`` came under several names with different values. ``dropped_items`` is what was left out of the
    answer to keep the budget, ``left_out`` the chunks of the article that its author was not shown for the same reason.
    ``question`` asks the same of ``rag``: the inquiry, and the data of the case as sentences.
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
