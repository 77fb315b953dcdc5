"""Amounts of the compensations, worked by hand, and what a calculation says where it gives none."""

from datetime import date
from decimal import Decimal

import pytest

from articulado.calculations import compensation
from articulado.calculations.compensation import REFORM
from articulado.calculations.employment import add_months, whole_months
from articulado.calculations.engine import calculate
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result, plain
from articulado.calculations.wordings import CALCULATIONS

OBJECTIVE = CALCULATIONS["compensation/objective"]
GROWING = (*(each.kind for each in compensation.CALCULATIONS), "compensation/domestic", "compensation/representatives")
SIX_YEARS = {"start": "2020-01-01", "end": "2025-12-31"}


def amount(outcome: Outcome) -> str:
    assert isinstance(outcome, Result), outcome
    return str(plain(outcome.values[0].value))


def test_each_step_names_a_provision_and_a_cap_that_is_not_reached_is_told():
    result = calculate(OBJECTIVE, {**SIX_YEARS, "annual_salary": "29200"})
    assert isinstance(result, Result)
    assert all("#" in step.provision for step in result.steps)
    assert [each.text for each in result.not_applied] == ["tope de 12 mensualidades (29.200,00 €): no se alcanza"]
    assert result.lead == "Indemnización por despido objetivo: 9.600,00 €."


def test_a_month_of_thirty_days_is_another_reading_of_the_cap():
    result = calculate(
        CALCULATIONS["compensation/transfer"], {"start": "2000-01-01", "end": "2025-12-31", "annual_salary": "36500"}
    )
    assert isinstance(result, Result)
    assert [(each.rule, each.value.value) for each in result.alternatives] == [
        ("mensualidad de 30 días de salario (12 × 30)", Decimal("36000.00"))
    ]


def test_compensation_already_paid_is_subtracted_in_the_lead():
    part = calculate(OBJECTIVE, {**SIX_YEARS, "annual_salary": "29200", "already_paid": "9000"})
    whole = calculate(OBJECTIVE, {**SIX_YEARS, "annual_salary": "29200", "already_paid": "10000"})
    assert isinstance(part, Result)
    assert isinstance(whole, Result)
    assert part.lead == "Falta por pagar: 9.600,00 − 9.000,00 = 600,00 €."
    assert whole.lead == "Ya pagado: 10.000,00 €, que cubre los 9.600,00 € de la indemnización."


@pytest.mark.parametrize(
    ("inputs", "fields"),
    [
        ({}, ["start", "end", "annual_salary"]),
        (SIX_YEARS, ["annual_salary"]),
        ({**SIX_YEARS, "monthly": 1500}, ["payments"]),
        ({"annual_salary": 20000, "end": "2025-12-31"}, ["start"]),
        ({"daily_salary": 50, "start": "2020-01-01"}, ["end"]),
    ],
)
def test_missing_inputs_are_asked_once_in_the_shortest_way(inputs, fields):
    outcome = calculate(OBJECTIVE, inputs)
    assert isinstance(outcome, Missing)
    assert [each.field for each in outcome.fields] == fields
    assert outcome.rule


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({**SIX_YEARS, "annual_salary": "-1"}, "«Salario bruto anual, con pagas extra» no admite «-1»"),
        ({**SIX_YEARS, "annual_salary": "NaN"}, "no admite «NaN»"),
        ({**SIX_YEARS, "annual_salary": "mucho"}, "no admite «mucho»"),
        ({"start": "2026-02-30", "end": "2026-03-01", "annual_salary": "1"}, "no admite «2026-02-30»"),
        ({"start": "2026-01-02", "end": "2026-01-01", "annual_salary": "1"}, "no puede terminar antes de empezar"),
        ({**SIX_YEARS, "annual_salary": "30000", "monthly": "1000", "payments": "12"}, "Los datos no cuadran"),
        ({"start": "2001-03-01", "end": "2011-10-28", "annual_salary": "36500"}, "13 de noviembre de 2015"),
    ],
)
def test_inputs_that_cannot_be_right_are_refused(inputs, reason):
    outcome = calculate(OBJECTIVE, inputs)
    assert isinstance(outcome, Refused)
    assert reason in outcome.reason


def test_an_unknown_input_is_told():
    outcome = calculate(OBJECTIVE, {**SIX_YEARS, "annual_salary": "29200", "bonus": "3"})
    assert isinstance(outcome, Result)
    assert outcome.warnings == ("No se ha usado en este cálculo: «bonus».",)


@pytest.mark.parametrize("contract", ["training", "de sustitución"])
def test_a_training_or_substitution_contract_gives_nothing_at_its_end(contract):
    outcome = calculate(
        CALCULATIONS["compensation/temporary"],
        {"start": "2025-02-17", "end": "2026-02-16", "annual_salary": "17094", "contract": contract},
    )
    assert isinstance(outcome, NotEntitled)
    assert outcome.provision == "BOE-A-2015-11430#Artículo 49"


def test_a_temporary_contract_of_before_march_2001_gives_nothing_at_its_end():
    outcome = calculate(
        CALCULATIONS["compensation/temporary"], {"start": "2001-03-03", "end": "2016-02-16", "annual_salary": "17094"}
    )
    assert isinstance(outcome, NotEntitled)
    assert outcome.provision == "BOE-A-2015-11430#Disposición transitoria octava"


@pytest.mark.parametrize("kind", GROWING)
def test_more_salary_or_service_never_gives_less(kind):
    def value(start: date, salary: int) -> Decimal:
        inputs = {"start": start, "end": date(2026, 6, 30), "annual_salary": salary}
        outcome = calculate(CALCULATIONS[kind], inputs)
        assert isinstance(outcome, Result)
        return Decimal(str(plain(outcome.values[0].value)))

    starts = [add_months(date(2026, 6, 1), -months) for months in range(0, 500, 7)]
    if kind == "compensation/temporary":
        # Older contracts have fewer days a year.
        starts = [start for start in starts if start.year >= 2015]
    by_service = [value(start, 24_000) for start in starts]
    assert by_service == sorted(by_service)
    by_salary = [value(date(2008, 3, 9), salary) for salary in range(12_000, 60_000, 4_000)]
    assert by_salary == sorted(by_salary)


def test_a_contract_of_the_day_of_the_reform_has_one_tranche():
    def days(start: date) -> list[str]:
        outcome = calculate(
            CALCULATIONS["compensation/unfair"], {"start": start, "end": "2026-02-11", "annual_salary": 1}
        )
        assert isinstance(outcome, Result)
        return [step.name for step in outcome.steps]

    assert "days_before_reform" not in days(REFORM)
    assert "days_before_reform" in days(date(2012, 2, 11))


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(2024, 2, 29), date(2025, 2, 27), (0, 11, 30)),
        (date(2024, 2, 29), date(2025, 2, 28), (1, 0, 0)),
        (date(2026, 1, 31), date(2026, 2, 28), (0, 1, 0)),
        (date(2026, 1, 1), date(2026, 1, 1), (0, 0, 1)),
    ],
)
def test_years_months_and_days_count_both_ends(first, last, expected):
    assert whole_months(first, last) == expected


def test_an_input_that_one_cause_needs_is_asked_with_the_general_rule():
    outcome = calculate(CALCULATIONS["compensation/employer_end"], {"cause": "company_end", "annual_salary": "30000"})
    assert isinstance(outcome, Missing)
    assert [each.field for each in outcome.fields] == ["start", "end"]
    assert outcome.rule
    assert outcome.provision == "BOE-A-2015-11430#Artículo 49"


def test_each_item_of_a_settlement_is_a_step_and_the_sum_is_exact():
    items = [{"type": "salary", "days": 1, "monthly": "1000"}, {"type": "notice", "days": 1, "monthly": "1000"}]
    outcome = calculate(CALCULATIONS["settlement"], {"end": "2026-03-31", "items": items})
    assert isinstance(outcome, Result)
    assert [each.provision.split()[-1] for each in outcome.steps] == ["29", "53", "49"]
    # Two of 33.333… €: the sum is rounded, not each.
    assert amount(outcome) == "66.67"


def test_more_leave_taken_than_earned_is_told():
    inputs = {"end": "2026-01-31", "day_value": "50", "holidays_taken": 10}
    outcome = calculate(CALCULATIONS["settlement/holidays"], inputs)
    assert isinstance(outcome, Result)
    assert "más vacaciones de las ganadas" in outcome.warnings[0]
    # 30 × 31/365 − 10 = −7.4521 days of 50 €.
    assert amount(outcome) == "-372.60"


def test_a_list_of_items_is_never_asked_for():
    for kind in ("settlement", "settlement/salary", "settlement/extra_pay", "settlement/holidays"):
        outcome = calculate(CALCULATIONS[kind], {})
        assert isinstance(outcome, Missing)
        assert outcome.fields[0].field == "end"
        assert "items" not in [each.field for each in outcome.fields]


@pytest.mark.parametrize("kind", [name for name, each in CALCULATIONS.items() if {"start", "end"} <= set(each.fields)])
def test_no_calculation_takes_an_end_before_the_beginning(kind):
    outcome = calculate(CALCULATIONS[kind], {"start": "2022-01-10", "end": "2020-03-01"})
    assert isinstance(outcome, Refused)
    assert "revise las dos fechas" in outcome.reason
