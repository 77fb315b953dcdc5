"""Engine: pulls what the goal of a calculation needs, rule by rule, down to the inputs.

A value is an input, or what the first rule gives of those that produce it and whose needs are met. What no rule and no
input gives is missing, and is asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from articulado.calculations.fields import FIELDS, read_inputs
from articulado.calculations.rules import Calculation, Computed, Rule
from articulado.calculations.values import (
    Alternative,
    ExcludedDay,
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

TOLERANCE = Decimal("0.01")
"""By how much, as a share, a given amount may differ from what others give: people round."""
MOST_ASKED = 3
"""Data that are asked for at once."""

WordingCheck = Callable[[str, date | None], str]
"""Returns for a provision and a day why its wording is not the one a rule was written against; empty where it is."""


def calculate(calculation: Calculation, inputs: Mapping[str, object], check: WordingCheck | None = None) -> Outcome:
    """Work out a calculation from raw inputs.

    Args:
        calculation: what is to be worked out.
        inputs: by field, as JSON or a form has them; a field that the calculation does not take gives a warning.
        check: refuses provisions whose wording has changed; without it, no wording is checked.
    """
    try:
        read = read_inputs(calculation.fields, inputs)
    except Stop as stop:
        return stop.outcome
    outcome = _outcome(calculation, read.values, check)
    if isinstance(outcome, Result) and read.unknown:
        unused = ", ".join(f"«{name}»" for name in read.unknown)
        outcome = replace(outcome, warnings=(*outcome.warnings, f"No se ha usado en este cálculo: {unused}."))
    return outcome


def _outcome(calculation: Calculation, given: Mapping[str, Quantity], check: WordingCheck | None) -> Outcome:
    run = _Run(calculation, given, check)
    outcome = run.outcome()
    if not isinstance(outcome, Result):
        return outcome
    alternatives = []
    for variant in calculation.variants:
        rules = (variant.rule, *(each for each in calculation.rules if each.produces != variant.rule.produces))
        other = _Run(replace(calculation, rules=rules), given, None).outcome()
        if isinstance(other, Result) and other.values[0].value != outcome.values[0].value:
            alternatives.append(Alternative(variant.text, other.values[0]))
    return replace(outcome, alternatives=tuple(alternatives))


@dataclass
class _Run:
    """One run of a calculation over its inputs."""

    calculation: Calculation
    given: Mapping[str, Quantity]
    check: WordingCheck | None
    known: dict[str, tuple[Quantity, Unit]] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    not_applied: list[NotApplied] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lead: str = ""
    excluded: list[ExcludedDay] = field(default_factory=list)

    def outcome(self) -> Outcome:
        """Work out the conditions, then the goals."""
        calculation = self.calculation
        try:
            self._compare()
            reached = [self._reach(name) for name in (*calculation.conditions, *calculation.goals)]
        except Stop as stop:
            if isinstance(stop.outcome, Refused):
                return stop.outcome
            return replace(stop.outcome, steps=tuple(self.steps))
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
        )

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
        order = [name for name in self.calculation.fields if name in self.missing]
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
        """Return what the way with the fewest missing inputs lacks; one of which a part is given goes first."""

        def order(place: int) -> tuple[int, bool, int]:
            rule = rules[place]
            is_begun = rule is not None and any(
                need in self.given and self._serves_only(need, rule) for need in rule.needs
            )
            fields = [self.calculation.fields.index(each) for each in ways[place] if each in self.calculation.fields]
            return len(ways[place]), not is_begun, min(fields, default=0)

        return ways[min(range(len(ways)), key=order)]

    def _serves_only(self, need: str, rule: Rule) -> bool:
        """Tell whether an input serves nothing but what a rule produces: who gives it wants it used for that."""
        return all(each.produces == rule.produces for each in self.calculation.rules if need in each.needs)

    def _apply(self, rule: Rule) -> None:
        self._check(rule)
        arguments = {need: self.known[need][0] for need in rule.needs if need in self.known}
        computed: Computed = rule.function(**arguments)
        self.known[rule.produces] = (computed.value, computed.unit)
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
        self.lead = computed.lead or self.lead
        self.not_applied += computed.not_applied
        self.assumptions += computed.assumptions
        self.warnings += computed.warnings
        self.excluded += computed.excluded

    def _check(self, rule: Rule) -> None:
        """Refuse a rule whose wording is another on the day of the event."""
        event = self.given.get(self.calculation.day)
        day = event if isinstance(event, date) else None
        since = self.calculation.since
        if since and day and day < since:
            reason = (
                f"Este cálculo sigue la ley en vigor desde el {written_day(since)}: no sirve para el"
                f" {written_day(day)}, cuando regía otra redacción."
            )
            raise Stop(Refused(reason, rule.provision))
        changed = self.check(rule.provision, day) if self.check else ""
        if changed:
            raise Stop(Refused(changed, rule.provision))
