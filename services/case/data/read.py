"""Read the data that were collected for a case against the fields that it needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from articulado.config.case_sections import Calendar
from articulado.guides.data_values import Circumstances, Days, Reading, UnusableValue, is_not_applicable, is_placeholder
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.values.articles import DecisionRule, FieldSpec
from articulado.values.cases import RejectedDatum
from services.case.data.bounds import check_range, say_accepted
from services.case.data.collected import sent_values
from services.case.data.conditions import holds
from services.case.data.phrases import has_phrase
from services.case.data.readers import is_none_a_value, read_value


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
    ruled = {rule["when"]["field"] for rule in rules}
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
    readings = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Reading)}
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
    looked_for = [
        phrase for rule in rules if rule["when"]["field"] == spec["field"] for phrase in rule["when"].get("one_of", [])
    ]
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
    days_of = days_by_field({name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Reading)})
    checked: dict[str, Reading | _Rejection] = dict(outcomes)
    for name, outcome in outcomes.items():
        if isinstance(outcome, Reading):
            try:
                check(outcome, days_of)
            except UnusableValue as error:
                checked[name] = _Rejection(outcome.spec, outcome.given, error.problem)
    return checked


def _check_rules(
    reading: Reading, rules: Sequence[DecisionRule], days_of: Mapping[str, Days], circumstances: Circumstances
) -> None:
    """Check that every rule can be answered.

    Raises:
        UnusableValue: a month was given, and one depends on the day.
    """
    conditions = [rule["when"] for rule in rules if rule["when"]["field"] == reading.spec["field"]]
    if any(holds(when, reading, days_of, circumstances, stops=True) is None for when in conditions):
        raise UnusableValue(circumstances.language.translate("case_problem_needs_day"))


def _comparable(spec: FieldSpec, text: str, circumstances: Circumstances) -> object:
    """Return what equal values have in common however they are written: what they say, or their letters and digits."""
    try:
        value = read_value(text, spec, circumstances)
    except UnusableValue:
        value = None
    return letters_and_digits(text) if value is None else value
