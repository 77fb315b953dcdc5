"""Unemployment benefit and subsidy by the Ley General de la Seguridad Social: duration, amount and sum."""

from datetime import date
from decimal import Decimal

from articulado.calculations.engine import Calculation, Computed, rule
from articulado.calculations.parameters import verified_period
from articulado.calculations.values import NotApplied, NotEntitled, Refused, Stop, counted, money, number

SECURITY = "BOE-A-2015-11724"
DURATION, AMOUNT = f"{SECURITY}#Artículo 269", f"{SECURITY}#Artículo 270"
SUBSIDY, SUBSIDY_DURATION = f"{SECURITY}#Artículo 278", f"{SECURITY}#Artículo 277"
BENEFICIARIES = f"{SECURITY}#Artículo 274"
LEAST_DAYS, MOST_DAYS, STEP_OF_SCALE = 360, 2160, 180
"""Art. 269: from 360 days of contribution, each 180 days give 60 more of benefit, up to 720."""
FIRST_DAYS, MONTH = 180, 30
SUBSIDY_SINCE = 2025  # First whole year of the wording of the RDL 2/2024, which applies from 1 November 2024
MONTH_OF_30_DAYS = "Mes de 30 días; importe bruto, antes de la cotización y la retención."


def share(value: Decimal | None) -> Decimal:
    """Return a part of the working day as a fraction; a value above one is a percentage."""
    if value is None:
        return Decimal(1)
    if value == 0:
        raise Stop(Refused("La parte de la jornada no puede ser cero: escriba 0,5 para media jornada."))
    return value / 100 if value > 1 else value


def day_of(year: int | None) -> date | None:
    return date(year, 12, 31) if year else None


@rule(DURATION, produces="contributed_days")
def days_of_years_and_months(contributed_years: int, contributed_months: int = 0) -> Computed:
    days = contributed_years * 365 + contributed_months * MONTH
    formula = f"{contributed_years} × 365" + (f" + {contributed_months} × 30" if contributed_months else "")
    return Computed(days, "days", f"Días cotizados: {formula} = {number(days)}.", formula)


@rule(DURATION, produces="contributed_days")
def days_of_months(contributed_months: int) -> Computed:
    """Count 30 days a month: with 365/12 a whole number of months reaches the same step of the scale."""
    days = contributed_months * MONTH
    formula = f"{contributed_months} × 30"
    return Computed(days, "days", f"Días cotizados: {formula} = {number(days)}.", formula)


@rule(DURATION)
def benefit_days(contributed_days: int, used_days: int = 0) -> Computed:
    """Return the days of benefit by the scale of art. 269.1."""
    if used_days > contributed_days:
        raise Stop(Refused("Los días ya usados no pueden ser más que los días cotizados: revise los dos datos."))
    days = contributed_days - used_days
    less = f" ({number(contributed_days)} − {number(used_days)} ya usados)" if used_days else ""
    if days < LEAST_DAYS:
        hint = " Con 90 días o más puede haber subsidio (artículo 274.1.b)." if days >= 90 else ""
        reason = (
            f"Con {counted(days, 'days')} cotizados{less} no hay prestación contributiva: hacen falta 360 en los seis"
            f" años anteriores.{hint}"
        )
        raise Stop(NotEntitled(reason, DURATION))
    steps = (min(days, MOST_DAYS) - LEAST_DAYS) // STEP_OF_SCALE
    benefit = 120 + 60 * steps
    first = LEAST_DAYS + STEP_OF_SCALE * steps
    span = f"desde {number(first)}" if first == MOST_DAYS else f"de {number(first)} a {number(first + 179)}"
    text = f"{number(days)} días cotizados{less}: tramo {span} de la escala, que da {benefit} días de prestación."
    short = () if first == MOST_DAYS else (NotApplied(_next_step(first, days, benefit), DURATION),)
    return Computed(benefit, "days", text, not_applied=short)


def _next_step(first: int, days: int, benefit: int) -> str:
    following = first + STEP_OF_SCALE
    return f"tramo siguiente ({benefit + 60} días, desde {number(following)} cotizados): faltan {following - days}"


@rule(AMOUNT, produces="regulatory_base_daily")
def base_of_180_days(bases_180_days: Decimal) -> Computed:
    value = bases_180_days / FIRST_DAYS
    formula = f"{money(bases_180_days)} / 180"
    return Computed(value, "EUR/day", f"Base reguladora: {formula} = {money(value, 4)} € al día.", formula)


@rule(AMOUNT, produces="regulatory_base_daily")
def base_of_month(monthly_base: Decimal) -> Computed:
    """Divide the monthly base by thirty."""
    value = monthly_base / MONTH
    formula = f"{money(monthly_base)} / 30"
    text = f"Base reguladora: {formula} = {money(value, 4)} € al día."
    return Computed(
        value, "EUR/day", text, formula, assumptions=("La misma base de cotización en los últimos 180 días.",)
    )


@rule(AMOUNT)
def monthly_indicator(part_time_average: Decimal | None = None, year: int | None = None) -> Computed:
    """Return the monthly IPREM with a sixth more, in proportion to the hours of the last 180 days."""
    period = verified_period("IPREM", day_of(year))
    iprem, part = period.values["monthly"], share(part_time_average)
    value = iprem * 7 / 6 * part
    formula = f"{money(iprem)} × 7/6" + (f" × {number(part, 4)}" if part != 1 else "")
    text = f"IPREM mensual con una sexta parte más: {formula} = {money(value)} €."
    assumption = f"IPREM de {year or period.verified_until.year}: {money(iprem)} € al mes ({period.norm})."
    return Computed(value, "EUR", text, formula, assumptions=(assumption,))


def _limits(indicator: Decimal, children: int) -> tuple[Decimal, Decimal, str]:
    most, least = (175, 200, 225)[min(children, 2)], 107 if children else 80
    highest, lowest = indicator * most / 100, indicator * least / 100
    family = "sin hijos a cargo" if not children else "con un hijo a cargo" if children == 1 else "con dos hijos o más"
    text = f"{family}, máximo {most} % = {money(highest)} € y mínimo {least} % = {money(lowest)} €"
    return highest, lowest, text


def _amount(daily: Decimal, indicator: Decimal, children: int, percent: int) -> tuple[Decimal, str, str]:
    base = daily * MONTH
    value = base * percent / 100
    highest, lowest, limits = _limits(indicator, children)
    formula = f"{money(daily, 4)} × 30 × {percent} %"
    start = f"{percent} % de la base de un mes: {formula} = {money(value)} €; {limits}"
    if value > highest:
        return highest, f"{start}: se aplica el máximo, {money(highest)} €.", formula
    if value < lowest:
        return lowest, f"{start}: se aplica el mínimo, {money(lowest)} €.", formula
    return value, f"{start}: no se alcanza ninguno.", formula


@rule(AMOUNT)
def amount_from_181(
    regulatory_base_daily: Decimal, monthly_indicator: Decimal, dependent_children: int = 0, phase: str | None = None
) -> Computed:
    value, text, formula = _amount(regulatory_base_daily, monthly_indicator, dependent_children, 60)
    return Computed(value, "EUR", "" if phase == "181+" else f"Desde el día 181: {text}", formula)


@rule(AMOUNT)
def monthly_amount(
    regulatory_base_daily: Decimal,
    monthly_indicator: Decimal,
    dependent_children: int | None = None,
    phase: str | None = None,
) -> Computed:
    """Return 70 per cent in the first 180 days, 60 per cent afterwards, within the limits."""
    percent, days = (60, "desde el día 181") if phase == "181+" else (70, "los primeros 180 días")
    children = dependent_children or 0
    value, text, formula = _amount(regulatory_base_daily, monthly_indicator, children, percent)
    others = {_amount(regulatory_base_daily, monthly_indicator, other, percent)[0] for other in range(3)}
    assumed = ("Sin hijos a cargo.",) if dependent_children is None else ()
    warned = ("Con hijos a cargo cambian los topes: diga cuántos tiene.",) if assumed and len(others) > 1 else ()
    lead = f"Prestación por desempleo, {days}: {{monthly_amount}} al mes."
    if phase != "181+":
        lead = f"{lead[:-1]}; desde el día 181, {{amount_from_181}} al mes."
    sentence = f"{days[0].upper()}{days[1:]}: {text}"
    return Computed(value, "EUR", sentence, formula, assumptions=assumed, warnings=warned, lead=lead)


@rule(AMOUNT)
def total(benefit_days: int, monthly_amount: Decimal, amount_from_181: Decimal) -> Computed:
    """Return the whole benefit: 180 days at the first monthly amount, the remaining days at the second."""
    first, later = min(benefit_days, FIRST_DAYS), max(benefit_days - FIRST_DAYS, 0)
    value = monthly_amount * first / MONTH + amount_from_181 * later / MONTH
    parts = [f"{money(monthly_amount)} × {first}/30", *([f"{money(amount_from_181)} × {later}/30"] if later else [])]
    formula = " + ".join(parts)
    lead = "Suma de toda la prestación por desempleo: {total} brutos en {benefit_days}."
    return Computed(value, "EUR", f"Suma: {formula} = {money(value)} €.", formula, lead=lead)


@rule(SUBSIDY, produces="subsidy_phase")
def phase_of_months(months_received: int) -> Computed:
    spans = ("1-180", "181-360", "361+")
    return Computed(spans[min(months_received // 6, 2)], "", f"Tras {counted(months_received, 'months')} de subsidio.")


@rule(SUBSIDY, produces="monthly_subsidy")
def subsidy_of_older(subsidy_cause: str, year: int | None = None) -> Computed:
    if subsidy_cause != "over_52":
        return _subsidy(95, "los primeros 180 días", year, assumed=("Es el primer tramo del subsidio.",))
    return _subsidy(80, "para mayores de 52 años", year, f"{SECURITY}#Artículo 280")


@rule(SUBSIDY)
def monthly_subsidy(
    subsidy_phase: str, subsidy_cause: str | None = None, part_time: Decimal | None = None, year: int | None = None
) -> Computed:
    """Return 95, 90 or 80 per cent of the IPREM."""
    if subsidy_cause == "over_52":
        return _subsidy(80, "para mayores de 52 años", year, f"{SECURITY}#Artículo 280")
    percent, days = {
        "1-180": (95, "los primeros 180 días"),
        "181-360": (90, "del día 181 al 360"),
        "361+": (80, "desde el día 361"),
    }[subsidy_phase]
    full = "cuantía en proporción a la jornada: la ley en vigor desde el 1-11-2024 ya no reduce el subsidio"
    not_applied = (NotApplied(full, SUBSIDY),) if part_time is not None and share(part_time) != 1 else ()
    return _subsidy(percent, days, year, not_applied=not_applied)


def _subsidy(
    percent: int,
    days: str,
    year: int | None,
    provision: str = "",
    assumed: tuple[str, ...] = (),
    not_applied: tuple[NotApplied, ...] = (),
) -> Computed:
    if year and year < SUBSIDY_SINCE:
        reason = "Este cálculo sigue la ley en vigor desde el 1 de noviembre de 2024: dé un año desde 2025."
        raise Stop(Refused(reason, SUBSIDY))
    period = verified_period("IPREM", day_of(year))
    iprem = period.values["monthly"]
    formula = f"{money(iprem)} × {percent} %"
    value = iprem * percent / 100
    assumption = f"IPREM de {year or period.verified_until.year}: {money(iprem)} € al mes ({period.norm})."
    text = f"Subsidio {days}: {formula} = {money(value)} € al mes."
    return Computed(
        value, "EUR", text, formula, provision, assumptions=(assumption, *assumed), not_applied=not_applied, lead=text
    )


@rule(SUBSIDY_DURATION, produces="subsidy_months")
def months_after_benefit(benefit_days: int, family_responsibilities: bool = False, age: int | None = None) -> Computed:
    """Return the months of subsidy after a benefit."""
    if benefit_days < 120:
        raise Stop(Refused("La prestación contributiva dura al menos 120 días: revise el dato."))
    origin = f"prestación agotada de {benefit_days} días"
    if family_responsibilities:
        return _months(origin, True, 30 if benefit_days >= 180 else 24)
    if benefit_days < 360 and age is None:
        raise Stop(Refused("Diga la edad al agotar la prestación: sin responsabilidades familiares, decide."))
    if benefit_days < 360 and age is not None and age < 45:
        reason = "Con menos de 45 años y sin responsabilidades familiares, la prestación agotada debe durar 360 días."
        raise Stop(NotEntitled(reason, BENEFICIARIES))
    return _months(origin, False, 6)


@rule(SUBSIDY_DURATION, produces="subsidy_months")
def months_of_contribution(contributed_days: int, family_responsibilities: bool = False) -> Computed:
    """Return the months of subsidy if the contribution is too short for a benefit."""
    if contributed_days >= LEAST_DAYS:
        raise Stop(
            NotEntitled("Con 360 días cotizados hay prestación contributiva, y no este subsidio.", BENEFICIARIES)
        )
    if contributed_days < 90:
        raise Stop(NotEntitled("Para este subsidio hacen falta 90 días cotizados.", BENEFICIARIES))
    months = 21 if family_responsibilities and contributed_days >= FIRST_DAYS else min(contributed_days // MONTH, 6)
    return _months(f"{number(contributed_days)} días cotizados", family_responsibilities, months)


def _months(origin: str, has_family: bool, months: int) -> Computed:
    family = "con" if has_family else "sin"
    text = f"{origin[0].upper()}{origin[1:]}, {family} responsabilidades familiares: {counted(months, 'months')}."
    return Computed(months, "months", text)


BASES = ("bases_180_days", "monthly_base", "regulatory_base_daily")
AMOUNT_RULES = (base_of_180_days, base_of_month, monthly_indicator, amount_from_181, monthly_amount)
DAYS_RULES = (days_of_years_and_months, days_of_months, benefit_days)
DAYS_FIELDS = ("contributed_days", "contributed_months", "contributed_years", "used_days")
AMOUNT_FIELDS = (*BASES, "dependent_children", "part_time_average", "year")
UNUSED = "Cotizaciones no usadas en un derecho anterior."
RULE_OF_DURATION = (
    "La prestación contributiva dura de 120 a 720 días: por cada 180 días cotizados desde 360, 60 días más de los 120"
    " primeros."
)
RULE_OF_AMOUNT = (
    "La prestación es el 70 % de la base reguladora los primeros 180 días y el 60 % desde el 181, con un máximo del"
    " 175, 200 o 225 % y un mínimo del 80 o 107 % del IPREM con una sexta parte más, según los hijos a cargo."
)

CALCULATIONS = (
    Calculation(
        "benefit/unemployment_duration",
        "Duración de la prestación por desempleo",
        ("benefit_days",),
        DAYS_RULES,
        DAYS_FIELDS,
        DURATION,
        "Prestación por desempleo: {benefit_days}.",
        RULE_OF_DURATION,
        assumptions=(UNUSED,),
        sensitive="Un día menos puede bajar de tramo: van de 180 en 180 desde 360.",
    ),
    Calculation(
        "benefit/unemployment_amount",
        "Cuantía de la prestación por desempleo",
        ("monthly_amount", "amount_from_181"),
        AMOUNT_RULES,
        (*AMOUNT_FIELDS, "phase"),
        AMOUNT,
        "Prestación por desempleo: {monthly_amount} al mes.",
        RULE_OF_AMOUNT,
        assumptions=(MONTH_OF_30_DAYS,),
        sensitive="Cambia con el IPREM del día en que nace el derecho y con los hijos a cargo.",
    ),
    Calculation(
        "benefit/unemployment_total",
        "Suma de la prestación por desempleo",
        ("total", "benefit_days", "monthly_amount", "amount_from_181"),
        (*DAYS_RULES, *AMOUNT_RULES, total),
        (*DAYS_FIELDS, *AMOUNT_FIELDS, "benefit_days"),
        AMOUNT,
        "Suma de toda la prestación por desempleo: {total}.",
        f"{RULE_OF_DURATION} {RULE_OF_AMOUNT}",
        assumptions=(UNUSED, MONTH_OF_30_DAYS),
    ),
    Calculation(
        "benefit/unemployment_subsidy",
        "Cuantía del subsidio por desempleo",
        ("monthly_subsidy",),
        (phase_of_months, monthly_subsidy, subsidy_of_older),
        ("subsidy_phase", "months_received", "subsidy_cause", "part_time", "year"),
        SUBSIDY,
        "Subsidio por desempleo: {monthly_subsidy} al mes.",
        "El subsidio es el 95 % del IPREM los primeros 180 días, el 90 % del 181 al 360 y el 80 % desde el 361; el de"
        " mayores de 52 años, siempre el 80 %.",
    ),
    Calculation(
        "benefit/unemployment_subsidy_duration",
        "Duración del subsidio por desempleo",
        ("subsidy_months",),
        (days_of_months, months_after_benefit, months_of_contribution),
        ("benefit_days", "contributed_days", "contributed_months", "family_responsibilities", "age"),
        SUBSIDY_DURATION,
        "Duración máxima del subsidio: {subsidy_months}.",
        "Tras agotar la prestación, el subsidio dura 6 meses, o 24 o 30 con responsabilidades familiares; por"
        " cotizaciones insuficientes, de 3 a 6 meses, o 21 con responsabilidades familiares.",
    ),
)
