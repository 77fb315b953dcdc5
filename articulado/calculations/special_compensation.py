"""Compensation of special employment relations and of the employer's end, and back pay after an unfair dismissal."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from articulado.calculations.compensation import (
    FIELDS,
    REFORM,
    STATUTE_SINCE,
    UNFAIR_RULES,
    amount_rule,
    capped_at,
    days_of_service,
    owed_rule,
)
from articulado.calculations.employment import (
    ROUNDING,
    SALARY,
    STARTED_MONTH,
    annual_of_payments,
    annual_with_extra_pays,
    days_of_year,
    months_of_service,
    service_rule,
)
from articulado.calculations.engine import STATUTE, Calculation, Computed, Rule, Variant, rule
from articulado.calculations.fields import FIELDS as INPUTS
from articulado.calculations.values import Missing, Refused, Stop, counted, money, number, written_day

DOMESTIC = "BOE-A-2011-17975#Artículo 11"
DOMESTIC_TRANSITIONAL = "BOE-A-2011-17975#Disposición transitoria primera"
DOMESTIC_REFORM, DOMESTIC_DECREE = date(2022, 9, 9), date(2011, 11, 18)
"""First day without the employer's withdrawal (RDL 16/2022), and of the Real Decreto 1620/2011."""
WITHDRAWAL_ENDED = "Real Decreto-ley 16/2022, en vigor desde el 9-9-2022: suprime el desistimiento"
EXECUTIVES = "BOE-A-1985-17006#Art. 11"
ARTISTS = "BOE-A-1985-17303#Artículo 10"
ARTISTS_SINCE = date(2022, 3, 31)  # First day of article 10 in the wording of the RDL 5/2022
REPRESENTATIVES = "BOE-A-1985-17410#Artículo 10"
END = f"{STATUTE}#Artículo 49"
DISMISSAL = f"{STATUTE}#Artículo 56"


def ask(*names: str) -> Stop:
    return Stop(Missing(tuple(INPUTS[name].wanted() for name in names)))


@rule(DOMESTIC)
def domestic_regime(start: date, end: date, domestic_cause: str = "justified") -> Computed:
    """Return the days a year of a domestic worker: 7, 12 or 33."""
    if domestic_cause in ("unfair", "withdrawal") and end >= DOMESTIC_REFORM:
        text = "Es un despido improcedente: se aplica el régimen del Estatuto de los Trabajadores, 33 días por año."
        if domestic_cause == "withdrawal":
            text = (
                "Desde el 9 de septiembre de 2022 no se puede despedir por desistimiento, sin causa: se trata como un"
                " despido improcedente, 33 días por año."
            )
        return Computed(33, "days", text, authority=WITHDRAWAL_ENDED if domestic_cause == "withdrawal" else "")
    if end >= DOMESTIC_REFORM:
        assumed = "La causa del artículo 11.2 está justificada, se dio por escrito y se ofreció la indemnización."
        return Computed(12, "days", assumptions=(assumed,))
    if domestic_cause == "unfair":
        reason = (
            "El despido improcedente en el hogar familiar anterior al 9 de septiembre de 2022 tenía otra indemnización,"
            " que aquí no se calcula."
        )
        raise Stop(Refused(reason, DOMESTIC))
    if domestic_cause != "withdrawal":
        reason = (
            "Antes del 9 de septiembre de 2022 no existían estas causas, sino el desistimiento: si fue eso, indíquelo"
            " como causa (withdrawal)."
        )
        raise Stop(Refused(reason, DOMESTIC))
    old = start < DOMESTIC_DECREE
    text = (
        f"Desistimiento de un contrato {'anterior al' if old else 'celebrado desde el'} 18 de noviembre de 2011:"
        f" {7 if old else 12} días por año."
    )
    return Computed(7 if old else 12, "days", text, provision=DOMESTIC_TRANSITIONAL)


@rule(DOMESTIC, produces="compensation_days")
def domestic_days(domestic_regime: int, service_months: int) -> Computed:
    return days_of_service(domestic_regime, service_months, "apartado 2" if domestic_regime == 12 else "por año")


@rule(DOMESTIC, produces="compensation_days")
def domestic_days_of_tranches(domestic_regime: int, service_months: int, start: date, end: date) -> Computed:
    """Return the days of an unfair dismissal with 45 days a year before the reform of 2012."""
    if domestic_regime != 33 or start >= REFORM:
        return days_of_service(domestic_regime, service_months, "por año")
    first, _ = months_of_service(start, REFORM - timedelta(days=1))
    second, _ = months_of_service(REFORM, end)
    before = Decimal(45 * first) / 12
    return Computed(max(before, min(before + Decimal(33 * second) / 12, Decimal(720))), "days")


@rule(DOMESTIC, produces="capped")
def domestic_cap(uncapped: Decimal, monthly_salary: Decimal, domestic_regime: int) -> Computed:
    months, provision = (24, DISMISSAL) if domestic_regime == 33 else (6, DOMESTIC)
    return capped_at(uncapped, monthly_salary * months, f"{months} × {money(monthly_salary)}", months, provision)


@rule(END)
def employer_end(employer_cause: str) -> Computed:
    """Tell if the employer is a person (death, retirement, incapacity) and not a company."""
    names = {"death": "Muerte", "retirement": "Jubilación", "incapacity": "Incapacidad"}
    if employer_cause == "company_end":
        return Computed(False)
    text = f"{names[employer_cause]} del empresario: un mes de salario, sin relación con la antigüedad."
    return Computed(True, "", text, assumptions=("El empresario es una persona y nadie sigue con la empresa.",))


@rule(END, produces="compensation")
def one_month(
    employer_end: bool, annual_salary: Decimal, start: date | None = None, end: date | None = None
) -> Computed:
    return _month(employer_end, annual_salary, start, end)


@rule(END, produces="compensation")
def one_month_alone(
    employer_end: bool,
    annual_salary: Decimal,
    monthly: Decimal | None = None,
    start: date | None = None,
    end: date | None = None,
) -> Computed:
    if not employer_end or monthly is None:
        return _month(employer_end, annual_salary, start, end)
    return Computed(monthly, "EUR")


def _month(employer_end: bool, annual_salary: Decimal, start: date | None, end: date | None) -> Computed:
    if not employer_end:
        return _company_end(annual_salary, start, end)
    formula, value = f"{money(annual_salary)} / 12", annual_salary / 12
    assumed = "El mes incluye la parte de las pagas extra."
    return Computed(value, "EUR", f"Mes de salario: {formula} = {money(value)} €.", formula, assumptions=(assumed,))


def _company_end(annual_salary: Decimal, start: date | None, end: date | None) -> Computed:
    if start is None or end is None:
        raise ask(*(name for name, day in (("start", start), ("end", end)) if day is None))
    months, written = months_of_service(start, end)
    value = annual_salary / days_of_year(end) * Decimal(20 * months) / 12
    formula = f"{money(annual_salary)} / {days_of_year(end)} × 20 × {months}/12"
    text = f"Fin de la sociedad, por los trámites del despido colectivo ({written}): {formula} = {money(value)} €."
    service = Computed(value, "EUR", text, formula, authority=STARTED_MONTH)
    cap = capped_at(value, annual_salary, f"12 × {money(annual_salary / 12)}", 12, f"{STATUTE}#Artículo 53")
    return replace(cap, parts=(service,))


@rule(DISMISSAL, produces="end")
def end_of_pay(last_paid_day: date) -> Computed:
    return Computed(last_paid_day, "date")


@rule(DISMISSAL)
def last_paid_day(end: date) -> Computed:
    return Computed(end, "date", assumptions=("La empresa pagó hasta el día del despido.",))


@rule(DISMISSAL)
def unpaid_days(last_paid_day: date, judgment_notified: date) -> Computed:
    """Return the days from the one after the last paid day to the notification, included."""
    days = (judgment_notified - last_paid_day).days
    if days < 0:
        raise Stop(Refused("La sentencia no puede notificarse antes del último día pagado: revise las fechas."))
    first = last_paid_day + timedelta(days=1)
    text = (
        f"Salarios desde el {written_day(first)} (día siguiente al último pagado) hasta la notificación, el"
        f" {written_day(judgment_notified)}: {counted(days, 'days')}."
    )
    return Computed(days, "days", text, assumptions=("El día de la notificación se incluye.",))


@rule(DISMISSAL, produces="unpaid_days")
def unpaid_days_before(last_paid_day: date, judgment_notified: date) -> Computed:
    return Computed(max((judgment_notified - last_paid_day).days - 1, 0), "days")


@rule(DISMISSAL)
def back_pay(
    unpaid_days: int, daily_salary: Decimal, worked_days: int = 0, other_daily_salary: Decimal | None = None
) -> Computed:
    """Return the salary of the unpaid days, less earnings in another job up to the same salary."""
    value = unpaid_days * daily_salary
    formula = f"{unpaid_days} × {money(daily_salary)}"
    whole = Computed(value, "EUR", f"{formula} = {money(value)} €.", formula)
    if not worked_days:
        return whole
    if other_daily_salary is None:
        raise ask("other_daily_salary")
    if worked_days > unpaid_days:
        raise Stop(Refused("Los días trabajados en otro empleo no pueden ser más que los días sin pagar."))
    earned = worked_days * min(other_daily_salary, daily_salary)
    formula = f"{money(value)} − {worked_days} × {money(min(other_daily_salary, daily_salary))}"
    text = f"Se descuenta lo cobrado en otro empleo: {formula} = {money(value - earned)} €."
    return Computed(value - earned, "EUR", text, formula, parts=(whole,))


@rule(EXECUTIVES, produces="compensation_days")
def executive_days(service_months: int, executive_cause: str) -> Computed:
    if executive_cause == "unfair":
        return days_of_service(20, service_months, "apartado dos")
    return days_of_service(7, service_months, "apartado uno")


@rule(EXECUTIVES, produces="capped")
def executive_cap(uncapped: Decimal, monthly_salary: Decimal, executive_cause: str) -> Computed:
    months = 12 if executive_cause == "unfair" else 6
    return capped_at(uncapped, monthly_salary * months, f"{months} × {money(monthly_salary)}", months, EXECUTIVES)


@rule(ARTISTS, produces="compensation_days")
def artist_days(start: date, end: date, service_months: int) -> Computed:
    return days_of_service(20 if service_months > 18 else 12, service_months, "apartado dos")


@rule(ARTISTS, produces="capped")
def artist_amount(uncapped: Decimal) -> Computed:
    return Computed(uncapped, "EUR")


def total_rule(provision: str) -> Rule:
    """Return the rule that adds the salary of the missing notice to the compensation."""

    @rule(provision)
    def total(compensation: Decimal, daily_salary: Decimal, notice_days_missing: Decimal | None = None) -> Computed:
        if not notice_days_missing:
            return Computed(compensation, "EUR")
        notice = notice_days_missing * daily_salary
        formula = f"{money(compensation)} + {number(notice_days_missing)} × {money(daily_salary, 4)}"
        text = f"Con el preaviso no dado: {formula} = {money(compensation + notice)} €."
        return Computed(compensation + notice, "EUR", text, formula)

    return total


@rule(REPRESENTATIVES, produces="annual_salary")
def average_income(income_total: Decimal, income_months: int) -> Computed:
    """Return the annual salary by the average income of the last two years, or of a shorter time."""
    if not 0 < income_months <= 24:
        raise Stop(Refused("Los ingresos se promedian sobre los dos últimos años: de 1 a 24 meses.", REPRESENTATIVES))
    formula = f"{money(income_total)} / {income_months}"
    value = income_total / income_months
    text = f"Salario mensual medio de los dos últimos años o menos: {formula} = {money(value)} €."
    return Computed(value * 12, "EUR", text, formula)


def _owed(provision: str) -> tuple[Rule, ...]:
    return service_rule(provision), amount_rule(provision), owed_rule(provision)


def _special(
    kind: str,
    title: str,
    provision: str,
    rules: tuple[Rule, ...],
    *,
    name: str,
    general: str,
    goals: tuple[str, ...] = ("compensation",),
    fields: tuple[str, ...] = (),
    variants: tuple[Variant, ...] = (),
    sensitive: str = "",
    assumptions: tuple[str, ...] = (),
    day: str = "end",
    since: date = STATUTE_SINCE,
) -> Calculation:
    return Calculation(
        kind,
        title,
        goals,
        (*SALARY, *rules),
        (*FIELDS, *fields),
        provision,
        f"{name}: {{{goals[0]}}}.",
        general,
        assumptions=(ROUNDING, *assumptions),
        variants=variants,
        sensitive=sensitive,
        day=day,
        since=since,
    )


CALCULATIONS = (
    _special(
        "compensation/domestic",
        "Indemnización en el hogar familiar",
        DOMESTIC,
        (*_owed(DOMESTIC), domestic_regime, domestic_days, domestic_cap),
        name="Indemnización por fin del contrato en el hogar familiar",
        general="Una causa justificada da 12 días de salario por año, con un máximo de 6 mensualidades; un despido"
        " improcedente, 33 días por año.",
        fields=("domestic_cause",),
        variants=(Variant(domestic_days_of_tranches, "45 días por año por el tiempo anterior al 12-2-2012"),),
        sensitive="Sin escrito o sin ofrecer la indemnización se presume un despido: 33 días por año.",
    ),
    Calculation(
        "compensation/employer_end",
        "Indemnización por muerte, jubilación o incapacidad del empresario",
        ("compensation",),
        (annual_of_payments, annual_with_extra_pays, SALARY[2], employer_end, one_month),
        ("employer_cause", "annual_salary", "monthly", "payments", "extra_pays_year", "daily_salary", "start", "end"),
        END,
        "Indemnización por el fin del empresario: {compensation}.",
        "Si el empresario muere, se jubila o queda incapacitado y nadie sigue, corresponde un mes de salario.",
        conditions=("employer_end",),
        assumptions=(ROUNDING,),
        sensitive="Si otra persona sigue con la empresa, el contrato continúa y no hay indemnización.",
        variants=(Variant(one_month_alone, "mensualidad sin la parte de las pagas"),),
        day="end",
        since=STATUTE_SINCE,
    ),
    Calculation(
        "compensation/back_pay",
        "Salarios de tramitación",
        ("back_pay",),
        (*SALARY, end_of_pay, last_paid_day, unpaid_days, back_pay),
        (
            "last_paid_day",
            "judgment_notified",
            *(each for each in FIELDS if each not in ("start", "already_paid")),
            "worked_days",
            "other_daily_salary",
        ),
        DISMISSAL,
        "Salarios de tramitación: {back_pay}.",
        "Si la empresa readmite tras un despido improcedente, debe los salarios hasta notificarse la sentencia.",
        assumptions=(ROUNDING, "Se cuentan todos los días, con el salario de un día con pagas."),
        sensitive="Si la empresa indemniza no hay salarios de tramitación, salvo para representantes del personal.",
        variants=(Variant(unpaid_days_before, "sin el día de la notificación"),),
        day="last_paid_day",
        since=STATUTE_SINCE,
    ),
    _special(
        "compensation/senior_executive",
        "Indemnización de la alta dirección",
        EXECUTIVES,
        (*_owed(EXECUTIVES), executive_days, executive_cap, total_rule(EXECUTIVES)),
        name="Indemnización del alto directivo",
        general="Sin pacto, el desistimiento da 7 días de salario en metálico por año, con un máximo de 6"
        " mensualidades; el despido improcedente, 20 días y 12 mensualidades.",
        goals=("total", "compensation"),
        fields=("executive_cause", "notice_days_missing"),
        assumptions=("No hay indemnización pactada; el salario es solo el que se cobra en metálico.",),
        sensitive="El contrato puede pactar otra indemnización, que se aplica con preferencia.",
    ),
    _special(
        "compensation/artists",
        "Indemnización de artistas",
        ARTISTS,
        (*_owed(ARTISTS), artist_days, artist_amount, total_rule(ARTISTS)),
        name="Indemnización por fin del contrato artístico",
        general="Al acabar un contrato artístico temporal corresponden 12 días de salario por año de servicio, o 20 si"
        " dura más de 18 meses.",
        goals=("total", "compensation"),
        fields=("notice_days_missing",),
        assumptions=("El convenio y el contrato no dan más.",),
        day="start",
        since=ARTISTS_SINCE,
    ),
    _special(
        "compensation/representatives",
        "Indemnización de representantes de comercio",
        REPRESENTATIVES,
        (average_income, *UNFAIR_RULES, amount_rule(REPRESENTATIVES), owed_rule(REPRESENTATIVES)),
        name="Indemnización del representante de comercio por despido improcedente",
        general="El despido improcedente del representante de comercio da 33 días por año, con un máximo de 24"
        " mensualidades, sobre la media de ingresos de los dos últimos años.",
        fields=("income_total", "income_months"),
        sensitive="Puede haber además una indemnización por la clientela (artículo 11).",
    ),
)
