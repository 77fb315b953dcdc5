"""State of the two case graphs; ``with_filters`` adds the filter fields of a profile as keys."""

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
    """Input of ``required_data``, besides the filter fields of the profile."""

    inquiry: Required[str]


class CaseInput(RequiredDataInput, total=False):
    """Input of ``generate_response``, besides the filter fields of the profile.

    ``collected_data`` maps names of data to values, also in groups (``participant_data``, ``plan_data``).
    ``max_tokens`` limits context and answer together.
    """

    collected_data: Annotated[dict[str, Any], EphemeralValue]
    max_tokens: Annotated[int, EphemeralValue]


class RequiredDataOutput(Totals):
    """Output of ``required_data``; ``article_reference`` is ``None`` if no article was found."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    required_fields: RequiredFields
    message: str
    sources: list[Source]
    metadata: CaseMetadata


class ResponseOutput(Totals):
    """Output of ``generate_response``; ``message`` explains a decision not to proceed."""

    decision: Decision
    confidence: float
    response: Response
    guardrails: Guardrails
    message: str
    sources: list[Source]
    metadata: CaseMetadata


class CaseTurn(TypedDict):
    """Keys that ``accept_case`` resets.

    - ``collected``: the validated data of the caller; ``budget``: ``max_tokens`` or its default.
    - ``filters``: values of the filter fields; ``assumed``: those taken from the article because nobody gave one;
      ``conflicts``: contradictions of the inquiry.
    - ``log_odds``: match of inquiry and article, before calibration.
    - ``critical``: chunks that every answer needs; ``of_article``: other chunks of the article.
    - ``wanted``: required fields; ``untyped``: those without a value; ``left_open``: those that the person did not
      answer; ``ask_problem``: error in the last answer.
    - ``essential_tokens``: tokens of a context with all steps and warnings of the article; ``worked``: calculations.
    """

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
    left_out: list[LeftOut]
    dropped_items: list[str]
    shortfall: Shortfall
    failure: CaseFailure | None
    worked: list[WorkedCalculation]
    required_fields: RequiredFields


class CaseState(CaseInput, ResponseOutput, Frame, Search, CaseTurn, total=False):
    """All keys of the case graphs; ``drafted``: reply of the author; ``reason``: its reason, if it may be shown."""

    outcome: DataOutcome
    article_reference: ArticleReference | None
    raw_confidence: float
    drafted: dict[str, Any]
    reason: str


def with_filters(schema: type[Any], fields: Sequence[str]) -> type[Any]:
    """Return a schema with filter fields as optional keys; ``ValueError`` if one is a key of the state."""
    if taken := set(fields) & set(CaseState.__annotations__):
        raise ValueError(min(taken))
    own = dict.fromkeys(fields, Annotated[str, EphemeralValue])
    keys = {**schema.__annotations__, **own}
    filtered: type[Any] = TypedDict(schema.__name__, keys, total=False)  # type: ignore[misc]
    return filtered
