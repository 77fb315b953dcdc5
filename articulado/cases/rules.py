"""Apply the decision rules of an article to a case; convert a question's results to data, a case to a question."""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from articulado.calculations.calendars import elapsed_units
from articulado.calculations.engine import DEADLINE, calculate
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result
from articulado.calculations.wordings import CALCULATIONS
from articulado.calculations.written import Worked, lines_of
from articulado.cases.phrases import JOINT, named_choices
from articulado.cases.typed_data import ReadData, Reading
from articulado.guides.schema import TODAY, parse_expression, truth_of
from articulado.language.folding import letters_and_digits
from articulado.language.formats import exact, long_day
from articulado.values.cases import CalculationRequest, Condition, Decision, DecisionRule, WorkedCalculation

_NUMBERS = ("number", "amount", "count")


def apply_rules(rules: Sequence[DecisionRule], read: ReadData) -> tuple[Decision, str] | None:
    """Return decision and reason of the first rule that holds; ``None`` if none does.

    A rule on a missing datum does not hold; a calculation that lacks an input or is refused decides nothing.
    """
    for rule in rules:
        if "decision" in rule and _is_met(rule, read) and _fails(rule, read):
            return rule["decision"], _reason(rule, read)
    return None


def applicable_calculations(rules: Sequence[DecisionRule], read: ReadData) -> list[WorkedCalculation]:
    """Return the worked calculations of the rules whose condition holds, each kind once."""
    worked: dict[str, WorkedCalculation] = {}
    for rule in rules:
        if "calculation" in rule and _is_met(rule, read):
            kind, lines = rule["calculation"]["kind"], list(_lines(_outcome(rule["calculation"], read)))
            if lines:
                worked.setdefault(kind, {"kind": kind, "title": CALCULATIONS[kind].title, "lines": lines})
    return list(worked.values())


def stated_data(rules: Sequence[DecisionRule], worked: Sequence[Worked]) -> dict[str, str]:
    """Return the inputs of worked results by the field that the rules take them from."""
    inputs = {(each["calculation"], name): str(value) for each in worked for name, value in each["inputs"].items()}
    requests = [rule["calculation"] for rule in rules if "calculation" in rule]
    return {
        field: inputs[request["kind"], name]
        for request in requests
        for name, field in request["inputs"].items()
        if field != TODAY and (request["kind"], name) in inputs
    }


def as_question(inquiry: str, article_title: str, read: ReadData) -> str:
    """Return a case as a question: its inquiry without the article's title, and a sentence for each datum."""
    asked = inquiry.strip().removesuffix(f"({article_title})").rstrip() or inquiry.strip()
    data = [f"{each.spec['description'].rstrip('.')}: {_stated(each, read)}." for each in read.readings.values()]
    if data and asked[-1:] not in "?!.…":
        asked += "."
    return " ".join((asked, *data))


def _stated(reading: Reading, read: ReadData) -> str:
    language, unit = read.circumstances.language, reading.spec.get("unit")
    match reading.value:
        case bool(truth):
            return language.translate("case_yes" if truth else "case_no")
        case date() as day:
            return long_day(day.isoformat(), language.code)
        case Decimal() as number if reading.spec["data_type"] == "currency":
            return language.translate("case_amount", amount=exact(number, language.code))
        case Decimal() as number:
            written = exact(number, language.code)
            return f"{written} {language.translate(f'case_unit_{unit}')}" if unit else written
        case text:
            return str(text)


# Conditions


def _is_met(rule: DecisionRule, read: ReadData) -> bool:
    """Return True if the condition of a rule holds, or if it has none.

    In free text, a rule that stops a case finds its words anywhere; for others they must be the whole text.
    """
    if "when" not in rule:
        return True
    reading = read.readings.get(rule["when"]["field"])
    return reading is not None and _holds(rule["when"], reading, read, anywhere=rule.get("decision") != "can_proceed")


def _holds(when: Condition, reading: Reading, read: ReadData, *, anywhere: bool) -> bool:
    value, circumstances = reading.value, read.circumstances
    if "one_of" in when:
        return _is_one_of(when["one_of"], reading, anywhere=anywhere)
    if isinstance(value, Decimal):
        return _compares(value, when)
    if not isinstance(value, date):
        return False
    if "elapsed" in when:
        since = elapsed_units(when["elapsed"], value, circumstances.today, circumstances.calendar.country)
        return _compares(Decimal(since), when)
    written = when.get("before") or when.get("after")
    limit = parse_expression(written).resolve(circumstances.today, read.days) if written else None
    return limit is not None and (value < limit if "before" in when else value > limit)


def _compares(number: Decimal, when: Condition) -> bool:
    if "below" in when:
        return number < Decimal(str(when["below"]))
    return "above" in when and number > Decimal(str(when["above"]))


def _is_one_of(phrases: Sequence[str], reading: Reading, *, anywhere: bool) -> bool:
    value, listed = reading.value, reading.spec.get("values", {})
    if isinstance(value, bool):
        return any(truth_of(phrase) is value for phrase in phrases)
    keys = {letters_and_digits(phrase) for phrase in phrases}
    if isinstance(value, str) and listed:
        named = [phrase for choice in value.split(JOINT) for phrase in (choice, *listed[choice])]
        return not keys.isdisjoint(map(letters_and_digits, named))
    truth = truth_of(reading.given)
    return (
        letters_and_digits(reading.given) in keys
        or (truth is not None and any(truth_of(phrase) is truth for phrase in phrases))
        or (anywhere and bool(named_choices(reading.given, dict.fromkeys(phrases, ()))))
    )


# Calculations


def _outcome(request: CalculationRequest, read: ReadData) -> Outcome:
    inputs: dict[str, object] = dict(request.get("given", {}))
    for name, field in request["inputs"].items():
        if field == TODAY:
            inputs[name] = read.circumstances.today
        elif (reading := read.readings.get(field)) and (value := _input(reading, FIELDS[name].type)) is not None:
            inputs[name] = value
    return calculate(CALCULATIONS[request["kind"]], inputs)


def _input(reading: Reading, kind: str) -> object | None:
    match reading.value:
        case bool(truth):
            return truth if kind == "yes_no" else None
        case date() as day:
            return day if kind == "date" else None
        case Decimal() as number:
            # A count is whole: half a year of contributions is no year.
            return number if kind in _NUMBERS and (kind != "count" or number == int(number)) else None
        case str(text):
            return text if kind in ("text", "dates") and "values" not in reading.spec else None


def _fails(rule: DecisionRule, read: ReadData) -> bool:
    if "calculation" not in rule:
        return True
    outcome = _outcome(rule["calculation"], read)
    if isinstance(outcome, NotEntitled):
        return True
    values = outcome.values if isinstance(outcome, Result) else ()
    today = read.circumstances.today
    return any(each.name == DEADLINE and isinstance(each.value, date) and each.value < today for each in values)


def _lines(outcome: Outcome) -> Iterator[str]:
    match outcome:
        case Missing():
            return
        case Refused():
            yield outcome.reason
        case _:
            yield from lines_of(outcome)


def _reason(rule: DecisionRule, read: ReadData) -> str:
    language, because = read.circumstances.language, rule["because"].rstrip(".")
    if "calculation" in rule:
        lead = next(_lines(_outcome(rule["calculation"], read)), "")
        return language.translate("case_term_passed", because=because, lead=lead) if lead else because
    when = rule["when"]
    day = read.readings[when["field"]].value
    if when.get("elapsed") != "working_days" or not isinstance(day, date):
        return rule["because"]
    today, calendar = read.circumstances.today, read.circumstances.calendar
    return language.translate(
        "case_working_days",
        because=because,
        count=elapsed_units("working_days", day, today, calendar.country),
        day=long_day(day.isoformat(), language.code),
        calendar=calendar.name or language.translate("case_weekdays"),
    )
