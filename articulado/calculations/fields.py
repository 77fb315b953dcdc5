"""Fields of the inputs: types, questions in plain words, and parsing of raw values.

``data/fields.toml`` has a table for each field:

- ``type``: "date", "amount" (of money, not negative), "number" (not negative), "count" (whole, not negative),
  "yes_no", "choice", "text", "dates" (a list) or "items" (a list of tables with fields of their own);
  a number may be a fraction ("1/8") or a percentage ("25 %", read as 25)
- ``label``, ``question``, ``why``: name in a form, question in plain Spanish, and reason for asking
- ``choices``: values of a choice with their labels; ``choice_aliases``: other names of a value
- ``said``: wordings of each value of a choice or a yes and no: beginnings of words, without accents
- ``aliases``: other names of the field in inputs; ``least``, ``most``: bounds
- ``unit``: stem of the thing counted ("#hij"); a mention with the unit of a field fits no other input
- ``group``: inputs that give the same datum in other ways; a new one replaces the others
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from articulado.calculations.values import Refused, Stop, Wanted
from articulado.language.folding import fold
from articulado.language.formats import parse_day
from articulado.language.numerals import parse_amount

FieldType = Literal["date", "amount", "number", "count", "yes_no", "choice", "text", "dates", "items"]

_YES, _NO = ("si", "s", "true", "yes", "y", "1", "verdadero"), ("no", "n", "false", "0", "falso")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")  # Points for thousands: no amount of euros has three decimals
_FRACTION = re.compile(r"(\d+)\s*/\s*([1-9]\d*)")
LARGEST, SMALLEST = Decimal(10) ** 9, Decimal(10) ** -12  # beyond: a mistake, and not exact in 28 digits
_SHOWN = 60
_EARLIEST, _LATEST = date(1900, 1, 1), date(2100, 12, 31)


class InputField(BaseModel):
    """One field of the inputs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: FieldType
    label: str = Field(min_length=1)
    question: str = Field(min_length=1)
    why: str = Field(min_length=1)
    choices: dict[str, str] = {}
    choice_aliases: dict[str, tuple[str, ...]] = {}
    said: dict[str, tuple[str, ...]] = {}
    aliases: tuple[str, ...] = ()
    least: Decimal | None = None
    most: Decimal | None = None
    group: str = ""
    unit: str = ""

    def wanted(self) -> Wanted:
        return Wanted(self.name, self.question, self.why)

    def read(self, raw: object) -> Any:
        """Return a raw value in the type of the field; raise ``Stop`` if it does not fit, or is out of bounds."""
        if self.type == "items":
            if not isinstance(raw, list) or not all(isinstance(each, Mapping) for each in raw):
                raise self._refused(raw)
            return tuple(dict(each) for each in raw)
        if self.type == "dates":
            return self._days(raw)
        value = self._typed(raw)
        is_number = isinstance(value, Decimal | int) and not isinstance(value, bool)
        if is_number and (value < (self.least or 0) or (self.most is not None and value > self.most)):
            raise self._refused(raw)
        return value

    def _typed(self, raw: object) -> Any:
        match self.type:
            case "date":
                return self._day(raw)
            case "amount" | "number":
                return self._decimal(raw)
            case "count":
                value = self._decimal(raw)
                if value != value.to_integral_value():
                    raise self._refused(raw)
                return int(value)
            case "yes_no":
                return self._yes(raw)
            case "choice":
                return self._choice(raw)
            case _:
                return str(raw).strip()

    def _day(self, raw: object) -> date:
        if isinstance(raw, date):
            return raw
        day = _iso_day(str(raw)) or parse_day(str(raw))
        if day is None or not _EARLIEST <= day <= _LATEST:
            raise self._refused(raw)
        return day

    def _days(self, raw: object) -> tuple[date, ...]:
        if isinstance(raw, str):
            raw = [each for each in raw.replace(";", ",").split(",") if each.strip()]
        days = raw if isinstance(raw, list | tuple | set | frozenset) else [raw]
        return tuple(sorted({self._day(each) for each in days}))

    def _decimal(self, raw: object) -> Decimal:
        if isinstance(raw, bool) or raw is None:
            raise self._refused(raw)
        if self.type == "amount" and _THOUSANDS.fullmatch(str(raw).strip(" €")):
            return Decimal(str(raw).strip(" €").replace(".", ""))
        fraction = _FRACTION.fullmatch(str(raw).strip())
        try:
            value = Decimal(fraction[1]) / Decimal(fraction[2]) if fraction else Decimal(str(raw).strip(" %"))
        except InvalidOperation:
            parsed = parse_amount(str(raw).strip(" €%"))
            if parsed is None:
                raise self._refused(raw) from None
            value = parsed
        if not value.is_finite() or not (value == 0 or SMALLEST < abs(value) <= LARGEST):
            raise self._refused(raw)
        return value

    def _yes(self, raw: object) -> bool:
        if isinstance(raw, bool):
            return raw
        text = fold(str(raw).strip())
        if text not in (*_YES, *_NO):
            raise self._refused(raw)
        return text in _YES

    def _choice(self, raw: object) -> str:
        text = fold(str(raw).strip())
        names = {key: (key, label, *self.choice_aliases.get(key, ())) for key, label in self.choices.items()}
        matches = [key for key, called in names.items() if text in map(fold, called)]
        if not matches:
            raise self._refused(raw)
        return matches[0]

    def _refused(self, raw: object) -> Stop:
        return Stop(Refused(f"«{self.label}» no admite «{_shortened(raw)}»: {self.accepted()}.", field=self.name))

    def accepted(self) -> str:
        """Return a sentence in Spanish on the accepted values."""
        match self.type:
            case "date":
                return "escriba una fecha entre 1900 y 2100, como 2026-02-28 o 28/02/2026"
            case "dates":
                return "escriba fechas separadas por comas, como 2026-02-28"
            case "yes_no":
                return "escriba sí o no"
            case "choice":
                return "escriba " + ", ".join(f"«{key}» ({label})" for key, label in self.choices.items())
            case "items":
                return "escriba una lista de conceptos"
            case "text":
                return "escriba un texto"
        kind = "un número entero" if self.type == "count" else "un número"
        minimum = self.least or Decimal(0)
        return (
            f"escriba {kind} de {minimum} a {self.most}" if self.most is not None else f"escriba {kind} desde {minimum}"
        )

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the field."""
        shape: dict[str, Any] = {"title": self.label, "description": self.question}
        match self.type:
            case "date":
                shape |= {"type": "string", "format": "date"}
            case "dates":
                shape |= {"type": "array", "items": {"type": "string", "format": "date"}}
            case "yes_no":
                shape |= {"type": "boolean"}
            case "choice":
                shape |= {"type": "string", "oneOf": [{"const": k, "title": v} for k, v in self.choices.items()]}
            case "items":
                shape |= {"type": "array", "items": {"type": "object"}}
            case "text":
                shape |= {"type": "string"}
            case _:
                shape |= {"type": "integer" if self.type == "count" else "number", "minimum": float(self.least or 0)}
                if self.most is not None:
                    shape |= {"maximum": float(self.most)}
                if self.type == "amount":
                    shape |= {"x-unit": "EUR"}
        return shape


@dataclass(frozen=True)
class ReadInputs:
    """Typed inputs, and the names that no field takes."""

    values: Mapping[str, Any]
    unknown: tuple[str, ...]


def read_inputs(fields: Iterable[str], inputs: Mapping[str, object]) -> ReadInputs:
    """Parse raw inputs by their fields, without empty ones; raise ``Stop`` if one does not fit, or two disagree."""
    names = {alias: name for name in fields for alias in (name, *FIELDS[name].aliases)}
    values: dict[str, Any] = {}
    unknown = []
    for key, raw in inputs.items():
        if raw is None or raw == "":
            continue
        name = names.get(key)
        if name is None:
            unknown.append(key)
            continue
        value = FIELDS[name].read(raw)
        if name in values and FIELDS[name].type == "dates":
            value = tuple(sorted({*values[name], *value}))
        elif name in values and values[name] != value:
            raise Stop(Refused(f"«{FIELDS[name].label}» tiene dos valores: dé uno solo.", field=name))
        values[name] = value
    return ReadInputs(values, tuple(unknown))


def _shortened(raw: object) -> str:
    text = str(raw)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


@cache
def _fields() -> Mapping[str, InputField]:
    file = resources.files("articulado.calculations").joinpath("data", "fields.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: InputField(name=name, **table) for name, table in tables.items()}


FIELDS: Mapping[str, InputField] = _fields()
