"""The rules of a decision guide and their calculations, put to the data of a case of Monday, November 23, 2026."""

from datetime import date

import pytest
from support.case_fields import MONDAY, field, read, rule

from articulado.cases.rules import applicable_calculations, apply_rules, as_question
from articulado.config.sections import Calendar


def decided(fields, rules, collected, **more):
    return apply_rules(rules, read(fields, collected, rules, **more))


RULES = [
    {"when": {"field": "age", "below": 59.5}, "decision": "uncertain", "because": "too young"},
    {"when": {"field": "status", "one_of": ["Fired", "retired"]}, "decision": "can_proceed", "because": "left"},
    {"when": {"field": "balance", "above": 7000}, "decision": "out_of_scope", "because": "large"},
    {"when": {"field": "loan", "one_of": ["yes"]}, "decision": "uncertain", "because": "loan"},
]
STATUS = field("status", values={"terminated": ["fired"], "active": ["employed"], "retired": []})
FIELDS = [field("age", "number"), STATUS, field("balance", "currency"), field("loan", "boolean")]


@pytest.mark.parametrize(
    ("collected", "expected"),
    [
        ({}, None),
        ({"age": "59"}, "too young"),
        ({"age": 59.5}, None),
        ({"status": "terminated in May"}, "left"),
        ({"status": "not terminated"}, None),
        ({"balance": "$7,000"}, None),
        ({"balance": "$7,000.01"}, "large"),
        ({"loan": "Sí, since May"}, "loan"),
        ({"loan": False}, None),
        # the first rule that holds decides
        ({"age": "40", "status": "retired", "balance": "9000"}, "too young"),
        # a datum that is no value holds no rule
        ({"age": "-3"}, None),
    ],
)
def test_the_first_rule_that_holds_decides(collected, expected):
    ruled = decided(FIELDS, RULES, collected)
    assert (ruled and ruled[1]) == expected


@pytest.mark.parametrize(
    ("decision", "text", "expected"),
    [
        ("uncertain", "está de baja ahora", True),
        ("uncertain", "rebajas", False),
        ("can_proceed", "Baja.", True),
        ("can_proceed", "está de baja", False),
    ],
)
def test_stopping_words_match_anywhere_and_others_only_alone(decision, text, expected):
    assert bool(decided([field("x")], [rule("x", decision, one_of=["baja"])], {"x": text})) is expected


@pytest.mark.parametrize(
    ("when", "given", "expected"),
    [
        ({"before": "2026-01-01"}, "2025-12-31", True),
        ({"before": "2026-01-01"}, "2026-01-01", False),
        ({"after": "today - 1 year"}, "2025-11-24", True),
        ({"after": "today - 1 year"}, "2025-11-23", False),
        ({"after": "start"}, "2026-06-02", True),
        ({"after": "start"}, "2026-06-01", False),
        ({"after": "nothing"}, "2026-06-02", False),
        ({"elapsed": "days", "above": 7}, "2026-11-15", True),
        ({"elapsed": "days", "above": 7}, "2026-11-16", False),
    ],
)
def test_a_rule_compares_a_date_with_another_or_with_the_time_that_has_passed(when, given, expected):
    fields = [field("start", "date"), field("day", "date"), field("nothing", "date")]
    assert bool(decided(fields, [rule("day", **when)], {"start": "2026-06-01", "day": given})) is expected


def test_a_rule_on_a_beginning_takes_how_long_it_has_lasted():
    fields, rules = [field("x", "date", unit="years")], [rule("x", elapsed="years", below=1)]
    assert decided(fields, rules, {"x": "8 meses"}, code="es")
    assert decided(fields, rules, {"x": "13 meses"}, code="es") is None


def test_twenty_working_days_stop_a_case_and_the_reason_says_how_many_since_when_by_which_calendar():
    holidays, claim = Calendar(name="de lunes a viernes", country="US"), [rule("x", elapsed="working_days", above=20)]
    # Counted by hand: 4 in the week of 26 October after the 26th, 5, 4 (11 November is a holiday), 5, and the 23rd.
    assert decided([field("x", "date")], claim, {"x": "2026-10-26"}, calendar=holidays, code="es") is None
    assert decided([field("x", "date")], claim, {"x": "22/10/2026"}, calendar=holidays, code="es") == (
        "uncertain",
        "Because (han pasado 21 días hábiles desde la fecha indicada, 22 de octubre de 2026; se cuentan de lunes a "
        "viernes)",
    )
    assert "counted: Monday to Friday" in decided([field("x", "date")], claim, {"x": "2026-10-01"})[1]


CASE = [
    field("despido", "date"),
    field("antiguedad", "date", unit="years"),
    field("salario", "currency"),
    field("municipio", required=False),
    field("festivos", required=False),
    field("dias", "number", unit="days", required=False),
    field("medida", required=False, values={"despido": [], "traslado": []}),
]
TERM = {"kind": "deadline/dismissal", "inputs": {"dismissal": "despido", "seat": "municipio", "holidays": "festivos"}}
SUM = {"kind": "compensation/unfair", "inputs": {"start": "antiguedad", "end": "despido", "annual_salary": "salario"}}
CLAIM = {"calculation": TERM, "decision": "uncertain", "because": "Puede haber caducado."}


def leads(collected, rules, today=MONDAY):
    data = read(CASE, collected, rules, code="es", today=today)
    return [each["lines"][0] for each in applicable_calculations(rules, data)]


# Twenty working days after 2 November 2026: 4, 5, 5 and 5 to the 27th, and Monday the 30th.
@pytest.mark.parametrize(("today", "is_late"), [(date(2026, 11, 30), False), (date(2026, 12, 1), True)])
def test_a_term_that_has_passed_decides_and_its_last_day_is_the_reason(today, is_late):
    lead = (
        "El último día es el lunes 30 de noviembre de 2026; un escrito al juzgado se admite hasta el martes 1 de"
        " diciembre de 2026, a las 15:00."
    )
    ruled = decided(CASE, [CLAIM], {"despido": "2 de noviembre de 2026"}, code="es", today=today)
    assert ruled == (("uncertain", f"Puede haber caducado. {lead}") if is_late else None)
    assert leads({"despido": "2026-11-02"}, [CLAIM], today) == [lead]


def test_texts_are_inputs_too_and_the_holidays_of_the_seat_do_not_count():
    # In the city of Madrid 9 November 2026 is a local holiday.
    [lead] = leads({"despido": "2026-11-02", "municipio": "Madrid"}, [CLAIM])
    assert "martes 1 de diciembre de 2026;" in lead


def test_a_year_without_a_calendar_is_said_and_decides_nothing():
    december, today = {"despido": "2026-12-20"}, date(2027, 3, 1)
    assert decided(CASE, [CLAIM], december, code="es", today=today) is None
    assert leads(december, [CLAIM], today)[0].startswith("El plazo llega a 2027, y solo están comprobados")
    # 8 working days of December without the 25th; in January the 4th, 5th, 7th and 8th, five, and three more.
    ruled = decided(CASE, [CLAIM], {**december, "festivos": "2027-01-06"}, code="es", today=today)
    assert "miércoles 20 de enero de 2027;" in ruled[1]


@pytest.mark.parametrize("since", ["1 de noviembre de 2024", "2 años", 2])
def test_a_sum_takes_a_date_or_a_length_of_time(since):
    # 33 days a year, 100.00 € a day: two years are 66 days.
    data = {"despido": "2026-10-31", "salario": "36.500 €", "antiguedad": since}
    assert leads(data, [{"calculation": SUM}]) == ["Indemnización por despido improcedente: 6.600,00 €."]
    assert leads({"despido": "2026-10-31"}, [{"calculation": SUM}]) == []


@pytest.mark.parametrize(("given", "is_due"), [("300", False), (360, True), ("300,5", True)])
def test_a_benefit_that_is_not_due_decides_and_half_a_day_is_no_count(given, is_due):
    benefit = {"kind": "benefit/unemployment_duration", "inputs": {"contributed_days": "dias"}}
    rules = [{"calculation": benefit, "decision": "uncertain", "because": "Sin contributiva."}]
    assert (decided(CASE, rules, {"dias": given}, code="es") is None) is is_due


def test_a_condition_limits_what_is_calculated_and_decided():
    only = [{**CLAIM, "when": rule("medida", one_of=["despido"])["when"]}]
    late = {"despido": "2026-09-01"}
    # Twenty working days after 1 September 2026: 3, 5, 5, 5 and 2, to Tuesday the 29th.
    assert "martes 29 de septiembre de 2026" in decided(CASE, only, {**late, "medida": "despido"}, code="es")[1]
    assert decided(CASE, only, {**late, "medida": "traslado"}, code="es") is None
    assert leads({**late, "medida": "traslado"}, only) == []


@pytest.mark.parametrize(
    ("inquiry", "code", "expected"),
    [
        (
            "¿Qué me toca? (Finiquito)",
            "es",
            "¿Qué me toca? Alta: 1 de marzo de 2018. Salario: 18.000,5 €. Pagas: 2 años. Representa: sí. Causa: otra.",
        ),
        (
            "What am I owed",
            "en",
            "What am I owed. Alta: March 1, 2018. Salario: $18,000.5. Pagas: 2 years. Representa: yes. Causa: otra.",
        ),
    ],
)
def test_a_case_is_put_as_a_question_with_its_data_in_words(inquiry, code, expected):
    fields = [
        field("start", "date") | {"description": "Alta"},
        field("pay", "currency") | {"description": "Salario."},
        field("time", "number", unit="years") | {"description": "Pagas"},
        field("elected", "boolean") | {"description": "Representa"},
        field("cause") | {"description": "Causa"},
        field("lacking"),
    ]
    collected = {"start": "2018-03-01", "pay": 18000.5, "time": 2, "elected": True, "cause": "otra"}
    assert as_question(inquiry, "Finiquito", read(fields, collected, code=code)) == expected
