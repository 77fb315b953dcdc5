"""Pydantic schemas filled in by the author of a case, and the rendering of its context.

``RequiredData`` lists the data that a case needs. ``CaseResponse`` holds decision, reason, answer and
guardrail violations. ``render`` writes chunks as the text that a model reads. Blank strings are rejected by
a validator, because providers with strict schemas do not support ``minLength``.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from articulado.prompting.stream_splitter import defuse_self_evaluation
from articulado.values.articles import article_title
from articulado.values.chunks import Chunk


def _stripped(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


# A validator instead of a length in the schema: providers with strict schemas do not know "minLength".
NonBlank = Annotated[str, AfterValidator(_stripped)]
"""A text that is not blank, stripped."""

_CONFIG = ConfigDict(extra="forbid")


class ArticleNamed(BaseModel):
    """The article of the context that fits the inquiry best."""

    model_config = _CONFIG

    article_id: NonBlank
    title: str
    confidence: float = Field(ge=0, le=1, description="How sure it is that this article fits, from 0 to 1")


class FieldNeeded(BaseModel):
    """One datum that has to be collected before the case can be answered."""

    model_config = _CONFIG

    field: NonBlank = Field(description="Name in snake_case, as the context has it")
    description: NonBlank
    why_needed: NonBlank
    data_type: Literal["text", "currency", "date", "boolean", "number"]
    required: bool
    uncertain: bool = Field(default=False, description="True for a guess: the context implies it at best")


class FieldsNeeded(BaseModel):
    """The data of the person and of the plan, the contract or the employer."""

    model_config = _CONFIG

    participant_data: list[FieldNeeded]
    plan_data: list[FieldNeeded]


class RequiredData(BaseModel):
    """What a case needs, as far as the context says or implies it."""

    model_config = _CONFIG

    article_reference: ArticleNamed
    required_fields: FieldsNeeded


class AnswerSection(BaseModel):
    """A part of the answer: complete sentences, the steps of one procedure in order, warnings."""

    model_config = _CONFIG

    topic: NonBlank
    answer_components: list[NonBlank]
    steps: list[NonBlank]
    warnings: list[NonBlank]


class Answer(BaseModel):
    """The sections of an answer, the most important first."""

    model_config = _CONFIG

    sections: list[AnswerSection]


class GuardrailBroken(BaseModel):
    """A guardrail of the context that the answer would break, and the words that break it."""

    model_config = _CONFIG

    guardrail: NonBlank
    text: NonBlank


class CaseResponse(BaseModel):
    """The answer to a case, from the context alone."""

    model_config = _CONFIG

    decision: Literal["can_proceed", "uncertain", "out_of_scope"]
    reason: Annotated[str, AfterValidator(str.strip)] = Field(
        description="Why the case cannot go on, in one or two sentences; empty where it can"
    )
    response: Answer
    guardrails_violated: list[GuardrailBroken] = Field(
        default_factory=list, description="Every item of your answer that breaks a guardrail; empty where none does"
    )


SEPARATOR = "\n---\n"


def render(chunks: Sequence[Chunk]) -> str:
    """Return the text of chunks in their order, each after a heading with its type, title and article."""
    return SEPARATOR.join(_render(chunk) for chunk in chunks)


def _render(chunk: Chunk) -> str:
    heading = f"[{chunk['chunk_type']}] {chunk['title']} (article {chunk['law_id']}: {article_title(chunk)})"
    text = "\n".join(_escaped(line) for line in chunk["text"].strip().split("\n"))
    return f"{_escaped(heading)}\n{text}"


def _escaped(line: str) -> str:
    """Return a line that cannot pass for a separator or a heading of the context."""
    return "—" if line.strip() and set(line.strip()) == {"-"} else defuse_self_evaluation(line)
