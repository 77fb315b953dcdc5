"""Sick pay, payments of the wage guarantee fund, and the contributions of a month."""

from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal

from articulado.calculations.employment import (
    SALARY,
    SALARY_DAY,
    annual_of_payments,
    annual_with_extra_pays,
    days_of_year,
    service_rule,
)
from articulado.calculations.engine import STATUTE, Calculation, Computed, Variant, rule
from articulado.calculations.parameters import verified_period
from articulado.calculations.unemployment import SECURITY, day_of, share
from articulado.calculations.values import NotApplied, NotEntitled, Refused, Stop, counted, money, number, rounded

SICK_START, SICK_PAY = f"{SECURITY}#Artículo 173", f"{SECURITY}#Artículo 171"
SICK_PERCENT = "Decreto 3158/1966, artículo 2, y Real Decreto 53/1980: 60 % hasta el día 20 y 75 % desde el 21"
SPANS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "common": ((4, 20, 60), (21, 545, 75)),
    "professional": ((2, 545, 75),),
    "menstruation": ((1, 20, 60), (21, 545, 75)),
    "pregnancy": ((2, 20, 60), (21, 545, 75)),
    "organ_donation": ((1, 545, 100),),
}
"""First and last day of each span and percentage of the base, by contingency."""
EMPLOYER_DAYS = (4, 15)  # Days of a common contingency that the employer pays (art. 173.1).
MOST_SICK_DAYS, YEAR_OF_SICKNESS = 545, 365

FUND = f"{STATUTE}#Artículo 33"
FUND_DAYS, EXTRA_PAY_DAYS = 120, 60  # Maximum days of wages, and days of wage in the two extra pays of the minimum wage
DAYS_A_YEAR = {"unfair": 30, "art50": 30, "temporary": 12, "domestic": 12}
MONTHS_OF_FUND = {"substantial_modification": 9, "domestic": 6}
FUND_DAY = "Fondo de Garantía Salarial: SMI diario × 425 / días del año × 2 (87,79 € en 2024), redondeado a céntimos"

ORDER = "BOE-A-2026-7296"
BASE, CONTRIBUTIONS = f"{ORDER}#Artículo 1", "Tipos de cotización del trabajador"
GROUPS = "Base mínima de los grupos 4 a 11; la de los grupos 1 a 3 es mayor."


@rule(SICK_PAY, produces="daily_base")
def sick_base_of_month(monthly_base: Decimal) -> Computed:
    formula = f"{money(monthly_base)} / 30"
    value = monthly_base / 30
    return Computed(value, "EUR/day", f"Base reguladora: {formula} = {money(value, 4)} € al día.", formula)


@rule(SICK_PAY, authority=SICK_PERCENT)
def sick_pay(days: int, daily_base: Decimal, contingency: str) -> Computed:
    """Return the percentage of the base for each span of days."""
    if days > MOST_SICK_DAYS:
        reason = "La incapacidad temporal dura como máximo 365 días, con una prórroga de 180: revise los días."
        raise Stop(Refused(reason, f"{SECURITY}#Artículo 169"))
    spans = [(first, min(last, days), percent) for first, last, percent in SPANS[contingency] if first <= days]
    if not spans:
        first = SPANS[contingency][0][0]
        reason = f"El subsidio empieza el día {first} de la baja: con {counted(days, 'days')} no hay subsidio."
        raise Stop(NotEntitled(f"{reason} El convenio puede mejorarlo.", SICK_START))
    value = sum(((last - first + 1) * daily_base * percent / 100 for first, last, percent in spans), Decimal(0))
    parts = [f"{last - first + 1} × {money(daily_base)} × {percent} %" for first, last, percent in spans]
    told = [f"días {first} a {last} al {percent} %" for first, last, percent in spans]
    formula, said = " + ".join(parts), ", ".join(told)
    starts = spans[0][0]
    before = {2: "El día de la baja, salario íntegro de la empresa. ", 4: "Días 1 a 3, sin subsidio. "}.get(starts, "")
    text = f"{before}{said[0].upper()}{said[1:]}: {formula} = {money(value)} €."
    warned = ("Desde el día 366 hace falta la prórroga.",) if days > YEAR_OF_SICKNESS else ()
    return Computed(value, "EUR", text, formula, warnings=warned)


@rule(SICK_PAY, produces="sick_pay", authority=SICK_PERCENT)
def sick_pay_from_next_day(days: int, daily_base: Decimal, contingency: str) -> Computed:
    computed: Computed = sick_pay.function(days + (contingency == "professional"), daily_base, contingency)
    return computed


@rule(SICK_START)
def paid_by_employer(days: int, daily_base: Decimal, contingency: str) -> Computed:
    """Return the benefit of days 4 to 15 of a common contingency."""
    first, last = EMPLOYER_DAYS
    if contingency != "common":
        return Computed(Decimal(0), "EUR", "El subsidio lo paga la entidad gestora o la mutua.")
    count = min(days, last) - first + 1
    value = count * daily_base * 60 / 100
    formula = f"{count} × {money(daily_base)} × 60 %"
    text = f"Los días 4 a {min(days, last)} los paga la empresa: {formula} = {money(value)} €."
    return Computed(value, "EUR", text, formula)


@rule(FUND, authority=FUND_DAY)
def fund_cap(year: int | None = None) -> Computed:
    """Return twice the daily minimum wage with extra pays, in cents as the fund publishes it."""
    values, length, assumption = _minimum_of(year)
    formula = f"{money(values['daily'])} × {365 + EXTRA_PAY_DAYS}/{length} × 2"
    value = rounded(values["daily"] * (365 + EXTRA_PAY_DAYS) / length * 2)
    text = f"Doble del SMI diario con pagas extra: {formula} = {money(value)} €."
    return Computed(value, "EUR/day", text, formula, assumptions=(assumption,))


@rule(FUND, produces="fund_cap")
def fund_cap_of_year(year: int | None = None) -> Computed:
    values, length, _ = _minimum_of(year)
    return Computed(values["annual"] / length * 2, "EUR/day")


@rule(FUND, produces="fund_cap")
def fund_cap_of_months(year: int | None = None) -> Computed:
    return Computed(_minimum_of(year)[0]["daily"] * 7 / 6 * 2, "EUR/day")


def _minimum_of(year: int | None) -> tuple[Mapping[str, Decimal], int, str]:
    period = verified_period("SMI", day_of(year))
    assumption = f"SMI de {period.begins.year}: se aplica el de la declaración de insolvencia o de concurso."
    return period.values, days_of_year(period.begins), assumption


@rule(f"{STATUTE}#Artículo 26", produces="daily_salary", authority=SALARY_DAY)
def daily_of_year(annual_salary: Decimal, year: int | None = None) -> Computed:
    """Return the daily wage without the day of the end of the contract: by the days of the year of the minimum wage."""
    length = _minimum_of(year)[1]
    formula = f"{money(annual_salary)} / {length}"
    value = annual_salary / length
    return Computed(value, "EUR/day", f"Salario día: {formula} = {money(value, 4)} €.", formula)


@rule(FUND)
def fund_day(daily_salary: Decimal, fund_cap: Decimal) -> Computed:
    """Return the daily wage, at most the cap."""
    if daily_salary > fund_cap:
        text = f"El salario día, {money(daily_salary)} €, pasa de ese tope: se aplica {money(fund_cap)} €."
        return Computed(fund_cap, "EUR/day", text)
    not_applied = NotApplied(f"doble del SMI diario ({money(fund_cap)} €): no se alcanza", FUND)
    return Computed(daily_salary, "EUR/day", not_applied=(not_applied,))


@rule(FUND)
def fund_wages(fund_day: Decimal, days_owed: int, owed_wages: Decimal | None = None) -> Computed:
    """Return the wages that the fund pays: at most 120 days."""
    days = min(days_owed, FUND_DAYS)
    value = fund_day * days
    formula = f"{money(fund_day)} × {days}"
    top = " (tope de 120 días)" if days_owed > FUND_DAYS else ""
    text = f"Salarios: {formula}{top} = {money(value)} €."
    if owed_wages is not None and owed_wages < value:
        return Computed(owed_wages, "EUR", f"{text} Se deben {money(owed_wages)} €, y no se paga más.", formula)
    return Computed(value, "EUR", text, formula)


@rule(FUND, produces="fund_wages")
def fund_wages_in_all(
    fund_cap: Decimal, daily_salary: Decimal, days_owed: int, owed_wages: Decimal | None = None
) -> Computed:
    """Return all wages owed, up to 120 days at the cap."""
    owed = daily_salary * days_owed if owed_wages is None else owed_wages
    return Computed(min(owed, fund_cap * min(days_owed, FUND_DAYS)), "EUR")


@rule(FUND, produces="service_months")
def months_of_years(service_years: Decimal) -> Computed:
    months = int((service_years * 12).to_integral_value(ROUND_CEILING))
    return Computed(months, "months", f"Tiempo de servicio: {counted(months, 'months')}.")


@rule(FUND)
def fund_compensation(
    fund_day: Decimal,
    service_months: int,
    fogasa_cause: str,
    owed_compensation: Decimal | None = None,
    already_paid: Decimal | None = None,
) -> Computed:
    """Return the compensation that the fund pays: days a year by the cause, at most a year of wages."""
    a_year, months = DAYS_A_YEAR.get(fogasa_cause, 20), MONTHS_OF_FUND.get(fogasa_cause, 12)
    value = fund_day * a_year * service_months / 12
    cap = fund_day * 365 * months / 12
    formula = f"{a_year} × {service_months}/12 × {money(fund_day)}"
    limit = "una anualidad" if months == 12 else f"{months} mensualidades"
    text = f"Indemnización: {formula} = {money(value)} €; límite de {limit}, {money(cap)} €"
    text += ", se aplica." if value > cap else ", no se alcanza."
    value = min(value, cap)
    if owed_compensation is not None and owed_compensation < value:
        value = owed_compensation
        text += f" Se reconocieron {money(value)} €, y no se paga más."
    if already_paid:
        value = max(value - already_paid, Decimal(0))
        text += f" Menos lo cobrado, {money(already_paid)} €: {money(value)} €."
    return Computed(value, "EUR", text, formula)


@rule(FUND, produces="fund_compensation")
def fund_part_of_compensation(fund_day: Decimal, owed_compensation: Decimal) -> Computed:
    """Return the compensation that the fund pays without the time of service: at most a year of wages."""
    cap = fund_day * 365
    value = min(owed_compensation, cap)
    formula = f"{money(fund_day)} × 365"
    text = f"Indemnización: {money(owed_compensation)} €, con el límite de una anualidad, {formula} = {money(cap)} €."
    warned = ("Con las fechas del contrato y la causa, el Fondo cuenta 20 o 30 días por año: puede ser menos.",)
    return Computed(value, "EUR", text, formula, warnings=warned)


@rule(FUND, produces="fund_total")
def fund_of_both(fund_wages: Decimal, fund_compensation: Decimal) -> Computed:
    value = fund_wages + fund_compensation
    formula = f"{money(fund_wages)} + {money(fund_compensation)}"
    return Computed(value, "EUR", f"Total: {formula} = {money(value)} €.", formula)


@rule(FUND, produces="fund_total")
def fund_of_wages(fund_wages: Decimal) -> Computed:
    return Computed(fund_wages, "EUR", lead="El Fondo de Garantía Salarial paga de salarios {fund_total}.")


@rule(FUND, produces="fund_total")
def fund_of_compensation(fund_compensation: Decimal) -> Computed:
    return Computed(fund_compensation, "EUR", lead="El Fondo de Garantía Salarial paga de indemnización {fund_total}.")


@rule(BASE, produces="month_pay")
def pay_of_year(annual_salary: Decimal) -> Computed:
    """Return a twelfth of the annual salary."""
    formula = f"{money(annual_salary)} / 12"
    value = annual_salary / 12
    text = f"Remuneración del mes con la parte de las pagas: {formula} = {money(value)} €."
    return Computed(value, "EUR", text, formula)


def _rates(year: int | None) -> Mapping[str, Decimal]:
    return verified_period(CONTRIBUTIONS, day_of(year)).values


def _base(pay: Decimal, year: int | None, part_time: Decimal | None, name: str, article: int) -> Computed:
    rates, is_full = _rates(year), share(part_time) == 1
    least, most = rates["least_base"] if is_full else Decimal(0), rates["most_base"]
    value = min(max(pay, least), most)
    limits = f"{f'mínimo {money(least)} € y ' if is_full else ''}máximo {money(most)} €"
    how = "no se alcanza ninguno" if value == pay else "se aplica"
    assumptions = [f"Cotización de {year or verified_period(CONTRIBUTIONS).begins.year} (Orden PJC/297/2026)."]
    assumptions += [GROUPS] if is_full else ["A tiempo parcial: la base llega al mínimo de las horas trabajadas."]
    text = f"{name}: {money(value)} € ({limits}: {how})."
    return Computed(value, "EUR", text, provision=f"{ORDER}#Artículo {article}", assumptions=tuple(assumptions))


@rule(BASE)
def common_base(month_pay: Decimal, part_time: Decimal | None = None, year: int | None = None) -> Computed:
    return _base(month_pay, year, part_time, "Base de contingencias comunes", 3)


@rule(BASE)
def professional_base(
    month_pay: Decimal, overtime_pay: Decimal | None = None, part_time: Decimal | None = None, year: int | None = None
) -> Computed:
    name = "Base de contingencias profesionales, desempleo y formación"
    return _base(month_pay + (overtime_pay or 0), year, part_time, name, 2)


@rule(f"{ORDER}#Artículo 4")
def worker_contribution(
    common_base: Decimal,
    professional_base: Decimal,
    month_pay: Decimal,
    contract: str | None = None,
    overtime_pay: Decimal | None = None,
    year: int | None = None,
) -> Computed:
    """Return the contribution deducted from a month's pay."""
    if contract == "training":
        raise Stop(
            Refused("Los contratos formativos en alternancia cotizan por cuotas fijas (artículo 46 de la orden).")
        )
    rates, is_temporary = _rates(year), contract == "temporary"
    parts = [
        ("contingencias comunes", common_base, rates["common"]),
        ("equidad intergeneracional", common_base, rates["equity"]),
        ("desempleo", professional_base, rates["unemployment_temporary" if is_temporary else "unemployment"]),
        ("formación profesional", professional_base, rates["training"]),
        *([("horas extraordinarias", overtime_pay, rates["overtime"])] if overtime_pay else []),
    ]
    total, below = month_pay + (overtime_pay or 0), rates["most_base"]
    for tranche in ("first", "second", "third"):
        until = rates.get(f"solidarity_{tranche}_until", total)
        if total > below:
            parts.append(("solidaridad", min(total, until) - below, rates[f"solidarity_{tranche}"]))
        below = until
    value = sum((base * percent / 100 for _, base, percent in parts), Decimal(0))
    formula = " + ".join(f"{money(base)} × {number(percent)} %" for _, base, percent in parts)
    names = ", ".join(dict.fromkeys(name for name, _, _ in parts))
    assumed = () if contract else ("Contrato indefinido.",)
    return Computed(
        value, "EUR", f"Cuota del trabajador ({names}): {formula} = {money(value)} €.", formula, assumptions=assumed
    )


SALARY_FIELDS = ("daily_salary", "annual_salary", "monthly", "payments", "extra_pays_year", "end")
CALCULATIONS = (
    Calculation(
        "benefit/sick_pay",
        "Subsidio por incapacidad temporal",
        ("sick_pay", "paid_by_employer"),
        (sick_base_of_month, sick_pay, paid_by_employer),
        ("days", "daily_base", "monthly_base", "contingency"),
        SICK_PAY,
        "Subsidio por incapacidad temporal: {sick_pay} brutos, de ellos {paid_by_employer} a cargo de la empresa.",
        "Por enfermedad común, nada los días 1 a 3, el 60 % de la base reguladora del 4 al 20 y el 75 % desde el 21;"
        " por accidente de trabajo, el 75 % desde el día siguiente al de la baja.",
        assumptions=("Sin mejora de convenio; con 180 días cotizados en cinco años si es enfermedad común.",),
        sensitive="El convenio puede completar el subsidio hasta el 100 %.",
        variants=(Variant(sick_pay_from_next_day, "si los días se cuentan desde el siguiente al de la baja"),),
    ),
    Calculation(
        "benefit/fogasa",
        "Prestaciones del Fondo de Garantía Salarial",
        ("fund_total",),
        (
            *SALARY,
            daily_of_year,
            service_rule(FUND),
            months_of_years,
            fund_cap,
            fund_day,
            fund_wages,
            fund_compensation,
            fund_part_of_compensation,
            fund_of_both,
            fund_of_wages,
            fund_of_compensation,
        ),
        (
            *SALARY_FIELDS,
            "days_owed",
            "owed_wages",
            "start",
            "service_years",
            "fogasa_cause",
            "owed_compensation",
            "already_paid",
            "year",
        ),
        FUND,
        "El Fondo de Garantía Salarial paga {fund_total}.",
        "El Fondo paga salarios de hasta 120 días e indemnizaciones de hasta una anualidad, con el doble del salario"
        " mínimo como máximo de cada día.",
        assumptions=("Deuda reconocida y empresa insolvente o en concurso; importe bruto.",),
        variants=(
            Variant(fund_cap_of_year, "con el SMI anual entre los días del año"),
            Variant(fund_cap_of_months, "con el SMI diario y una sexta parte más por las pagas"),
            Variant(fund_wages_in_all, "si los 120 días limitan la suma, y no los días que se pagan"),
        ),
    ),
    Calculation(
        "payroll/contributions",
        "Cotización de un mes a cargo del trabajador",
        ("worker_contribution", "common_base", "professional_base"),
        (annual_of_payments, annual_with_extra_pays, pay_of_year, common_base, professional_base, worker_contribution),
        ("monthly", "payments", "extra_pays_year", "annual_salary", "contract", "overtime_pay", "part_time", "year"),
        f"{ORDER}#Artículo 4",
        "Cotización a cargo del trabajador: {worker_contribution} al mes, sobre una base de {common_base}.",
        "En 2026 el trabajador cotiza el 4,70 % por contingencias comunes, el 0,15 % por equidad, el 1,55 % por"
        " desempleo (1,60 % si es temporal) y el 0,10 % por formación.",
    ),
)
