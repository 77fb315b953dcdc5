"""Engine and rules: pulls what the goal of a calculation needs, rule by rule, down to the inputs.

A rule is a pure function of one provision; the engine gives it what it needs by the names of its arguments. A value is
an input, or what the first rule gives of those that produce it and whose needs are met. What no rule and no input
gives is missing, and is asked for.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property

from articulado.calculations.fields import FIELDS, read_inputs
from articulado.calculations.values import (
    Alternative,
    Basis,
    ExcludedDay,
    Followed,
    Missing,
    NotApplied,
    Outcome,
    Quantity,
    Refused,
    Result,
    Step,
    Stop,
    Unit,
    Value,
    Wanted,
    joined,
    rounded,
    written_day,
    written_value,
)

STATUTE = "BOE-A-2015-11430"
"""Estatuto de los Trabajadores."""
SOCIAL_SECURITY = "BOE-A-2015-11724"
"""Ley General de la Seguridad Social."""
COURTS = "BOE-A-2011-15936"
"""Ley reguladora de la jurisdicción social."""
PROCEDURE = "BOE-A-2015-10565"
"""Ley del Procedimiento Administrativo Común."""


@dataclass(frozen=True)
class Computed:
    """Value that a rule returns, with the sentence that shows its computation.

    ``text`` may be empty: the value is then used and no step is shown. ``not_applied`` are rules that were considered
    and do not apply. ``lead`` takes the place of the sentence of the result, where the value is not the one that it
    speaks of: each goal stands in braces. ``parts`` are steps of their own, shown before it.
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
    parts: tuple["Computed", ...] = ()


@dataclass(frozen=True)
class Rule:
    """A function of a provision: what it needs are its arguments; those with a default may be missing.

    ``since`` is the first day of the wording that it follows, where that is later than the calculation's.
    """

    produces: str
    function: Callable[..., Computed]
    provision: str
    authority: str = ""
    since: date | None = None

    @cached_property
    def needs(self) -> Mapping[str, bool]:
        """Return the names of what the rule needs, with whether it cannot do without."""
        parameters = inspect.signature(self.function).parameters.values()
        return {each.name: each.default is inspect.Parameter.empty for each in parameters}


def rule(
    provision: str, *, produces: str = "", authority: str = "", since: date | None = None
) -> Callable[[Callable[..., Computed]], Rule]:
    """Make a rule of a function; it produces what its name says.

    ``provision`` is the law and label of the provision that the function follows, and ``authority`` the ruling that
    fixes how it is applied. ``since`` is the first day of the wording that the function follows.
    """

    def made(function: Callable[..., Computed]) -> Rule:
        return Rule(produces or function.__name__, function, provision, authority, since)

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


DEADLINE = "deadline"
"""Goal of the calculations of terms: the last day."""
TOLERANCE = Decimal("0.01")
"""By how much, as a share, a given amount may differ from what others give: people round."""
ENDS_BEFORE_IT_BEGINS = "El contrato no puede terminar antes de empezar: revise las dos fechas."
MOST_ASKED = 3
"""Data that are asked for at once."""


def calculate(calculation: Calculation, inputs: Mapping[str, object], law_day: date | None = None) -> Outcome:
    """Work out a calculation from raw inputs.

    The wordings of the law are compared afterwards (``articulado.calculations.wordings.confirm``).

    Args:
        calculation: what is to be worked out.
        inputs: by field, as JSON or a form has them; a field that the calculation does not take gives a warning.
        law_day: day of which the law is to apply, instead of the day of the event; a day of the event or a year that
            the inputs lack is that day or its year.
    """
    try:
        read = read_inputs(calculation.fields, inputs)
    except Stop as stop:
        return stop.outcome
    start, end = read.values.get("start"), read.values.get("end")
    if isinstance(start, date) and isinstance(end, date) and end < start:
        return Refused(ENDS_BEFORE_IT_BEGINS)
    outcome = _outcome(calculation, read.values, law_day)
    if isinstance(outcome, Result) and read.unknown:
        unused = ", ".join(f"«{name}»" for name in read.unknown)
        outcome = replace(outcome, warnings=(*outcome.warnings, f"No se ha usado en este cálculo: {unused}."))
    return outcome


def _outcome(calculation: Calculation, given: Mapping[str, Quantity], law_day: date | None) -> Outcome:
    assumed: tuple[str, ...] = ()
    if law_day:
        defaults: dict[str, date | int] = {calculation.day: law_day, "year": law_day.year}
        taken = {name: value for name, value in defaults.items() if name in calculation.fields and name not in given}
        given = {**given, **taken}
        assumed = tuple(f"{FIELDS[name].label}: {_said(value)}." for name, value in taken.items())
    run = _Run(calculation, given, law_day, assumptions=list(assumed))
    outcome = run.outcome()
    if not isinstance(outcome, Result):
        return outcome
    alternatives = []
    followed = outcome.basis.followed
    for variant in calculation.variants:
        rules = (variant.rule, *(each for each in calculation.rules if each.produces != variant.rule.produces))
        other = _Run(replace(calculation, rules=rules), given, law_day).outcome()
        if isinstance(other, Result) and other.values[0].value != outcome.values[0].value:
            alternatives.append(Alternative(variant.text, other.values[0]))
            followed += other.basis.followed
    basis = replace(outcome.basis, followed=tuple(dict.fromkeys(followed)))
    return replace(outcome, alternatives=tuple(alternatives), basis=basis)


def _said(value: date | int) -> str:
    return written_day(value) if isinstance(value, date) else str(value)


@dataclass
class _Run:
    """One run of a calculation over its inputs."""

    calculation: Calculation
    given: Mapping[str, Quantity]
    law_day: date | None
    known: dict[str, tuple[Quantity, Unit]] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    not_applied: list[NotApplied] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lead: str = ""
    excluded: list[ExcludedDay] = field(default_factory=list)
    followed: dict[Followed, None] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        """Work out the conditions, then the goals."""
        calculation = self.calculation
        try:
            self._compare()
            reached = [self._reach(name) for name in (*calculation.conditions, *calculation.goals)]
        except Stop as stop:
            if isinstance(stop.outcome, Refused):
                return stop.outcome
            if isinstance(stop.outcome, Missing):
                return replace(stop.outcome, rule=calculation.general, provision=calculation.provision)
            return replace(stop.outcome, steps=tuple(self.steps), basis=self._basis(stop.outcome.provision))
        if not all(reached):
            return Missing(self._wanted(), calculation.general, calculation.provision)
        values = tuple(Value(name, *self._final(name)) for name in calculation.goals if name in self.known)
        return Result(
            (self.lead or calculation.lead).format_map(
                {each.name: written_value(each.value, each.unit) for each in values}
            ),
            values,
            tuple(self.steps),
            tuple(dict.fromkeys(self.not_applied)),
            tuple(dict.fromkeys((*self.assumptions, *calculation.assumptions))),
            tuple(dict.fromkeys(self.warnings)),
            sensitive=calculation.sensitive,
            excluded=tuple(dict.fromkeys(self.excluded)),
            basis=self._basis(calculation.provision),
        )

    @property
    def day(self) -> date | None:
        """The day of which the law applies; ``None`` where no datum says it."""
        event = self.given.get(self.calculation.day)
        return self.law_day or (event if isinstance(event, date) else None)

    def _basis(self, provision: str) -> Basis:
        """Return the law followed, with a provision that goes for the whole calculation."""
        named = {each.provision for each in self.followed}
        own = () if provision in named or not provision else (Followed(provision, self.calculation.since),)
        return Basis((*self.followed, *own), self.day, self.law_day is not None)

    def _compare(self) -> None:
        """Refuse inputs that contradict each other: one that a rule makes of others must be near what it gives."""
        for each in self.calculation.rules:
            given = self.given.get(each.produces)
            needs = [need for need, needed in each.needs.items() if needed]
            if not isinstance(given, Decimal) or not needs or not all(need in self.given for need in needs):
                continue
            value = each.function(**{need: self.given[need] for need in needs}).value
            if isinstance(value, Decimal) and abs(value - given) > given * TOLERANCE:
                labels = joined([f"«{FIELDS[need].label}»" for need in needs])
                found, said = written_value(value, "EUR"), written_value(given, "EUR")
                field_label = FIELDS[each.produces].label
                reason = (
                    f"Los datos no cuadran: con {labels}, «{field_label}» sería {found}, y es {said}. Dé uno solo de"
                    " esos datos o corríjalos."
                )
                raise Stop(Refused(reason))

    def _final(self, name: str) -> tuple[Quantity, Unit]:
        value, unit = self.known[name]
        return (rounded(value), unit) if isinstance(value, Decimal) and unit == "EUR" else (value, unit)

    def _wanted(self) -> tuple[Wanted, ...]:
        """Return the inputs to ask for; one that the others lead to is left out."""
        order = [name for name in self.calculation.fields if name in self.missing]
        for name in reversed(order):
            others = dict.fromkeys((each for each in order if each != name), True)
            if not replace(self, given={**self.given, **others})._lacks_value(name, frozenset()):
                order.remove(name)
        return tuple(FIELDS[name].wanted() for name in order[:MOST_ASKED])

    def _reach(self, name: str) -> bool:
        """Work out a value, and tell whether it is known; what it lacks is put down as missing."""
        if name in self.known:
            return True
        if name in self.given:
            self.known[name] = (self.given[name], "")
            return True
        rules = [each for each in self.calculation.rules if each.produces == name]
        lacks = [self._lacks(each, frozenset((name,))) for each in rules]
        ready = next((each for each, lacking in zip(rules, lacks, strict=True) if not lacking), None)
        if ready is None:
            # The easiest way decides which inputs are asked for.
            self.missing |= dict.fromkeys(self._easiest(rules, lacks) if lacks else (name,))
            return False
        for need in ready.needs:
            if ready.needs[need] or not self._lacks_value(need, frozenset((name,))):
                self._reach(need)
        self._apply(ready)
        return True

    def _lacks(self, rule: Rule, above: frozenset[str]) -> tuple[str, ...]:
        """Return the inputs that a rule lacks; ``above`` are the values that it is to lead to."""
        needs = [need for need, needed in rule.needs.items() if needed]
        return tuple(dict.fromkeys(lack for need in needs for lack in self._lacks_value(need, above)))

    def _lacks_value(self, name: str, above: frozenset[str]) -> tuple[str, ...]:
        if name in self.known or name in self.given:
            return ()
        rules = [] if name in above else [each for each in self.calculation.rules if each.produces == name]
        ways = [self._lacks(each, above | {name}) for each in rules]
        if () in ways or (ways and name not in self.calculation.fields):
            return self._easiest(rules, ways)
        return self._easiest([*rules, None], [*ways, (name,)])

    def _easiest(self, rules: Sequence[Rule | None], ways: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return what the way with the fewest missing inputs lacks; one of which a part is given goes first.

        A list of items is asked for last: a form asks for the plain inputs.
        """

        def order(place: int) -> tuple[bool, int, bool, int]:
            rule = rules[place]
            is_begun = rule is not None and any(
                need in self.given and self._serves_only(need, rule) for need in rule.needs
            )
            fields = [self.calculation.fields.index(each) for each in ways[place] if each in self.calculation.fields]
            asks_for_items = any(FIELDS[each].type == "items" for each in ways[place] if each in FIELDS)
            return asks_for_items, len(ways[place]), not is_begun, min(fields, default=0)

        return ways[min(range(len(ways)), key=order)]

    def _serves_only(self, need: str, rule: Rule) -> bool:
        """Tell whether an input serves nothing but what a rule produces: who gives it wants it used for that."""
        return all(each.produces == rule.produces for each in self.calculation.rules if need in each.needs)

    def _apply(self, rule: Rule) -> None:
        since = self._since(rule)
        self.followed[Followed(rule.provision, since)] = None
        arguments = {need: self.known[need][0] for need in rule.needs if need in self.known}
        computed: Computed = rule.function(**arguments)
        self.known[rule.produces] = (computed.value, computed.unit)
        self.lead = computed.lead or self.lead
        for each in (*computed.parts, computed):
            self._show(rule, each)
            others = (each.provision, *(other.provision for other in each.not_applied))
            self.followed |= dict.fromkeys(Followed(other, since) for other in others if other)

    def _show(self, rule: Rule, computed: Computed) -> None:
        """Add the step of a value, and what was assumed for it."""
        if computed.text:
            self.steps.append(
                Step(
                    rule.produces,
                    computed.text,
                    computed.value,
                    computed.unit,
                    computed.provision or rule.provision,
                    computed.formula,
                    computed.authority or rule.authority,
                )
            )
        self.not_applied += computed.not_applied
        self.assumptions += computed.assumptions
        self.warnings += computed.warnings
        self.excluded += computed.excluded

    def _since(self, rule: Rule) -> date | None:
        """Return the first day of the law that a rule declares to cover; refuse it before that day."""
        since = max((each for each in (rule.since, self.calculation.since) if each), default=None)
        if since and self.day and self.day < since:
            reason = (
                f"Este cálculo sigue la ley en vigor desde el {written_day(since)}: no sirve para el"
                f" {written_day(self.day)}, cuando regía otra redacción."
            )
            raise Stop(Refused(reason, rule.provision))
        return since
