"""What a datum is once it is read, and why a text is none."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from articulado.config.case_sections import Calendar
from articulado.language.languages import Language
from articulado.values.articles import FieldSpec


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
