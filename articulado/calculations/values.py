"""Outcomes of calculations, their steps, and their Spanish wording; amounts are ``Decimal``, never float."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from articulado.language.formats import SPANISH_MARKS, long_day

Unit = Literal["EUR", "EUR/day", "EUR/hour", "percent", "years", "months", "weeks", "days", "hours", "date", "time", ""]
Quantity = Decimal | int | date | datetime | bool | str

DayOfWording = Literal["exact", "deduced", "at_least"]

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Step:
    """One step of a calculation: its sentence, and the figures in it ("36.500,00 / 365")."""

    name: str
    text: str
    value: Quantity
    unit: Unit
    provision: str  # law and label ("BOE-A-2015-11430#Artículo 26")
    formula: str = ""
    authority: str = ""  # ruling that fixes how the provision is applied


@dataclass(frozen=True)
class NotApplied:
    """A rule that was considered and does not apply, with the reason."""

    text: str
    provision: str


@dataclass(frozen=True)
class Value:
    """A named value of a result."""

    name: str
    value: Quantity
    unit: Unit


@dataclass(frozen=True)
class Alternative:
    """Value by another reading of the law or another way to count."""

    rule: str
    value: Value


@dataclass(frozen=True)
class ExcludedDay:
    """A day that does not count in a term, with the reason."""

    day: date
    reason: str


@dataclass(frozen=True)
class Followed:
    """A provision that a rule follows; ``holds_since``: day from which the rule declares to follow its law."""

    provision: str
    holds_since: date | None = None


@dataclass(frozen=True)
class Basis:
    """The provisions that an outcome follows, and the day of the law."""

    followed: tuple[Followed, ...] = ()
    day: date | None = None  # of the event, or the requested one if ``is_asked``; ``None``: today
    is_asked: bool = False


@dataclass(frozen=True)
class FollowedWording:
    """The wording of a provision that was followed; ``confirmed`` by the text in an index.

    ``since`` is its first day (``exact``), its first day deduced from a publication (``deduced``), or a day since which
    it has not changed (``at_least``).
    """

    provision: str
    since: date
    certainty: DayOfWording
    confirmed: bool


@dataclass(frozen=True)
class Result:
    """The values, the requested one first, and the steps that lead to them."""

    lead: str  # the result in one sentence
    values: tuple[Value, ...]
    steps: tuple[Step, ...]
    not_applied: tuple[NotApplied, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    sensitive: str = ""  # datum that would change the result
    excluded: tuple[ExcludedDay, ...] = ()
    basis: Basis = Basis()
    wordings: tuple[FollowedWording, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A datum to ask for: its field, the question in plain words, and the reason."""

    field: str
    question: str
    why: str


@dataclass(frozen=True)
class Missing:
    """Missing data, the most decisive first, and the general rule meanwhile."""

    fields: tuple[Wanted, ...]
    rule: str = ""
    provision: str = ""


@dataclass(frozen=True)
class NotEntitled:
    """Nothing is due: the reason, its provision, and the steps that lead to it."""

    reason: str
    provision: str
    steps: tuple[Step, ...] = ()
    basis: Basis = Basis()
    wordings: tuple[FollowedWording, ...] = ()


@dataclass(frozen=True)
class Refused:
    """The calculation cannot be made with certainty; ``field`` is the unreadable input, if that is the reason."""

    reason: str
    provision: str = ""
    field: str = ""


Outcome = Result | Missing | NotEntitled | Refused


class Stop(Exception):
    """Raised by rules to end a calculation without a result."""

    def __init__(self, outcome: NotEntitled | Refused | Missing) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def plain(value: Quantity) -> str | int | bool:
    """Return a value for JSON: amounts with two decimals, days in ISO 8601."""
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
    """Return a number in Spanish notation, by default without trailing zeros: "36.500", "3,5"."""
    if decimals is not None:
        value = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        return f"{value:,.{decimals}f}".translate(SPANISH_MARKS)
    text = f"{Decimal(value):,f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).translate(SPANISH_MARKS)


def money(amount: Decimal | int, decimals: int = 2) -> str:
    return number(rounded(Decimal(amount)), 2) if decimals == 2 else number(amount, decimals)


def written_day(day: date) -> str:
    return long_day(day.isoformat())


def weekday_and_day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]} {written_day(day)}"


def counted(count: Decimal | int, unit: str) -> str:
    singular, plural = _NAMES[unit]
    return f"{number(count)} {singular if count == 1 else plural}"


def joined(items: list[str]) -> str:
    return " y ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def written_value(value: Quantity, unit: Unit) -> str:
    """Return a value with its unit, as in a sentence: "14.000,00 €", "martes 21 de abril de 2026", "20 semanas"."""
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
