"""Collected data become values of the types of their fields, as of Monday, November 23, 2026, or are rejected."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_fields import MONDAY, WEEKDAYS, field, read, rule

from articulado.cases.phrases import is_not_applicable, is_placeholder, named_choices, read_choice
from articulado.cases.readers import Circumstances
from articulado.cases.typed_data import data_model, field_schema, sent_values
from articulado.language.languages import language

AMOUNT, NUMBER, FLAG = field("x", "currency"), field("x", "number"), field("x", "boolean")
OPEN, PAST = field("x", "date"), field("x", "date", max="today")
BORN = field("x", "date", min="today - 110 years", max="today - 14 years")
SINCE = field("x", "date", unit="years", min="today - 60 years", max="today")
YEARS, MONTHS, DAYS = (field("x", "number", unit=unit) for unit in ("years", "months", "days"))
STATUS = field("x", values={"terminated": ["fired", "no longer employed"], "active": ["employed"], "retired": []})
ENROLLED = field("x", "boolean", values={"yes": ["enrolled"], "no": ["not enrolled", "refuses"]})


def value(spec, given, code="en"):
    return read([spec], {"x": given}, code=code).readings["x"].value


def problem(spec, given, code="en"):
    (rejected,) = read([spec], {"x": given}, code=code).rejected
    return rejected["problem"]


@pytest.mark.parametrize(
    ("spec", "given", "expected"),
    [
        *((AMOUNT, text, 1234.5) for text in ("1.234,50 €", "$1,234.50", "1 234,50 €", 1234.5)),
        *((AMOUNT, text, 17500) for text in ("17.500", "17.500 euros brutos al año", "17500", "17.5k", 17500)),
        *((AMOUNT, text, 10000) for text in ("10k", "10 mil €")),
        (AMOUNT, "dos mil euros", 2000),
        (AMOUNT, "0,500 €", 0.5),
        (AMOUNT, "$45,000 (vested)", 45000),
        *((AMOUNT, text, 0) for text in ("none", "No", "0", "ninguno", "no hay")),
        (AMOUNT, 100.125, Decimal("100.125")),
        (NUMBER, "20 días", 20),
        (NUMBER, "37,5 %", 37.5),
        (YEARS, "8 meses", Decimal(8) / 12),
        (YEARS, "2 años y 3 meses", 2.25),
        (MONTHS, "un año", 12),
        (DAYS, "3 semanas", 21),
        (field("x", "number", unit="working_days"), "3 semanas", 15),
    ],
)
def test_a_number_or_an_amount_is_one_figure_in_the_unit_of_its_field(spec, given, expected):
    assert round(value(spec, given, "es"), 6) == round(Decimal(str(expected)), 6)


@pytest.mark.parametrize(
    ("spec", "given", "said"),
    [
        (AMOUNT, "12%", "is a percentage and no amount"),
        (AMOUNT, "-5", "is less than 0"),
        (AMOUNT, "$100,000,001", "is more than 100,000,000"),
        *((AMOUNT, text, "cannot be read as an amount") for text in ("a lot", "2 loans", "14 x $3", "in 2024", True)),
        *((NUMBER, text, "cannot be read as a number") for text in ("many", "2 or 3", "two and a half", True)),
        (YEARS, "75%", "is a percentage and no time"),
        *((YEARS, text, "cannot be read as a number") for text in ("2-3 years", "dos años y medio", "1.2.3 años")),
        (MONTHS, "200 years", "is more than 1,200"),
        (FLAG, "maybe", "says neither yes nor no"),
        (STATUS, "banana", "is none of the possible values"),
        (field("x", pattern=r"artículo \d+", accepts="a"), "fifty", "does not have the form that is needed"),
        *((field("x"), text, "is a placeholder and no value") for text in ("TBD", "none", "x", "--")),
    ],
)
def test_a_datum_that_is_not_of_its_type_is_rejected_with_the_reason(spec, given, said):
    assert problem(spec, given) == said


@pytest.mark.parametrize("text", ["1.500 al mes", "$3,000 a month", "$3,000/mo", "14 pagas de 1.500 €", "20 € la hora"])
def test_monthly_amounts_are_rejected(text):
    assert "the whole is needed" in problem(AMOUNT, text)


@pytest.mark.parametrize(
    ("spec", "given", "code", "expected"),
    [
        (OPEN, "2026-11-03T10:30:00+01:00", "es", date(2026, 11, 3)),
        (OPEN, "el miércoles, día 4 de noviembre de 2026", "es", date(2026, 11, 4)),
        (OPEN, "20/11/2026 (carta recibida el mismo día)", "es", date(2026, 11, 20)),
        (OPEN, "Monday, Nov 2, 2026", "en", date(2026, 11, 2)),
        (OPEN, "03/05/2026", "es", date(2026, 5, 3)),
        (OPEN, "03/05/2026", "en", date(2026, 3, 5)),
        (OPEN, "mañana", "es", date(2026, 11, 24)),
        (PAST, "hace dos meses", "es", date(2026, 9, 23)),
        (PAST, "3 de noviembre", "es", date(2026, 11, 3)),
        (PAST, "Nov 23", "en", MONDAY),
        (PAST, "24 de noviembre", "es", date(2025, 11, 24)),
        (PAST, "29 de febrero", "es", date(2024, 2, 29)),
        (BORN, "3/5/65", "es", date(1965, 5, 3)),
        (SINCE, "3/5/2018 (indefinido)", "es", date(2018, 5, 3)),
        (SINCE, "desde mayo de 2018, indefinido", "es", date(2018, 5, 1)),
        (SINCE, "since 2018", "en", date(2018, 1, 1)),
        (SINCE, "9 años", "es", date(2017, 11, 23)),
        (SINCE, "7 años y 2 meses", "es", date(2019, 9, 23)),
        (field("x", "date", unit="working_days"), "10", "en", date(2026, 11, 9)),
    ],
)
def test_a_date_is_one_day_in_the_forms_of_the_language(spec, given, code, expected):
    assert value(spec, given, code) == expected


@pytest.mark.parametrize(
    ("spec", "given", "said"),
    [
        *((OPEN, text, "cannot be read as a date") for text in ("banana", "May", "next", "viernes", "5 years", "26")),
        *((OPEN, text, "cannot be read as a date") for text in ("31/02/2026", "2026-02-31", "2026-13-01", "13/2026")),
        *((OPEN, text, "cannot be read as a date") for text in ("1 o 2 de mayo de 2026", 2026, True)),
        *((PAST, text, "does not say the day, which matters here") for text in ("mayo de 2026", "05/2026")),
        (OPEN, "3 de noviembre", "does not say the year"),
        (OPEN, "1899-12-31", "is before January 1, 1900"),
        (OPEN, "2086-11-24", "is after November 23, 2086"),
        (PAST, "2026-11-24", "is in the future"),
        (field("x", "date", min="today"), "2026-11-22", "is in the past"),
        *((SINCE, text, "is before November 23, 1966") for text in ("1960", "500 años")),
        *((SINCE, text, "cannot be read as a date nor as a length of time") for text in ("15 %", "20 €", "always")),
    ],
)
def test_a_date_that_is_not_one_day_in_its_range_is_rejected(spec, given, said):
    assert problem(spec, given) == said


@pytest.mark.parametrize(
    ("spec", "given", "expected"),
    [
        *((FLAG, text, True) for text in ("yes", "Sí (embarazo)", "sí, solo una vez", "true", True, 1)),
        *((FLAG, text, False) for text in ("no", "No. Never.", "no, nunca", "false", "none", False)),
        *((FLAG, text, None) for text in ("yes and no", "yes, no", "no sé", "no. No sé", "no doubt", "si procede")),
        *((ENROLLED, text, True) for text in ("enrolled", "yes")),
        *((ENROLLED, text, False) for text in ("not enrolled", "she refuses", "no")),
        (ENROLLED, "enrolled, but refuses", None),
        *((STATUS, text, "terminated") for text in ("TERMINATED!", "fired in August 2026", "no longer employed")),
        (STATUS, "retired (2021)", "retired"),
        *((STATUS, text, None) for text in ("not active", "isn't active", "was active", "active, no, terminated")),
        *((STATUS, text, None) for text in ("active and terminated", "active as far as I can tell from all mail")),
        (field("x"), " Fidelity ", "Fidelity"),
    ],
)
def test_yes_and_no_and_listed_values_are_read_whole_or_alone_in_a_few_words(spec, given, expected):
    data = read([spec], {"x": given}, code="en")
    assert (data.readings["x"].value if data.readings else None) == expected
    assert bool(data.rejected) is (expected is None)


def test_of_overlapping_phrases_the_longer_one_is_named_and_a_bare_no_only_as_the_whole_text():
    listed = {"a": ["leave"], "b": ["paid leave"], "c": []}
    assert named_choices("on paid leave", listed) == {"b"}
    assert named_choices("C. or a Leave", listed) == {"a", "c"}
    refused = {"refused": ["no"]}
    assert [read_choice(text, refused, language("en")) for text in ("No", "no answer")] == ["refused", None]


PLACEHOLDERS = (
    *("TBD", "[Plan name]", "<plan>", "{{plan}}", "to be confirmed by HR", "pending info", "Unknown", "n/a", "???", ""),
    *("por definir", "Pendiente: lo miro", "no lo sé", "preguntar a la clienta", "ni idea, ya miraré", "no aplica"),
)


def test_placeholders_are_known_in_any_language_and_names_are_none():
    assert [text for text in PLACEHOLDERS if not is_placeholder(text)] == []
    values = ("Ana", "0", "no", "NA Partners", "TBDS", "[5]", "Paco Pendiente", "Sin contrato", "10k")
    assert [text for text in values if is_placeholder(text)] == []
    assert [is_not_applicable(text) for text in ("N/A", "no aplica", "none", "TBD")] == [True] * 3 + [False]


def test_a_placeholder_is_nothing_where_it_is_not_needed_and_a_value_where_a_list_or_a_rule_has_it():
    optional, rules = field("x", required=False), [rule("x", one_of=["pending"])]
    assert (read([optional], {"x": "TBD"}).readings, read([optional], {"x": "TBD"}).rejected) == ({}, [])
    assert read([optional], {"x": "TBD"}, rules).blocking == {"x"}
    assert read([optional], {"x": "n/a"}, rules).rejected == []
    assert read([optional], {"x": "Pending"}, rules).readings["x"].given == "Pending"
    assert value(field("x", values={"pending": [], "signed": []}), "Pending") == "pending"
    data = read([field("x", "currency", aliases=("y",))], {"x": "TBD", "y": "5"})
    assert (data.readings["x"].value, data.conflicting, data.rejected) == (5, [], [])


def test_missing_and_rejected_data_are_told_by_field():
    fields = [field("b", "currency", aliases=("saldo",)), field("a"), field("c", "date", required=False)]
    data = read(fields, {"Saldo": "TBD", "c": "banana"})
    assert (data.missing, data.without_value) == (["a"], ["b", "a"])
    assert [(each["field"], each["given"]) for each in data.rejected] == [("b", "TBD"), ("c", "banana")]
    assert (data.blocking, data.unusable) == ({"b"}, {"Saldo", "c"})


@pytest.mark.parametrize(
    ("spec", "one", "other", "conflict"),
    [
        (AMOUNT, "$10,000", 10000, False),
        (OPEN, "2026-05-03", "3 May 2026", False),
        (STATUS, "fired", "Terminated", False),
        (STATUS, "fired", "active", True),
        (field("x"), "Fidelity", "FIDELITY.", False),
        (FLAG, "maybe", "perhaps", True),
    ],
)
def test_data_that_contradict_each_other_under_several_names_are_named(spec, one, other, conflict):
    assert read([{**spec, "aliases": ["y"]}], {"x": one, "Y": other}).conflicting == (["x"] if conflict else [])


def test_a_field_is_known_by_its_names_whatever_their_case_accents_and_marks():
    balance = field("account_balance", aliases=("balance", "línea"))
    assert sent_values(balance, {"LINEA": 2, "Account Balance": "1"}) == {"Account Balance": "1", "LINEA": 2}
    assert sent_values(balance, {"balances": "3"}) == {}


def test_a_date_may_be_bounded_by_another_one_of_the_case():
    span = [field("start", "date"), field("end", "date", min="start")]
    data = read(span, {"start": "2026-05-03", "end": "2026-05-02"})
    assert [each["problem"] for each in data.rejected] == ["is before “start” (May 3, 2026)"]
    assert data.rejected[0]["accepted"] == "a date from “start” (May 3, 2026), such as November 23, 2026"
    assert read(span, {"start": "2026-05-03", "end": "2026-05-03"}).rejected == []
    assert list(read(span, {"end": "2026-05-02"}).readings) == ["end"]


@pytest.mark.parametrize(
    ("spec", "accepted"),
    [
        (field("x", "currency", max=7000.5), "an amount in figures between 0 and 7,000.5"),
        (FLAG, "yes or no"),
        (STATUS, "one of these values: terminated, active, retired"),
        (field("x"), "What it is"),
        (BORN, "a date from November 23, 1916 up to November 23, 2012, such as November 23, 2012"),
        (PAST, "a date up to today, such as November 23, 2026"),
    ],
)
def test_accepted_values_are_described_by_type_list_and_range(spec, accepted):
    assert read([spec], {"x": "TBD"}).rejected[0]["accepted"] == accepted


AGE = field("age", "number", computed={"since": "born", "unit": "years", "until": "year_end"}, max=115.0)
SICK = field("off", "number", required=False, computed={"since": "ill", "unit": "days", "until": "well"})
DATES = [field(name, "date", required=False) for name in ("born", "ill", "well")]


@pytest.mark.parametrize(
    ("collected", "expected"),
    [
        ({"born": "1953-12-31"}, {"age": 73}),
        ({"born": "1954-01-01"}, {"age": 72}),
        ({"born": "1953-12-31", "age": 60}, {"age": 60}),
        ({"ill": "2026-11-03"}, {"off": 20}),
        ({"ill": "2026-11-03", "well": "2026-11-13"}, {"off": 10}),
        ({}, {}),
    ],
)
def test_a_number_that_follows_from_a_date_is_computed_unless_it_was_sent(collected, expected):
    data = read([AGE, SICK, *DATES], collected)
    assert {name: data.readings[name].value for name in ("age", "off") if name in data.readings} == expected
    assert data.without_value == ([] if "age" in expected else ["age"])
    assert [each["given"] for each in read([AGE, *DATES], {"born": "1901-01-01"}).rejected] == ["125"]


def test_the_schema_of_a_field_has_its_type_limits_and_list():
    fields = [{**AGE, "unit": "years"}, PAST, field("json", values={"a": []}, required=False)]
    model = data_model(fields, language("en"))
    schema = model.model_json_schema()
    assert (list(schema["properties"]), schema["required"]) == (["age", "x", "json"], ["age", "x"])
    age, day, listed = schema["properties"].values()
    assert age["description"] == "What it is (years)"
    assert (age["type"], age["minimum"], age["maximum"]) == ("number", 0, 115)
    assert (day["type"], day["format"], listed["enum"]) == ("string", "date", ["a"])
    assert field_schema(FLAG, language("es"))["type"] == "boolean"
    circumstances = Circumstances(MONDAY, WEEKDAYS, language("en"))
    assert model.model_validate({"x": "3 May 2026"}, context=circumstances).model_dump(by_alias=True)["x"].month == 5


KINDS = st.sampled_from(["text", "currency", "date", "boolean", "number"])
PIECES = st.lists(st.sampled_from(["hace", "31", "/", "-", "2026", " ", "mayo", "ago", "years", "%", ",", "(", "²"]))


@given(KINDS, st.text() | PIECES.map("".join), st.sampled_from([None, "years"]))
def test_any_text_is_a_value_or_rejected(kind, text, unit):
    spec = field("x", kind, **({"unit": unit} if unit and kind in ("date", "number") else {}))
    data = read([spec], {"x": text})
    assert len(data.readings) + len(data.rejected) == 1
