"""Read the collected data of a case, and apply the decision rules of its article.

``read_data`` returns a ``ReadData``: readings by field, and the missing, rejected and conflicting fields.
``apply_rules`` returns the decision and the reason of the first rule that holds, ``None`` if none holds. A
rule on a datum without a usable value does not hold.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeVar

from articulado.cases.data.amounts import find_days, is_nothing, is_percentage, read_days, read_money, read_quantity
from articulado.cases.data.bounds import check_range, say_accepted, sent_values
from articulado.cases.data.calculated import date_fields, fails, said_of, worked_calculations
from articulado.cases.data.phrases import canonical_choices, elapsed_units, has_phrase, holds, named_choices, say_days
from articulado.config.sections import Calendar
from articulado.guides.data_values import (
    Circumstances,
    Days,
    Reading,
    UnusableValue,
    Value,
    is_not_applicable,
    is_placeholder,
    read_truth,
    truth_of,
)
from articulado.language.folding import fold, letters_and_digits, without_accents
from articulado.language.formats import MONTHS
from articulado.language.languages import Language
from articulado.values.cases import Condition, Decision, DecisionRule, FieldSpec, RejectedDatum, WorkedCalculation

_DATE_BEGINS = re.compile(rf"\d|\b(?:{MONTHS})\b")
_REMARK = re.compile(r"\s*[,;(].*", re.DOTALL)
_CURRENCY = re.compile("[$€£]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")


def read_beginning(text: str, spec: FieldSpec, circumstances: Circumstances) -> Days | Decimal:
    """Return the days on which something may have begun, or how long it has lasted, in the unit of its field.

    Words may stand before either, and a remark after it ("desde mayo de 2018, indefinido"). A year is all of its days.

    Raises:
        UnusableValue: there is no such day, or the text is neither.
    """
    parts = [] if is_percentage(text) or _CURRENCY.search(text) else list(_parts(text))
    for part in parts:
        if days := find_days(part, spec, circumstances):
            return days
    for part in parts:
        if (year := _YEAR.search(part)) and not re.search(r"\d", part[: year.start()] + part[year.end() :]):
            return Days(date(int(year[0]), 1, 1), date(int(year[0]), 12, 31))
        if (length := read_quantity(part, spec.get("unit"), circumstances.language)) is not None:
            return length
    raise UnusableValue(circumstances.language.translate("case_problem_beginning"))


def _parts(text: str) -> Iterator[str]:
    """Yield a text and what is left of it without a remark and without the words before a date."""
    for part in (text, _REMARK.sub("", text)):
        yield part
        if begins := _DATE_BEGINS.search(fold(part)):
            yield part[begins.start() :]


_Read = TypeVar("_Read", bool, Decimal)


def read_value(text: str, spec: FieldSpec, circumstances: Circumstances) -> Value:
    """Return what a text says as a value of a field.

    Raises:
        UnusableValue: it says none.
    """
    language = circumstances.language
    if "pattern" in spec and not _has_pattern(text, spec["pattern"]):
        raise UnusableValue(language.translate("case_problem_pattern"))
    match spec["data_type"]:
        case "currency":
            return read_money(text, language)
        case "number":
            return _number(text, spec, language)
        case "date":
            read = read_beginning if "unit" in spec else read_days
            return read(text, spec, circumstances)
        case "boolean":
            return _read_by_type(_truth(text, spec, language), "boolean", language)
        case "text":
            return _choices(text, spec, language)


def is_none_a_value(text: str, spec: FieldSpec) -> bool:
    """Tell whether "none" or "no" is the value of a field: an amount of zero, or a no."""
    match spec["data_type"]:
        case "currency" | "number":
            return is_nothing(text)
        case "boolean":
            return read_truth(text) is not None
        case _:
            return False


def _number(text: str, spec: FieldSpec, language: Language) -> Decimal:
    if is_nothing(text):
        return Decimal(0)
    if "unit" in spec and is_percentage(text):
        raise UnusableValue(language.translate("case_problem_percentage_of_time"))
    return _read_by_type(read_quantity(text, spec.get("unit"), language), "number", language)


def _truth(text: str, spec: FieldSpec, language: Language) -> bool | None:
    """Return what a yes or no says, or which of the two the words of a list stand for; ``None`` for both or neither."""
    truth = read_truth(text)
    if truth is not None or "values" not in spec:
        return truth
    named = {truth_of(choice) for choice in named_choices(text, spec["values"], language)}
    return named.pop() if len(named) == 1 else None


def _read_by_type(value: _Read | None, kind: str, language: Language) -> _Read:
    if value is None:
        raise UnusableValue(language.translate(f"case_problem_{kind}"))
    return value


def _choices(text: str, spec: FieldSpec, language: Language) -> frozenset[str] | None:
    if "values" not in spec:
        return None
    named = named_choices(text, spec["values"], language)
    if not named:
        raise UnusableValue(language.translate("case_problem_choice"))
    return named


def _has_pattern(text: str, pattern: str) -> bool:
    return re.search(without_accents(pattern), without_accents(text), re.IGNORECASE) is not None


@dataclass(frozen=True)
class ReadData:
    """The data of a case.

    ``readings`` are the values by field. ``missing`` are the required fields for which nothing was given, ``rejected``
    the data that are no value, ``conflicting`` the fields whose data contradict each other. ``required`` are all
    required fields; ``blocking`` those rejected that are required or that a rule reads. ``unusable`` are the names
    under which rejected data were sent.
    """

    readings: Mapping[str, Reading]
    missing: Sequence[str]
    rejected: Sequence[RejectedDatum]
    conflicting: Sequence[str]
    required: Sequence[str]
    blocking: frozenset[str]
    unusable: frozenset[str]
    circumstances: Circumstances

    @property
    def without_value(self) -> list[str]:
        """The required fields for which nothing was given, or nothing that is a value."""
        return [name for name in self.required if name not in self.readings]


@dataclass(frozen=True)
class _Rejection:
    spec: FieldSpec
    given: str
    problem: str


_Outcomes = Mapping[str, Reading | _Rejection]


def read_data(
    fields: Iterable[FieldSpec],
    rules: Sequence[DecisionRule],
    collected: Mapping[str, str],
    today: date,
    calendar: Calendar,
    language: Language,
) -> ReadData:
    """Read what was collected for each field; ``rules`` are those of the guide.

    A placeholder counts as nothing given where the field is optional and no rule reads it; one that a list or a rule
    has ("pending") is a value. A month in place of a day is rejected where a bound or a rule depends on the day.
    """
    specs = {spec["field"]: spec for spec in fields}
    ruled = {rule["when"]["field"] for rule in rules if "when" in rule} | set(date_fields(rules))
    required = [name for name, spec in specs.items() if spec["required"]]
    needed = ruled | set(required)
    circumstances = Circumstances(today, calendar, language)
    sent = {name: sent_values(spec, collected) for name, spec in specs.items()}
    texts = {name: _texts(spec, sent[name], rules, name in needed, language) for name, spec in specs.items()}
    outcomes: _Outcomes = {
        name: _read(specs[name], written[0], rules, circumstances) for name, written in texts.items() if written
    }
    outcomes = _checked(
        outcomes, lambda reading, days_of: check_range(reading.spec, reading.value, days_of, circumstances)
    )
    outcomes = _checked(outcomes, lambda reading, days_of: _check_rules(reading, rules, days_of, circumstances))
    outcomes = _checked_terms(outcomes, rules, circumstances)
    readings = _readings(outcomes)
    rejections = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, _Rejection)}
    return ReadData(
        readings=readings,
        missing=[name for name in required if name not in outcomes],
        rejected=[_told(rejection, days_by_field(readings), circumstances) for rejection in rejections.values()],
        conflicting=[
            name for name in texts if len({_comparable(specs[name], text, circumstances) for text in texts[name]}) > 1
        ],
        required=required,
        blocking=frozenset(needed & rejections.keys()),
        unusable=frozenset(alias for name in rejections for alias in sent[name]),
        circumstances=circumstances,
    )


def days_by_field(readings: Mapping[str, Reading]) -> dict[str, Days]:
    """Return the days of the date fields that have any."""
    return {name: reading.value for name, reading in readings.items() if isinstance(reading.value, Days)}


def _texts(
    spec: FieldSpec, sent: Mapping[str, str], rules: Sequence[DecisionRule], is_needed: bool, language: Language
) -> list[str]:
    """Return what counts as given for a field: its values, or else a placeholder that cannot pass for nothing."""
    values = [text for text in sent.values() if not _is_placeholder(text, spec, rules, language)]
    if values or not is_needed:
        return values
    return [text for text in sent.values() if spec["required"] or not is_not_applicable(text)]


def _is_placeholder(text: str, spec: FieldSpec, rules: Sequence[DecisionRule], language: Language) -> bool:
    if not is_placeholder(text) or is_none_a_value(text, spec):
        return False
    listed = [phrase for value, others in spec.get("values", {}).items() for phrase in (value, *others)]
    looked_for = [phrase for when in _conditions_on(spec["field"], rules) for phrase in when.get("one_of", [])]
    return not any(
        is_placeholder(phrase) and has_phrase(text, phrase, language, anywhere=True)
        for phrase in (*listed, *looked_for)
    )


def _read(
    spec: FieldSpec, text: str, rules: Sequence[DecisionRule], circumstances: Circumstances
) -> Reading | _Rejection:
    if _is_placeholder(text, spec, rules, circumstances.language):
        return _Rejection(spec, text, circumstances.language.translate("case_problem_placeholder"))
    try:
        return Reading(spec, text, read_value(text, spec, circumstances))
    except UnusableValue as error:
        return _Rejection(spec, text, error.problem)


def _told(rejection: _Rejection, days_of: Mapping[str, Days], circumstances: Circumstances) -> RejectedDatum:
    return {
        "field": rejection.spec["field"],
        "given": rejection.given,
        "problem": rejection.problem,
        "accepted": say_accepted(rejection.spec, days_of, circumstances),
    }


def _checked(outcomes: _Outcomes, check: Callable[[Reading, Mapping[str, Days]], None]) -> _Outcomes:
    """Return the outcomes, those readings rejected that do not pass a check against the dates of the case."""
    days_of = days_by_field(_readings(outcomes))
    checked: dict[str, Reading | _Rejection] = dict(outcomes)
    for name, outcome in outcomes.items():
        if isinstance(outcome, Reading):
            try:
                check(outcome, days_of)
            except UnusableValue as error:
                checked[name] = _Rejection(outcome.spec, outcome.given, error.problem)
    return checked


def _readings(outcomes: _Outcomes) -> dict[str, Reading]:
    return {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Reading)}


def _conditions_on(name: str, rules: Sequence[DecisionRule]) -> list[Condition]:
    return [rule["when"] for rule in rules if "when" in rule and rule["when"]["field"] == name]


def _checked_terms(outcomes: _Outcomes, rules: Sequence[DecisionRule], circumstances: Circumstances) -> _Outcomes:
    """Return the outcomes, those months rejected on whose day it depends whether a calculated term has passed."""
    readings = _readings(outcomes)
    open_terms = [
        rule
        for rule in rules
        if "calculation" in rule
        and "decision" in rule
        and fails(rule["calculation"], readings, circumstances.today) is None
    ]
    problem = circumstances.language.translate("case_problem_needs_day")
    months = {
        name: readings[name]
        for name in date_fields(open_terms)
        if name in readings and isinstance(days := readings[name].value, Days) and days.first != days.last
    }
    return {**outcomes, **{name: _Rejection(each.spec, each.given, problem) for name, each in months.items()}}


def _check_rules(
    reading: Reading, rules: Sequence[DecisionRule], days_of: Mapping[str, Days], circumstances: Circumstances
) -> None:
    """Check that every rule can be answered.

    Raises:
        UnusableValue: a month was given, and one depends on the day.
    """
    conditions = _conditions_on(reading.spec["field"], rules)
    if any(holds(when, reading, days_of, circumstances, stops=True) is None for when in conditions):
        raise UnusableValue(circumstances.language.translate("case_problem_needs_day"))


def _comparable(spec: FieldSpec, text: str, circumstances: Circumstances) -> object:
    """Return what equal values have in common however they are written: what they say, or their letters and digits."""
    try:
        value = read_value(text, spec, circumstances)
    except UnusableValue:
        value = None
    return letters_and_digits(text) if value is None else value


def apply_rules(rules: Sequence[DecisionRule], read: ReadData) -> tuple[Decision, str] | None:
    """Return the decision and the reason of the first rule that holds; ``None`` where none does.

    A rule on a datum that was not collected, or is no value, does not hold. One that puts a case out of scope leaves it
    uncertain where its datum names other values as well ("dismissed, after asking for leave"). A reason that counts
    working days says how many, since when and by which calendar; one of a calculated term says its last day.
    """
    for rule in rules:
        if "decision" in rule and _is_met(rule, read) and _fails(rule, read):
            reading = read.readings.get(rule["when"]["field"]) if "when" in rule else None
            return _decision(rule, reading), _reason(rule, reading, read)
    return None


def applicable_calculations(rules: Sequence[DecisionRule], read: ReadData) -> list[WorkedCalculation]:
    """Return the worked calculations of the rules whose condition holds, or that have none."""
    asked = [rule for rule in rules if "calculation" in rule and _is_met(rule, read)]
    return worked_calculations(asked, read.readings, read.circumstances.today)


def _is_met(rule: DecisionRule, read: ReadData) -> bool:
    """Tell whether the condition of a rule holds; one without any is met."""
    if "when" not in rule:
        return True
    reading = read.readings.get(rule["when"]["field"])
    stops = rule.get("decision") != "can_proceed"
    days_of = days_by_field(read.readings)
    return reading is not None and bool(holds(rule["when"], reading, days_of, read.circumstances, stops=stops))


def _fails(rule: DecisionRule, read: ReadData) -> bool:
    """Tell whether the calculation of a rule fails the case; a rule without any hangs on its condition alone."""
    if "calculation" not in rule:
        return True
    return bool(fails(rule["calculation"], read.readings, read.circumstances.today))


def _decision(rule: DecisionRule, reading: Reading | None) -> Decision:
    if rule["decision"] == "out_of_scope" and reading and isinstance(reading.value, frozenset):
        stopping = canonical_choices(rule["when"].get("one_of", []), reading.spec.get("values", {}))
        return rule["decision"] if reading.value <= stopping else "uncertain"
    return rule["decision"]


def _reason(rule: DecisionRule, reading: Reading | None, read: ReadData) -> str:
    circumstances = read.circumstances
    language, calendar = circumstances.language, circumstances.calendar
    if "calculation" in rule:
        lead = said_of(rule["calculation"], read.readings, circumstances.today)
        because = rule["because"].rstrip(".")
        return language.translate("case_term_passed", because=because, lead=lead) if lead else because
    days = reading.value if reading else None
    if rule["when"].get("elapsed") != "working_days" or not isinstance(days, Days):
        return rule["because"]
    least, most = (elapsed_units("working_days", day, circumstances.today, calendar) for day in (days.last, days.first))
    return language.translate(
        "case_working_days",
        because=rule["because"].rstrip("."),
        count=least if least == most else language.translate("case_range", least=least, most=most),
        day=say_days(days, language),
        calendar=calendar.name or language.translate("case_weekdays"),
    )
