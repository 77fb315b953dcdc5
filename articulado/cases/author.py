"""Authors of required data and answer of a case (chat model or offline), and the schemas that they fill in."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from articulado.config.profile import Profile
from articulado.prompting.prompts import load_prompt
from articulado.prompting.stream_splitter import defuse_self_evaluation
from articulado.values.cases import FieldSpec, Group, WorkedCalculation, article_title, details_of, shown_title
from articulado.values.chunks import Chunk
from articulado.values.protocols import ChatModel, Structured


def _stripped(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


# A validator instead of a length in the schema: providers with strict schemas do not know "minLength".
NonBlank = Annotated[str, AfterValidator(_stripped)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ArticleNamed(_Form):
    """The article of the context that fits the inquiry best."""

    article_id: NonBlank
    title: str
    confidence: float = Field(ge=0, le=1, description="How sure it is that this article fits, from 0 to 1")


class FieldNeeded(_Form):
    """One datum that has to be collected before the case can be answered."""

    field: NonBlank = Field(description="Name in snake_case, as the context has it")
    description: NonBlank
    why_needed: NonBlank
    data_type: Literal["text", "currency", "date", "boolean", "number"]
    required: bool
    uncertain: bool = Field(default=False, description="True for a guess: the context implies it at best")


class FieldsNeeded(_Form):
    """The data of the person and of the plan, the contract or the employer."""

    participant_data: list[FieldNeeded]
    plan_data: list[FieldNeeded]


class RequiredData(_Form):
    """Data that a case needs, as far as the context says or implies it."""

    article_reference: ArticleNamed
    required_fields: FieldsNeeded


class AnswerSection(_Form):
    """A part of the answer: complete sentences, the steps of one procedure in order, warnings."""

    topic: NonBlank
    answer_components: list[NonBlank]
    steps: list[NonBlank]
    warnings: list[NonBlank]


class Answer(_Form):
    """The sections of an answer, the most important first."""

    sections: list[AnswerSection]


class GuardrailBroken(_Form):
    """A guardrail of the context that the answer would break, and the words that break it."""

    guardrail: NonBlank
    text: NonBlank


class CaseResponse(_Form):
    """The answer to a case, from the context alone."""

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
    heading = f"[{chunk['chunk_type']}] {shown_title(chunk)} (article {chunk['law_id']}: {article_title(chunk)})"
    text = "\n".join(_escaped(line) for line in chunk["text"].strip().split("\n"))
    return f"{_escaped(heading)}\n{text}"


def _escaped(line: str) -> str:
    return "—" if line.strip() and set(line.strip()) == {"-"} else defuse_self_evaluation(line)


@dataclass(frozen=True)
class CaseMaterial:
    """The input of an author: ``context`` renders ``chunks``, ``missing`` are required data not collected."""

    inquiry: str
    chunks: Sequence[Chunk]
    context: str
    article_id: str
    article_title: str
    answer_tokens: int
    filters: Mapping[str, str] = field(default_factory=dict)
    collected: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str] = ()
    calculations: Sequence[WorkedCalculation] = ()


class CaseAuthor(Protocol):
    """Fills in the schemas of a case from its context."""

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Return the data that the case needs; ``deadline`` is a Unix time in seconds."""
        ...

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]: ...


def assembled(chunks: Iterable[Chunk]) -> Answer:
    """Return frames, steps and warnings of chunks in their order, without repetitions."""
    return Answer(sections=_without_repeats([section for chunk in chunks for section in _sections(chunk)]))


def calculated_sections(calculations: Iterable[WorkedCalculation]) -> list[AnswerSection]:
    return [
        AnswerSection(topic=each["title"], answer_components=each["lines"], steps=[], warnings=[])
        for each in calculations
    ]


def _sections(chunk: Chunk) -> list[AnswerSection]:
    details = details_of(chunk)
    sections = [
        AnswerSection(topic=frame["topic"], answer_components=[frame["text"]], steps=[], warnings=[])
        for frame in details.get("frames", [])
    ]
    steps, warnings = details.get("steps", []), [warning["text"] for warning in details.get("warnings", [])]
    if steps or warnings:
        sections.append(AnswerSection(topic=shown_title(chunk), answer_components=[], steps=steps, warnings=warnings))
    return sections


def _without_repeats(sections: Sequence[AnswerSection]) -> list[AnswerSection]:
    """Merge sections of the same topic, and keep each warning once: articles share warnings."""
    merged: dict[str, AnswerSection] = {}
    warned: set[str] = set()
    for section in sections:
        new_warnings = [text for text in dict.fromkeys(section.warnings) if text not in warned]
        warned.update(new_warnings)
        topic_section = merged.setdefault(
            section.topic, AnswerSection(topic=section.topic, answer_components=[], steps=[], warnings=[])
        )
        topic_section.answer_components += [
            text for text in section.answer_components if text not in topic_section.answer_components
        ]
        topic_section.steps += [text for text in section.steps if text not in topic_section.steps]
        topic_section.warnings += new_warnings
    return [section for section in merged.values() if section.answer_components or section.steps or section.warnings]


S = TypeVar("S", bound=BaseModel)

TARGET_SHARE = 0.8
"""Share of the limit that the prompt asks for: models count badly, and a cut reply is lost."""

_REPORTED_CONFIDENCE = 1.0


class ModelCaseAuthor:
    """Satisfies ``CaseAuthor`` with the principal model; the prompt states the token limit."""

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self._model = model
        # Read now: a case is handled on the event loop, where files must not be.
        self._required_data = load_prompt("required_data", profile)
        self._respond = load_prompt("generate_response", profile)

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        return await self._ask(self._required_data, material, RequiredData, deadline)

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        return await self._ask(self._respond, material, CaseResponse, deadline)

    async def _ask(self, prompt: str, material: CaseMaterial, schema: type[S], deadline: float | None) -> Structured[S]:
        return await self._model.structured(
            _with_limit(prompt, material.answer_tokens),
            [{"role": "user", "content": message(material)}],
            schema,
            max_tokens=material.answer_tokens,
            deadline=deadline,
        )


def _with_limit(prompt: str, tokens: int) -> str:
    return prompt.replace("{limit}", str(tokens)).replace("{aim}", str(int(tokens * TARGET_SHARE)))


def message(material: CaseMaterial) -> str:
    """Return the user message: the context first, because it changes least, and the inquiry last."""
    parts = [f"CONTEXT:\n\n{material.context}"]
    for heading, values in (("CASE", material.filters), ("COLLECTED DATA", material.collected)):
        if values:
            parts.append(f"{heading}:\n{_json(values)}")
    if material.calculations:
        lines = [line for each in material.calculations for line in (f"{each['title']}:", *each["lines"])]
        parts.append("\n".join(["CALCULATIONS (by rules, shown with the answer; do not contradict them):", *lines]))
    if material.missing:
        parts.append(f"MISSING DATA (required, not collected):\n{', '.join(material.missing)}")
    return "\n\n".join([*parts, f"INQUIRY:\n{material.inquiry}"])


def _json(values: Mapping[str, str]) -> str:
    # As JSON, so that no value looks like another part of the message.
    return json.dumps(dict(values), ensure_ascii=False, indent=0)


class OfflineCaseAuthor:
    """Satisfies ``CaseAuthor`` from the structured content of the chunks."""

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Return the fields of the article; if it has none, those of other articles as uncertain."""
        fields, uncertain = _fields(material)
        article = ArticleNamed(
            article_id=material.article_id,
            title=material.article_title or material.article_id,
            confidence=_REPORTED_CONFIDENCE,
        )
        needed = FieldsNeeded(
            participant_data=_needed_fields(fields, "participant_data", uncertain),
            plan_data=_needed_fields(fields, "plan_data", uncertain),
        )
        return Structured(RequiredData(article_reference=article, required_fields=needed))

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        """Return frames, steps and warnings of the context; rules make the decision."""
        answer = assembled(material.chunks)
        return Structured(CaseResponse(decision="can_proceed", reason="", response=answer))


def _fields(material: CaseMaterial) -> tuple[list[FieldSpec], bool]:
    own = [chunk for chunk in material.chunks if chunk["law_id"] == material.article_id]
    for chunks, uncertain in ((own, False), (material.chunks, True)):
        fields = {spec["field"]: spec for chunk in chunks for spec in details_of(chunk).get("fields", [])}
        if fields:
            return list(fields.values()), uncertain
    return [], False


def _needed_fields(fields: Sequence[FieldSpec], group: Group, is_uncertain: bool) -> list[FieldNeeded]:
    return [
        FieldNeeded(
            field=spec["field"],
            description=spec["description"],
            why_needed=spec["why_needed"],
            data_type=spec["data_type"],
            required=spec["required"],
            uncertain=is_uncertain,
        )
        for spec in fields
        if spec["group"] == group
    ]


def case_author(principal: ChatModel | None, profile: Profile) -> CaseAuthor:
    return ModelCaseAuthor(principal, profile) if principal else OfflineCaseAuthor()
