"""Rules: pure functions of one provision each. The engine gives a rule what it needs by the names of its arguments."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from articulado.calculations.values import ExcludedDay, NotApplied, Quantity, Unit

STATUTE = "BOE-A-2015-11430"
"""Estatuto de los Trabajadores."""


@dataclass(frozen=True)
class Computed:
    """Value that a rule returns, with the sentence that shows its computation.

    ``text`` may be empty: the value is then used and no step is shown. ``not_applied`` are rules that were considered
    and do not apply. ``lead`` takes the place of the sentence of the result, where the value is not the one that it
    speaks of: each goal stands in braces.
    """

    value: Quantity
    unit: Unit = ""
    text: str = ""
    formula: str = ""
    provision: str = ""
    authority: str = ""
    lead: str = ""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    not_applied: tuple[NotApplied, ...] = ()
    excluded: tuple[ExcludedDay, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A function of a provision: what it needs are its arguments; those with a default may be missing."""

    produces: str
    function: Callable[..., Computed]
    provision: str
    authority: str = ""

    @cached_property
    def needs(self) -> Mapping[str, bool]:
        """Return the names of what the rule needs, with whether it cannot do without."""
        parameters = inspect.signature(self.function).parameters.values()
        return {each.name: each.default is inspect.Parameter.empty for each in parameters}


def rule(provision: str, *, produces: str = "", authority: str = "") -> Callable[[Callable[..., Computed]], Rule]:
    """Make a rule of a function; it produces what its name says.

    ``provision`` is the law and label of the provision that the function follows, and ``authority`` the ruling that
    fixes how it is applied.
    """

    def made(function: Callable[..., Computed]) -> Rule:
        return Rule(produces or function.__name__, function, provision, authority)

    return made


@dataclass(frozen=True)
class Variant:
    """Another reading: a rule that takes the place of the one that produces the same value."""

    rule: Rule
    text: str


@dataclass(frozen=True)
class Calculation:
    """A goal, the rules that lead to it, and the inputs that it may take.

    ``fields`` are the inputs (``articulado.calculations.fields``), those that decide most first. ``conditions`` are
    values that are worked out before the goal: their rules may end the calculation. ``lead`` is the sentence of the
    result, with each goal in braces. ``general`` is the rule in words, for who lacks the data, of ``provision``.
    ``day`` is the input whose day decides which wording applies, and ``since`` the first day of the wordings that the
    rules follow.
    """

    kind: str
    title: str
    goals: tuple[str, ...]
    rules: tuple[Rule, ...]
    fields: tuple[str, ...]
    provision: str
    lead: str
    general: str
    conditions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    sensitive: str = ""
    variants: tuple[Variant, ...] = ()
    day: str = ""
    since: date | None = None
