"""Values of worked answers: steps, the closed outcome, what is asked for, and how they are written in Spanish.

A calculation ends in one of four outcomes: a ``Result``, ``Missing`` data, ``NotEntitled``, or ``Refused``, when
it cannot be made with certainty. Numbers are ``Decimal``, days are ``date``; nothing is a float.
"""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from articulado.language.formats import SPANISH_MARKS, long_day

Unit = Literal["EUR", "EUR/day", "EUR/hour", "percent", "years", "months", "weeks", "days", "hours", "date", "time", ""]
"""Unit of a value; empty where it has none, such as a yes or a no."""
Number = Decimal | int
Quantity = Decimal | int | date | datetime | bool | str
"""Value of an input or a step: amounts and shares are ``Decimal``, counts are ``int``."""

DayOfWording = Literal["exact", "deduced", "at_least"]
"""Certainty of the first day of a wording."""

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Step:
    """One step: what was computed, by which provision, and with which figures.

    ``formula`` has the figures ("36.500,00 / 365"), ``text`` the whole sentence. ``provision`` is the law and the label
    of the provision ("BOE-A-2015-11430#Artículo 26"), ``authority`` the ruling or criterion that fixes how it is
    applied, empty where the provision says it.
    """

    name: str
    text: str
    value: Quantity
    unit: Unit
    provision: str
    formula: str = ""
    authority: str = ""


@dataclass(frozen=True)
class NotApplied:
    """A rule that was considered and does not apply, with the reason."""

    text: str
    provision: str


@dataclass(frozen=True)
class Value:
    """A value of a result, by its name."""

    name: str
    value: Quantity
    unit: Unit


@dataclass(frozen=True)
class Alternative:
    """The value of another reading of the law, or of another way to count."""

    rule: str
    value: Value


@dataclass(frozen=True)
class ExcludedDay:
    """A day that does not count in a term, with the reason."""

    day: date
    reason: str


@dataclass(frozen=True)
class Followed:
    """A provision that a rule follows; ``holds_since`` is the first day of its law that the rule declares to cover."""

    provision: str
    holds_since: date | None = None


@dataclass(frozen=True)
class Basis:
    """The law that an outcome rests on: the provisions followed, shown in a step or not, and the day of the law.

    ``day`` is that of the event, or with ``is_asked`` the one that the law was asked of; ``None`` is today.
    """

    followed: tuple[Followed, ...] = ()
    day: date | None = None
    is_asked: bool = False


@dataclass(frozen=True)
class FollowedWording:
    """The wording that a provision was followed in, and whether it was confirmed by the law in an index.

    ``certainty``: ``since`` is its first day (``exact``), the one deduced from a publication (``deduced``), or one from
    which on it has not changed (``at_least``).
    """

    provision: str
    since: date
    certainty: DayOfWording
    confirmed: bool


@dataclass(frozen=True)
class Result:
    """The values, the first of which was asked for, and the steps that lead to them.

    ``lead`` says the result in one sentence. ``sensitive`` says which datum would change it.
    """

    lead: str
    values: tuple[Value, ...]
    steps: tuple[Step, ...]
    not_applied: tuple[NotApplied, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    sensitive: str = ""
    excluded: tuple[ExcludedDay, ...] = ()
    basis: Basis = Basis()
    wordings: tuple[FollowedWording, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A datum that is asked for: its field, the question in plain words, and why it is needed."""

    field: str
    question: str
    why: str


@dataclass(frozen=True)
class Missing:
    """Data that the calculation lacks, the most decisive first, and the general rule meanwhile."""

    fields: tuple[Wanted, ...]
    rule: str = ""
    provision: str = ""


@dataclass(frozen=True)
class NotEntitled:
    """Nothing is due, with the reason and the provision that says so. ``steps`` lead to it."""

    reason: str
    provision: str
    steps: tuple[Step, ...] = ()
    basis: Basis = Basis()
    wordings: tuple[FollowedWording, ...] = ()


@dataclass(frozen=True)
class Refused:
    """The calculation cannot be made with certainty: a year that was not verified, a changed wording, a bad input.

    ``field`` is the input that cannot be read, empty for other reasons.
    """

    reason: str
    provision: str = ""
    field: str = ""


Outcome = Result | Missing | NotEntitled | Refused


class Stop(Exception):
    """Ends a calculation with another outcome than a result; rules raise it."""

    def __init__(self, outcome: NotEntitled | Refused | Missing) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def rounded(amount: Decimal) -> Decimal:
    """Return an amount in whole cents, halves upward."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def plain(value: Quantity) -> str | int | bool:
    """Return a value as JSON has it: amounts with two decimals, days in ISO 8601."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return value.isoformat() if isinstance(value, date) else format(value, "f")


WEEKDAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
_NAMES = {
    "hours": ("hora", "horas"),
    "days": ("día", "días"),
    "weeks": ("semana", "semanas"),
    "months": ("mes", "meses"),
    "years": ("año", "años"),
}
_PER = {"EUR": "", "EUR/day": " al día", "EUR/hour": " por hora"}


def number(value: Decimal | int, decimals: int | None = None) -> str:
    """Return a number with a point for thousands and a comma for decimals, without zeros at the end by default.

    >>> number(Decimal("36500")), number(Decimal("3.5000")), number(Decimal("57.534246"), 4)
    ('36.500', '3,5', '57,5342')
    """
    if decimals is not None:
        value = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        return f"{value:,.{decimals}f}".translate(SPANISH_MARKS)
    text = f"{Decimal(value):,f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).translate(SPANISH_MARKS)


def money(amount: Decimal | int, decimals: int = 2) -> str:
    """Return an amount without its unit, in cents by default.

    >>> money(Decimal("14000")), money(Decimal("57.534246"), 4)
    ('14.000,00', '57,5342')
    """
    return number(rounded(Decimal(amount)), 2) if decimals == 2 else number(amount, decimals)


def written_day(day: date) -> str:
    """Return a day in words.

    >>> written_day(date(2026, 2, 28))
    '28 de febrero de 2026'
    """
    return long_day(day.isoformat())


def weekday_and_day(day: date) -> str:
    """Return a day with its day of the week.

    >>> weekday_and_day(date(2026, 4, 21))
    'martes 21 de abril de 2026'
    """
    return f"{WEEKDAYS[day.weekday()]} {written_day(day)}"


def counted(count: Decimal | int, unit: str) -> str:
    """Return a count with its unit.

    >>> counted(1, "months"), counted(84, "months")
    ('1 mes', '84 meses')
    """
    singular, plural = _NAMES[unit]
    return f"{number(count)} {singular if count == 1 else plural}"


def joined(items: list[str]) -> str:
    """Return a list in words.

    >>> joined(["a", "b", "c"])
    'a, b y c'
    """
    return " y ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def written_value(value: Quantity, unit: Unit) -> str:
    """Return a value with its unit, as the sentence of a result has it.

    >>> written_value(Decimal("14000"), "EUR"), written_value(date(2026, 4, 21), "date"), written_value(20, "weeks")
    ('14.000,00 €', 'martes 21 de abril de 2026', '20 semanas')
    """
    if isinstance(value, bool):
        return "sí" if value else "no"
    if isinstance(value, datetime):
        return f"{weekday_and_day(value.date())}, a las {value:%H:%M}"
    if isinstance(value, date):
        return weekday_and_day(value)
    if isinstance(value, str):
        return value
    if unit in ("EUR", "EUR/day", "EUR/hour"):
        return f"{money(value)} €{_PER[unit]}"
    if unit == "percent":
        return f"{number(value)} %"
    return counted(value, unit) if unit in _NAMES else number(value)
