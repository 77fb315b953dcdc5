"""Who writes what a case needs and what it is answered: a chat model, or offline the structure of the articles."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from services.case.author import CaseAuthor, CaseMaterial
from services.case.context import article_title
from services.case.schema import (
    Answer,
    AnswerSection,
    ArticleNamed,
    CaseResponse,
    FieldNeeded,
    FieldsNeeded,
    RequiredData,
)
from services.profile.profile import Profile
from services.prompting.prompts import load_prompt
from services.protocols import ChatModel, Structured
from services.settings import Settings
from state.articles import FieldSpec, Group, details_of
from state.chunks import Chunk

S = TypeVar("S", bound=BaseModel)

AIM = 0.8
"""Share of the limit that the model is told to aim for: models count badly, and a reply that is cut is lost."""


class ModelCaseAuthor:
    """Satisfies ``CaseAuthor`` with the principal model.

    The limit of the answer always stands in the prompt, and goes to the provider too where its model takes one.
    """

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self._model = model
        # Read now: a case is handled on the event loop, where files must not be.
        self._required_data = load_prompt("required_data", profile)
        self._respond = load_prompt("generate_response", profile)

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Ask the model what the case needs (``CaseAuthor.required_data``)."""
        return await self._ask(self._required_data, material, RequiredData, deadline)

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        """Ask the model for the answer (``CaseAuthor.respond``)."""
        return await self._ask(self._respond, material, CaseResponse, deadline)

    async def _ask(self, prompt: str, material: CaseMaterial, schema: type[S], deadline: float | None) -> Structured[S]:
        return await self._model.structured(
            _limited(prompt, material.answer_tokens),
            [{"role": "user", "content": message(material)}],
            schema,
            max_tokens=material.answer_tokens,
            deadline=deadline,
        )


def _limited(prompt: str, tokens: int) -> str:
    return prompt.replace("{limit}", str(tokens)).replace("{aim}", str(int(tokens * AIM)))


def message(material: CaseMaterial) -> str:
    """Write what the model is shown: the context first, which changes least, and the inquiry last."""
    parts = [f"CONTEXT:\n\n{material.context}"]
    for heading, values in (("CASE", material.filters), ("COLLECTED DATA", material.collected)):
        if values:
            parts.append(f"{heading}:\n{_json(values)}")
    if material.missing:
        parts.append(f"MISSING DATA (required, not collected):\n{', '.join(material.missing)}")
    return "\n\n".join([*parts, f"INQUIRY:\n{material.inquiry}"])


def _json(values: Mapping[str, str]) -> str:
    # As JSON, so that no value looks like another part of the message.
    return json.dumps(dict(values), ensure_ascii=False, indent=0)


_REPORTED = 1.0
"""What an author says of its confidence: the case measures its own."""


class OfflineCaseAuthor:
    """Satisfies ``CaseAuthor`` from the structured content of the chunks."""

    async def required_data(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[RequiredData]:
        """Return the fields of the article's required-data chunks; of other articles where it has none, as guesses."""
        fields, guessed = _fields(material)
        named = ArticleNamed(
            article_id=material.article_id, title=material.article_title or material.article_id, confidence=_REPORTED
        )
        needed = FieldsNeeded(
            participant_data=_of_group(fields, "participant_data", guessed),
            plan_data=_of_group(fields, "plan_data", guessed),
        )
        return Structured(RequiredData(article_reference=named, required_fields=needed))

    async def respond(self, material: CaseMaterial, *, deadline: float | None = None) -> Structured[CaseResponse]:
        """Assemble frames, steps and warnings of the context, in its order; deciding is left to its rules."""
        sections = [section for chunk in material.chunks for section in _sections(chunk)]
        answer = Answer(sections=_without_repeats(sections))
        return Structured(CaseResponse(decision="can_proceed", response=answer))


def _fields(material: CaseMaterial) -> tuple[list[FieldSpec], bool]:
    own = [chunk for chunk in material.chunks if chunk["law_id"] == material.article_id]
    for chunks, guessed in ((own, False), (material.chunks, True)):
        fields = {one["field"]: one for chunk in chunks for one in details_of(chunk).get("fields", [])}
        if fields:
            return list(fields.values()), guessed
    return [], False


def _of_group(fields: Sequence[FieldSpec], group: Group, guessed: bool) -> list[FieldNeeded]:
    return [
        FieldNeeded(
            field=one["field"],
            description=one["description"],
            why_needed=one["why_needed"],
            data_type=one["data_type"],
            required=one["required"],
            uncertain=guessed,
        )
        for one in fields
        if one["group"] == group
    ]


def _sections(chunk: Chunk) -> list[AnswerSection]:
    """Return what a chunk gives to an answer: a section for each frame, its steps, its warnings."""
    details = details_of(chunk)
    sections = [
        AnswerSection(topic=frame["topic"], answer_components=[frame["text"]], steps=[], warnings=[])
        for frame in details.get("frames", [])
    ]
    steps, warnings = details.get("steps", []), [one["text"] for one in details.get("warnings", [])]
    if steps or warnings:
        topic = chunk["title"] or article_title(chunk)
        sections.append(AnswerSection(topic=topic, answer_components=[], steps=steps, warnings=warnings))
    return sections


def _without_repeats(sections: Sequence[AnswerSection]) -> list[AnswerSection]:
    """Merge sections of the same topic, and keep each warning once: articles warn of the same things."""
    merged: dict[str, AnswerSection] = {}
    warned: set[str] = set()
    for section in sections:
        fresh = [text for text in dict.fromkeys(section.warnings) if text not in warned]
        warned.update(fresh)
        known = merged.setdefault(
            section.topic, AnswerSection(topic=section.topic, answer_components=[], steps=[], warnings=[])
        )
        known.answer_components += [text for text in section.answer_components if text not in known.answer_components]
        known.steps += [text for text in section.steps if text not in known.steps]
        known.warnings += fresh
    return [one for one in merged.values() if one.answer_components or one.steps or one.warnings]


def author_of(settings: Settings, principal: ChatModel, profile: Profile) -> CaseAuthor:
    """Return the principal model as an author, or offline the one that needs no model."""
    return OfflineCaseAuthor() if settings.principal.provider == "offline" else ModelCaseAuthor(principal, profile)
