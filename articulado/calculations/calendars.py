"""Calendars of working days: holidays of the packages ``holidays`` and ``plazos`` (local ones), and court recess."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import TYPE_CHECKING

from dateutil.relativedelta import relativedelta

from articulado.calculations.values import WEEKDAYS, ExcludedDay, Refused, Stop, joined, written_day
from articulado.language.folding import fold
from articulado.legal.territory.mentions import find_place, find_territory, place_called
from articulado.values.cases import Elapsed

if TYPE_CHECKING:
    from plazos.municipios import Municipio

OFFICIAL_YEARS = range(2012, 2027)  # national and regional holidays checked against the official calendars
FIXED_HOLIDAYS = {(1, 1): "Año Nuevo", (5, 1): "Fiesta del Trabajo", (10, 12): "Fiesta Nacional", (12, 25): "Navidad"}
"""Holidays of the whole country that no region can move (art. 37.2 ET)."""
ONE_DAY = timedelta(days=1)
_CAPITALISED = re.compile(r"[A-ZÁÉÍÓÚÑ]\w+(?:\s(?:(?:de|del|la|las|los|el)\s)*[A-ZÁÉÍÓÚÑ]\w+)*")
MOST_LISTED = 6
_SATURDAY = 5
_AUGUST = "agosto, inhábil en los juzgados"
_CHRISTMAS = "del 24 de diciembre al 6 de enero, inhábil en los juzgados"


@dataclass(frozen=True)
class Seat:
    """Municipality or region whose holidays count."""

    name: str
    region: str = ""  # ISO code of the community ("PV"); empty for the whole country
    code: str = ""  # INE code of the municipality
    doubt: str = ""  # explanation of an unknown or ambiguous name


class WorkingDays:
    """Calendar that tells the ``reason`` why a day is no working day; the reason of a working day is empty."""

    def reason(self, day: date) -> str:
        return WEEKDAYS[day.weekday()] if day.weekday() >= _SATURDAY else ""

    def next_working(self, day: date) -> date:
        while self.reason(day):
            day += ONE_DAY
        return day

    def last_working(self, day: date) -> date:
        while self.reason(day):
            day -= ONE_DAY
        return day

    def after(self, day: date, count: int) -> date:
        """Return the ``count``-th working day after a day; the day itself does not count."""
        for _ in range(count):
            day = self.next_working(day + ONE_DAY)
        return day

    def count(self, first: date, last: date) -> int:
        """Return the number of working days from the first day to the last one, both counted."""
        return sum(not self.reason(first + ONE_DAY * index) for index in range((last - first).days + 1))


@dataclass(frozen=True)
class CountryCalendar(WorkingDays):
    """Monday to Friday, without the holidays of a country (ISO 3166 code of the package ``holidays``)."""

    country: str = ""

    def reason(self, day: date) -> str:
        return super().reason(day) or (_of_country(day.year, self.country).get(day, "") if self.country else "")

    def elapsed(self, since: date, until: date) -> int:
        """Return the working days after ``since`` up to and including ``until``; negative if ``until`` is earlier."""
        if until < since:
            return -self.elapsed(until, since)
        return self.count(since + ONE_DAY, until)


def elapsed_units(unit: Elapsed, since: date, until: date, country: str = "") -> int:
    """Return whole units of time, negative if ``until`` is earlier; ``country`` ("US") gives the holidays."""
    if unit == "working_days":
        return CountryCalendar(country).elapsed(since, until)
    if unit in ("days", "weeks"):
        days = (until - since).days
        return days if unit == "days" else int(days / 7)
    between = relativedelta(until, since)
    return int(between.years if unit == "years" else 12 * between.years + between.months)


@dataclass(frozen=True)
class WorkingCalendar(WorkingDays):
    """Working days of one or two seats: a holiday of either does not count."""

    seats: tuple[Seat, ...]
    given: frozenset[date] | None = None  # named by the person; needed in years without official calendar
    recess: bool = False  # excludes August and the days from 24 December to 6 January
    _reasons: dict[date, str] = field(default_factory=dict, compare=False, repr=False)

    def reason(self, day: date) -> str:
        """Return the reason why a day does not count; raise ``Stop`` for a year without official calendar."""
        if day not in self._reasons:
            self._reasons[day] = self._reason(day)
        return self._reasons[day]

    def _reason(self, day: date) -> str:
        if weekend := super().reason(day):
            return weekend
        if holiday := self.holiday(day):
            return holiday
        if self.recess and day.month == 8:
            return _AUGUST
        if self.recess and ((day.month, day.day) >= (12, 24) or (day.month, day.day) <= (1, 6)):
            return _CHRISTMAS
        return ""

    def holiday(self, day: date) -> str:
        """Return the name of the holiday; empty without one."""
        if day.year in OFFICIAL_YEARS:
            name = self._official(day)
        elif self.given is None:
            raise Stop(Refused(_without_year(day.year)))
        else:
            fixed = FIXED_HOLIDAYS.get((day.month, day.day))
            name = f"fiesta nacional: {fixed}" if fixed else ""
        return name or ("festivo indicado" if day in (self.given or ()) else "")

    def _official(self, day: date) -> str:
        for seat in self.seats:
            if name := _spanish(day.year).get(day):
                return f"fiesta nacional: {name}"
            if seat.region and (name := _spanish(day.year, seat.region).get(day)):
                return f"fiesta de la comunidad: {name}"
            if day in _local(day.year, seat.code):
                return f"fiesta local de {seat.name}"
        return ""

    def excluded(self, first: date, last: date) -> tuple[ExcludedDay, ...]:
        days = [first + ONE_DAY * index for index in range((last - first).days + 1)]
        return tuple(ExcludedDay(day, self.reason(day)) for day in days if self.reason(day))

    def told(self, first: date, last: date) -> str:
        """Return a sentence on the days of a span that do not count."""
        days = self.excluded(first, last)
        named = [each for each in days if each.reason not in (*WEEKDAYS, _AUGUST, _CHRISTMAS)]
        holidays = [f"{written_day(each.day)} ({each.reason})" for each in named]
        recess = [reason for reason in (_AUGUST, _CHRISTMAS) if any(each.reason == reason for each in days)]
        parts = ["No cuentan sábados ni domingos"]
        if holidays:
            parts.append(f"ni {'los festivos' if len(holidays) > 1 else 'el festivo'} {joined(holidays)}")
        return "; ".join([" ".join(parts), *recess]) + "."

    def assumptions(self, first: date, last: date) -> tuple[str, ...]:
        """Return sentences on the calendars used for a span."""
        told = []
        for seat in self.seats:
            if not seat.region:
                only = (
                    "porque no se ha dicho la sede" if not seat.name else f"porque no se sabe dónde está «{seat.name}»"
                )
                told.append(f"Calendario: solo fiestas nacionales, {only}.")
                continue
            told.append(f"Calendario oficial de {seat.name}.")
            for year in range(first.year, last.year + 1):
                town = _municipality(seat.code, year)
                if town and (local := _local(year, seat.code)):
                    days = joined([written_day(day) for day in sorted(local)])
                    told.append(f"Fiestas locales de {seat.name}: {days} ({town.fuente}).")
        return (*told, *self._told_of_given(first, last))

    def _told_of_given(self, first: date, last: date) -> list[str]:
        if self.given is None:
            return []
        told = ["Se suman los festivos que ha dado."] if self.given else []
        official = [
            f"{written_day(each.day)} ({each.reason})"
            for each in self.excluded(first, last)
            if each.reason.startswith("fiesta") and each.day not in self.given
        ]
        if official and self.given:
            told.append(f"Festivos oficiales que no están en su lista y tampoco cuentan: {joined(official)}.")
        return told

    def unknown_holidays(self, first: date, last: date) -> str:
        """Return the holidays of a span that are unknown, in words; empty if all are known."""
        years = range(first.year, last.year + 1)
        beyond = [str(year) for year in years if year not in OFFICIAL_YEARS]
        if self.given is not None:
            return f"los festivos de {joined(beyond)} que no haya en su lista" if beyond else ""
        if any(not seat.region for seat in self.seats):
            return "las fiestas de su comunidad y las dos locales (diga el municipio de la sede)"
        lacking = [seat.name for seat in self.seats if any(not _local(year, seat.code) for year in years)]
        return f"las dos fiestas locales de {joined(lacking)}" if lacking else ""

    def doubts(self) -> tuple[str, ...]:
        return tuple(seat.doubt for seat in self.seats if seat.doubt)

    def partial_holidays(self, first: date, last: date) -> tuple[str, ...]:
        towns = filter(None, (_municipality(seat.code) for seat in self.seats))
        parts = [part for town in towns for part in town.parciales if first <= part.fecha <= last]
        return tuple(
            f"El {written_day(part.fecha)} es fiesta solo en {part.ambito}; aquí se ha contado como hábil."
            for part in parts
            if not self.reason(part.fecha)
        )


def _without_year(year: int) -> str:
    first, last = OFFICIAL_YEARS[0], OFFICIAL_YEARS[-1]
    return (
        f"El plazo llega a {year}, y solo están comprobados los calendarios oficiales de {first} a {last}. Dé la lista"
        f" de festivos de la sede, también los de {year}, para calcularlo."
    )


def calendar_of(
    seat: str | None, holidays: tuple[date, ...] | None, *, recess: bool = False, residence: str | None = None
) -> WorkingCalendar:
    places = [place for place in (seat, residence) if place]
    given = None if holidays is None else frozenset(holidays)
    return WorkingCalendar(tuple(map(seat_called, places)) or (Seat(""),), given, recess)


@cache
def seat_called(name: str) -> Seat:
    """Return the seat for the name of a municipality, a province or a community.

    An unknown or ambiguous name gives a ``doubt`` and the calendar of the common community, else the national one.
    """
    from plazos import municipios

    name = name.strip()
    town, _, province = name.rstrip(")").replace("(", ",").partition(",")
    place = None if province else place_called(name)
    region = _regions().get(place.community, "") if place else ""
    if place and not place.city:
        return Seat(name, region)
    called = place.city if place and place.city else town.strip()
    try:
        municipality = municipios.buscar(called, ccaa=region or None, provincia=province.strip() or None)
    except ValueError:
        return _one_of_several(name, called, region, province.strip())
    if municipality:
        return Seat(municipality.nombre_legible, municipality.ccaa, municipality.ine)
    doubt = f"No encuentro el municipio «{name}»: escríbalo como «municipio (provincia)», o diga la provincia."
    return Seat(name, region, doubt="" if region else doubt)


def seat_in(text: str) -> str:
    """Return the municipality or community named in a text ("Juzgado de Vigo"), or an empty string."""
    if place := find_place(text):
        return place.city or place.community
    names = _municipalities()
    for match in _CAPITALISED.finditer(text):
        words = match[0].split()
        spans = [(first, last) for first in range(len(words)) for last in range(len(words), first, -1)]
        for first, last in spans:
            called = " ".join(words[first:last])
            # A single word that begins a sentence may be any word.
            is_name = last - first > 1 or first or match.start() > 0 or text[match.end() :].startswith(",")
            if fold(called) in names and is_name:
                return called
    return ""


@cache
def _municipalities() -> frozenset[str]:
    from plazos import municipios

    return frozenset(fold(each.nombre_legible) for each in municipios.todos())


def _one_of_several(name: str, called: str, region: str, province: str) -> Seat:
    """Return the seat for an ambiguous name: the community of its municipalities, if they share it."""
    from plazos import municipios

    folded = fold(called)
    matches = [each for each in municipios.todos() if f"{fold(each.nombre_legible)} ".startswith(f"{folded} ")]
    exact = [each for each in matches if fold(each.nombre_legible) == folded]
    same = [
        each
        for each in exact or matches
        if (not region or each.ccaa == region) and fold(province) in fold(each.provincia)
    ]
    regions = {each.ccaa for each in same}
    written = sorted({f"{each.nombre_legible} ({each.provincia})" for each in same})
    listed = written if len(written) <= MOST_LISTED else [*written[:MOST_LISTED], "otros"]
    doubt = f"Hay varios municipios llamados «{name}»: {joined(listed)}. Diga cuál, como «municipio (provincia)»."
    return Seat(name, regions.pop() if len(regions) == 1 else "", doubt=doubt)


@cache
def _regions() -> Mapping[str, str]:
    from plazos import CCAA

    return {community: code for code, name in CCAA.items() if (community := find_territory(name))}


@cache
def _of_country(year: int, country: str) -> Mapping[date, str]:
    from holidays import country_holidays

    return dict(country_holidays(country, years=year, observed=False))


@cache
def _spanish(year: int, region: str | None = None) -> Mapping[date, str]:
    from holidays import country_holidays

    return dict(country_holidays("ES", subdiv=region, years=year, language="es"))


@cache
def _municipality(code: str, year: int = OFFICIAL_YEARS[-1]) -> "Municipio | None":
    from plazos import municipios

    return municipios.buscar(code, year) if code else None


@cache
def _local(year: int, code: str) -> frozenset[date]:
    from plazos.datos.boe_2026 import INSULARES_CANARIAS

    town = _municipality(code, year)
    if town is None:
        return frozenset()
    island = [date(year, *INSULARES_CANARIAS[town.isla])] if town.isla else []
    return frozenset((*town.dias, *island))
