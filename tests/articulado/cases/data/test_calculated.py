"""Calculations of a guide: their inputs, what they decide, and what is said of them."""

from datetime import date

import pytest
from support.case_fields import WEEKDAYS, field, rule

from articulado.cases.data.read import applicable_calculations, apply_rules, read_data
from articulado.language.languages import language

FIELDS = [
    field("despido", "date"),
    field("antiguedad", "date", unit="years"),
    field("salario", "currency"),
    field("municipio", required=False),
    field("festivos", required=False),
    field("medida", required=False, values={"despido": [], "traslado": []}),
]
TERM = {
    "kind": "deadline/dismissal",
    "inputs": {"dismissal": "despido", "seat": "municipio", "holidays": "festivos"},
}
SUM = {
    "kind": "compensation/unfair",
    "inputs": {"start": "antiguedad", "service_years": "antiguedad", "end": "despido", "annual_salary": "salario"},
}
CLAIM = {"calculation": TERM, "decision": "uncertain", "because": "Puede haber caducado."}


def read(collected, rules, today=date(2026, 11, 23)):
    return read_data(FIELDS, rules, collected, today, WEEKDAYS, language("es"))


def leads(collected, rules, today=date(2026, 11, 23)):
    return [each["lines"][0] for each in applicable_calculations(rules, read(collected, rules, today))]


# Twenty working days after 2 November 2026: 4, 5, 5 and 5 to the 27th, and Monday the 30th.
@pytest.mark.parametrize(("today", "is_late"), [(date(2026, 11, 30), False), (date(2026, 12, 1), True)])
def test_a_term_that_has_passed_decides_and_its_last_day_is_the_reason(today, is_late):
    decided = apply_rules([CLAIM], read({"despido": "2 de noviembre de 2026"}, [CLAIM], today))

    lead = (
        "El último día es el lunes 30 de noviembre de 2026; un escrito al juzgado se admite hasta el martes 1 de"
        " diciembre de 2026, a las 15:00."
    )
    assert decided == (("uncertain", f"Puede haber caducado. {lead}") if is_late else None)
    assert leads({"despido": "2026-11-02"}, [CLAIM], today) == [lead]


def test_the_holidays_of_the_seat_do_not_count():
    # In the city of Madrid 9 November 2026 is a local holiday.
    [lead] = leads({"despido": "2026-11-02", "municipio": "Madrid"}, [CLAIM])
    assert "martes 1 de diciembre de 2026;" in lead


def test_a_year_without_a_calendar_is_said_and_decides_nothing():
    december = {"despido": "2026-12-20"}
    today = date(2027, 3, 1)
    assert apply_rules([CLAIM], read(december, [CLAIM], today)) is None
    assert leads(december, [CLAIM], today)[0].startswith("El plazo llega a 2027, y solo están comprobados")
    given = {**december, "festivos": "2027-01-06"}
    # 8 working days of December without the 25th; in January the 4th, 5th, 7th and 8th, five, and three more.
    assert "miércoles 20 de enero de 2027;" in apply_rules([CLAIM], read(given, [CLAIM], today))[1]


def test_a_sum_takes_a_date_or_a_length_of_time():
    data = {"despido": "2026-10-31", "salario": "36.500 €"}
    # 33 days a year, 100.00 € a day: two years are 66 days.
    assert leads({**data, "antiguedad": "1 de noviembre de 2024"}, [{"calculation": SUM}]) == [
        "Indemnización por despido improcedente: 6.600,00 €."
    ]
    assert leads({**data, "antiguedad": "2 años"}, [{"calculation": SUM}]) == [
        "Indemnización por despido improcedente: 6.600,00 €."
    ]


def test_what_lacks_an_input_is_not_mentioned():
    assert leads({"despido": "2026-10-31"}, [{"calculation": SUM}]) == []


def test_a_benefit_that_is_not_due_decides():
    days = field("dias", "number", unit="days")
    benefit = {"kind": "benefit/unemployment_duration", "inputs": {"contributed_days": "dias"}}
    rules = [{"calculation": benefit, "decision": "uncertain", "because": "Sin contributiva."}]
    for given, is_due in (("300", False), ("360", True)):
        known = read_data([days], rules, {"dias": given}, date(2026, 11, 23), WEEKDAYS, language("es"))
        assert (apply_rules(rules, known) is None) == is_due


def test_a_condition_limits_what_is_calculated_and_decided():
    only = [{**CLAIM, "when": rule("medida", one_of=["despido"])["when"]}]
    late = {"despido": "2026-09-01"}
    decision, why = apply_rules(only, read({**late, "medida": "despido"}, only))
    # Twenty working days after 1 September 2026: 3, 5, 5, 5 and 2, to Tuesday the 29th.
    assert (decision, "martes 29 de septiembre de 2026" in why) == ("uncertain", True)
    assert apply_rules(only, read({**late, "medida": "traslado"}, only)) is None
    assert leads({**late, "medida": "traslado"}, only) == []


def test_a_month_is_a_value_as_long_as_no_term_depends_on_its_day():
    # Of the first of October the term ends on the 30th, of the last one on 30 November.
    rejected = read({"despido": "octubre de 2026"}, [CLAIM]).rejected
    assert [datum["field"] for datum in rejected] == ["despido"]
    assert "día" in rejected[0]["problem"]
    september = read({"despido": "agosto de 2026"}, [CLAIM])
    assert not september.rejected
    assert apply_rules([CLAIM], september) == ("uncertain", "Puede haber caducado")
    assert applicable_calculations([CLAIM], september) == []
