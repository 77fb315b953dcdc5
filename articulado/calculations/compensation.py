"""Compensation for the end of a contract by the Estatuto de los Trabajadores: days of salary a year, and caps."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from articulado.calculations.employment import ROUNDING, SALARY, SERVICE, STARTED_MONTH, months_of_service, service_rule
from articulado.calculations.engine import STATUTE, Calculation, Computed, Rule, Variant, rule
from articulado.calculations.values import NotApplied, NotEntitled, Stop, money, number, rounded, written_day

STATUTE_SINCE = date(2015, 11, 13)  # First day of the text of 2015
REFORM = date(2012, 2, 12)  # 45 days a year before this day, 33 since (DT 11.ª ET).
TRANSITIONAL = f"{STATUTE}#Disposición transitoria undécima"
GRADUAL = f"{STATUTE}#Disposición transitoria octava"
FIRST_TEMPORARY, DAYS_SINCE_2015 = date(2001, 3, 4), 12
"""First day of the contracts with a compensation at their end, and its days a year since 2015 (DT 8.ª ET)."""
DAYS_OF_CAP, DAYS_BEFORE_REFORM = Decimal(720), Decimal(45)
ONE_DAY = timedelta(days=1)
CAP_OF_TRANCHES = "STS 118/2016, de 18-2-2016 (rcud 3257/2014): si el primer tramo pasa de 720 días, el segundo no suma"


def days_rule(provision: str, days_a_year: int, paragraph: str) -> Rule:
    @rule(provision)
    def compensation_days(service_months: int) -> Computed:
        return days_of_service(days_a_year, service_months, paragraph)

    return compensation_days


def days_of_service(days_a_year: int, months: int, paragraph: str) -> Computed:
    """Return the days of salary for months of service."""
    value = Decimal(days_a_year * months) / 12
    formula = f"{days_a_year} × {months}/12"
    text = f"{days_a_year} días por año: {formula} = {number(value, 4)} días ({paragraph})."
    return Computed(value, "days", text, formula)


def amount_rule(provision: str) -> Rule:
    """Return the rule that multiplies days by the daily salary."""

    @rule(provision)
    def uncapped(compensation_days: Decimal, daily_salary: Decimal) -> Computed:
        value = compensation_days * daily_salary
        formula = f"{number(compensation_days, 4)} × {money(daily_salary, 4)}"
        return Computed(value, "EUR", f"{formula} = {money(value)} €.", formula)

    return uncapped


def cap_rule(provision: str, months: int) -> Rule:
    @rule(provision)
    def capped(uncapped: Decimal, monthly_salary: Decimal) -> Computed:
        return capped_at(uncapped, monthly_salary * months, f"{months} × {money(monthly_salary)}", months, provision)

    return capped


def capped_at(amount: Decimal, cap: Decimal, formula: str, months: int, provision: str) -> Computed:
    """Cap an amount and name the cap in the sentence."""
    start = f"Tope de {months} mensualidades: {formula} = {money(cap)} €"
    if amount > cap:
        return Computed(cap, "EUR", f"{start}; se aplica.", formula, provision=provision)
    not_applied = NotApplied(f"tope de {months} mensualidades ({money(cap)} €): no se alcanza", provision)
    return Computed(amount, "EUR", f"{start}; no se alcanza.", formula, provision=provision, not_applied=(not_applied,))


def cap_of_30_days(provision: str, months: int) -> Variant:
    @rule(provision)
    def capped(uncapped: Decimal, daily_salary: Decimal) -> Computed:
        return capped_at(
            uncapped, daily_salary * 30 * months, f"{months} × 30 × {money(daily_salary, 4)}", months, provision
        )

    return Variant(capped, f"mensualidad de 30 días de salario ({months} × 30)")


def owed_rule(provision: str) -> Rule:
    """Return the rule on the compensation less the amount paid."""

    @rule(provision)
    def compensation(capped: Decimal, already_paid: Decimal | None = None) -> Computed:
        amount = rounded(capped)
        if already_paid is None:
            return Computed(amount, "EUR")
        if already_paid >= amount:
            text = f"Ya pagado: {money(already_paid)} €, que cubre los {money(amount)} € de la indemnización."
            return Computed(Decimal(0), "EUR", text, lead=text)
        formula = f"{money(amount)} − {money(already_paid)}"
        text = f"Falta por pagar: {formula} = {money(amount - already_paid)} €."
        return Computed(amount - already_paid, "EUR", text, formula, lead=text)

    return compensation


@rule(f"{STATUTE}#Artículo 49", produces="capped")
def uncapped_amount(uncapped: Decimal) -> Computed:
    return Computed(uncapped, "EUR")


@rule(f"{STATUTE}#Artículo 12")
def part_time_counted(part_time: Decimal | None = None) -> Computed:
    if part_time is None or part_time == 1:
        return Computed(True)
    return Computed(
        True, "", "Tiempo parcial: se computa todo el tiempo de servicio y el salario real a tiempo parcial."
    )


@rule(GRADUAL, produces="compensation_days")
def temporary_days(start: date, service_months: int) -> Computed:
    """Return eight to twelve days of salary a year, by the year of the contract."""
    if start < FIRST_TEMPORARY:
        reason = "La disposición transitoria octava excluye los contratos anteriores al 4 de marzo de 2001."
        raise Stop(NotEntitled(reason, GRADUAL))
    days_a_year = min(max(start.year, 2011), 2015) - 2003
    if days_a_year < DAYS_SINCE_2015:
        return days_of_service(days_a_year, service_months, f"por ser el contrato de {start.year}")
    return replace(days_of_service(days_a_year, service_months, "apartado 1.c"), provision=f"{STATUTE}#Artículo 49")


@rule(f"{STATUTE}#Artículo 49")
def entitled_at_end(contract: str | None = None) -> Computed:
    """Exclude contracts of training and of substitution."""
    if contract in ("training", "substitution"):
        reason = (
            "El artículo 49.1.c) excluye los contratos formativos y el de sustitución: al acabar el tiempo"
            " convenido no hay indemnización."
        )
        raise Stop(NotEntitled(reason, f"{STATUTE}#Artículo 49"))
    return Computed(True)


FIELDS = (
    "start",
    "end",
    "annual_salary",
    "monthly",
    "payments",
    "extra_pays_year",
    "daily_salary",
    "part_time",
    "already_paid",
    "service_years",
    "more_months",
    "service_in_months",
)


def _compensation(
    kind: str,
    title: str,
    article: str,
    rules: tuple[Rule, ...],
    *,
    name: str,
    general: str,
    conditions: tuple[Rule, ...] = (),
    variants: tuple[Variant, ...] = (),
    sensitive: str = "",
    assumptions: tuple[str, ...] = (),
    fields: tuple[str, ...] = (),
) -> Calculation:
    provision = f"{STATUTE}#{article}"
    conditions = (*conditions, part_time_counted)
    return Calculation(
        kind,
        title,
        ("compensation",),
        (*conditions, *SALARY, *SERVICE, *rules, amount_rule(provision), owed_rule(provision)),
        (*FIELDS, *fields),
        provision,
        f"{name}: {{compensation}}.",
        general,
        conditions=tuple(each.produces for each in conditions),
        assumptions=(ROUNDING, *assumptions),
        sensitive=sensitive,
        variants=variants,
        day="end",
        since=STATUTE_SINCE,
    )


def _by_days(
    kind: str,
    title: str,
    article: str,
    months: int,
    *,
    paragraph: str,
    name: str,
    general: str,
    sensitive: str = "",
) -> Calculation:
    provision = f"{STATUTE}#{article}"
    return _compensation(
        kind,
        title,
        article,
        (service_rule(provision), days_rule(provision, 20, paragraph), cap_rule(provision, months)),
        name=name,
        general=general,
        variants=(cap_of_30_days(provision, months),),
        sensitive=sensitive,
    )


OBJECTIVE = _by_days(
    "compensation/objective",
    "Indemnización del despido objetivo",
    "Artículo 53",
    12,
    paragraph="apartado 1.b",
    name="Indemnización por despido objetivo",
    general="El despido objetivo da 20 días de salario por año de servicio, con un máximo de 12 mensualidades.",
    sensitive="Si el despido se declara improcedente, son 33 días por año (45 por el tiempo anterior al 12-2-2012).",
)
COLLECTIVE = _by_days(
    "compensation/collective",
    "Indemnización del despido colectivo",
    "Artículo 53",
    12,
    paragraph="apartado 1.b, al que remite el 51.4",
    name="Indemnización mínima por despido colectivo",
    general="El despido colectivo da al menos 20 días de salario por año de servicio, con un máximo de 12"
    " mensualidades; el acuerdo puede mejorarla.",
    sensitive="Lo que se pacte en el período de consultas puede ser más.",
)
TRANSFER = _by_days(
    "compensation/transfer",
    "Indemnización por traslado",
    "Artículo 40",
    12,
    paragraph="apartado 1",
    name="Indemnización por extinguir el contrato ante un traslado",
    general="Quien no acepta un traslado puede extinguir el contrato con 20 días de salario por año de servicio, con un"
    " máximo de 12 mensualidades.",
)
MODIFICATION = _by_days(
    "compensation/substantial_modification",
    "Indemnización por modificación sustancial",
    "Artículo 41",
    9,
    paragraph="apartado 3",
    name="Indemnización por rescindir el contrato ante una modificación sustancial",
    general="Quien resulta perjudicado por una modificación de jornada, horario, turnos, remuneración o funciones puede"
    " rescindir el contrato con 20 días de salario por año de servicio, con un máximo de 9 mensualidades.",
)
TEMPORARY = _compensation(
    "compensation/temporary",
    "Indemnización por fin de contrato temporal",
    "Artículo 49",
    (service_rule(f"{STATUTE}#Artículo 49"), temporary_days, uncapped_amount),
    name="Indemnización por fin del contrato temporal",
    general="Al acabar un contrato temporal por circunstancias de la producción corresponden 12 días de salario por año"
    " de servicio.",
    conditions=(entitled_at_end,),
    sensitive="Si el contrato fuera fraudulento, el fin sería un despido improcedente.",
    assumptions=("Termina por expiración del tiempo convenido, sin fraude.",),
    fields=("contract",),
)


@rule(TRANSITIONAL)
def tranches(start: date) -> Computed:
    if start < REFORM:
        return Computed(True, "", "Contrato anterior al 12-2-2012: dos tramos, 45 y 33 días por año.")
    return Computed(False)


@rule(TRANSITIONAL, authority=STARTED_MONTH)
def days_before_reform(start: date, end: date, tranches: bool) -> Computed:
    """Return the days of salary before 12 February 2012."""
    if not tranches:
        return Computed(Decimal(0), "days")
    last = min(end, REFORM - ONE_DAY)
    months, written = months_of_service(start, last)
    value = DAYS_BEFORE_REFORM * months / 12
    formula = f"45 × {months}/12"
    span = f"Primer tramo, {written_day(start)} a {written_day(last)}: {written}"
    return Computed(value, "days", f"{span}; {formula} = {number(value, 4)} días.", formula)


@rule(f"{STATUTE}#Artículo 56", authority=STARTED_MONTH)
def days_since_reform(start: date, end: date, tranches: bool) -> Computed:
    """Return the days of salary since 12 February 2012."""
    first = max(start, REFORM)
    if end < first:
        return Computed(Decimal(0), "days")
    months, written = months_of_service(first, end)
    value = Decimal(33 * months) / 12
    formula = f"33 × {months}/12"
    span = f"{written_day(first)} a {written_day(end)}: {written}"
    name = f"Segundo tramo, {span}" if tranches else f"Tiempo de servicio del {span.replace(' a ', ' al ', 1)}"
    text = f"{name}; 33 días por año: {formula} = {number(value, 4)} días (apartado 1)."
    return Computed(value, "days", text, formula, provision=TRANSITIONAL if tranches else "")


@rule(TRANSITIONAL, authority=CAP_OF_TRANCHES)
def compensation_days(days_before_reform: Decimal, days_since_reform: Decimal, tranches: bool) -> Computed:
    """Return the days of both tranches, at most 720 or those of the first tranche."""
    total = days_before_reform + days_since_reform
    if not tranches:
        return Computed(total, "days")
    formula = f"{number(days_before_reform, 4)} + {number(days_since_reform, 4)}"
    start = f"Suma de tramos: {formula} = {number(total, 4)} días"
    if days_before_reform > DAYS_OF_CAP:
        text = f"{start}; el primer tramo pasa de 720 días: cuenta él solo, y el segundo no suma."
        return Computed(days_before_reform, "days", text, formula)
    if total > DAYS_OF_CAP:
        return Computed(DAYS_OF_CAP, "days", f"{start}; el tope de 720 días se aplica.", formula)
    not_applied = NotApplied("tope de 720 días de salario: no se alcanza", TRANSITIONAL)
    return Computed(total, "days", f"{start}; el tope de 720 días no se alcanza.", formula, not_applied=(not_applied,))


@rule(f"{STATUTE}#Artículo 56")
def capped(uncapped: Decimal, monthly_salary: Decimal, days_before_reform: Decimal, tranches: bool) -> Computed:
    """Cap at 24 months, or at 42 if the first tranche exceeds 720 days."""
    if tranches and days_before_reform <= DAYS_OF_CAP:
        return Computed(uncapped, "EUR")
    months, provision = (42, TRANSITIONAL) if tranches else (24, f"{STATUTE}#Artículo 56")
    return capped_at(uncapped, monthly_salary * months, f"{months} × {money(monthly_salary)}", months, provision)


@rule(f"{STATUTE}#Artículo 50")
def ended_by_worker() -> Computed:
    return Computed(True, "", "Extinción a instancia del trabajador: indemnización del despido improcedente.")


UNFAIR_RULES = (tranches, days_before_reform, days_since_reform, compensation_days, capped)
UNFAIR = _compensation(
    "compensation/unfair",
    "Indemnización del despido improcedente",
    "Artículo 56",
    UNFAIR_RULES,
    name="Indemnización por despido improcedente",
    general="El despido improcedente da 33 días de salario por año de servicio, con un máximo de 24 mensualidades"
    " (45 días por año por el tiempo anterior al 12 de febrero de 2012).",
)
UNFAIR_TRANSITIONAL = replace(
    UNFAIR, kind="compensation/unfair_transitional", title="Indemnización del despido improcedente, dos tramos"
)
BREACH = _compensation(
    "compensation/art50",
    "Indemnización por extinción a instancia del trabajador",
    "Artículo 56",
    UNFAIR_RULES,
    name="Indemnización por extinguir el contrato por incumplimiento grave de la empresa",
    general="Si el juez extingue el contrato por incumplimiento grave de la empresa, corresponde la indemnización del"
    " despido improcedente: 33 días de salario por año, con un máximo de 24 mensualidades (45 días por año por el"
    " tiempo anterior al 12 de febrero de 2012).",
    conditions=(ended_by_worker,),
)

CALCULATIONS = (OBJECTIVE, COLLECTIVE, UNFAIR, UNFAIR_TRANSITIONAL, BREACH, MODIFICATION, TRANSFER, TEMPORARY)
