"""Rules shared by calculations: salary, time of service, and the parts of a settlement."""

from calendar import isleap
from datetime import date, timedelta
from decimal import Decimal

from dateutil.relativedelta import relativedelta

from articulado.calculations.engine import STATUTE, Computed, Rule, rule
from articulado.calculations.values import Refused, Stop, counted, money, number, written_day

SALARY_DAY = (
    "SSTS 30-6-2008 (rcud 2639/2007) y 24-1-2011 (rcud 2018/2010): salario anual entre 365, o 366 en año bisiesto"
)
STARTED_MONTH = "STS 20-7-2009, reiterada en STS 118/2016, de 18-2-2016 (rcud 3257/2014): el mes empezado cuenta entero"
ONE_DAY = timedelta(days=1)
ROUNDING = "Cálculo exacto con fracciones; se redondea a céntimos solo el resultado."
WHOLE_MONTH = "Mensualidad = salario anual con pagas / 12."


@rule(f"{STATUTE}#Artículo 31", produces="annual_salary")
def annual_of_payments(monthly: Decimal, payments: Decimal) -> Computed:
    formula = f"{money(monthly)} × {number(payments)}"
    value = monthly * payments
    return Computed(value, "EUR", f"Salario anual con las pagas: {formula} = {money(value)} €.", formula)


@rule(f"{STATUTE}#Artículo 31", produces="annual_salary")
def annual_with_extra_pays(monthly: Decimal, extra_pays_year: Decimal) -> Computed:
    formula = f"{money(monthly)} × 12 + {money(extra_pays_year)}"
    value = monthly * 12 + extra_pays_year
    return Computed(value, "EUR", f"Salario anual con las pagas: {formula} = {money(value)} €.", formula)


@rule(f"{STATUTE}#Artículo 26", produces="annual_salary")
def annual_of_days(daily_salary: Decimal, end: date) -> Computed:
    return Computed(daily_salary * days_of_year(end), "EUR")


@rule(f"{STATUTE}#Artículo 26", authority=SALARY_DAY)
def daily_salary(annual_salary: Decimal, end: date) -> Computed:
    formula = f"{money(annual_salary)} / {days_of_year(end)}"
    value = annual_salary / days_of_year(end)
    return Computed(value, "EUR/day", f"Salario día: {formula} = {money(value, 4)} €.", formula)


def days_of_year(day: date) -> int:
    return 366 if isleap(day.year) else 365


@rule(f"{STATUTE}#Artículo 26")
def monthly_salary(annual_salary: Decimal) -> Computed:
    return Computed(annual_salary / 12, "EUR", assumptions=(WHOLE_MONTH,))


SALARY = (annual_of_payments, annual_with_extra_pays, annual_of_days, daily_salary, monthly_salary)


@rule(f"{STATUTE}#Artículo 29", produces="last_paid_day")
def paid_month_before(end: date) -> Computed:
    text = "Salario cobrado hasta el final del mes anterior al del cese: si no es así, diga hasta qué día cobró."
    return Computed(end.replace(day=1) - timedelta(days=1), "date", assumptions=(text,))


def whole_months(first: date, last: date) -> tuple[int, int, int]:
    """Return years, months and days between two days, both counted: 1 March to 28 February is a year."""
    end = last + timedelta(days=1)
    months = (end.year - first.year) * 12 + end.month - first.month
    if _begins_again(first, months) > end:
        months -= 1
    return months // 12, months % 12, (end - _begins_again(first, months)).days


def _begins_again(first: date, months: int) -> date:
    """Return the first day of the next month of service: 1 March after the month of a 31 January."""
    day = add_months(first, months)
    return day if day.day == first.day else day + timedelta(days=1)


def add_months(day: date, months: int) -> date:
    """Return a day some months later, at most the last day of that month."""
    later: date = day + relativedelta(months=months)
    return later


def months_of_service(first: date, last: date) -> tuple[int, str]:
    """Return the months between two days, both counted, in figures and words; a started one counts as whole."""
    if last < first:
        raise Stop(Refused("El contrato no puede terminar antes de empezar: revise las dos fechas."))
    years, months, days = whole_months(first, last)
    total = years * 12 + months + (days > 0)
    parts = [counted(years, "years"), counted(months, "months"), *([counted(days, "days")] if days else [])]
    how = "el mes empezado cuenta entero" if days else "exactos"
    return total, f"{', '.join(parts[:-1])} y {parts[-1]}; {how}: {counted(total, 'months')}"


@rule(f"{STATUTE}#Artículo 49", produces="start")
def start_by_years(end: date, service_years: Decimal, more_months: int | None = None) -> Computed:
    return _start(end, int(service_years * 12) + (more_months or 0))


@rule(f"{STATUTE}#Artículo 49", produces="start")
def start_by_months(end: date, service_in_months: int) -> Computed:
    return _start(end, service_in_months)


def _start(end: date, months: int) -> Computed:
    day = add_months(end + timedelta(days=1), -months)
    served = counted(months, "months").capitalize()
    text = f"{served} de servicio hasta el {written_day(end)}: desde el {written_day(day)}."
    return Computed(day, "date", text)


SERVICE = (start_by_years, start_by_months)


def service_rule(provision: str) -> Rule:
    """Return the rule on the months of service; a started one counts as whole."""

    @rule(provision, authority=STARTED_MONTH)
    def service_months(start: date, end: date) -> Computed:
        total, written = months_of_service(start, end)
        text = f"Tiempo de servicio del {written_day(start)} al {written_day(end)}: {written}."
        return Computed(total, "months", text, written)

    return service_months


PAY, EXTRA, LEAVE, END, NOTICE = (f"{STATUTE}#Artículo {each}" for each in (29, 31, 38, 49, 53))
DAY_OF_30 = "El día se valora en salario mensual / 30."
DAYS_OF_LEAVE, DAYS_OF_MONTH = Decimal(30), 30


def salary_of_days(days: Decimal | int, day_value: Decimal) -> Computed:
    formula = f"{number(days)} días × {money(day_value, 4)}"
    return Computed(
        days * day_value, "EUR", f"Salario pendiente: {formula} = {money(days * day_value)} €.", formula, PAY
    )


def extra_pay_part(
    amount: Decimal, first: date, last: date, end: date, start: date | None = None, *, by_months: bool = False
) -> Computed:
    """Return the part of an extra pay accrued until the end of the contract."""
    began, ended = max(first, start or first), min(end, last)
    if last < first:
        raise Stop(Refused("El devengo de la paga extra no puede acabar antes de empezar: revise las fechas."))
    if ended < began:
        return Computed(Decimal(0), "EUR")
    if by_months:
        part, whole, unit = months_and_days(began, ended), months_and_days(first, last), "meses"
    else:
        part, whole, unit = Decimal((ended - began).days + 1), Decimal((last - first).days + 1), "días"
    value = amount * part / whole
    formula = f"{money(amount)} × {number(part, 4) if part % 1 else number(part)}/{number(whole)} {unit}"
    span = f"devengada del {written_day(first)} al {written_day(last)}"
    return Computed(value, "EUR", f"Paga extra {span}: {formula} = {money(value)} €.", formula, EXTRA)


def months_and_days(first: date, last: date) -> Decimal:
    years, months, days = whole_months(first, last)
    return Decimal(years * 12 + months) + Decimal(days) / DAYS_OF_MONTH


def leave_part(due: Decimal, how: str, day_value: Decimal) -> Computed:
    """Return the pay of leave not taken."""
    value, formula = due * day_value, f"{number(due, 4)} días × {money(day_value, 4)}"
    excess = "Ha disfrutado más vacaciones de las ganadas: la empresa puede querer descontarlas."
    text = f"Vacaciones: {how}: {formula} = {money(value)} €."
    return Computed(value, "EUR", text, formula, LEAVE, warnings=(excess,) if due < 0 else ())


def notice_part(days: Decimal, day_value: Decimal, *, by_worker: bool) -> Computed:
    """Return the pay of notice not given; negative if the worker failed."""
    value, formula = days * day_value, f"{number(days)} días × {money(day_value, 4)}"
    if by_worker:
        text = f"Se descuenta el preaviso que no dio el trabajador: {formula} = {money(value)} €."
        return Computed(-value, "EUR", text, formula, END)
    return Computed(value, "EUR", f"Preaviso que no dio la empresa: {formula} = {money(value)} €.", formula, NOTICE)


@rule(PAY, produces="month_pay")
def month_given(monthly: Decimal) -> Computed:
    return Computed(monthly, "EUR")


@rule(PAY, produces="month_pay")
def month_of_year(annual_salary: Decimal, payments: Decimal) -> Computed:
    value, formula = annual_salary / payments, f"{money(annual_salary)} / {number(payments)}"
    return Computed(value, "EUR", f"Salario de un mes: {formula} = {money(value)} €.", formula)


@rule(PAY, produces="month_pay")
def month_of_days(daily_salary: Decimal) -> Computed:
    return Computed(daily_salary * DAYS_OF_MONTH, "EUR")


@rule(PAY)
def day_value(month_pay: Decimal) -> Computed:
    value, formula = month_pay / DAYS_OF_MONTH, f"{money(month_pay)} / 30"
    return Computed(value, "EUR/day", f"Día: {formula} = {money(value, 4)} €.", formula, assumptions=(DAY_OF_30,))


@rule(PAY, produces="day_value")
def day_of_year(annual_salary: Decimal, end: date) -> Computed:
    return Computed(annual_salary / days_of_year(end), "EUR/day")


def calendar_months(first: date, last: date) -> tuple[int, int]:
    """Return whole calendar months and remaining days between two days, both counted."""
    months, days, day = 0, 0, first
    while day <= last:
        end_of_month = add_months(day.replace(day=1), 1) - ONE_DAY
        if day.day == 1 and end_of_month <= last:
            months += 1
        else:
            days += (min(end_of_month, last) - day).days + 1
        day = end_of_month + ONE_DAY
    return months, days


def extra_pays_part(amount: Decimal, end: date, accrual: str, start: date | None) -> Computed:
    """Return the extra pays that are accruing on the last day: two, or that of the half-year."""
    january, july = date(end.year, 1, 1), date(end.year, 7, 1)
    if accrual == "half_year":
        spans = [(january, july - ONE_DAY)] if end < july else [(july, date(end.year, 12, 31))]
    else:
        summer = july if end >= july else date(end.year - 1, 7, 1)
        spans = [(summer, add_months(summer, 12) - ONE_DAY), (january, date(end.year, 12, 31))]
    parts = [extra_pay_part(amount, first, last, end, start) for first, last in spans]
    value = sum((Decimal(str(each.value)) for each in parts), Decimal(0))
    assumed = () if start else ("Trabaja en la empresa desde antes de que empezaran a ganarse las pagas.",)
    return Computed(value, "EUR", parts=tuple(parts), assumptions=(*assumed, "Las pagas anteriores están cobradas."))


@rule(EXTRA, produces="extra_pay_accrual")
def half_year_assumed() -> Computed:
    return Computed("half_year", assumptions=("Cada paga extra se gana en un semestre; véalo en su convenio.",))


@rule(EXTRA, produces="extra_pay_accrual")
def year_assumed() -> Computed:
    return Computed("annual")


MONTH_PAY = (month_given, month_of_year, month_of_days, day_value, annual_of_payments, annual_with_extra_pays)
