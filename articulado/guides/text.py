"""Text of an article's chunk: the editor's text, then its items as plain lines.

``text_of`` writes one item per line. It leaves out regular expressions and aliases. ``labels_in`` returns
the words for these lines in a language ("es" or "en").
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from articulado.calculations.catalogue import CALCULATIONS
from articulado.calculations.engine import DEADLINE
from articulado.guides.data_values import TODAY, parse_expression
from articulado.guides.schema import ArticleChunk, Condition, Datum, Rule
from articulado.language.formats import SPANISH_MARKS
from articulado.values.cases import Concern, DataType, Decision, Elapsed

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
    and_: Label = Field(alias="and")
    passed: Label
    not_due: Label
    calculated: Label
    of: Label
    below: Label
    above: Label
    before: Label
    after: Label
    elapsed_below: Label
    elapsed_above: Label
    choices: Label
    least: Label
    most: Label
    today: Label
    decimal_mark: Label
    units: dict[Elapsed, Label]
    data_types: dict[DataType, Label]
    decisions: dict[Decision, Label]
    concerns: dict[Concern, Label]
    types: dict[str, Label]


@cache
def labels_in(language: str) -> Labels:
    """Return the labels in a language: "es" or "en"."""
    written = resources.files("articulado.guides").joinpath("labels.toml").read_text(encoding="utf-8")
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
    of_what = labels.data_types[datum.data_type]
    if datum.unit is not None:
        of_what = f"{of_what} {labels.of} {labels.units[datum.unit]}"
    kind = f"{of_what}, {needed}"
    accepted = _accepted(datum, labels)
    what = f"- {datum.field} ({f'{kind}; {accepted}' if accepted else kind}): {_with_stop(datum.description)}"
    return f"{what} {labels.why}: {_with_stop(datum.why_needed)}"


def _accepted(datum: Datum, labels: Labels) -> str:
    """Return what a datum accepts, if its editor has said anything of it."""
    if datum.accepts is not None:
        return datum.accepts.rstrip(".")
    limits = ((labels.least, datum.min), (labels.most, datum.max))
    choices = f"{labels.choices}: {', '.join(datum.values)}" if datum.values else ""
    return " ".join(
        filter(None, (choices, *(f"{word} {_bound(limit, labels)}" for word, limit in limits if limit is not None)))
    )


def _rule_line(rule: Rule, labels: Labels) -> str:
    met = [_condition(rule.when, labels)] if rule.when else []
    if rule.decision is None or rule.because is None:
        begins = f"{labels.if_} {met[0]}, {labels.calculated}" if met else labels.calculated.capitalize()
        return f"- {begins}: {_with_stop(_title_of(rule))}"
    if rule.calculation:
        is_term = CALCULATIONS[rule.calculation.kind].goals[0] == DEADLINE
        met.append((labels.passed if is_term else labels.not_due).format(title=_title_of(rule)))
    decided = f"{labels.decisions[rule.decision]}. {_with_stop(rule.because)}"
    return f"- {labels.if_} {f' {labels.and_} '.join(met)}: {decided}"


def _title_of(rule: Rule) -> str:
    """Return the title of a rule's calculation within a sentence; empty without one."""
    title = CALCULATIONS[rule.calculation.kind].title if rule.calculation else ""
    return f"{title[:1].lower()}{title[1:]}"


def _condition(when: Condition, labels: Labels) -> str:
    if when.one_of is not None:
        *others, last = when.one_of
        listed = f"{', '.join(others)} {labels.or_} {last}" if others else last
        return f"{when.field} {labels.is_} {listed}"
    if when.elapsed is not None:
        unit = labels.units[when.elapsed]
        elapsed = ((labels.elapsed_below, when.below), (labels.elapsed_above, when.above))
        return next(
            words.format(number=_bound(limit, labels), unit=unit, field=when.field)
            for words, limit in elapsed
            if limit is not None
        )
    limits = (
        (labels.below, when.below),
        (labels.above, when.above),
        (labels.before, when.before),
        (labels.after, when.after),
    )
    return next(f"{when.field} {word} {_bound(limit, labels)}" for word, limit in limits if limit is not None)


def _bound(limit: float | str, labels: Labels) -> str:
    """Return a number or a date expression in words: "hoy - 16 años"."""
    if not isinstance(limit, str):
        written = f"{limit:,.15g}"
        return written.translate(SPANISH_MARKS) if labels.decimal_mark == "," else written
    expression = parse_expression(limit)
    base = labels.today if expression.base == TODAY else expression.base
    if not expression.count:
        return base
    return f"{base} {'-' if expression.count < 0 else '+'} {abs(expression.count)} {labels.units[expression.unit]}"


def _with_stop(sentence: str) -> str:
    """Return a sentence with its stop, as its editor need not write one."""
    return sentence if sentence.endswith((".", "?", "!", "…", ":")) else f"{sentence}."
