"""Dated reference values: amounts that a norm sets for a span of days, such as the IPREM or the minimum wage.

A kind is a file of ``data/parameters``:

- ``name``, ``title``: short and full name; ``words``: its names in texts, without which it serves calculations only
- ``units``: for each quantity its unit in each language ("euros al mes")
- ``period``: the values of a span: ``from``, ``until`` (last day, if ended), ``norm``, ``article``, ``boe``
  (identifier), ``extended`` (the norm was extended beyond its year), ``verified_on`` (day of the check against the
  source) and ``verified_until`` (last day that the check covers)
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from itertools import pairwise
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from articulado.calculations.values import Refused, Stop
from articulado.language.folding import fold
from articulado.language.formats import long_day, written
from articulado.language.languages import LANGUAGES, Language, language
from articulado.legal.ids import chunk_id
from articulado.legal.labels import law_url, provision_key, provision_url
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import LOWEST_RANK, Candidate, Chunk, blank_chunk

VALUE_TYPE = "reference_value"

_YEAR = re.compile(r"(?<![\d/.,])(?:19|20)\d\d(?![\d/]|[.,]\d)")
_COLLECTION = "reference_values"


class Period(BaseModel):
    """The values of a kind in a span of days; ``until`` is the last day, ``None`` before the span ends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    begins: date = Field(alias="from")
    until: date | None = None
    norm: str = Field(min_length=1)
    article: str = ""
    boe: str = ""
    extended: bool = False
    verified_on: date
    verified_until: date
    values: dict[str, Decimal] = Field(min_length=1)

    @model_validator(mode="after")
    def _days_in_order(self) -> Self:
        if not self.begins <= self.verified_until <= (self.until or date.max):
            raise ValueError("verified_until must lie between from and until")
        return self

    def covers(self, day: date) -> bool:
        return self.begins <= day <= self.verified_until


class ParameterKind(BaseModel):
    """One kind of reference value; its periods are in order and do not overlap."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    title: str = Field(min_length=1)
    words: tuple[str, ...] = ()
    units: dict[str, dict[str, str]]
    period: tuple[Period, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if any(set(period.values) - set(self.units) for period in self.period):
            raise ValueError(f"{self.name}: a value has no unit")
        spans = [(period.begins, period.until or date.max) for period in self.period]
        if any(next_begins <= last for (_, last), (next_begins, _) in pairwise(spans)):
            raise ValueError(f"{self.name}: the periods must be in order and must not overlap")
        return self

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = sorted(map(fold, self.words), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")

    def is_named_in(self, text: str) -> bool:
        return bool(self.words) and self._pattern.search(fold(text)) is not None

    def period_on(self, day: date) -> Period | None:
        return next((period for period in self.period if period.covers(day)), None)


@dataclass(frozen=True)
class Unverified:
    """A day for which no value of a kind was verified."""

    kind: ParameterKind
    day: date

    def reason(self, spoken: Language) -> str:
        first, last = self.kind.period[0].begins, self.kind.period[-1].verified_until
        return spoken.translate(
            "value_unverified",
            name=self.kind.name,
            day=_day(self.day, spoken),
            first=_day(first, spoken),
            last=_day(last, spoken),
        )

    def candidate(self, spoken: Language) -> Candidate:
        return caveat(self.reason(spoken))


@dataclass(frozen=True)
class DatedValue:
    """The values of a kind on a day."""

    kind: ParameterKind
    period: Period

    def text(self, spoken: Language) -> str:
        """Return the values, their days and their norm, each in a sentence."""
        kind, period = self.kind, self.period
        values = [f"{_amount(value, spoken)} {_unit(kind, key, spoken)}" for key, value in period.values.items()]
        between = "; " if any(", " in _unit(kind, key, spoken) for key in period.values) else ", "
        last = period.until or period.verified_until
        days = {"begins": _day(period.begins, spoken), "last": _day(last, spoken)}
        span = "value_extended" if period.extended else "value_between" if period.until else "value_since"
        return spoken.translate(
            "value_text",
            title=kind.title,
            values=f"{between.join(values[:-1])} {spoken.translate('value_and')} {values[-1]}"
            if len(values) > 1
            else values[0],
            span=spoken.translate(span, **days),
            norm=period.norm,
            verified=_day(period.verified_on, spoken),
        )

    def candidate(self, spoken: Language) -> Candidate:
        return {
            "chunk": self._chunk(spoken),
            "score": 0.0,
            "origins": ["value"],
            "found_by": [self.kind.name],
            "purpose": "value",
            "says": "",
        }

    def _chunk(self, spoken: Language) -> Chunk:
        period, text = self.period, self.text(spoken)
        law = known_laws().get(period.boe)
        label = period.article or self.kind.name
        key = provision_key(period.article) if period.article else None
        url = provision_url(period.boe, period.article) if period.article else law_url(period.boe)
        return value_chunk(
            collection=_COLLECTION,
            name=self.kind.name,
            law_id=period.boe,
            law_name=law.short if law else period.norm,
            label=label,
            title=self.kind.title,
            text=text,
            begins=period.begins.isoformat(),
            url=url if period.boe else "",
            source=period.boe or period.norm,
            key=key or self.kind.name,
            rank=law.rank if law else LOWEST_RANK,
            valid_from=period.begins.isoformat(),
        )


def value_chunk(
    *,
    collection: str,
    name: str,
    law_id: str,
    law_name: str,
    label: str,
    title: str,
    text: str,
    begins: str,
    url: str,
    source: str = "",
    key: str = "",
    rank: int = LOWEST_RANK,
    valid_from: str | None = None,
) -> Chunk:
    """Return the chunk of a value, which is in no index; ``source`` and ``begins`` distinguish its versions."""
    return {
        **blank_chunk(chunk_id(collection, source or law_id, name, begins, 1), collection),
        "law_id": law_id,
        "law_name": law_name,
        "rank": rank,
        "kind": VALUE_TYPE,
        "provision": label,
        "provision_key": key or name,
        "title": title,
        "text": text,
        "strategy": VALUE_TYPE,
        "valid_from": valid_from,
        "chunk_type": VALUE_TYPE,
        "url": url,
        "content_hash": blake2b(text.encode(), digest_size=16).hexdigest(),
    }


def caveat(text: str) -> Candidate:
    chunk = value_chunk(
        collection="caveats",
        name="caveat",
        law_id="",
        law_name="Advertencia",
        label="Advertencia",
        title="",
        text=text,
        begins=text,
        url="",
    )
    return {"chunk": chunk, "score": 0.0, "origins": ["value"], "found_by": [], "purpose": "caveat", "says": ""}


@cache
def parameter_kinds() -> tuple[ParameterKind, ...]:
    folder = resources.files("articulado.calculations").joinpath("data", "parameters")
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return tuple(ParameterKind.model_validate(_read(file)) for file in files if file.name.endswith(".toml"))


def verified_period(name: str, day: date | None = None) -> Period:
    """Return the values of a kind on a day, by default the last verified ones; raise ``Stop`` without them."""
    kind = next(each for each in parameter_kinds() if each.name == name)
    period = kind.period_on(day) if day else kind.period[-1]
    if period is None:
        assert day is not None
        raise Stop(Refused(Unverified(kind, day).reason(language("es"))))
    return period


def _read(file: "resources.abc.Traversable") -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def kinds_named(texts: Iterable[str]) -> list[ParameterKind]:
    joined = "\n".join(texts)
    return [kind for kind in parameter_kinds() if kind.is_named_in(joined)]


def values_on(kinds: Iterable[ParameterKind], days: Sequence[date]) -> list[DatedValue | Unverified]:
    """Return the distinct values of each kind on each day."""
    values: dict[tuple[str, date], DatedValue | Unverified] = {}
    for kind in kinds:
        for day in days:
            period = kind.period_on(day)
            value = DatedValue(kind, period) if period else Unverified(kind, day)
            values.setdefault((kind.name, period.begins if period else day), value)
    return list(values.values())


def asks_for_value_alone(question: str) -> bool:
    """Tell if a question, in any language, only asks for the value of a kind ("How much is the IPREM?", not a case)."""
    words = [*_asking_words(), *(word for kind in kinds_named([question]) for word in kind.words)]
    return len(words) > len(_asking_words()) and any(_has_only(question, words, language(code)) for code in LANGUAGES)


def _has_only(question: str, words: Iterable[str], spoken: Language) -> bool:
    stems = {stem for word in words for stem in spoken.stems(word)}
    return all(stem in stems or stem.isdigit() for stem in spoken.stems(question))


@cache
def _asking_words() -> tuple[str, ...]:
    return tuple(_read(resources.files("articulado.calculations").joinpath("data", "asking.toml"))["words"])


def days_of_value(question: str, as_of: date | None, today: date) -> list[date]:
    """Return the days of a requested value: the last of past, the first of future years, else ``as_of`` or today."""
    day = as_of or today
    years = sorted({int(year) for year in _YEAR.findall(question)}) if asks_for_value_alone(question) else []
    return [_day_in(year, day, today) for year in years] or [day]


def _day_in(year: int, day: date, today: date) -> date:
    for reference in (day, today):
        if reference.year == year:
            return reference
    return date(year, 12, 31) if year < today.year else date(year, 1, 1)


def _amount(value: Decimal, spoken: Language) -> str:
    return written(float(value), 0 if value == value.to_integral_value() else 2, spoken.code)


def _unit(kind: ParameterKind, key: str, spoken: Language) -> str:
    units: Mapping[str, str] = kind.units[key]
    return units.get(spoken.code) or units["es"]


def _day(day: date, spoken: Language) -> str:
    return long_day(day.isoformat()) if spoken.code == "es" else day.isoformat()
