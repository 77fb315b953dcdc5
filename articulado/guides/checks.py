"""Text of an article's chunks, consistency checks across them, and error messages for their editor."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from articulado.calculations.engine import DEADLINE
from articulado.calculations.wordings import CALCULATIONS
from articulado.guides.schema import TODAY, Article, ArticleChunk, Condition, Datum, Rule, parse_expression, truth_of
from articulado.language.folding import letters_and_digits
from articulado.language.formats import SPANISH_MARKS
from articulado.language.translation import translate
from articulado.values.cases import LEAST_NUMBER, Concern, DataType, Decision, Elapsed
from articulado.values.errors import InvalidInput

Label = Annotated[str, StringConstraints(min_length=1)]


class Labels(BaseModel):
    """Words of one language; ``types`` are titles of untitled chunks by type."""

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
    written = resources.files("articulado.guides").joinpath("labels.toml").read_text(encoding="utf-8")
    return Labels.model_validate(tomllib.loads(written)[language])


def text_of(chunk: ArticleChunk, labels: Labels) -> str:
    """Return the text of a chunk for readers, an item a line, without regular expressions and aliases."""
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
    if not isinstance(limit, str):
        written = f"{limit:,.15g}"
        return written.translate(SPANISH_MARKS) if labels.decimal_mark == "," else written
    expression = parse_expression(limit)
    base = labels.today if expression.base == TODAY else expression.base
    if not expression.count:
        return base
    return f"{base} {'-' if expression.count < 0 else '+'} {abs(expression.count)} {labels.units[expression.unit]}"


def _with_stop(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…", ":")) else f"{sentence}."


Problem = tuple[tuple[str | int, ...], str]  # Path to a problem in the file, and its description

_MESSAGES = {
    "missing": "article.missing",
    "extra_forbidden": "article.extra",
    "string_type": "article.text",
    "string_too_short": "article.empty",
    "string_too_long": "article.long_pattern",
    "too_short": "article.empty_list",
    "list_type": "article.list",
    "bool_type": "article.true_false",
    "float_type": "article.number",
    "finite_number": "article.number",
    "dict_type": "article.section",
    "model_type": "article.section",
    "date_type": "article.date",
}


def article_error(file: Path, where: str, what: str) -> InvalidInput:
    return InvalidInput(translate("article.unusable", file=file, what=": ".join(filter(None, (where, what)))))


def schema_error(file: Path, error: ValidationError) -> InvalidInput:
    """Return the first problem found by pydantic as an error that names file, chunk and key."""
    first = error.errors(include_url=False)[0]
    return article_error(file, location(first["loc"]), _what(first))


def location(path: Sequence[str | int]) -> str:
    """Return the place of a problem in an article, counting from 1.

    >>> location(("chunks", 2, "fields", 0, "data_type"))
    'trozo 3, fields 1, data_type'
    """
    steps: list[str] = []
    for part in path:
        if isinstance(part, int) and steps:
            steps[-1] += f" {part + 1}"
        else:
            steps.append(translate("article.chunk") if part == "chunks" else str(part))
    return ", ".join(steps)


def _what(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return translate("article.choices", values=str(context["expected"]).replace(" or ", ", "))
        case "string_pattern_mismatch":
            shape = "article.snake_case" if "_" in context["pattern"] else "article.slug"
            return translate(shape, written=error["input"])
        case other:
            return translate(_MESSAGES[other]) if other in _MESSAGES else error["msg"]


NUMBERS = ("number", "currency")
_ANY_DAY = date(2000, 1, 1)  # Any day serves to compare two bounds relative to today


def data_problems(article: Article) -> Iterator[Problem]:
    """Yield the problems of the data of an article and of the conditions of its rules."""
    data = {datum.field: datum for chunk in article.chunks for datum in chunk.fields}
    for number, chunk in enumerate(article.chunks):
        for item, datum in enumerate(chunk.fields):
            for key, what in _datum_problems(datum, data):
                yield ("chunks", number, "fields", item, key), what
        for item, rule in enumerate(chunk.rules):
            for key, what in _condition_problems(rule.when, data) if rule.when else ():
                yield ("chunks", number, "rules", item, "when", key), what
            for key, what in _calculation_problems(rule, data):
                yield ("chunks", number, "rules", item, "calculation", key), what


def _datum_problems(datum: Datum, data: Mapping[str, Datum]) -> Iterator[tuple[str, str]]:
    is_listable = datum.data_type == "text" or (
        datum.data_type == "boolean" and {truth_of(value) for value in datum.values or {}} == {True, False}
    )
    if datum.values is not None and not is_listable:
        yield "values", translate("article.values_of_text", field=datum.field, type=datum.data_type)
    yield from (("values", what) for what in _ambiguous(datum.values or {}))
    if datum.unit is not None and datum.data_type not in ("number", "date"):
        yield "unit", f"solo va con «data_type: number» o «date», y el de «{datum.field}» es {datum.data_type}"
    if datum.pattern is not None and datum.accepts is None:
        yield "pattern", translate("article.pattern_accepts")
    if datum.computed is not None:
        dates = {name for name, other in data.items() if other.data_type == "date"}
        if datum.data_type != "number" or not datum.computed.date_fields <= dates:
            yield "computed", translate("article.computed", field=datum.field)
    bounds = [(key, bound) for key, bound in (("min", datum.min), ("max", datum.max)) if bound is not None]
    problems = [(key, _bound_problem(bound, datum, data)) for key, bound in bounds]
    yield from ((key, what) for key, what in problems if what)
    if bounds and not any(what for _, what in problems) and _is_empty_range(datum):
        least = LEAST_NUMBER if datum.min is None else _written(datum.min)
        yield bounds[-1][0], translate("article.empty_range", max=_written(datum.max), min=least)


def _ambiguous(values: Mapping[str, list[str]]) -> Iterator[str]:
    claimed: dict[str, str] = {}
    for value, others in values.items():
        for written in (value, *others):
            if (owner := claimed.setdefault(letters_and_digits(written), value)) != value:
                yield translate("article.ambiguous_value", written=written, owner=owner, value=value)


def _bound_problem(bound: float | str, datum: Datum, data: Mapping[str, Datum]) -> str:
    if datum.data_type in NUMBERS:
        return "" if isinstance(bound, float) else translate("article.bound_no_number", bound=bound, field=datum.field)
    if datum.data_type != "date":
        return translate("article.bound_of_type", field=datum.field, type=datum.data_type)
    return _expression_problem(_written(bound), datum.field, data)


def _expression_problem(written: str, field: str, data: Mapping[str, Datum]) -> str:
    try:
        other = parse_expression(written).field
    except ValueError:
        return translate("article.bound_no_date", written=written)
    if other is None or (other != field and other in data and data[other].data_type == "date"):
        return ""
    dates = [name for name, datum in data.items() if datum.data_type == "date" and name != field]
    return translate(
        "article.no_date_field", name=other, fields=", ".join(dates) or translate("article.no_other_field")
    )


def _is_empty_range(datum: Datum) -> bool:
    """Tell if the bounds of a datum exclude every value."""
    if datum.data_type in NUMBERS:
        least = LEAST_NUMBER if datum.min is None else datum.min
        return isinstance(least, float | int) and isinstance(datum.max, float) and datum.max < least
    if datum.min is None or datum.max is None:
        return False
    earliest, latest = parse_expression(str(datum.min)), parse_expression(str(datum.max))
    if (earliest.base == TODAY) != (latest.base == TODAY) or earliest.field or latest.field:
        return False
    first, last = earliest.resolve(_ANY_DAY, {}), latest.resolve(_ANY_DAY, {})
    return first is not None and last is not None and last < first


def _condition_problems(when: Condition, data: Mapping[str, Datum]) -> Iterator[tuple[str, str]]:
    datum = data.get(when.field)
    if datum is None:
        listed = ", ".join(sorted(data)) or translate("system.none")
        yield "field", translate("article.unknown_field", name=when.field, fields=listed)
        return
    days = {"elapsed": when.elapsed, "before": when.before, "after": when.after}
    for key, value in days.items():
        if value is not None and datum.data_type != "date":
            yield key, translate("article.condition_of_date", field=when.field, type=datum.data_type)
        elif value is not None and key != "elapsed" and (what := _expression_problem(value, when.field, data)):
            yield key, what
    for key, limit in (("below", when.below), ("above", when.above)):
        if limit is not None and when.elapsed is None and datum.data_type not in NUMBERS:
            yield key, translate("article.condition_of_number", field=when.field, type=datum.data_type)
    if datum.values is not None:
        known = {letters_and_digits(text) for value, others in datum.values.items() for text in (value, *others)}
        for phrase in when.one_of or []:
            if letters_and_digits(phrase) not in known:
                known_values = ", ".join(datum.values)
                yield "one_of", translate("article.unlisted_value", value=phrase, field=when.field, values=known_values)


def _calculation_problems(rule: Rule, data: Mapping[str, Datum]) -> Iterator[tuple[str, str]]:
    if rule.calculation is None:
        return
    calculation = CALCULATIONS.get(rule.calculation.kind)
    if calculation is None:
        yield "kind", translate("article.unknown_calculation", kind=rule.calculation.kind)
        return
    for name in (*rule.calculation.inputs, *(rule.calculation.given or {})):
        if name not in calculation.fields:
            yield "inputs", translate("article.unknown_input", name=name, inputs=", ".join(calculation.fields))
    for field in rule.calculation.inputs.values():
        if field != TODAY and field not in data:
            yield "inputs", translate("article.unknown_field", name=field, fields=", ".join(sorted(data)))


def _written(bound: float | str | None) -> str:
    return f"{bound:.15g}" if isinstance(bound, float) else str(bound)


def contradictions(article: Article) -> Iterator[Problem]:
    """Yield duplicate names, and problems of the data and rules of an article."""
    seen: set[tuple[str, str]] = set()
    for number, chunk in enumerate(article.chunks):
        for key, item, name in _names(chunk):
            if (key, name) in seen:
                yield ("chunks", number, key, item), translate("article.twice", name=name)
            seen.add((key, name))
    yield from data_problems(article)


def _names(chunk: ArticleChunk) -> Iterator[tuple[str, int, str]]:
    """Yield list, index and name of the names that must be unique: data, aliases, and ids of guards."""
    for item, datum in enumerate(chunk.fields):
        for name in (datum.field, *datum.aliases):
            yield "fields", item, name
    for item, guard in enumerate(chunk.guards):
        yield "guards", item, guard.id


def check_guards(article: Article, labels: Labels, file: Path) -> None:
    """Raise ``InvalidInput`` if a guard matches a text of its own article, and would refuse every answer."""
    texts = [text_of(chunk.model_copy(update={"guards": []}), labels) for chunk in article.chunks]
    guards = [
        (number, guard.id, pattern)
        for number, chunk in enumerate(article.chunks, start=1)
        for guard in chunk.guards
        for pattern in guard.violated_by
    ]
    for number, guard_id, pattern in guards:
        for other, text in enumerate(texts, start=1):
            if match := re.search(pattern, text, re.IGNORECASE):
                what = translate("article.guard_matches", pattern=pattern, guard=guard_id, match=match[0], number=other)
                raise article_error(
                    file,
                    translate("article.guards_of_chunk", number=number),
                    translate("article.guard_advice", what=what),
                )
