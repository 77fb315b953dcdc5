"""Validate the collected data of a case against the fields of its article."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

import pydantic
from dateutil.relativedelta import relativedelta

from articulado.calculations.calendars import elapsed_units
from articulado.calculations.fields import FIELDS
from articulado.cases.phrases import is_not_applicable, stands_for_nothing
from articulado.cases.readers import Circumstances, UnusableValue, Value, in_unit, read_value, text_of
from articulado.config.profile import Profile
from articulado.config.sections import Calendar
from articulado.guides.schema import TODAY, YEAR_END, DateExpression, parse_expression
from articulado.language.folding import letters_and_digits
from articulado.language.formats import exact, long_day
from articulado.language.languages import Language
from articulado.prompting.prompts import load_prompt
from articulado.values.cases import LEAST_NUMBER, CollectedValue, DataType, DecisionRule, FieldSpec, RejectedDatum
from articulado.values.protocols import ChatModel, Structured

EARLIEST = date(1900, 1, 1)
YEARS_AHEAD = 60
MOST = {"currency": Decimal(100_000_000), "number": Decimal(1_000_000)}
LONGEST_YEARS = 100

_TYPES: Mapping[DataType, tuple[Any, str]] = {
    "text": (str, "string"),
    "currency": (Decimal, "number"),
    "number": (Decimal, "number"),
    "date": (date, "string"),
    "boolean": (bool, "boolean"),
}


@dataclass(frozen=True)
class Reading:
    """A datum of a case: its field, the text that was sent, and its value."""

    spec: FieldSpec
    given: str
    value: Value


@dataclass(frozen=True)
class ReadData:
    """The data of a case: values by field (``readings``), and the names of the fields without one."""

    readings: Mapping[str, Reading]
    missing: Sequence[str]
    rejected: Sequence[RejectedDatum]
    conflicting: Sequence[str]
    required: Sequence[str]
    blocking: frozenset[str]  # rejected fields that are required or read by a rule
    unusable: frozenset[str]  # names of rejected data, as sent
    circumstances: Circumstances

    @property
    def without_value(self) -> list[str]:
        return [name for name in self.required if name not in self.readings]

    @property
    def days(self) -> dict[str, date]:
        return _days({name: reading.value for name, reading in self.readings.items()})


def sent_values(field: FieldSpec, collected: Mapping[str, CollectedValue]) -> dict[str, CollectedValue]:
    """Return the collected values of a field, by sent name: its own first, then its aliases; case and accents aside."""
    sent_names = {letters_and_digits(name): name for name in collected}
    keys = dict.fromkeys(map(letters_and_digits, (field["field"], *field["aliases"])))
    return {sent_names[key]: collected[sent_names[key]] for key in keys if key in sent_names}


def field_schema(spec: FieldSpec, language: Language) -> dict[str, Any]:
    """Return the JSON schema of a field, without the limits of dates, which depend on the day of the case."""
    kind, description = spec["data_type"], spec["description"].rstrip(".")
    beside = [language.translate(f"case_unit_{spec['unit']}")] if "unit" in spec and kind == "number" else []
    beside += [spec["accepts"].rstrip(".")] if "accepts" in spec else []
    beside += [", ".join(spec["values"])] if spec.get("several") and "values" in spec else []
    schema: dict[str, Any] = {
        "type": _TYPES[kind][1],
        "description": f"{description} ({'; '.join(beside)})" if beside else description,
    }
    if "values" in spec and kind == "text" and not spec.get("several"):
        schema["enum"] = list(spec["values"])
    if kind == "date":
        schema["format"] = "date"
    if kind in ("number", "currency"):
        schema |= {"minimum": float(_least(spec)), "maximum": float(_most(spec))}
    return schema


def data_model(
    fields: Iterable[FieldSpec], language: Language, looked_for: Mapping[str, Sequence[str]] | None = None
) -> type[pydantic.BaseModel]:
    """Return a pydantic model of the data of a case; its validation takes ``Circumstances`` as context.

    A missing datum is no validation error. ``looked_for`` are the words that rules look for in a field.
    """
    specs, types = list(fields), dict[str, Any]()
    for number, spec in enumerate(specs):
        reader = partial(_validated, spec=spec, looked_for=(looked_for or {}).get(spec["field"], ()))
        python_type, schema = _TYPES[spec["data_type"]][0], pydantic.WithJsonSchema(field_schema(spec, language))
        # Under a name of its own, as a field may be called like a method of a model.
        types[f"field_{number}"] = (
            Annotated[python_type, pydantic.BeforeValidator(reader), schema],
            pydantic.Field(default=None, alias=spec["field"]),
        )
    required: Any = {"required": [spec["field"] for spec in specs if spec["required"]]}
    return pydantic.create_model(
        "CaseData", __config__=pydantic.ConfigDict(frozen=True, json_schema_extra=required), **types
    )


def _validated(
    given: CollectedValue, info: pydantic.ValidationInfo, *, spec: FieldSpec, looked_for: Sequence[str]
) -> Value:
    circumstances: Circumstances = info.context  # type: ignore[assignment]
    return read_value(given, spec, circumstances, looked_for)


def read_data(
    fields: Iterable[FieldSpec],
    rules: Sequence[DecisionRule],
    collected: Mapping[str, CollectedValue],
    today: date,
    calendar: Calendar,
    language: Language,
) -> ReadData:
    """Read the collected data of each field; ``rules`` are those of the guide.

    A placeholder counts as missing if the field is optional and no rule reads it. A number that follows from a date is
    computed if it was not sent.
    """
    specs = {spec["field"]: spec for spec in fields}
    circumstances = Circumstances(today, calendar, language)
    required = [name for name, spec in specs.items() if spec["required"]]
    conditions = [rule["when"] for rule in rules if "when" in rule]
    terms = [rule["calculation"]["inputs"].items() for rule in rules if "calculation" in rule and "decision" in rule]
    needed = {*required, *(when["field"] for when in conditions)}
    needed |= {field for inputs in terms for name, field in inputs if FIELDS[name].type == "date" and field != TODAY}
    looked_for = {
        name: [phrase for when in conditions if when["field"] == name for phrase in when.get("one_of", [])]
        for name in specs
    }
    sent = {name: sent_values(spec, collected) for name, spec in specs.items()}
    given = {name: _given(spec, sent[name], looked_for[name], name in needed) for name, spec in specs.items()}
    first = {name: values[0] for name, values in given.items() if values}
    model = data_model(specs.values(), language, looked_for)
    values, problems = _validate(model, first, circumstances)
    problems |= _range_problems(specs, values, values, circumstances)
    values = {name: value for name, value in values.items() if name not in problems}
    computed = {name: value for name, value in _computed(specs, values, circumstances) if name not in first}
    problems |= _range_problems(specs, computed, values, circumstances)
    values |= {name: value for name, value in computed.items() if name not in problems}
    texts = {name: text_of(value) for name, value in first.items()}
    texts |= {name: str(value) for name, value in computed.items()}
    return ReadData(
        readings={name: Reading(specs[name], texts[name], values[name]) for name in specs if name in values},
        missing=[name for name in required if name not in texts],
        rejected=[
            {
                "field": name,
                "given": texts[name],
                "problem": problems[name],
                "accepted": say_accepted(spec, _days(values), circumstances),
            }
            for name, spec in specs.items()
            if name in problems
        ],
        conflicting=[
            name
            for name, several in given.items()
            if len({_comparable(value, specs[name], circumstances, looked_for[name]) for value in several}) > 1
        ],
        required=required,
        blocking=frozenset(needed & problems.keys()),
        unusable=frozenset(alias for name in problems for alias in sent[name]),
        circumstances=circumstances,
    )


def _given(
    spec: FieldSpec, sent: Mapping[str, CollectedValue], looked_for: Sequence[str], is_needed: bool
) -> list[CollectedValue]:
    values = [value for value in sent.values() if not stands_for_nothing(text_of(value), spec, looked_for)]
    if values or not is_needed:
        return values
    return [value for value in sent.values() if spec["required"] or not is_not_applicable(text_of(value))]


def _validate(
    model: type[pydantic.BaseModel], data: Mapping[str, CollectedValue], circumstances: Circumstances
) -> tuple[dict[str, Value], dict[str, str]]:
    problems: dict[str, str] = {}
    try:
        valid = model.model_validate(data, context=circumstances)
    except pydantic.ValidationError as error:
        for each in error.errors(include_url=False):
            why = each.get("ctx", {}).get("error")
            problems[str(each["loc"][0])] = why.problem if isinstance(why, UnusableValue) else each["msg"]
        usable = {name: value for name, value in data.items() if name not in problems}
        valid = model.model_validate(usable, context=circumstances)
    return valid.model_dump(by_alias=True, exclude_unset=True), problems


def _computed(
    specs: Mapping[str, FieldSpec], values: Mapping[str, Value], circumstances: Circumstances
) -> Iterator[tuple[str, Value]]:
    days, today = _days(values), circumstances.today
    for name, spec in specs.items():
        if "computed" in spec and (since := days.get(spec["computed"]["since"])):
            until = spec["computed"].get("until", TODAY)
            last = date(today.year, 12, 31) if until == YEAR_END else days.get(until, today)
            unit, country = spec["computed"]["unit"], circumstances.calendar.country
            yield name, Decimal(elapsed_units(unit, since, last, country))


def _days(values: Mapping[str, Value]) -> dict[str, date]:
    return {name: value for name, value in values.items() if isinstance(value, date)}


def _comparable(
    given: CollectedValue, spec: FieldSpec, circumstances: Circumstances, looked_for: Sequence[str]
) -> object:
    """Return a key that is equal for equal values, however they are written."""
    try:
        value = read_value(given, spec, circumstances, looked_for)
    except UnusableValue:
        value = text_of(given)
    return letters_and_digits(value) if isinstance(value, str) else value


def _range_problems(
    specs: Mapping[str, FieldSpec],
    values: Mapping[str, Value],
    others: Mapping[str, Value],
    circumstances: Circumstances,
) -> dict[str, str]:
    language, problems = circumstances.language, dict[str, str]()
    for name, value in values.items():
        if isinstance(value, Decimal):
            limits: Any = [(limit, exact(limit, language.code)) for limit in (_least(specs[name]), _most(specs[name]))]
            keys = ("below", "above")
        elif isinstance(value, date):
            limits = _date_limits(specs[name], _days(others), circumstances)
            keys = ("past" if limits[0][2] == TODAY else "before", "future" if limits[1][2] == TODAY else "after")
        else:
            continue
        out = 0 if value < limits[0][0] else 1 if value > limits[1][0] else None
        if out is not None:
            problems[name] = language.translate(f"case_problem_{keys[out]}", bound=limits[out][1])
    return problems


def _least(spec: FieldSpec) -> Decimal:
    return Decimal(str(spec.get("min", LEAST_NUMBER)))


def _most(spec: FieldSpec) -> Decimal:
    if "max" in spec:
        return Decimal(str(spec["max"]))
    return in_unit(LONGEST_YEARS, "years", spec["unit"]) if "unit" in spec else MOST[spec["data_type"]]


def _date_limits(
    spec: FieldSpec, days: Mapping[str, date], circumstances: Circumstances
) -> list[tuple[date, str, str]]:
    """Return earliest and latest day, each with its text and the expression of the article (may be empty)."""
    language, limits = circumstances.language, []
    ahead: date = circumstances.today + relativedelta(years=YEARS_AHEAD)
    for written, default in ((spec.get("min", ""), EARLIEST), (spec.get("max", ""), ahead)):
        expression = parse_expression(str(written)) if written else None
        day = expression.resolve(circumstances.today, days) if expression else None
        in_words = long_day((day or default).isoformat(), language.code)
        if expression == DateExpression(TODAY):
            in_words = language.translate("case_today")
        elif expression and expression.field and day:
            in_words = language.translate("case_bound_field", field=language.quoted(expression.field), day=in_words)
        limits.append((day or default, in_words, str(written)))
    return limits


def say_accepted(spec: FieldSpec, days: Mapping[str, date], circumstances: Circumstances) -> str:
    """Describe the values that a field accepts: by its article, or else by type, list and range."""
    language = circumstances.language
    if "accepts" in spec:
        return spec["accepts"].rstrip(".")
    if "values" in spec:
        return language.translate("case_accepts_choice", choices=", ".join(spec["values"]))
    match spec["data_type"]:
        case "text":
            return spec["description"].rstrip(".")
        case "boolean":
            return language.translate("case_accepts_boolean")
        case "date":
            limits = _date_limits(spec, days, circumstances)
            bounds = [
                language.translate(key, bound=bound)
                for key, (_, bound, written) in zip(("case_from_day", "case_to_day"), limits, strict=True)
                if written
            ]
            example = max(min(circumstances.today, limits[1][0]), limits[0][0]).isoformat()
            such_as = language.translate("case_example", example=long_day(example, language.code))
            return f"{' '.join((language.translate('case_accepts_date'), *bounds))}, {such_as}"
        case kind:
            unit = language.translate(f"case_unit_{spec['unit']}") if "unit" in spec else ""
            key = "case_accepts_number_of" if unit else f"case_accepts_{kind}"
            least, most = (exact(limit, language.code) for limit in (_least(spec), _most(spec)))
            between = language.translate("case_between_numbers", least=least, most=most)
            return f"{language.translate(key, unit=unit)} {between}"


MAX_TOKENS = 600


class ChatDataReader:
    """Reads free text as values of fields with a chat model."""

    def __init__(self, model: ChatModel, profile: Profile, language: Language) -> None:
        self._model, self._language = model, language
        # Read now: a case is handled on the event loop, where files must not be.
        self._prompt = load_prompt("type_data", profile)

    async def read(
        self, given: Mapping[str, str], fields: Sequence[FieldSpec], today: str, *, deadline: float | None = None
    ) -> Structured[pydantic.BaseModel]:
        """Return ISO 8601 dates, numbers in figures, or texts by field, ``None`` if ``given`` has no value for it."""
        specs = [spec for spec in fields if spec["field"] in given]
        schemas = {spec["field"]: field_schema(spec, self._language) for spec in specs}
        data = [{"field": name, "text": given[name], "schema": schema} for name, schema in schemas.items()]
        message = json.dumps({"today": today, "data": data}, ensure_ascii=False, indent=0)
        return await self._model.structured(
            self._prompt,
            [{"role": "user", "content": message}],
            _reply_model(schemas),
            max_tokens=MAX_TOKENS,
            deadline=deadline,
        )


def _reply_model(schemas: Mapping[str, Mapping[str, Any]]) -> type[pydantic.BaseModel]:
    fields: dict[str, Any] = {
        name: (str | None, pydantic.Field(description=str(schema["description"]))) for name, schema in schemas.items()
    }
    return pydantic.create_model("TypedData", __config__=pydantic.ConfigDict(extra="forbid"), **fields)
