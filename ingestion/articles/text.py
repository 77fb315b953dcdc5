"""Write the text of an article's chunk: what its editor wrote, and its items as plain lines."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ingestion.articles.schema import ArticleChunk, Datum, Rule
from state.articles import Concern, DataType, Decision

Label = Annotated[str, StringConstraints(min_length=1)]


class Labels(BaseModel):
    """One language. ``types`` are titles of chunks that have none; a type that is not here is its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    required: Label
    optional: Label
    why: Label
    warning: Label
    if_: Label = Field(alias="if")
    is_: Label = Field(alias="is")
    or_: Label = Field(alias="or")
    below: Label
    above: Label
    data_types: dict[DataType, Label]
    decisions: dict[Decision, Label]
    concerns: dict[Concern, Label]
    types: dict[str, Label]


@cache
def labels_in(language: str) -> Labels:
    """Return the labels in a language: "es" or "en"."""
    written = resources.files("ingestion.articles").joinpath("labels.toml").read_text(encoding="utf-8")
    return Labels.model_validate(tomllib.loads(written)[language])


def text_of(chunk: ArticleChunk, labels: Labels) -> str:
    """Return all that a reader must see of a chunk, an item a line; regular expressions and aliases are none of it."""
    return "\n".join(line for line in (chunk.text.strip(), *_lines(chunk, labels)) if line)


def _lines(chunk: ArticleChunk, labels: Labels) -> Iterator[str]:
    yield from (_datum_line(datum, labels) for datum in chunk.fields)
    yield from (_rule_line(rule, labels) for rule in chunk.rules)
    yield from (f"- {frame.topic}: {frame.text}" for frame in chunk.frames)
    yield from (f"- {_with_stop(guard.rule)}" for guard in chunk.guards)
    yield from (f"{number}. {step}" for number, step in enumerate(chunk.steps, start=1))
    yield from (f"- {_with_stop(issue.issue)} {issue.answer}" for issue in chunk.issues)
    yield from (f"- {_with_stop(faq.question)} {faq.answer}" for faq in chunk.faqs)
    yield from (f"{labels.warning} ({labels.concerns[warning.about]}): {warning.text}" for warning in chunk.warnings)


def _datum_line(datum: Datum, labels: Labels) -> str:
    needed = labels.required if datum.required else labels.optional
    what = f"- {datum.field} ({labels.data_types[datum.data_type]}, {needed}): {_with_stop(datum.description)}"
    return f"{what} {labels.why}: {_with_stop(datum.why_needed)}"


def _rule_line(rule: Rule, labels: Labels) -> str:
    when = rule.when
    if when.one_of is not None:
        *before, last = when.one_of
        condition = f"{labels.is_} {', '.join(before)} {labels.or_} {last}" if before else f"{labels.is_} {last}"
    else:
        limit, bound = (labels.below, when.below) if when.below is not None else (labels.above, when.above)
        condition = f"{limit} {bound:.15g}"
    return f"- {labels.if_} {when.field} {condition}: {labels.decisions[rule.decision]}. {_with_stop(rule.because)}"


def _with_stop(sentence: str) -> str:
    """Return a sentence with its stop, as its editor need not write one."""
    return sentence if sentence.endswith((".", "?", "!", "…", ":")) else f"{sentence}."
