"""Structured content of a knowledge-base chunk (``Chunk.details``): fields, rules, frames, steps.

All values are plain dictionaries. The file format is described in profiles/README.md.
``articulado.ingestion.articles`` validates it.
"""

from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from articulado.values.chunks import Chunk

DataType = Literal["text", "currency", "date", "boolean", "number"]
Group = Literal["participant_data", "plan_data"]
Decision = Literal["can_proceed", "uncertain", "out_of_scope"]
Concern = Literal["taxes", "fees", "deadlines", "other"]


Elapsed = Literal["working_days", "days", "weeks", "months", "years"]
"""Units in which time is counted."""

LEAST_NUMBER = 0
"""Least value of a number or an amount whose field names no ``min``."""


class FieldSpec(TypedDict):
    """A datum that a case needs; ``aliases`` are other names under which callers send it.

    ``values`` are those of a text, each with other ways to write it. ``min`` and ``max`` are inclusive: numbers, or for
    a date a date expression (``articulado.guides.data_values``). ``pattern`` is a regular expression that a text has
    somewhere, without regard to case and accents. ``accepts`` says in words what is accepted. ``unit`` is what a number
    of time is counted in: values in other units are converted. A date with a ``unit`` is when something began, and may
    be given by how long it has lasted.
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


class DecisionRule(TypedDict):
    """The decision where a condition holds."""

    when: Condition
    decision: Decision
    because: str


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
