"""Calculations of a guide: the inputs of each from the data of the case, its outcome, and its lines in an answer.

A calculated term that has passed, or a benefit that is not due, lets a rule hold. A calculation that lacks an input
says nothing; one that is refused, as for a year whose calendar is not known, says why and decides nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

from articulado.calculations.catalogue import CALCULATIONS
from articulado.calculations.engine import DEADLINE, calculate
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result
from articulado.calculations.written import lines_of
from articulado.guides.data_values import TODAY, Days, Reading
from articulado.values.cases import CalculationRequest, DecisionRule, WorkedCalculation

_NUMBERS = ("number", "amount", "count")


def date_fields(rules: Sequence[DecisionRule]) -> Iterator[str]:
    """Yield the fields that the terms of deciding rules are counted from."""
    for rule in rules:
        if "calculation" in rule and "decision" in rule:
            inputs = rule["calculation"]["inputs"]
            yield from (field for name, field in inputs.items() if FIELDS[name].type == "date" and field != TODAY)


def outcomes_of(request: CalculationRequest, readings: Mapping[str, Reading], today: date) -> list[Outcome]:
    """Return the outcome of a calculation; where a month was given for a day, those of its first and its last day."""
    calculation = CALCULATIONS[request["kind"]]
    ends = [_inputs(request, readings, today, is_last=is_last) for is_last in (False, True)]
    return [calculate(calculation, inputs) for inputs in (ends if ends[0] != ends[1] else ends[:1])]


def fails(request: CalculationRequest, readings: Mapping[str, Reading], today: date) -> bool | None:
    """Tell whether a calculated term has passed or nothing is due; ``None`` if that hangs on the day of a month."""
    failing = {_fails(outcome, today) for outcome in outcomes_of(request, readings, today)}
    return failing.pop() if len(failing) == 1 else None


def said_of(request: CalculationRequest, readings: Mapping[str, Reading], today: date) -> str:
    """Return the sentence of the result, or the reason without one; empty where a day is not known."""
    outcome, *others = outcomes_of(request, readings, today)
    return next(iter(_lines(outcome)), "") if not others else ""


def worked_calculations(
    rules: Sequence[DecisionRule], readings: Mapping[str, Reading], today: date
) -> list[WorkedCalculation]:
    """Return the calculations of rules whose inputs are known, each kind once, in their order."""
    worked: dict[str, WorkedCalculation] = {}
    for rule in rules:
        request = rule["calculation"]
        outcome, *others = outcomes_of(request, readings, today)
        lines = [] if others else list(_lines(outcome))
        if lines:
            title = CALCULATIONS[request["kind"]].title
            worked.setdefault(request["kind"], {"kind": request["kind"], "title": title, "lines": lines})
    return list(worked.values())


def _inputs(
    request: CalculationRequest, readings: Mapping[str, Reading], today: date, *, is_last: bool
) -> dict[str, object]:
    """Return the inputs that the data give, each in its type: a length of time is no date, and a date no number."""
    inputs: dict[str, object] = dict(request.get("given", {}))
    for name, field in request["inputs"].items():
        kind = FIELDS[name].type
        reading = readings.get(field)
        if field == TODAY:
            inputs[name] = today
        elif reading and isinstance(reading.value, Days) and kind == "date":
            inputs[name] = reading.value.last if is_last else reading.value.first
        elif reading and isinstance(reading.value, Decimal) and kind in _NUMBERS:
            # A count is whole: half a year of contributions is no year.
            if kind != "count" or reading.value == int(reading.value):
                inputs[name] = reading.value
        elif reading and isinstance(reading.value, bool) and kind == "yes_no":
            inputs[name] = reading.value
        elif reading and reading.value is None and kind in ("text", "dates"):
            inputs[name] = reading.given
    return inputs


def _fails(outcome: Outcome, today: date) -> bool:
    if isinstance(outcome, NotEntitled):
        return True
    values = outcome.values if isinstance(outcome, Result) else ()
    return any(each.name == DEADLINE and isinstance(each.value, date) and each.value < today for each in values)


def _lines(outcome: Outcome) -> Iterator[str]:
    match outcome:
        case Missing():
            return
        case Refused():
            yield outcome.reason
        case _:
            yield from lines_of(outcome)
