"""Engine that works out the goal of a calculation: a value is an input, or given by the first rule with its needs."""

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
SOCIAL_SECURITY = "BOE-A-2015-11724"
COURTS = "BOE-A-2011-15936"
PROCEDURE = "BOE-A-2015-10565"


@dataclass(frozen=True)
class Computed:
    """Value of a rule, with the sentence of its step."""

    value: Quantity
    unit: Unit = ""
    text: str = ""  # empty: no step is shown
    formula: str = ""
    provision: str = ""
    authority: str = ""
    lead: str = ""  # replaces the sentence of the result, with each goal in braces
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    not_applied: tuple[NotApplied, ...] = ()
    excluded: tuple[ExcludedDay, ...] = ()
    parts: tuple["Computed", ...] = ()  # steps shown before this one


@dataclass(frozen=True)
class Rule:
    """A function of a provision; its arguments are its needs, and those with a default are optional."""

    produces: str
    function: Callable[..., Computed]
    provision: str
    authority: str = ""
    since: date | None = None  # first day of the wording, if later than the calculation's

    @cached_property
    def needs(self) -> Mapping[str, bool]:
        parameters = inspect.signature(self.function).parameters.values()
        return {each.name: each.default is inspect.Parameter.empty for each in parameters}


def rule(
    provision: str, *, produces: str = "", authority: str = "", since: date | None = None
) -> Callable[[Callable[..., Computed]], Rule]:
    """Make a ``Rule`` of a function; the name of the value that it produces is by default that of the function.

    ``authority`` is the ruling that fixes how the provision is applied, ``since`` the first day of the wording.
    """

    def made(function: Callable[..., Computed]) -> Rule:
        return Rule(produces or function.__name__, function, provision, authority, since)

    return made


@dataclass(frozen=True)
class Variant:
    """Another reading: a rule that replaces the one that produces the same value."""

    rule: Rule
    text: str


@dataclass(frozen=True)
class Calculation:
    """Goals, the rules that lead to them, and the inputs that they may take."""

    kind: str
    title: str
    goals: tuple[str, ...]
    rules: tuple[Rule, ...]
    fields: tuple[str, ...]  # inputs, the most decisive first
    provision: str
    lead: str  # sentence of the result, with each goal in braces
    general: str  # rule of ``provision`` for a person without data
    conditions: tuple[str, ...] = ()  # values worked out before the goals: their rules may end the calculation
    assumptions: tuple[str, ...] = ()
    sensitive: str = ""
    variants: tuple[Variant, ...] = ()
    day: str = ""  # input whose day decides the wording
    since: date | None = None  # first day of the wordings that the rules follow


DEADLINE = "deadline"
TOLERANCE = Decimal("0.01")  # relative tolerance between two ways to give an amount: people round
ENDS_BEFORE_IT_BEGINS = "El contrato no puede terminar antes de empezar: revise las dos fechas."
MOST_ASKED = 3


def calculate(calculation: Calculation, inputs: Mapping[str, object], law_day: date | None = None) -> Outcome:
    """Work out a calculation; ``articulado.calculations.wordings.confirm`` compares the wordings of the law afterwards.

    Args:
        calculation: calculation to work out.
        inputs: raw values by field; a field that the calculation does not take gives a warning.
        law_day: day of the law instead of that of the event; it also replaces a missing day of the event or year.
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
        """Day of the law; ``None`` if no datum gives it."""
        event = self.given.get(self.calculation.day)
        return self.law_day or (event if isinstance(event, date) else None)

    def _basis(self, provision: str) -> Basis:
        named = {each.provision for each in self.followed}
        own = () if provision in named or not provision else (Followed(provision, self.calculation.since),)
        return Basis((*self.followed, *own), self.day, self.law_day is not None)

    def _compare(self) -> None:
        """Refuse inputs that contradict each other beyond ``TOLERANCE``."""
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
        """Return the inputs to ask for, except those that the others lead to."""
        order = [name for name in self.calculation.fields if name in self.missing]
        for name in reversed(order):
            others = dict.fromkeys((each for each in order if each != name), True)
            if not replace(self, given={**self.given, **others})._lacks_value(name, frozenset()):
                order.remove(name)
        return tuple(FIELDS[name].wanted() for name in order[:MOST_ASKED])

    def _reach(self, name: str) -> bool:
        """Work out a value if possible, else note its missing inputs; tell if it is known."""
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
        """Return the missing inputs of a rule; ``above`` are the values that the rule serves."""
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
        """Return the inputs of the way with the fewest missing ones: one that has begun first, a list of items last."""

        def order(index: int) -> tuple[bool, int, bool, int]:
            rule = rules[index]
            is_begun = rule is not None and any(
                need in self.given and self._serves_only(need, rule) for need in rule.needs
            )
            fields = [self.calculation.fields.index(each) for each in ways[index] if each in self.calculation.fields]
            asks_for_items = any(FIELDS[each].type == "items" for each in ways[index] if each in FIELDS)
            return asks_for_items, len(ways[index]), not is_begun, min(fields, default=0)

        return ways[min(range(len(ways)), key=order)]

    def _serves_only(self, need: str, rule: Rule) -> bool:
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
        since = max((each for each in (rule.since, self.calculation.since) if each), default=None)
        if since and self.day and self.day < since:
            reason = (
                f"Este cálculo sigue la ley en vigor desde el {written_day(since)}: no sirve para el"
                f" {written_day(self.day)}, cuando regía otra redacción."
            )
            raise Stop(Refused(reason, rule.provision))
        return since
