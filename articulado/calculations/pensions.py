"""Retirement pension by the Ley General de la Seguridad Social: ordinary age, amount, early and delayed retirement."""

import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from articulado.calculations.employment import add_months, whole_months
from articulado.calculations.engine import Calculation, Computed, Rule, Variant, rule
from articulado.calculations.parameters import verified_period
from articulado.calculations.unemployment import SECURITY, day_of
from articulado.calculations.values import (
    NotApplied,
    NotEntitled,
    Refused,
    Stop,
    counted,
    joined,
    money,
    number,
    written_day,
)

AGES, PERCENTAGES = f"{SECURITY}#Disposición transitoria séptima", f"{SECURITY}#Disposición transitoria novena"
BENEFICIARIES, AMOUNT = f"{SECURITY}#Artículo 205", f"{SECURITY}#Artículo 210"
INVOLUNTARY, VOLUNTARY = f"{SECURITY}#Artículo 207", f"{SECURITY}#Artículo 208"
FIRST_AGE, LEAST_MONTHS = 65 * 12, 15 * 12
FULL = Decimal(100)
PERCENT_A_YEAR, PERCENT_HALF_YEAR = 4, 2  # a year of delay; over 6 months after the second year (art. 210.2.a)
DELAY_SINCE, EARLY_SINCE = 2025, date(2022, 1, 1)  # wording on delayed and on early retirement
LONG_CAREER = 44 * 12 + 6
AGES_SINCE = date(2013, 1, 1)
BELOW_LIMIT = "Importe por debajo del máximo de las pensiones (artículo 57); sin complementos ni retenciones."
SAME_CONTRIBUTION = "La cotización dada es la que tendrá al cumplir la edad; solo cuentan años y meses completos."


def written_months(months: int) -> str:
    years, rest = divmod(months, 12)
    parts = [*([counted(years, "years")] if years or not rest else []), *([counted(rest, "months")] if rest else [])]
    return joined(parts)


@rule(BENEFICIARIES)
def contributed_total(contributed_years: int, contributed_months: int = 0) -> Computed:
    return Computed(contributed_years * 12 + contributed_months, "months")


@rule(BENEFICIARIES, produces="contributed_total")
def contributed_in_months(contributed_months: int) -> Computed:
    return Computed(contributed_months, "months")


CONTRIBUTION: tuple[Rule, ...] = (contributed_total, contributed_in_months)
CONTRIBUTION_FIELDS = ("contributed_years", "contributed_months")


def ordinary_age(birth: date, contributed: int) -> tuple[date, int, str]:
    """Return the day of the ordinary age, that age in months, and the reason.

    The age, and the contribution that lowers it to 65 years, are those of the year in which it is reached.
    """
    young = add_months(birth, FIRST_AGE)
    if young < AGES_SINCE:
        raise Stop(Refused("El cálculo vale para quien cumple 65 años desde 2013: antes regía otra ley.", AGES))
    long = int(_ages(young.year)["long"])
    if contributed >= long:
        return young, FIRST_AGE, f"En {young.year}, {written_months(long)} cotizados o más"
    year = young.year
    while (day := add_months(birth, int(_ages(year)["age"]))).year > year:
        year += 1
    return day, int(_ages(year)["age"]), f"En {year}, menos de {written_months(int(_ages(year)['long']))} cotizados"


def _ages(year: int) -> Mapping[str, Decimal]:
    return verified_period("Edad ordinaria de jubilación", date(year, 12, 31)).values


@rule(AGES)
def age_in_months(birth: date, contributed_total: int) -> Computed:
    """Return the ordinary age of the year in which it is reached."""
    _, months, reason = ordinary_age(birth, contributed_total)
    needed = "Para tener pensión hacen falta 15 años cotizados, 2 de ellos en los últimos 15 (artículo 205.1.b)."
    warned = (needed,) if contributed_total < LEAST_MONTHS else ()
    text = f"{reason}: {written_months(months)}."
    return Computed(months, "months", text, assumptions=(SAME_CONTRIBUTION,), warnings=warned)


@rule(BENEFICIARIES)
def retirement_day(birth: date, contributed_total: int, age_in_months: int) -> Computed:
    """Return the day of the ordinary age."""
    day, _, _ = ordinary_age(birth, contributed_total)
    formula = f"{written_day(birth)} + {written_months(age_in_months)}"
    age = written_months(age_in_months)
    lead = f"Edad ordinaria de jubilación: {age}, que cumple el {{retirement_day}}."
    return Computed(day, "date", f"{formula} = {written_day(day)}.", formula, lead=lead)


def _percentage(contributed: int, year: int | None) -> tuple[Decimal, str]:
    if contributed < LEAST_MONTHS:
        reason = f"Con {written_months(contributed)} cotizados no hay pensión contributiva: hacen falta 15 años."
        raise Stop(NotEntitled(reason, BENEFICIARIES))
    more = contributed - LEAST_MONTHS
    if year is None:
        if more < 264:
            raise Stop(Refused("Diga el año de la jubilación: de él dependen los porcentajes por mes cotizado."))
        year = 2027
    values = verified_period("Porcentajes de la pensión de jubilación", day_of(year)).values
    first = min(more, int(values["first"]))
    following = min(more - first, int(values["next"]))
    percent = min(50 + first * values["first_percent"] + following * values["next_percent"], FULL)
    parts = [f"{first} × {number(values['first_percent'])}"] if first else []
    parts += [f"{following} × {number(values['next_percent'])}"] if following else []
    formula = " + ".join(["50", *parts])
    return percent, f"{formula} = {number(percent)} %" if percent < FULL else f"{formula}, como máximo 100 %"


@rule(PERCENTAGES)
def percentage(contributed_total: int, year: int | None = None) -> Computed:
    """Return 50 % for fifteen years and more for each further month."""
    percent, formula = _percentage(contributed_total, year)
    more = contributed_total - LEAST_MONTHS
    text = f"Quince primeros años: 50 %; {counted(more, 'months')} más con los porcentajes"
    return Computed(percent, "percent", f"{text} de {year or 'la ley'}: {formula}.", formula)


NO_BASE = "Dé la base reguladora para saber el importe."


@rule(AMOUNT)
def full_pension(percentage: Decimal, regulatory_base: Decimal) -> Computed:
    value = regulatory_base * percentage / 100
    formula = f"{money(regulatory_base)} × {number(percentage)} %"
    return Computed(value, "EUR", f"{formula} = {money(value)} €.", formula)


@rule(AMOUNT)
def pension(percentage: Decimal, full_pension: Decimal | None = None) -> Computed:
    """Return the monthly pension at the ordinary age, or its percentage without a base."""
    if full_pension is None:
        lead = "Pensión: {percentage} de la base reguladora."
        return Computed(percentage, "percent", warnings=(NO_BASE,), lead=lead)
    lead = "Pensión de jubilación: {pension} al mes ({percentage} de la base reguladora)."
    return Computed(full_pension, "EUR", lead=lead)


@cache
def _coefficients() -> Mapping[str, Any]:
    file = resources.files("articulado.calculations").joinpath("data", "early_retirement.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def coefficient(cause: str, months: int, contributed: int) -> Decimal:
    """Return the percentage by which an early pension is reduced (tables of arts. 207.2 and 208.2)."""
    table = _coefficients()
    column = sum(contributed >= minimum for minimum in table["columns"])
    return Decimal(table[cause][str(months)][column])


def _terms(cause: str) -> tuple[str, int, int]:
    return (VOLUNTARY, 24, 35 * 12) if cause == "voluntary" else (INVOLUNTARY, 48, 33 * 12)


def _legal_day(birth: date, contributed: int, retirement: date) -> date:
    """Return the day of the ordinary age if the person went on contributing until then (arts. 207.2 and 208.2)."""
    general = ordinary_age(birth, 0)[0]
    day = add_months(birth, FIRST_AGE)
    while day < general:
        enough = add_months(retirement, max(int(_ages(day.year)["long"]) - contributed, 0))
        if enough <= day:
            return day
        day = enough
    return general


@rule(BENEFICIARIES)
def months_early(birth: date, retirement: date, contributed_total: int) -> Computed:
    """Return the months until the ordinary age; a started one counts as whole."""
    legal = _legal_day(birth, contributed_total, retirement)
    if retirement >= legal:
        raise Stop(Refused(f"El {written_day(legal)} ya tiene la edad ordinaria: no es jubilación anticipada."))
    years, months, days = whole_months(retirement, legal)
    missing = years * 12 + months + (days > 1)  # ``whole_months`` counts the day of the age, too.
    text = f"Del {written_day(retirement)} a la edad ordinaria, el {written_day(legal)}: {counted(missing, 'months')}."
    return Computed(missing, "months", text, assumptions=("La edad ordinaria, como si siguiera cotizando.",))


@rule(VOLUNTARY)
def reduction(months_early: int, contributed_total: int, early_cause: str | None = None) -> Computed:
    """Return the percentage by which the pension is reduced."""
    cause = early_cause or "voluntary"
    provision, max_months, min_months = _terms(cause)
    kind = "voluntaria" if cause == "voluntary" else "por causa no imputable al trabajador"
    if contributed_total < min_months:
        reason = f"La jubilación anticipada {kind} pide {min_months // 12} años cotizados."
        raise Stop(NotEntitled(reason, provision))
    if months_early > max_months:
        reason = f"La jubilación anticipada {kind} no puede adelantarse más de {max_months} meses."
        raise Stop(NotEntitled(reason, provision))
    if months_early == 0:
        raise Stop(Refused("Diga cuántos meses se adelanta la jubilación: al menos uno."))
    percent = coefficient(cause, months_early, contributed_total)
    assumed = () if early_cause else ("Jubilación anticipada por voluntad del interesado.",)
    text = (
        f"Jubilación anticipada {kind}: {counted(months_early, 'months')} antes, con"
        f" {written_months(contributed_total)} cotizados: reducción del {number(percent)} %."
    )
    return Computed(percent, "percent", text, provision=provision, assumptions=assumed)


@rule(AMOUNT)
def early_pension(reduction: Decimal, full_pension: Decimal | None = None) -> Computed:
    """Return the monthly pension after the reduction, or the reduction without a base."""
    if full_pension is None:
        lead = "Reducción de la pensión: {early_pension}."
        return Computed(reduction, "percent", warnings=(NO_BASE,), lead=lead)
    value = full_pension * (100 - reduction) / 100
    formula = f"{money(full_pension)} × (100 − {number(reduction)}) %"
    lead = f"Pensión de jubilación anticipada: {{early_pension}} al mes (reducción del {number(reduction)} %)."
    return Computed(value, "EUR", f"{formula} = {money(value)} €.", formula, lead=lead)


@rule(VOLUNTARY, produces="early_pension")
def first_early_day(birth: date, contributed_total: int, early_cause: str | None = None) -> Computed:
    """Return the first possible day of early retirement."""
    provision, max_months, min_months = _terms(early_cause or "voluntary")
    if contributed_total < min_months:
        raise Stop(NotEntitled(f"Esta jubilación anticipada pide {min_months // 12} años cotizados.", provision))
    legal = ordinary_age(birth, contributed_total + max_months)[0]
    day = add_months(legal, -max_months)
    formula = f"{written_day(legal)} − {max_months} meses"
    assumed = ("Desde entonces, la edad ordinaria como si siguiera cotizando; la cotización dada es la de ese día.",)
    lead = "Primer día en que puede jubilarse anticipadamente: {early_pension}."
    text = f"Primer día posible: {formula} = {written_day(day)}."
    return Computed(day, "date", text, formula, provision, assumptions=assumed, lead=lead)


@rule(AMOUNT)
def delay_percent(years_delayed: int, months_delayed: int = 0, year: int | None = None) -> Computed:
    """Return 4 % for each whole year of delay, and 2 % for more than six months after the second."""
    if year and year < DELAY_SINCE:
        reason = "El cálculo sigue la ley en vigor desde el 1 de abril de 2025: dé un año desde 2025."
        raise Stop(Refused(reason, AMOUNT))
    years, months = years_delayed + months_delayed // 12, months_delayed % 12
    percent = years * PERCENT_A_YEAR
    formula = f"{years} × {PERCENT_A_YEAR} %"
    not_applied: tuple[NotApplied, ...] = ()
    if months > 6 and years >= 2:
        percent += PERCENT_HALF_YEAR
        formula += f" + {PERCENT_HALF_YEAR} %"
    elif months:
        reason = f"2 % por {counted(months, 'months')} más: pide dos años completos y más de seis meses"
        not_applied = (NotApplied(reason, AMOUNT),)
    if not percent:
        reason = "El complemento por demora pide al menos un año completo cotizado tras la edad ordinaria."
        raise Stop(NotEntitled(reason, AMOUNT))
    text = f"Demora de {written_months(years * 12 + months)}: {formula} = {percent} % más."
    return Computed(Decimal(percent), "percent", text, formula, not_applied=not_applied)


@rule(AMOUNT, produces="delay_percent")
def delay_in_months(months_delayed: int, year: int | None = None) -> Computed:
    computed: Computed = delay_percent.function(0, months_delayed, year)
    return computed


@rule(AMOUNT)
def delayed_pension(
    delay_percent: Decimal, regulatory_base: Decimal | None = None, percentage: Decimal | None = None
) -> Computed:
    """Return the monthly pension with the supplement, which may exceed the base, or the supplement without a base."""
    if regulatory_base is None:
        return Computed(delay_percent, "percent", warnings=(NO_BASE,), lead="Por la demora: {delayed_pension} más.")
    assumed = ("Con derecho al 100 % de la base reguladora.",) if percentage is None else ()
    percent = FULL if percentage is None else percentage
    value = regulatory_base * (percent + delay_percent) / 100
    formula = f"{money(regulatory_base)} × ({number(percent)} + {number(delay_percent)}) %"
    lead = "Pensión con la demora: {delayed_pension} al mes ({delay_percent} más)."
    return Computed(value, "EUR", f"{formula} = {money(value)} €.", formula, assumptions=assumed, lead=lead)


@rule(AMOUNT, produces="delayed_pension")
def lump_sum(
    delay_percent: Decimal,
    regulatory_base: Decimal,
    percentage: Decimal | None = None,
    contributed_total: int | None = None,
) -> Computed:
    """Return the lump sum in place of the percentage: 800 × (annual pension / 500) ^ (1/1.65) for each year.

    44 years and 6 months of contribution at the ordinary age add a tenth. Source: image in the consolidated text of
    art. 210.2.b.
    """
    a_year = regulatory_base * (FULL if percentage is None else percentage) / 100 * 14
    years = delay_percent / PERCENT_A_YEAR
    amount: Decimal = 800 * (a_year / 500) ** (1 / Decimal("1.65")) * years
    is_long = (contributed_total or 0) - int(years * 12) >= LONG_CAREER
    return Computed(amount * Decimal("1.1") if is_long else amount, "EUR")


LUMP_SUM = Variant(
    lump_sum, "si elige cobrar el complemento de una vez, además de la pensión sin él (artículo 210.2.b)"
)

CALCULATIONS = (
    Calculation(
        "benefit/retirement_age",
        "Edad ordinaria de jubilación",
        ("retirement_day", "age_in_months"),
        (*CONTRIBUTION, age_in_months, retirement_day),
        ("birth", *CONTRIBUTION_FIELDS),
        BENEFICIARIES,
        "Edad ordinaria de jubilación: {retirement_day}.",
        "Desde 2027 la edad ordinaria es de 67 años, o de 65 con 38 años y 6 meses cotizados; en 2026, de 66 años y 10"
        " meses, o de 65 con 38 años y 3 meses.",
        sensitive="La edad exigida y la cotización que la baja a 65 años son las del año en que se cumple.",
    ),
    Calculation(
        "benefit/retirement_amount",
        "Cuantía de la pensión de jubilación",
        ("pension", "percentage"),
        (*CONTRIBUTION, percentage, full_pension, pension),
        (*CONTRIBUTION_FIELDS, "year", "regulatory_base"),
        AMOUNT,
        "Pensión de jubilación: {pension}.",
        "Quince años cotizados dan el 50 % de la base reguladora; cada mes más suma en 2026 el 0,21 % los primeros 49"
        " meses y el 0,19 % los 209 siguientes, hasta el 100 %.",
        assumptions=("Jubilación a la edad ordinaria.", BELOW_LIMIT),
        sensitive="Los porcentajes por mes cambian en 2027.",
    ),
    Calculation(
        "benefit/retirement_early",
        "Jubilación anticipada",
        ("early_pension",),
        (*CONTRIBUTION, months_early, reduction, percentage, full_pension, early_pension, first_early_day),
        (
            *CONTRIBUTION_FIELDS,
            "months_early",
            "birth",
            "retirement",
            "early_cause",
            "regulatory_base",
            "full_pension",
            "year",
        ),
        VOLUNTARY,
        "Jubilación anticipada: {early_pension}.",
        "Por voluntad propia, hasta 24 meses antes con 35 años cotizados; por causa ajena, hasta 48 meses con 33. La"
        " pensión baja según los meses de adelanto y lo cotizado.",
        assumptions=(BELOW_LIMIT,),
        sensitive="Si la pensión pasa del máximo, la disposición transitoria trigésima cuarta tiene otros porcentajes.",
        day="retirement",
        since=EARLY_SINCE,
    ),
    Calculation(
        "benefit/retirement_delayed",
        "Jubilación demorada",
        ("delayed_pension", "delay_percent"),
        (*CONTRIBUTION, delay_percent, delay_in_months, percentage, delayed_pension),
        ("years_delayed", "months_delayed", *CONTRIBUTION_FIELDS, "regulatory_base", "year"),
        AMOUNT,
        "Jubilación demorada: {delayed_pension}.",
        "Cada año completo cotizado tras la edad ordinaria suma un 4 % de la base reguladora; desde el segundo, más de"
        " seis meses suman un 2 %.",
        assumptions=(BELOW_LIMIT, "Con 15 años cotizados ya al cumplir la edad ordinaria."),
        variants=(LUMP_SUM,),
    ),
)
