"""The author that needs no model: it reads the structure of the articles, and adds nothing."""

from collections.abc import Sequence

from services.case.author import CaseMaterial
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
from services.protocols import Structured
from state.articles import FieldSpec, Group, details_of
from state.chunks import Chunk

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
