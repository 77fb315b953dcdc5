"""The text of a chunk: what its editor wrote, and its items as plain lines."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ingestion.articles.schema import ArticleChunk, Datum, Rule
from state.articles import Concern, DataType, Decision

Word = Annotated[str, StringConstraints(min_length=1)]


class Labels(BaseModel):
    """One language. ``types`` are titles of chunks that have none; a type that is not here is its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    required: Word
    optional: Word
    why: Word
    warning: Word
    if_: Word = Field(alias="if")
    is_: Word = Field(alias="is")
    or_: Word = Field(alias="or")
    below: Word
    above: Word
    data_types: dict[DataType, Word]
    decisions: dict[Decision, Word]
    concerns: dict[Concern, Word]
    types: dict[str, Word]


@cache
def labels(language: str) -> Labels:
    """Return the words of a language: "es" or "en"."""
    written = resources.files("ingestion.articles").joinpath("labels.toml").read_text(encoding="utf-8")
    return Labels.model_validate(tomllib.loads(written)[language])


def text_of(chunk: ArticleChunk, words: Labels) -> str:
    """Return all that a reader must see of a chunk, an item a line; regular expressions and aliases are none of it."""
    return "\n".join(line for line in (chunk.text.strip(), *_lines(chunk, words)) if line)


def _lines(chunk: ArticleChunk, words: Labels) -> Iterator[str]:
    yield from (_datum(one, words) for one in chunk.fields)
    yield from (_rule(one, words) for one in chunk.rules)
    yield from (f"- {frame.topic}: {frame.text}" for frame in chunk.frames)
    yield from (f"- {_stopped(guard.rule)}" for guard in chunk.guards)
    yield from (f"{number}. {step}" for number, step in enumerate(chunk.steps, start=1))
    yield from (f"- {_stopped(one.issue)} {one.answer}" for one in chunk.issues)
    yield from (f"- {_stopped(one.question)} {one.answer}" for one in chunk.faqs)
    yield from (f"{words.warning} ({words.concerns[one.about]}): {one.text}" for one in chunk.warnings)


def _datum(datum: Datum, words: Labels) -> str:
    needed = words.required if datum.required else words.optional
    what = f"- {datum.field} ({words.data_types[datum.data_type]}, {needed}): {_stopped(datum.description)}"
    return f"{what} {words.why}: {_stopped(datum.why_needed)}"


def _rule(rule: Rule, words: Labels) -> str:
    when = rule.when
    if when.one_of is not None:
        *before, last = when.one_of
        said = f"{words.is_} {', '.join(before)} {words.or_} {last}" if before else f"{words.is_} {last}"
    else:
        limit, bound = (words.below, when.below) if when.below is not None else (words.above, when.above)
        said = f"{limit} {bound:.15g}"
    return f"- {words.if_} {when.field} {said}: {words.decisions[rule.decision]}. {_stopped(rule.because)}"


def _stopped(sentence: str) -> str:
    """Return a sentence with its stop, as its editor need not write one."""
    return sentence if sentence.endswith((".", "?", "!", "…", ":")) else f"{sentence}."
