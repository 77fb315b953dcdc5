"""Put an answer together from the structured content of articles, with nothing added."""

from collections.abc import Iterable, Sequence

from articulado.values.articles import article_title, details_of
from articulado.values.chunks import Chunk
from services.case.schema import Answer, AnswerSection


def assembled(chunks: Iterable[Chunk]) -> Answer:
    """Return frames, steps and warnings of chunks, in their order: each topic once, each sentence and warning once."""
    return Answer(sections=_without_repeats([section for chunk in chunks for section in _sections(chunk)]))


def _sections(chunk: Chunk) -> list[AnswerSection]:
    """Return the sections that a chunk yields: one for each frame, and one for its steps and warnings."""
    details = details_of(chunk)
    sections = [
        AnswerSection(topic=frame["topic"], answer_components=[frame["text"]], steps=[], warnings=[])
        for frame in details.get("frames", [])
    ]
    steps, warnings = details.get("steps", []), [warning["text"] for warning in details.get("warnings", [])]
    if steps or warnings:
        topic = chunk["title"] or article_title(chunk)
        sections.append(AnswerSection(topic=topic, answer_components=[], steps=steps, warnings=warnings))
    return sections


def _without_repeats(sections: Sequence[AnswerSection]) -> list[AnswerSection]:
    """Merge sections of the same topic, and keep each warning once: articles warn of the same things."""
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
