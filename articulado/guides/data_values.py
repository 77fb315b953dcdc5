"""Value types of case data: date expressions, placeholders, and yes or no answers.

``parse_expression`` reads a date expression: "2026-01-31", "today - 16 years", or another date field plus
an offset. ``is_placeholder`` detects texts that stand for a missing value ("N/A", "<plan>"). ``read_truth``
reads a yes or no with an explanation. ``UnusableValue`` is the error for a text that is not a value of its
field.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, cast

from dateutil.relativedelta import relativedelta

from articulado.config.sections import Calendar
from articulado.language.folding import fold, without_accents
from articulado.language.languages import LANGUAGES, DataPatterns, Language, language
from articulado.values.cases import FieldSpec


@dataclass(frozen=True)
class Circumstances:
    """What a datum is read by: the day of the case, the calendar of working days, the language of the profile."""

    today: date
    calendar: Calendar
    language: Language


@dataclass(frozen=True)
class Days:
    """The days that a text may mean, both included: one and the same, or those of a month."""

    first: date
    last: date


Value = Decimal | Days | bool | frozenset[str] | None
"""An amount or a number, days, yes or no, the listed values that a text names; ``None`` for free text."""


@dataclass(frozen=True)
class Reading:
    """A datum of a case: its field, what was written, and what that says."""

    spec: FieldSpec
    given: str
    value: Value


class UnusableValue(ValueError):
    """A text is no value of its field; ``problem`` says why, in the language of the profile."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


TODAY = "today"
Unit = Literal["days", "weeks", "months", "years"]

_EXPRESSION = re.compile(
    r"(?P<base>\d{4}-\d{2}-\d{2}|[a-z][a-z0-9_]*)"
    r"(?:\s*(?P<sign>[+-])\s*(?:(?P<count>\d{1,4})\s*(?P<unit>day|week|month)|(?P<years>\d{1,3})\s*year)s?)?"
)


@dataclass(frozen=True)
class DateExpression:
    """A day: ``base`` is ``today``, a day (ISO 8601) or the name of a date field; ``count`` units are added to it."""

    base: str
    count: int = 0
    unit: Unit = "days"

    @property
    def field(self) -> str | None:
        """The date field that it rests on; ``None`` where it rests on none."""
        return None if self.base == TODAY or self.base[0].isdigit() else self.base

    def resolve(self, today: date, days_of: Mapping[str, Days]) -> Days | None:
        """Return the days that it means; ``None`` where its field has none, or they lie beyond the calendar."""
        offset = relativedelta(**{self.unit: self.count})
        if self.base == TODAY:
            base: Days | None = Days(today, today)
        elif self.field is None:
            base = Days(date.fromisoformat(self.base), date.fromisoformat(self.base))
        else:
            base = days_of.get(self.base)
        try:
            return Days(base.first + offset, base.last + offset) if base else None
        except (OverflowError, ValueError):
            return None


def parse_expression(written: str) -> DateExpression:
    """Read a date expression.

    >>> parse_expression("today - 16 years")
    DateExpression(base='today', count=-16, unit='years')

    Raises:
        ValueError: it is none.
    """
    match = _EXPRESSION.fullmatch(written.strip())
    if match is None:
        raise ValueError(f"no date expression: {written}")
    count = int(match["count"] or match["years"] or 0)
    unit = cast(Unit, f"{match['unit']}s" if match["unit"] else "years" if match["years"] else "days")
    expression = DateExpression(match["base"], -count if match["sign"] == "-" else count, unit)
    if expression.field is None and expression.resolve(date(2000, 1, 1), {}) is None:
        raise ValueError(f"beyond the calendar: {written}")
    return expression


_TEMPLATE = re.compile(r"\s*(?:<[a-z_][\w ]*>|\{+\s*[a-z_][\w. ]*\}+)\s*")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def is_placeholder(text: str) -> bool:
    """Tell whether a text stands for a value that is not there, in any language: forms travel with their fillings.
    So does the name of a field in the marks of a template: "[plan name]", "<plan>", "{{plan}}".

    >>> is_placeholder("[Por determinar]"), is_placeholder("N/A"), is_placeholder("determined")
    (True, True, False)
    """
    bare = _bare(text)
    if not bare or is_not_applicable(text) or _TEMPLATE.fullmatch(fold(text)):
        return True
    in_brackets = text.strip().startswith("[")
    return any(
        data.placeholder.fullmatch(bare) or (in_brackets and data.template_name.fullmatch(bare))
        for data in all_data_patterns()
    )


def is_not_applicable(text: str) -> bool:
    """Tell whether a text says that there is nothing to say: "n/a", "no aplica", "none"."""
    return any(data.not_applicable.fullmatch(_bare(text)) for data in all_data_patterns())


def all_data_patterns() -> tuple[DataPatterns, ...]:
    """Return the patterns of every language."""
    return tuple(language(code).data_patterns for code in LANGUAGES)


def _bare(text: str) -> str:
    """Return a text folded, without the brackets, quotes and marks around it."""
    return _EDGES.sub("", " ".join(fold(text).split()))


_TRUE = frozenset(("true", "yes", "y", "1", "si", "s", "verdadero"))
_FALSE = frozenset(("false", "no", "n", "0", "falso", "none", "ninguno", "ninguna"))
_EXPLAINED = re.compile(r"(?P<word>\w+)(?:\s*[,;:.(–—-]\s*|\s+)(?P<rest>\S.*)", re.DOTALL)


def truth_of(value: str) -> bool | None:
    """Return the truth value that a text spells ("sí", "no", "true", …); ``None`` for any other text."""
    word = without_accents(value).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def read_truth(text: str) -> bool | None:
    """Return what a yes or no says, which an explanation may follow; ``None`` for any other text, and for both.

    What begins like one and says neither is any other text: "no idea", "no sé", "no doubt".

    >>> read_truth("Sí (embarazo)"), read_truth("no the form was never sent"), read_truth("yes and no")
    (True, False, None)
    """
    bare = text.strip(" .!\t\n")
    truth = truth_of(bare)
    explained = _EXPLAINED.fullmatch(bare)
    if truth is not None or explained is None or len(explained["word"]) == 1:
        return truth
    truth = truth_of(explained["word"])
    return None if truth is None or _is_undecided(bare, explained["rest"], truth) else truth


def _is_undecided(text: str, rest: str, truth: bool) -> bool:
    """Tell whether a text that begins with a yes or a no takes it back, or is a phrase of another meaning."""
    others = {truth_of(word) for word in re.findall(r"\w+", rest)[:1]}
    typed = " ".join(text.casefold().split())
    return (
        not others <= {None, truth}
        or is_placeholder(text)
        or any(data.undecided.fullmatch(typed) for data in all_data_patterns())
    )
