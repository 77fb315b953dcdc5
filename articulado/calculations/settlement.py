"""Settlement at the end of a contract (gross salary, extra pays, leave, notice), and late interest.

The inputs are plain, or a list of items, each a table with its ``type``:

- ``salary``: ``days`` by ``day_value``, or by ``monthly`` / 30 (``rule`` "365": 12 months / 365)
- ``salary_full_month``: ``monthly``
- ``extra_pay``: ``amount``, ``accrual_from``, ``accrual_to``, ``rule`` "days" or "months"
- ``holidays``: ``from``, ``rule`` "365" (by days) or "2.5" (a month), ``taken``, ``entitled``; or ``days``
- ``notice``: ``days``, ``sign`` "+" (the employer failed) or "-" (the worker)
- ``deduction``, ``advance``: ``amount``, taken off; any other type: ``amount``, added
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from articulado.calculations.compensation import STATUTE_SINCE
from articulado.calculations.employment import (
    DAYS_OF_LEAVE,
    DAYS_OF_MONTH,
    END,
    EXTRA,
    LEAVE,
    MONTH_PAY,
    NOTICE,
    PAY,
    ROUNDING,
    add_months,
    calendar_months,
    day_of_year,
    days_of_year,
    extra_pay_part,
    extra_pays_part,
    half_year_assumed,
    leave_part,
    notice_part,
    paid_month_before,
    salary_of_days,
    whole_months,
    year_assumed,
)
from articulado.calculations.engine import Calculation, Computed, Rule, Variant, rule
from articulado.calculations.fields import FIELDS
from articulado.calculations.values import (
    Missing,
    NotEntitled,
    Refused,
    Stop,
    counted,
    joined,
    money,
    number,
    written_day,
)

GROSS = "Importes brutos, sin retenciones ni cotizaciones."
LEAVE_BY_DAYS = "Vacaciones por días naturales, en proporción a los días del año trabajados (el 38 no lo fija)."
DAYS_OF_INTEREST = 365
TAKEN_OFF = ("deduction", "advance", "loan", "overpaid")
ONE_DAY = timedelta(days=1)
DAY_KEYS = {"day_value", "daily_salary", "monthly", "annual_salary"}
Item = Mapping[str, Any]


def _read(item: Item, field: str, *names: str) -> Any:
    raw = next((item[name] for name in names if item.get(name) not in (None, "")), None)
    return None if raw is None else FIELDS[field].read(raw)


def _amount(item: Item, *names: str) -> Decimal | None:
    value: Decimal | None = _read(item, "amount", *names)
    return value


def _needed(value: Any, item: Item, name: str) -> Any:
    if value is None:
        raise Stop(Refused(f"Al concepto «{item.get('type', '')}» le falta «{name}»: añádalo."))
    return value


def _day_of(item: Item, divisor: str = "") -> Decimal:
    given = _amount(item, "day_value", "daily_salary")
    if given is not None:
        return given
    annual, monthly = _amount(item, "annual_salary"), _amount(item, "monthly")
    if annual is None and monthly is not None:
        return monthly * 12 / 365 if divisor == "365" else monthly / DAYS_OF_MONTH
    return Decimal(_needed(annual, item, "day_value")) / 365


def _of_salary(item: Item, end: date | None) -> Computed:
    amount, days = _amount(item, "amount"), _amount(item, "days")
    if days is None and amount is not None:
        return Computed(amount, "EUR", f"Salario pendiente: {money(amount)} €.", provision=PAY)
    days, value = _needed(days, item, "days"), _day_of(item, str(item.get("rule", item.get("divisor", ""))))
    return salary_of_days(days, value)


def _of_month(item: Item, end: date | None) -> Computed:
    monthly = _needed(_amount(item, "monthly", "amount"), item, "monthly")
    value = monthly * (_amount(item, "months") or 1)
    return Computed(value, "EUR", f"Mensualidad completa pendiente: {money(value)} €.", provision=PAY)


def _of_extra_pay(item: Item, end: date | None) -> Computed:
    amount = _needed(_amount(item, "amount", "monthly"), item, "amount")
    first = _needed(_read(item, "end", "accrual_from", "from"), item, "accrual_from")
    last = _needed(_read(item, "end", "accrual_to", "to"), item, "accrual_to")
    end = _needed(end, item, "end")
    by_months = str(item.get("rule", "days")) == "months"
    return extra_pay_part(amount, first, last, end, _read(item, "end", "start"), by_months=by_months)


def _of_holidays(item: Item, end: date | None) -> Computed:
    method = str(item.get("rule", "365")).replace(",", ".")
    entitled = _amount(item, "entitled", "days_year", "annual_days") or DAYS_OF_LEAVE
    if "/" in method:
        entitled, method = Decimal(method.split("/")[0]), method.split("/")[1]
    due, taken = _amount(item, "days", "untaken"), _amount(item, "taken") or Decimal(0)
    value = _day_of(item)
    if due is not None:
        return leave_part(due - taken, f"{number(due - taken)} días pendientes", value)
    first = _needed(_read(item, "end", "from", "accrual_from", "start"), item, "from")
    end = _needed(end, item, "end")
    if end < first:
        raise Stop(Refused("Las vacaciones no pueden contarse desde después del fin del contrato."))
    if method in ("365", "366", "days"):
        days, of_year = (end - first).days + 1, 366 if method == "366" else 365
        earned, how = entitled * days / of_year, f"{number(entitled)} × {days}/{of_year}"
        return leave_part(earned - taken, f"{how} = {number(earned, 4)} días, menos {number(taken)} disfrutados", value)
    years, months, left = whole_months(first, end)
    a_month = entitled / 12 if method == "months" else _amount({"rule": method}, "rule") or DAYS_OF_LEAVE / 12
    earned = a_month * (years * 12 + months)
    how = f"{number(a_month)} × {counted(years * 12 + months, 'months')} = {number(earned, 2)} días"
    computed = leave_part(earned - taken, f"{how}, menos {number(taken)} disfrutados", value)
    if not left:
        return computed
    warning = f"El último mes no está completo: sus {counted(left, 'days')} no dan vacaciones con esta regla."
    return replace(computed, warnings=(warning, *computed.warnings))


def _of_notice(item: Item, end: date | None) -> Computed:
    days, value = _needed(_amount(item, "days"), item, "days"), _day_of(item)
    return notice_part(days, value, by_worker=str(item.get("sign", "+")).strip() in ("-", "−"))


def _of_other(item: Item, end: date | None) -> Computed:
    value = _needed(_amount(item, "amount", "value"), item, "amount")
    taken_off = item.get("type") in TAKEN_OFF or str(item.get("sign", "+")).strip() in ("-", "−")
    text = f"{'Se descuenta' if taken_off else 'Otras cantidades'}: {money(value)} €."
    return Computed(-value if taken_off else value, "EUR", text, provision=PAY)


ITEMS = {
    "salary": _of_salary,
    "salary_full_month": _of_month,
    "extra_pay": _of_extra_pay,
    "holidays": _of_holidays,
    "notice": _of_notice,
}


def items_rule(produces: str) -> Rule:
    """Return the rule that adds up a list of items."""

    @rule(END, produces=produces)
    def of_items(
        items: tuple[Item, ...],
        end: date | None = None,
        monthly: Decimal | None = None,
        day_value: Decimal | None = None,
    ) -> Computed:
        shared = {"monthly": monthly} if day_value is None else {"day_value": day_value}
        whole = [each if each.keys() & DAY_KEYS else {**shared, **each} for each in items]
        parts = [ITEMS.get(str(each.get("type")), _of_other)(each, end) for each in whole]
        return _total(parts)

    return of_items


def _total(parts: list[Computed]) -> Computed:
    value = sum((Decimal(str(each.value)) for each in parts), Decimal(0))
    if len(parts) == 1:
        return Computed(value, "EUR", parts=tuple(parts))
    return Computed(value, "EUR", f"Total bruto: {money(value)} €.", parts=tuple(parts))


@rule(END)
def ended(end: date) -> Computed:
    return Computed(True)


@rule(PAY, produces="salary_owed")
def salary_of_pending_days(pending_days: int, day_value: Decimal) -> Computed:
    return salary_of_days(pending_days, day_value)


@rule(PAY, produces="salary_owed")
def salary_since(last_paid_day: date, end: date, month_pay: Decimal, day_value: Decimal) -> Computed:
    """Return the salary since the last paid day: whole calendar months by the month, other days by the day."""
    if end < last_paid_day:
        raise Stop(Refused("El último día pagado es posterior al fin del contrato: revise las fechas."))
    months, days = calendar_months(last_paid_day + ONE_DAY, end)
    value = months * month_pay + days * day_value
    pieces = [f"{counted(months, 'months')} × {money(month_pay)}"] if months else []
    pieces += [f"{counted(days, 'days')} × {money(day_value, 4)}"] if days or not months else []
    text = f"Salario desde el {written_day(last_paid_day + ONE_DAY)}: {joined(pieces)} = {money(value)} €."
    if end == last_paid_day:
        text = "Salario: todo está pagado hasta el fin del contrato."
    return Computed(value, "EUR", text, " + ".join(pieces))


@rule(EXTRA)
def payments(extras_prorated: bool) -> Computed:
    return Computed(12 if extras_prorated else 14, "", assumptions=("Hay dos pagas extra al año.",))


@rule(EXTRA, produces="extra_pay_owed")
def extra_pay_of_span(
    extra_pay_amount: Decimal,
    extra_pay_accrual_from: date,
    end: date,
    extra_pay_accrual: str,
    extra_pay_accrual_to: date | None = None,
) -> Computed:
    half, year = (add_months(extra_pay_accrual_from, months) - ONE_DAY for months in (6, 12))
    last = half if extra_pay_accrual == "half_year" and end <= half else year
    return extra_pay_part(extra_pay_amount, extra_pay_accrual_from, extra_pay_accrual_to or last, end)


@rule(EXTRA, produces="extra_pay_owed")
def extra_pays_of_amount(
    extra_pay_amount: Decimal, end: date, extra_pay_accrual: str, start: date | None = None
) -> Computed:
    return extra_pays_part(extra_pay_amount, end, extra_pay_accrual, start)


@rule(EXTRA, produces="extra_pay_amount")
def half_of_year(extra_pays_year: Decimal) -> Computed:
    return Computed(extra_pays_year / 2, "EUR")


@rule(EXTRA, produces="extra_pay_owed")
def extra_pays_of_month(
    month_pay: Decimal,
    payments: Decimal,
    end: date,
    extra_pay_accrual: str,
    start: date | None = None,
    extras_prorated: bool = False,
) -> Computed:
    """Return extra pays of a month's pay each, or nothing if each month includes them."""
    if payments == 12 or extras_prorated:
        return Computed(Decimal(0), "EUR", "Pagas extra: se cobran dentro de cada mes, no queda nada por separado.")
    if payments != 14:
        reason = "Con otro número de pagas, dé el importe de la paga (extra_pay_amount) y desde cuándo se gana."
        raise Stop(Refused(reason, EXTRA))
    return extra_pays_part(month_pay, end, extra_pay_accrual, start)


@rule(EXTRA, produces="extra_pay_owed")
def extra_pays_in_day(daily_salary: Decimal) -> Computed:
    return Computed(Decimal(0), "EUR", "Pagas extra: el salario de un día ya las incluye.")


@rule(LEAVE, produces="holidays_owed")
def holidays_untaken(untaken_leave: Decimal, day_value: Decimal) -> Computed:
    return leave_part(untaken_leave, f"{number(untaken_leave)} días pendientes", day_value)


@rule(LEAVE)
def holidays_owed(
    end: date,
    holidays_taken: Decimal,
    day_value: Decimal,
    holidays_entitled: Decimal = DAYS_OF_LEAVE,
    holidays_from: date | None = None,
    start: date | None = None,
    holidays_unit: str = "natural",
) -> Computed:
    """Return the leave of the year by days, less the leave taken; a working day is worth its part of thirty days."""
    january = date(end.year, 1, 1)
    first = holidays_from or max(january, start or january)
    if end < first:
        raise Stop(Refused("Las vacaciones no pueden contarse desde después del fin del contrato."))
    days, of_year = (end - first).days + 1, days_of_year(end)
    earned = holidays_entitled * days / of_year
    how = f"{number(holidays_entitled)} × {days}/{of_year} = {number(earned, 4)} días"
    worth = day_value * DAYS_OF_LEAVE / holidays_entitled if holidays_unit == "working" else day_value
    leave = leave_part(earned - holidays_taken, f"{how}, menos {number(holidays_taken)} disfrutados", worth)
    return replace(leave, assumptions=(LEAVE_BY_DAYS,))


@rule(NOTICE)
def notice_owed(notice_days_missing: Decimal, day_value: Decimal, notice_failed_by: str = "") -> Computed:
    if not notice_failed_by:
        raise Stop(Missing((FIELDS["notice_failed_by"].wanted(),)))
    return notice_part(notice_days_missing, day_value, by_worker=notice_failed_by == "worker")


@rule(END)
def settlement(
    salary_owed: Decimal,
    extra_pay_owed: Decimal,
    holidays_owed: Decimal,
    notice_owed: Decimal = Decimal(0),
    other_amounts: Decimal = Decimal(0),
    advances: Decimal = Decimal(0),
    already_paid: Decimal | None = None,
) -> Computed:
    """Return the gross sum of all parts, less the amount paid."""
    value = salary_owed + extra_pay_owed + holidays_owed + notice_owed + other_amounts - advances
    amounts = [salary_owed, extra_pay_owed, holidays_owed, notice_owed, other_amounts, -advances]
    formula = " + ".join(money(each) for each in amounts if each).replace("+ -", "− ")
    text = f"Total bruto: {formula} = {money(value)} €."
    if already_paid is None:
        return Computed(value, "EUR", text, formula)
    gross = "Compare importes brutos: de lo cobrado quizá se descontaron cotización e impuestos."
    if already_paid >= value:
        lead = f"Ya pagado: {money(already_paid)} €, que cubre los {money(value)} € brutos del finiquito."
        return Computed(Decimal(0), "EUR", f"{text} {lead}", formula, lead=lead, warnings=(gross,))
    lead = f"Falta por pagar: {money(value)} − {money(already_paid)} = {money(value - already_paid)} € brutos."
    return Computed(value - already_paid, "EUR", f"{text} {lead}", formula, lead=lead, warnings=(gross,))


@rule(PAY)
def late_interest(amount: Decimal, wage_due: date, paid: date) -> Computed:
    """Return the interest of ten per cent a year (art. 29.3)."""
    days = (paid - wage_due).days
    if days <= 0:
        raise Stop(NotEntitled("El salario se pagó a su tiempo: no hay interés por mora.", PAY))
    value, formula = amount * 10 / 100 * days / DAYS_OF_INTEREST, f"{money(amount)} × 10 % × {days}/365"
    return Computed(value, "EUR", f"Interés por mora, {counted(days, 'days')}: {formula} = {money(value)} €.", formula)


@rule(PAY, produces="late_interest")
def flat_interest(amount: Decimal) -> Computed:
    return Computed(amount * 10 / 100, "EUR")


SALARY = (salary_of_pending_days, salary_since, paid_month_before)
EXTRA_PAYS = (
    extra_pay_of_span, extra_pays_of_amount, half_of_year, extra_pays_of_month, extra_pays_in_day,
    half_year_assumed, payments,
)  # fmt: skip
HOLIDAYS = (holidays_untaken, holidays_owed)
PAY_FIELDS = ("monthly", "annual_salary", "daily_salary", "day_value", "payments", "extra_pays_year", "start")
SALARY_FIELDS = ("last_paid_day", "pending_days")
LEAVE_FIELDS = ("holidays_taken", "untaken_leave", "holidays_entitled", "holidays_from", "holidays_unit")
EXTRA_FIELDS = (
    "payments", "extras_prorated", "extra_pay_amount", "extra_pay_accrual", "extra_pay_accrual_from",
    "extra_pay_accrual_to",
)  # fmt: skip
DAY_VARIANT = Variant(day_of_year, "día = salario anual con pagas entre los días del año")
ACCRUAL_VARIANT = Variant(year_assumed, "cada paga extra se gana en un año")


def _part(
    kind: str, title: str, goal: str, rules: tuple[Rule, ...], fields: tuple[str, ...], provision: str,
    general: str, *variants: Variant,
) -> Calculation:  # fmt: skip
    ordered = tuple(dict.fromkeys(("end", "monthly", *fields, *PAY_FIELDS, "items")))
    rules = (items_rule(goal), ended, *rules, *MONTH_PAY)
    return Calculation(
        kind, title, (goal,), rules, ordered, provision, f"{title}: {{{goal}}} brutos.", general,
        conditions=("ended",), assumptions=(GROSS, ROUNDING), variants=variants, day="end", since=STATUTE_SINCE,
    )  # fmt: skip


CALCULATIONS = (
    _part(
        "settlement", "Finiquito", "settlement", (settlement, *SALARY, *EXTRA_PAYS, *HOLIDAYS, notice_owed),
        (*SALARY_FIELDS, *LEAVE_FIELDS, *EXTRA_FIELDS, "notice_days_missing", "notice_failed_by", "other_amounts",
         "advances", "already_paid"),
        END, "El finiquito paga los días trabajados, la parte de las pagas extra y las vacaciones no disfrutadas; la"
        " indemnización es aparte.", DAY_VARIANT, ACCRUAL_VARIANT,
    ),
    _part("settlement/salary", "Salario pendiente", "salary_owed", SALARY, SALARY_FIELDS, PAY,
          "Al terminar se cobran los días trabajados y no pagados.", DAY_VARIANT),
    _part("settlement/extra_pay", "Parte de las pagas extra", "extra_pay_owed", EXTRA_PAYS, EXTRA_FIELDS, EXTRA,
          "Al terminar se cobra la parte ganada de cada paga extra.", ACCRUAL_VARIANT),
    _part("settlement/holidays", "Vacaciones no disfrutadas", "holidays_owed", HOLIDAYS, LEAVE_FIELDS, LEAVE,
          "Al terminar se cobran las vacaciones ganadas y no disfrutadas: 30 días naturales al año.", DAY_VARIANT),
    Calculation(
        "settlement/late_interest", "Interés por mora del salario", ("late_interest",), (late_interest,),
        ("amount", "wage_due", "paid"), PAY, "Interés por mora: {late_interest}.",
        "El salario que se paga tarde da un interés del 10 %.",
        assumptions=(ROUNDING, "El 10 % es anual, por días entre 365."),
        variants=(Variant(flat_interest, "10 % de lo adeudado, sin proporción al tiempo"),),
        sensitive="Vale para el salario; las indemnizaciones llevan el interés legal del dinero.",
        day="wage_due", since=STATUTE_SINCE,
    ),
)  # fmt: skip
