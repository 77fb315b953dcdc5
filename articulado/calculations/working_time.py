"""Working time and leave by the Estatuto de los Trabajadores: limits, proportions, and the minimum wage by hours."""

from datetime import date
from decimal import Decimal

from articulado.calculations.employment import days_of_year, whole_months
from articulado.calculations.engine import STATUTE, Calculation, Computed, Variant, rule
from articulado.calculations.parameters import verified_period
from articulado.calculations.unemployment import day_of, share
from articulado.calculations.values import NotApplied, NotEntitled, Refused, Stop, money, number, rounded, written_day

PART_TIME, OVERTIME, NIGHT = (f"{STATUTE}#Artículo {article}" for article in (12, 35, 36))
REDUCTION, HOLIDAYS, SUSPENSION = (f"{STATUTE}#Artículo {article}" for article in (37, 38, 48))
CARE_WEEKS, NINETEEN_WEEKS, EQUAL_LEAVES = date(2024, 8, 2), date(2025, 7, 31), date(2021, 1, 1)
"""Births with two weeks of care more, with 19 weeks (RDL 9/2025), and with 16 for both parents (DT 13.ª ET)."""
SINGLE_PARENT, SINGLE_RULING = date(2024, 12, 6), "STC 140/2024, de 6 de noviembre"
OVERTIME_A_YEAR, LEAST_PART_TIME_HOURS, FULL_WEEK = Decimal(80), Decimal(10), Decimal(40)
LEAST_SHARE, MOST_SHARE, VOLUNTARY_SHARE = Decimal("0.30"), Decimal("0.60"), Decimal("0.15")
NIGHT_HOURS, NIGHT_DAY = 3, 8
LIMITS = {"guardianship": (Decimal(1) / 8, Decimal(1) / 2), "serious_illness": (Decimal(1) / 2, Decimal(1))}
"""Least and most share of the working day (art. 37.6)."""
MINIMUM = f"{STATUTE}#Artículo 27"


@rule(SUSPENSION)
def leave_weeks(
    parents: int | None = None, children: int | None = None, disability: bool = False, child_birth: date | None = None
) -> Computed:
    """Return the weeks of each parent, with those for more children and for a disability."""
    alone, more = parents == 1, max((children or 1) - 1, 0)
    basic, reason = _basic_weeks(alone, child_birth)
    each = 2 if alone else 1
    extra = each * (more + disability)
    who = "Una sola persona progenitora" if alone else "Cada persona progenitora"
    parts = [f"{who}: {basic} semanas{reason}"]
    if more:
        parts.append(f"nacimiento múltiple, {each} por cada hijo distinto del primero: {each * more}")
    if disability:
        parts.append(f"discapacidad del hijo: {each}")
    weeks = basic + extra
    total = f" Total: {basic} + {extra} = {weeks} semanas." if extra else ""
    now = () if child_birth else ("Nacimiento desde el 31 de julio de 2025 (Real Decreto-ley 9/2025).",)
    assumed = (*now, *(() if parents else ("Dos personas progenitoras.",)))
    lead = "Permiso por nacimiento: {leave_weeks}" + (" en total." if alone else " para cada progenitor.")
    return Computed(weeks, "weeks", "; ".join(parts) + "." + total, assumptions=assumed, lead=lead)


@rule(SUSPENSION, produces="parents")
def parents_of_family(single_parent: bool) -> Computed:
    return Computed(1 if single_parent else 2)


def _basic_weeks(alone: bool, birth: date | None) -> tuple[int, str]:
    if birth is None or birth >= NINETEEN_WEEKS:
        return (32 if alone else 19), ""
    if birth < EQUAL_LEAVES:
        raise Stop(Refused("El cálculo vale para nacimientos desde 2021: antes regía otra duración.", SUSPENSION))
    if alone and birth >= SINGLE_PARENT:
        return 30, f" ({SINGLE_RULING}: 16 y 10; y 4 de cuidado para los nacimientos desde el 2 de agosto de 2024)"
    if alone:
        reason = (
            "Antes del 6 de diciembre de 2024 la ley no daba más semanas a quien era la única persona progenitora, y la"
            f" {SINGLE_RULING} lo corrigió: consulte su caso con el INSS."
        )
        raise Stop(Refused(reason, SUSPENSION))
    if birth >= CARE_WEEKS:
        return 18, " (16, y 2 de cuidado para los nacimientos desde el 2 de agosto de 2024)"
    return 16, " (ley en vigor ese día)"


@rule(REDUCTION, produces="reduction")
def reduction_of_hours(hours_full: Decimal, hours_reduced: Decimal) -> Computed:
    """Return the share of the hours by which the working day is reduced."""
    if hours_reduced > hours_full or not hours_full:
        raise Stop(Refused("Las horas tras la reducción no pueden ser más que las de antes: revise los dos datos."))
    value = (hours_full - hours_reduced) / hours_full
    formula = f"({number(hours_full)} − {number(hours_reduced)}) / {number(hours_full)}"
    return Computed(value, "", f"Reducción: {formula} = {number(value * 100, 2)} % de la jornada.", formula)


@rule(REDUCTION)
def reduced_salary(salary: Decimal, reduction: Decimal, reduction_cause: str | None = None) -> Computed:
    """Return the salary in proportion to the reduced working day."""
    part = share(reduction)
    cause = reduction_cause or "guardianship"
    least, most = LIMITS.get(cause, (Decimal(0), Decimal(1)))
    limits = f"entre el {number(least * 100)} % y el {number(most * 100)} % de la jornada"
    is_within = least <= part <= most
    if reduction_cause and not is_within:
        reason = f"Esta reducción ha de estar {limits}, y es del {number(part * 100, 2)} %."
        raise Stop(NotEntitled(reason, REDUCTION))
    warned = () if is_within else (f"Por guarda legal la reducción ha de estar {limits}.",)
    value = salary * (1 - part)
    formula = f"{money(salary)} × (1 − {number(part, 4)})"
    assumed = () if reduction_cause else ("Reducción por guarda legal o cuidado de un familiar (artículo 37.6).",)
    text = f"Salario en proporción: {formula} = {money(value)} €."
    return Computed(value, "EUR", text, formula, assumptions=assumed, warnings=warned)


@rule(PART_TIME)
def complementary_hours(
    weekly_hours: Decimal, agreed_share: Decimal | None = None, full_time_hours: Decimal | None = None
) -> Computed:
    """Return the maximum of agreed complementary hours a week."""
    if weekly_hours < LEAST_PART_TIME_HOURS:
        reason = "Con menos de 10 horas semanales de media no se pueden pactar horas complementarias."
        raise Stop(NotEntitled(reason, PART_TIME))
    full = full_time_hours or FULL_WEEK
    if weekly_hours >= full:
        raise Stop(NotEntitled("Las horas complementarias son solo para contratos a tiempo parcial.", PART_TIME))
    part = LEAST_SHARE if agreed_share is None else share(agreed_share)
    source = "artículo 12.5.c" if agreed_share is None else "porcentaje del convenio"
    notes: tuple[NotApplied, ...] = ()
    if part > MOST_SHARE:
        notes = (NotApplied(f"{number(part * 100)} %: el convenio no puede pasar del 60 %", PART_TIME),)
        part = MOST_SHARE
    elif part < LEAST_SHARE:
        notes = (NotApplied(f"{number(part * 100)} %: el máximo del convenio no puede bajar del 30 %", PART_TIME),)
        part = LEAST_SHARE
    value = weekly_hours * part
    formula = f"{number(weekly_hours)} × {number(part * 100)} %"
    text = f"Horas complementarias pactadas, como máximo: {formula} = {number(value, 2)} a la semana ({source})."
    if weekly_hours + value >= full:
        text += f" Con las ordinarias no pueden llegar a la jornada completa, {number(full)} horas."
        value = full - weekly_hours
    return Computed(rounded(value), "hours", text, formula, not_applied=notes)


@rule(PART_TIME)
def voluntary_hours(weekly_hours: Decimal) -> Computed:
    """Return the maximum of voluntary complementary hours in a permanent contract."""
    value = weekly_hours * VOLUNTARY_SHARE
    formula = f"{number(weekly_hours)} × 15 %"
    text = f"Además, de aceptación voluntaria y con contrato indefinido: {formula} = {number(value, 2)} a la semana."
    return Computed(rounded(value), "hours", text, formula)


@rule(OVERTIME)
def overtime_limit(part_time: Decimal | None = None, contract_months: int | None = None) -> Computed:
    """Return 80 hours a year, in proportion for a contract of less than a year."""
    if share(part_time) < 1:
        reason = (
            "A tiempo parcial no se pueden hacer horas extraordinarias, salvo las de fuerza mayor (artículo 12.4.c): se"
            " hacen horas complementarias."
        )
        raise Stop(NotEntitled(reason, PART_TIME))
    months = min(contract_months or 12, 12)
    value = OVERTIME_A_YEAR * months / 12
    formula = f"80 × {months}/12" if months < 12 else "80"
    text = f"Máximo de horas extraordinarias al año: {formula} = {number(value, 2)}."
    return Computed(
        rounded(value), "hours", text if months < 12 else "Máximo de horas extraordinarias: 80 al año.", formula
    )


@rule(OVERTIME)
def overtime_left(
    overtime_limit: Decimal, hours_done: Decimal = Decimal(0), hours_rested: Decimal = Decimal(0)
) -> Computed:
    """Return the remaining overtime; hours compensated by rest within four months do not count."""
    counts = max(hours_done - hours_rested, Decimal(0))
    left = overtime_limit - counts
    less = f" − {number(hours_rested)} compensadas con descanso" if hours_rested else ""
    formula = f"{number(overtime_limit)} − ({number(hours_done)}{less})"
    if left < 0:
        text = f"Cuentan {number(counts)} horas: {number(-left)} más que el máximo."
        return Computed(Decimal(0), "hours", text, formula, lead=f"No quedan horas extraordinarias. {text}")
    return Computed(left, "hours", f"Quedan {formula} = {number(left)} horas.", formula)


@rule(NIGHT)
def is_night_worker(night_hours: Decimal, annual_night_share: Decimal | None = None) -> Computed:
    """Tell if three hours of each day, or a third of the year, lie between 22:00 and 6:00."""
    a_third = annual_night_share is not None and share(annual_night_share) * 3 >= 1
    is_one = night_hours >= NIGHT_HOURS or a_third
    text = f"{number(night_hours)} horas diarias entre las 22 y las 6: " + (
        "es trabajador nocturno; no puede hacer horas extraordinarias ni pasar de 8 horas diarias de media en 15 días."
        if is_one
        else "no llega a 3 horas diarias ni a un tercio de la jornada anual; no es trabajador nocturno."
    )
    return Computed(is_one, "", text, lead=text)


@rule(NIGHT)
def most_night_hours(working_days: int = 10) -> Computed:
    value = NIGHT_DAY * working_days
    formula = f"{NIGHT_DAY} × {working_days}"
    return Computed(
        value, "hours", f"Máximo en 15 días con {working_days} jornadas: {formula} = {value} horas.", formula
    )


@rule(HOLIDAYS)
def holidays_accrued(start: date, end: date, days_a_year: Decimal | None = None) -> Computed:
    """Return the leave in proportion to the days worked in each year."""
    if end < start:
        raise Stop(Refused("El final no puede ser anterior al inicio: revise las dos fechas."))
    entitled = days_a_year or Decimal(30)
    value, parts = Decimal(0), []
    for year in range(start.year, end.year + 1):
        first, last = max(start, date(year, 1, 1)), min(end, date(year, 12, 31))
        count, length = (last - first).days + 1, days_of_year(last)
        value += entitled * count / length
        parts.append(f"{number(entitled)} × {count}/{length}")
    formula = " + ".join(parts)
    assumed = () if days_a_year else ("30 días naturales al año, el mínimo legal.",)
    text = f"Vacaciones del {written_day(start)} al {written_day(end)}: {formula} = {number(value, 4)} días."
    return Computed(value, "days", text, formula, assumptions=(*assumed, BY_DAYS))


BY_DAYS = "En proporción a los días trabajados: la ley no fija el reparto, y el convenio puede hacerlo por meses."


@rule(HOLIDAYS, produces="holidays_accrued")
def holidays_by_months(start: date, end: date, days_a_year: Decimal | None = None) -> Computed:
    years, months, days = whole_months(start, end)
    return Computed((days_a_year or Decimal(30)) / 12 * (years * 12 + months + Decimal(days) / 30), "days")


@rule(HOLIDAYS)
def holidays_left(holidays_accrued: Decimal, taken: Decimal | None = None) -> Computed:
    """Return the remaining leave."""
    left = rounded(holidays_accrued - (taken or 0))
    if not taken:
        return Computed(left, "days", lead="Vacaciones generadas: {holidays_left}.")
    formula = f"{number(holidays_accrued, 4)} − {number(taken)}"
    if left < 0:
        text = f"Ha disfrutado {number(-left)} días más de los generados."
        return Computed(Decimal(0), "days", text, formula, lead=text)
    return Computed(left, "days", f"Quedan {formula} = {number(left)} días.", formula)


@rule(MINIMUM)
def minimum_year(weekly_hours: Decimal, full_time_hours: Decimal | None = None, year: int | None = None) -> Computed:
    """Return the annual minimum wage in proportion to the hours."""
    full = full_time_hours or Decimal(40)
    if weekly_hours > full:
        raise Stop(Refused(f"La jornada completa es de {number(full)} horas semanales: revise las horas."))
    period = verified_period("SMI", day_of(year))
    annual = period.values["annual"]
    value = annual * weekly_hours / full
    formula = f"{money(annual)} × {number(weekly_hours)} / {number(full)}"
    text = f"Salario mínimo de un año a jornada parcial: {formula} = {money(value)} €."
    assumption = f"SMI de {year or period.verified_until.year} ({period.norm})."
    full_said = () if full_time_hours else ("Jornada completa de 40 horas semanales (artículo 34.1).",)
    return Computed(value, "EUR", text, formula, _law(period.boe), assumptions=(assumption, *full_said))


@rule(MINIMUM)
def minimum_month(minimum_year: Decimal, payments: Decimal | None = None) -> Computed:
    """Return the minimum wage of one payment."""
    count = payments or Decimal(14)
    formula = f"{money(minimum_year)} / {number(count)}"
    value = minimum_year / count
    lead = f"Salario mínimo: {{minimum_month}} al mes en {number(count)} pagas ({{minimum_year}} al año)."
    return Computed(value, "EUR", f"En {number(count)} pagas: {formula} = {money(value)} €.", formula, lead=lead)


@rule(MINIMUM)
def minimum_household(hours: Decimal, year: int | None = None) -> Computed:
    return _by_unit("household_hourly", hours, "horas", year)


@rule(MINIMUM)
def minimum_temporary(working_days: int, year: int | None = None) -> Computed:
    return _by_unit("temporary_daily", Decimal(working_days), "jornadas", year)


def _by_unit(key: str, count: Decimal, unit: str, year: int | None) -> Computed:
    period = verified_period("SMI", day_of(year))
    value = period.values[key] * count
    formula = f"{number(count)} {unit} × {money(period.values[key])}"
    assumption = f"SMI de {year or period.verified_until.year} ({period.norm})."
    return Computed(
        value, "EUR", f"{formula} = {money(value)} €.", formula, _law(period.boe, 4), assumptions=(assumption,)
    )


def _law(boe: str, article: int = 3) -> str:
    return f"{boe}#Artículo {article}" if boe else ""


CALCULATIONS = (
    Calculation(
        "benefit/birth_leave",
        "Permiso por nacimiento y cuidado de menor",
        ("leave_weeks",),
        (parents_of_family, leave_weeks),
        ("parents", "single_parent", "children", "disability", "child_birth"),
        SUSPENSION,
        "Permiso por nacimiento: {leave_weeks}.",
        "Cada progenitor tiene 19 semanas (32 si es uno solo), y una más por cada hijo distinto del primero y por"
        " discapacidad.",
        sensitive="Con hospitalización del recién nacido de más de siete días se amplía, hasta 13 semanas más.",
    ),
    Calculation(
        "benefit/reduced_hours",
        "Salario con reducción de jornada",
        ("reduced_salary",),
        (reduction_of_hours, reduced_salary),
        ("salary", "reduction", "hours_full", "hours_reduced", "reduction_cause"),
        REDUCTION,
        "Salario con la reducción de jornada: {reduced_salary} brutos.",
        "La guarda legal permite reducir la jornada entre un octavo y la mitad, con el salario en proporción.",
        assumptions=("Todo el salario baja en proporción; importe bruto del mismo período que el dado.",),
    ),
    Calculation(
        "benefit/smi_hours",
        "Salario mínimo en proporción a la jornada",
        ("minimum_month", "minimum_year"),
        (minimum_year, minimum_month),
        ("weekly_hours", "year", "payments", "full_time_hours"),
        MINIMUM,
        "Salario mínimo: {minimum_month} al mes.",
        "El salario mínimo es para la jornada completa; con menos horas se cobra en proporción.",
    ),
    Calculation(
        "benefit/smi_household",
        "Salario mínimo por horas en el servicio del hogar",
        ("minimum_household",),
        (minimum_household,),
        ("hours", "year"),
        MINIMUM,
        "Salario mínimo por esas horas, con todo incluido: {minimum_household}.",
        "Quien trabaja por horas en el hogar cobra al menos lo que fija el real decreto del salario mínimo.",
    ),
    Calculation(
        "benefit/smi_temporary",
        "Salario mínimo de un contrato de hasta 120 días",
        ("minimum_temporary",),
        (minimum_temporary,),
        ("working_days", "year"),
        MINIMUM,
        "Salario mínimo por esas jornadas, con domingos, festivos y pagas: {minimum_temporary}.",
        "En contratos de hasta 120 días hay un salario mínimo por jornada que incluye domingos, festivos y pagas.",
    ),
    Calculation(
        "work/part_time_complementary",
        "Límite de horas complementarias",
        ("complementary_hours", "voluntary_hours"),
        (complementary_hours, voluntary_hours),
        ("weekly_hours", "agreed_share", "full_time_hours"),
        PART_TIME,
        "Horas complementarias: {complementary_hours} pactadas a la semana y, aparte, {voluntary_hours} voluntarias.",
        "Las horas complementarias pactadas no pasan del 30 % de las ordinarias (hasta el 60 % por convenio), y las"
        " voluntarias, del 15 % (hasta el 30 % por convenio).",
    ),
    Calculation(
        "work/overtime_limit",
        "Límite de horas extraordinarias",
        ("overtime_left", "overtime_limit"),
        (overtime_limit, overtime_left),
        ("hours_done", "hours_rested", "part_time", "contract_months"),
        OVERTIME,
        "Horas extraordinarias que aún caben este año: {overtime_left}.",
        "El máximo es de 80 horas extraordinarias al año; no cuentan las compensadas con descanso en cuatro meses.",
        assumptions=("No cuentan las de fuerza mayor (artículo 35.3).",),
    ),
    Calculation(
        "work/night_work",
        "Trabajo nocturno",
        ("is_night_worker", "most_night_hours"),
        (is_night_worker, most_night_hours),
        ("night_hours", "annual_night_share", "working_days"),
        NIGHT,
        "Trabajador nocturno: {is_night_worker}.",
        "Es nocturno quien trabaja tres horas diarias, o un tercio de la jornada anual, entre las 22 y las 6; su"
        " jornada no pasa de 8 horas diarias de media en 15 días, sin horas extraordinarias.",
    ),
    Calculation(
        "work/annual_leave",
        "Vacaciones generadas",
        ("holidays_left",),
        (holidays_accrued, holidays_left),
        ("start", "end", "days_a_year", "taken"),
        HOLIDAYS,
        "Vacaciones que quedan: {holidays_left}.",
        "Las vacaciones son de al menos 30 días naturales al año, en proporción al tiempo trabajado.",
        variants=(Variant(holidays_by_months, "por meses: 2,5 días cada uno si son 30 al año"),),
    ),
)
