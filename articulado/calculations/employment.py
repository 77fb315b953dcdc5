"""Rules that many calculations share: the salary of a year, a month and a day, and the time of service."""

from calendar import isleap
from datetime import date, timedelta
from decimal import Decimal

from articulado.calculations.rules import STATUTE, Computed, Rule, rule
from articulado.calculations.values import Refused, Stop, counted, money, number, written_day

SALARY_DAY = (
    "SSTS 30-6-2008 (rcud 2639/2007) y 24-1-2011 (rcud 2018/2010): salario anual entre 365, o 366 en año bisiesto"
)
STARTED_MONTH = "STS 20-7-2009, reiterada en STS 118/2016, de 18-2-2016 (rcud 3257/2014): el mes empezado cuenta entero"
ROUNDING = "Cálculo exacto con fracciones; se redondea a céntimos solo el resultado."
WHOLE_MONTH = "Mensualidad = salario anual con pagas / 12."


@rule(f"{STATUTE}#Artículo 31", produces="annual_salary")
def annual_of_payments(monthly: Decimal, payments: Decimal) -> Computed:
    """Salary of a year: a month's times the payments."""
    formula = f"{money(monthly)} × {number(payments)}"
    value = monthly * payments
    return Computed(value, "EUR", f"Salario anual con las pagas: {formula} = {money(value)} €.", formula)


@rule(f"{STATUTE}#Artículo 31", produces="annual_salary")
def annual_with_extra_pays(monthly: Decimal, extra_pays_year: Decimal) -> Computed:
    """Salary of a year: twelve months and the extra pays."""
    formula = f"{money(monthly)} × 12 + {money(extra_pays_year)}"
    value = monthly * 12 + extra_pays_year
    return Computed(value, "EUR", f"Salario anual con las pagas: {formula} = {money(value)} €.", formula)


@rule(f"{STATUTE}#Artículo 26", produces="annual_salary")
def annual_of_days(daily_salary: Decimal, end: date) -> Computed:
    """Salary of a year from that of a day; no step, as the day's is what was given."""
    return Computed(daily_salary * days_of_year(end), "EUR")


@rule(f"{STATUTE}#Artículo 26", authority=SALARY_DAY)
def daily_salary(annual_salary: Decimal, end: date) -> Computed:
    """Salary of a day: a year's through the days of the year in which the contract ends."""
    formula = f"{money(annual_salary)} / {days_of_year(end)}"
    value = annual_salary / days_of_year(end)
    return Computed(value, "EUR/day", f"Salario día: {formula} = {money(value, 4)} €.", formula)


def days_of_year(day: date) -> int:
    """Return the days of the year of a day: 366 in a leap year.

    >>> days_of_year(date(2024, 12, 31)), days_of_year(date(2026, 1, 1))
    (366, 365)
    """
    return 366 if isleap(day.year) else 365


@rule(f"{STATUTE}#Artículo 26")
def monthly_salary(annual_salary: Decimal) -> Computed:
    """Return a month's salary with its part of the extra pays."""
    return Computed(annual_salary / 12, "EUR", assumptions=(WHOLE_MONTH,))


SALARY = (annual_of_payments, annual_with_extra_pays, annual_of_days, daily_salary, monthly_salary)


def whole_months(first: date, last: date) -> tuple[int, int, int]:
    """Return years, months and days from the first to the last day, both counted.

    >>> whole_months(date(2019, 3, 1), date(2026, 2, 28)), whole_months(date(2017, 9, 16), date(2026, 4, 30))
    ((7, 0, 0), (8, 7, 15))
    """
    end = last + timedelta(days=1)
    months = (end.year - first.year) * 12 + end.month - first.month
    if _begins_again(first, months) > end:
        months -= 1
    return months // 12, months % 12, (end - _begins_again(first, months)).days


def _begins_again(first: date, months: int) -> date:
    """Return the day on which the next month of service begins: the first of March after the month of a 31 January."""
    day = add_months(first, months)
    return day if day.day == first.day else day + timedelta(days=1)


def add_months(day: date, months: int) -> date:
    """Return a day some months later, the last of its month where that has no such day.

    >>> add_months(date(2025, 1, 31), 1), add_months(date(2026, 3, 31), -1)
    (datetime.date(2025, 2, 28), datetime.date(2026, 2, 28))
    """
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    first_of_next = date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (first_of_next - timedelta(days=1)).day))


def months_of_service(first: date, last: date) -> tuple[int, str]:
    """Return the months between two days, both counted, a started one as whole, and how they are written."""
    if last < first:
        raise Stop(Refused("El contrato no puede terminar antes de empezar: revise las dos fechas."))
    years, months, days = whole_months(first, last)
    total = years * 12 + months + (days > 0)
    parts = [counted(years, "years"), counted(months, "months"), *([counted(days, "days")] if days else [])]
    how = "el mes empezado cuenta entero" if days else "exactos"
    return total, f"{', '.join(parts[:-1])} y {parts[-1]}; {how}: {counted(total, 'months')}"


def service_rule(provision: str) -> Rule:
    """Return the rule on the months of service that a provision measures by, a started one as whole."""

    @rule(provision, authority=STARTED_MONTH)
    def service_months(start: date, end: date) -> Computed:
        total, written = months_of_service(start, end)
        text = f"Tiempo de servicio del {written_day(start)} al {written_day(end)}: {written}."
        return Computed(total, "months", text, written)

    return service_months
