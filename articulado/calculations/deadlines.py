"""Terms in working days: the rules from the starting day to the last day, and the calendar file of a term."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict

from articulado.calculations.calendars import WorkingCalendar, calendar_of
from articulado.calculations.engine import COURTS, PROCEDURE, Calculation, Computed, Rule, Variant, rule
from articulado.calculations.values import Refused, Result, Stop, counted, weekday_and_day
from articulado.calculations.written import Calculated, cited, notes_on, parts_of
from articulado.language.languages import language
from articulado.language.translation import translate
from articulado.legal.labels import provision_url
from articulado.values.errors import InvalidInput

Recess = Literal["counts", "excluded", "open", "never"]
"""August and Christmas: they count (urgent matters), are excluded, depend on the matter; never: no court term."""

NON_WORKING, GRACE = f"{COURTS}#Artículo 43", f"{COURTS}#Artículo 45"
ADMINISTRATIVE_DAYS = f"{PROCEDURE}#Artículo 30"
ADMINISTRATIVE_SINCE = date(2016, 10, 2)  # The Ley 39/2015 came into force; before it, Saturdays counted
RECESS_SINCE = date(2022, 12, 23)
"""From 24 December to 6 January there are no court days: LRJS 43.4 by LO 14/2022 (BOE-A-2022-21800), DF 3.ª and 6.ª."""
UNTIL = time(15)  # Writs to a court are admitted until this hour of the next working day (LRJS 45.1).
WAIT = 15  # Working days from a request of conciliation until a term runs on without the act (LRJS 65.1).
ONE_DAY = timedelta(days=1)
ANOTHER_HOLIDAY = "Otro festivo local o autonómico dentro del plazo lo alarga un día."
RECESS_EXCLUDED = "agosto y los días del 24 de diciembre al 6 de enero son inhábiles."
NOT_URGENT = "si el asunto no es de los urgentes del artículo 43.4 (sin agosto)"
PLACE = ("seat", "holidays")
GIVEN = ("term_days", "term_unit", "august_excluded")


class Term(BaseModel):
    """A term of working days; ``data/deadlines.toml`` explains the fields and holds the court terms."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    title: str
    law: str = COURTS
    article: str
    days: int | None = None
    event: Literal["dismissal", "contract_end", "notified", "last_working_day"] = "notified"
    recess: Recess = "counts"
    conciliation: Literal["", "stops", "required", "exempt"] = ""
    silence: int | None = None
    fields: tuple[str, ...] = ()
    text: str
    general: str
    sensitive: str = ANOTHER_HOLIDAY
    assumptions: tuple[str, ...] = ()
    others: dict[int, str] = {}

    @property
    def provision(self) -> str:
        return f"{self.law}#{self.article}"

    @property
    def administrative(self) -> bool:
        return self.recess == "never"

    def calculation(
        self, ways: tuple[Rule, ...] = (), conditions: tuple[Rule, ...] = (), variants: tuple[Variant, ...] = ()
    ) -> Calculation:
        """Return the calculation: ``ways`` are tried before the plain count, ``conditions`` are worked out first."""
        residence = ("residence",) if self.administrative else ()
        open_term = ("term_days",) if self.days is None else ()
        grace = () if self.administrative else (grace_until,)
        plain = () if self.conciliation == "required" else (first_day(self), last_day(self.provision))
        by_matter = (Variant(recess_excluded, NOT_URGENT),) if self.recess == "open" else ()
        until = "" if self.administrative else "; un escrito al juzgado se admite hasta el {grace_until}"
        return Calculation(
            self.kind,
            self.title,
            ("deadline",) if self.administrative else ("deadline", "grace_until"),
            (*conditions, *ways, STARTS[self.event], term_rule(self), RECESS_RULES[self.recess], *plain, *grace),
            tuple(dict.fromkeys((self.event, *open_term, *self.fields, *PLACE, *residence, *GIVEN))),
            self.provision,
            f"El último día es el {{deadline}}{until}.",
            self.general,
            conditions=("recess", "term", *(each.produces for each in conditions)),
            assumptions=self.assumptions,
            sensitive=self.sensitive,
            variants=(*variants, *by_matter),
            day=self.event,
        )


@rule(NON_WORKING, produces="event")
def starts_with_dismissal(dismissal: date) -> Computed:
    return Computed(dismissal, "date")


@rule(f"{COURTS}#Artículo 121", produces="event")
def starts_with_end(contract_end: date, dismissal_letter: date | None = None) -> Computed:
    """Return the day on which the contract ends, not the day of the letter."""
    if dismissal_letter and dismissal_letter > contract_end:
        raise Stop(Refused("La carta no puede ser posterior al fin del contrato: revise las dos fechas."))
    text = (
        f"El plazo cuenta desde el fin del contrato ({weekday_and_day(contract_end)}), no desde la carta de preaviso."
    )
    return Computed(contract_end, "date", text)


@rule(NON_WORKING, produces="event")
def starts_with_notice(notified: date) -> Computed:
    return Computed(notified, "date")


@rule(NON_WORKING, produces="event")
def starts_with_last_day(last_working_day: date) -> Computed:
    return Computed(last_working_day, "date")


STARTS: Mapping[str, Rule] = {
    "dismissal": starts_with_dismissal,
    "contract_end": starts_with_end,
    "notified": starts_with_notice,
    "last_working_day": starts_with_last_day,
}


def term_rule(term: Term) -> Rule:
    """Return the rule on the length of a term: the legal length, even if another one is given."""
    if term.days is None:
        return _given_length(term)
    legal = term.days

    @rule(term.provision, produces="term")
    def length(term_days: int | None = None, term_unit: str | None = None) -> Computed:
        warnings = []
        if term_unit == "calendar":
            warnings.append("Ha indicado días naturales; este plazo se cuenta en días hábiles.")
        if term_days is not None and term_days in term.others:
            return Computed(term_days, "days", term.others[term_days], warnings=tuple(warnings))
        if term_days not in (None, legal):
            warnings.append(f"Ha indicado {counted(term_days or 0, 'days')}; se cuentan los {legal} que da la ley.")
        return Computed(legal, "days", term.text, warnings=tuple(warnings))

    return length


def _given_length(term: Term) -> Rule:
    @rule(term.provision, produces="term")
    def given_length(term_days: int, term_unit: str | None = None) -> Computed:
        if not term_days:
            raise Stop(Refused("El plazo debe tener al menos un día."))
        if term_unit == "calendar":
            raise Stop(Refused("Este cálculo cuenta días hábiles; para días naturales use «deadline/calendar_days»."))
        return Computed(term_days, "days", f"{term.text}: {counted(term_days, 'days')}.")

    return given_length


@rule(ADMINISTRATIVE_DAYS, produces="recess", since=ADMINISTRATIVE_SINCE)
def no_recess(august_excluded: bool | None = None) -> Computed:
    warnings = ("En los plazos administrativos agosto es hábil.",) if august_excluded else ()
    text = "Plazo administrativo por días: hábiles, sin sábados, domingos ni festivos; agosto cuenta."
    return Computed(False, "", text, warnings=warnings)


@rule(NON_WORKING, produces="recess")
def recess_counts(august_excluded: bool | None = None) -> Computed:
    warnings = ("En esta materia agosto y los días del 24 de diciembre al 6 de enero son hábiles.",)
    text = "En esta materia son hábiles agosto y los días del 24 de diciembre al 6 de enero (artículo 43.4)."
    return Computed(False, "", text, warnings=warnings if august_excluded else ())


@rule(NON_WORKING, produces="recess", since=RECESS_SINCE)
def recess_does_not_count(august_excluded: bool | None = None) -> Computed:
    warnings = () if august_excluded is not False else ("En esta materia agosto es inhábil (artículo 43.4).",)
    text = f"Esta materia no está entre las excepciones: {RECESS_EXCLUDED}"
    return Computed(True, "", text, warnings=warnings)


@rule(NON_WORKING, produces="recess", since=RECESS_SINCE)
def recess_by_matter(august_excluded: bool | None = None) -> Computed:
    """Exclude August and Christmas by the matter; an unknown matter counts as urgent, which gives the earlier day."""
    if august_excluded:
        return Computed(True, "", f"El asunto no está entre las excepciones: {RECESS_EXCLUDED}")
    text = "Agosto y los días del 24 de diciembre al 6 de enero son hábiles en los asuntos urgentes (despido y otros)."
    assumed = "Se cuenta como asunto urgente del artículo 43.4: es lo prudente."
    return Computed(False, "", text, assumptions=(assumed,) if august_excluded is None else ())


RECESS_RULES: Mapping[Recess, Rule] = {
    "never": no_recess, "counts": recess_counts, "excluded": recess_does_not_count, "open": recess_by_matter,
}  # fmt: skip


@rule(NON_WORKING, produces="recess", since=RECESS_SINCE)
def recess_excluded(august_excluded: bool | None = None) -> Computed:
    return Computed(august_excluded is not False)


def first_day(term: Term) -> Rule:
    """Return the rule on the first day of a term that counts."""

    @rule(ADMINISTRATIVE_DAYS if term.administrative else NON_WORKING, produces="first_day")
    def first(
        event: date,
        term: int,
        recess: bool,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
        residence: str | None = None,
    ) -> Computed:
        calendar = calendar_of(seat, holidays, recess=recess, residence=residence)
        day = calendar.after(event, 1)
        told = calendar.told(event + ONE_DAY, calendar.after(event, term))
        return Computed(day, "date", f"Primer día hábil: {weekday_and_day(day)}. {told}")

    return first


def last_day(provision: str) -> Rule:
    """Return the rule on the last day of a term."""

    @rule(provision, produces="deadline")
    def last(
        event: date,
        term: int,
        recess: bool,
        first_day: date,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
        residence: str | None = None,
    ) -> Computed:
        calendar = calendar_of(seat, holidays, recess=recess, residence=residence)
        day = calendar.after(event, term)
        text = f"Día hábil {term}: {weekday_and_day(day)}."
        return counted_term(calendar, event + ONE_DAY, day, text)

    return last


def counted_term(calendar: WorkingCalendar, first: date, last: date, text: str) -> Computed:
    """Return the last day of a term with its calendar, the excluded days and the remaining doubts."""
    warnings = [*calendar.doubts(), *calendar.partial_holidays(first, last)]
    if unknown := calendar.unknown_holidays(first, last):
        later = _later(calendar, last)
        warnings.append(f"No se conocen {unknown}: si caen dentro del plazo, {later}. Cuente con el primero.")
    return Computed(
        last,
        "date",
        text,
        assumptions=calendar.assumptions(first, last),
        warnings=tuple(warnings),
        excluded=calendar.excluded(first, last),
    )


def _later(calendar: WorkingCalendar, last: date) -> str:
    try:
        first, second = (calendar.after(last, count) for count in (1, 2))
    except Stop:
        return "podría alargarse"
    return (
        f"el último día podría ser hasta el {weekday_and_day(first)} (con uno) o el {weekday_and_day(second)} (con dos)"
    )


@rule(GRACE)
def grace_until(
    deadline: date, recess: bool, seat: str | None = None, holidays: tuple[date, ...] | None = None
) -> Computed:
    """Return the hour until which a writ to a court is admitted."""
    day = calendar_of(seat, holidays, recess=recess).after(deadline, 1)
    until = datetime.combine(day, UNTIL)
    text = (
        f"El escrito judicial puede presentarse hasta las 15:00 del día hábil siguiente: {weekday_and_day(day)}."
        f" No vale"
        " para la papeleta de conciliación ni para otros trámites fuera del juzgado."
    )
    return Computed(until, "time", text)


LINE_OCTETS = 75
REMINDER = "-P2DT15H"


def calendar_event(worked: Calculated) -> str:
    """Return the last day of a term as a calendar event; raise ``InvalidInput`` if the outcome has none."""
    day = worked.last_day
    if worked.calculation is None or not isinstance(worked.outcome, Result) or day is None:
        raise InvalidInput(translate("calculation.no_day", kind=worked.document["calculation"]))
    return calendar_file(worked.outcome, worked.calculation.title, day)


def calendar_file(result: Result, title: str, day: date, *, stamp: datetime | None = None) -> str:
    """Return an iCalendar file (RFC 5545): an all-day event on the last day, with a reminder three days before."""
    notes = [
        result.lead,
        *(f"{number}. {step.text} ({cited(step.provision)})" for number, step in enumerate(result.steps, start=1)),
        *notes_on(result),
        language("es").translate("view_notice_law"),
    ]
    summary = f"Último día: {title[0].lower()}{title[1:]}" if title.startswith("Plazo") else title
    law_id, label = parts_of(next((each for each in result.steps if each.value == day), result.steps[-1]).provision)
    made = (stamp or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    identity = sha256(f"{title}|{day.isoformat()}".encode()).hexdigest()[:32]
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//articulado//deadlines//ES",
        "BEGIN:VEVENT",
        f"UID:{identity}@articulado",
        f"DTSTAMP:{made}",
        f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{day + ONE_DAY:%Y%m%d}",
        f"SUMMARY:{_escaped(summary)}",
        f"DESCRIPTION:{_escaped(chr(10).join(notes))}",
        f"URL:{provision_url(law_id, label)}",
        "TRANSP:TRANSPARENT",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"TRIGGER:{REMINDER}",
        f"DESCRIPTION:{_escaped(summary)}",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\r\n", "\n").replace("\n", "\\n")


def _folded(line: str) -> str:
    parts, size = [""], 0
    for character in line:
        octets = len(character.encode())
        if size + octets > LINE_OCTETS:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += octets
    return "\r\n".join(parts)
