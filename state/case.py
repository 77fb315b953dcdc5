"""State of the two case graphs: input, output and internal keys.

``with_filters`` adds the filter fields of a profile as keys.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Required

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from articulado.values.cases import (
    ArticleReference,
    CaseFailure,
    CaseMetadata,
    CollectedValue,
    DataOutcome,
    Decision,
    FieldSpec,
    Guardrails,
    LeftOut,
    NamedConflict,
    RequiredFields,
    Response,
    Shortfall,
    Source,
    WorkedCalculation,
)
from articulado.values.chunks import Candidate, Chunk
from state.run import Frame, Search, Totals


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


class RequiredDataOutput(Totals):
    """What ``required_data`` gives back; ``article_reference`` is ``None`` where nothing was found."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    required_fields: RequiredFields
    message: str
    sources: list[Source]
    metadata: CaseMetadata


class ResponseOutput(Totals):
    """What ``generate_response`` gives back; ``message`` says why where the decision is not to proceed."""

    decision: Decision
    confidence: float
    response: Response
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata


class CaseState(CaseInput, Totals, Frame, Search, total=False):
    """All keys of the case graphs: those of a run and of a search, the input, and these.

    ``collected`` are the data that the caller sent, checked, by their own names; ``budget`` is ``max_tokens`` with its
    default. ``filters`` are the values of the profile's filter fields, ``assumed`` those that were taken from the
    article because neither the caller nor the inquiry gave one, ``conflicts`` what the inquiry names against them.
    ``article_id`` and ``article_title`` name the article that the case is handled by; ``log_odds`` says how well the
    inquiry alone matches it, before calibration. ``critical`` are the chunks that no answer goes without,
    ``of_article`` the others that an answer may use of the article, ``wanted`` what the case needs,
    ``untyped`` the required fields without a value, ``left_open`` those that the person left open when
    asked, ``ask_problem`` says what was wrong with the last answer.
    ``essential_tokens`` are those of a context with steps and warnings of the article. ``drafted`` is what the author
    wrote, ``worked`` are the calculations that the article asks for, ``reason`` what it says of its decision and may be
    shown.
    """

    outcome: DataOutcome
    context: list[Candidate]
    collected: dict[str, CollectedValue]
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
    untyped: list[str]
    left_open: list[str]
    ask_problem: str
    context_tokens: int
    essential_tokens: int
    raw_confidence: float
    left_out: list[LeftOut]
    dropped_items: list[str]
    shortfall: Shortfall
    failure: CaseFailure | None
    drafted: dict[str, Any]
    worked: list[WorkedCalculation]
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
