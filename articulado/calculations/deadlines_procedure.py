"""Terms before the labour courts and administrations: suspended by conciliation, in months, and of unemployment."""

import tomllib
from dataclasses import replace
from datetime import date, timedelta
from importlib import resources

from articulado.calculations.calendars import calendar_of
from articulado.calculations.deadlines import (
    ADMINISTRATIVE_SINCE,
    ANOTHER_HOLIDAY,
    ONE_DAY,
    STARTS,
    WAIT,
    Term,
    counted_term,
    grace_until,
    recess_by_matter,
)
from articulado.calculations.employment import add_months
from articulado.calculations.engine import (
    COURTS,
    PROCEDURE,
    SOCIAL_SECURITY,
    Calculation,
    Computed,
    Rule,
    Variant,
    rule,
)
from articulado.calculations.values import NotApplied, NotEntitled, Refused, Stop, counted, weekday_and_day, written_day

CONCILIATION, EXEMPT = f"{COURTS}#Artículo 65", f"{COURTS}#Artículo 64"
PROCEDURE_ENDS = 30  # Working days from the request until the conciliation ends (LRJS 65.2).
DAYS_OF_ACTS = "STS 350/2022, de 19-4-2022 (rcud 460/2020): no cuentan ni el día de la papeleta ni el del acto"
RESUMES = "STS 531/2022, de 8-6-2022 (rcud 4927/2019): a los quince días hábiles sin acto, se reanuda al día siguiente"


@rule(CONCILIATION, authority=RESUMES)
def fifteenth(
    conciliation_request: date, seat: str | None = None, holidays: tuple[date, ...] | None = None
) -> Computed:
    """Return the fifteenth working day after the request of conciliation; August counts: the earlier day is safer."""
    return Computed(calendar_of(seat, holidays).after(conciliation_request, WAIT), "date")


@rule(CONCILIATION, produces="fifteenth")
def fifteenth_in_recess(
    conciliation_request: date, recess: bool, seat: str | None = None, holidays: tuple[date, ...] | None = None
) -> Computed:
    return Computed(calendar_of(seat, holidays, recess=recess).after(conciliation_request, WAIT), "date")


@rule(CONCILIATION, produces="fifteenth")
def fifteenth_with_first(
    conciliation_request: date, seat: str | None = None, holidays: tuple[date, ...] | None = None
) -> Computed:
    return Computed(calendar_of(seat, holidays).after(conciliation_request - ONE_DAY, WAIT), "date")


def suspended(provision: str) -> tuple[Rule, ...]:
    """Return the rules on a term that a request of conciliation suspends."""

    @rule(provision, produces="days_left")
    def days_left(
        event: date,
        term: int,
        recess: bool,
        conciliation_request: date,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
    ) -> Computed:
        if conciliation_request < event:
            raise Stop(Refused("La papeleta no puede ser anterior al hecho que se impugna: revise las dos fechas."))
        calendar = calendar_of(seat, holidays, recess=recess)
        end = calendar.after(event, term)
        if conciliation_request > end:
            reason = (
                f"El plazo acabó el {weekday_and_day(end)}, antes de la papeleta ({written_day(conciliation_request)}):"
                f" la"
                " acción había caducado, salvo que otro festivo o una suspensión lo alargaran."
            )
            raise Stop(NotEntitled(reason, provision))
        used = calendar.count(event + ONE_DAY, conciliation_request - ONE_DAY)
        left = term - used
        text = (
            f"Desde el día siguiente al {weekday_and_day(event)} y hasta la víspera de la papeleta"
            f" ({weekday_and_day(conciliation_request)}) corren {counted(used, 'days')} hábiles; quedan {left}."
        )
        excluded = calendar.excluded(event + ONE_DAY, conciliation_request)
        return Computed(left, "days", text, f"{term} − {used}", CONCILIATION, DAYS_OF_ACTS, excluded=excluded)

    @rule(CONCILIATION, produces="suspended_until")
    def suspended_until(
        conciliation_request: date,
        fifteenth: date,
        conciliation_held: date | None = None,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
    ) -> Computed:
        if conciliation_held and conciliation_held < conciliation_request:
            raise Stop(Refused("El acto de conciliación no puede ser anterior a la papeleta: revise las dos fechas."))
        wait = f"los quince días hábiles desde la papeleta acaban el {weekday_and_day(fifteenth)}"
        if conciliation_held and conciliation_held <= fifteenth:
            text = (
                f"Acto intentado el {weekday_and_day(conciliation_held)}; {wait}: se reanuda al día siguiente del acto."
            )
            return Computed(conciliation_held, "date", text)
        if conciliation_held:
            text = (
                f"Sin esperar al acto, que fue el {weekday_and_day(conciliation_held)}: {wait}, y el plazo se reanuda"
                f" al"
                " día siguiente hábil."
            )
            return Computed(fifteenth, "date", text, authority=RESUMES)
        text = f"Sin acto celebrado, {wait}, y el plazo se reanuda al día siguiente hábil."
        warnings = [
            f"Si el acto se celebra antes del {written_day(fifteenth)}, el plazo corre desde el día siguiente al acto."
        ]
        try:
            ends = calendar_of(seat, holidays).after(conciliation_request, PROCEDURE_ENDS)
            warnings.append(f"Si no se celebra, el trámite se tiene por cumplido el {weekday_and_day(ends)} (65.2).")
        except Stop:
            pass
        return Computed(fifteenth, "date", text, authority=RESUMES, warnings=tuple(warnings))

    @rule(provision, produces="deadline")
    def deadline_after_conciliation(
        days_left: int,
        suspended_until: date,
        recess: bool,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
    ) -> Computed:
        calendar = calendar_of(seat, holidays, recess=recess)
        first, last = calendar.after(suspended_until, 1), calendar.after(suspended_until, days_left)
        told = calendar.told(suspended_until + ONE_DAY, last)
        text = (
            f"Los {days_left} días restantes: del {weekday_and_day(first)} al {weekday_and_day(last)}. {told}"
            if days_left > 1
            else f"El día que queda es el {weekday_and_day(last)}. {told}"
        )
        return counted_term(calendar, suspended_until + ONE_DAY, last, text)

    return days_left, fifteenth, suspended_until, deadline_after_conciliation


@rule(EXEMPT, produces="conciliation_needless")
def exempt_from_conciliation(conciliation_request: date | None = None) -> Computed:
    """Note that the matter needs no conciliation (art. 64 LRJS), and that a request for it is not deducted."""
    not_applied = (NotApplied("conciliación previa: esta materia está exceptuada, y se demanda directamente", EXEMPT),)
    if conciliation_request is None:
        return Computed(True, not_applied=not_applied)
    warning = (
        "La papeleta no hace falta en esta materia, y solo suspende el plazo si las dos partes acuden de común acuerdo"
        " (artículo 64.3): aquí no se ha descontado."
    )
    return Computed(True, not_applied=not_applied, warnings=(warning,))


def silence_rule(days: int) -> Rule:
    """Return the rule on the day of the refusal by silence: working days after the prior claim."""

    @rule(f"{COURTS}#Artículo 71", produces="event")
    def silence_of_claim(
        prior_claim: date, seat: str | None = None, holidays: tuple[date, ...] | None = None
    ) -> Computed:
        day = calendar_of(seat, holidays).after(prior_claim, days)
        text = (
            f"Reclamación previa del {weekday_and_day(prior_claim)}: sin respuesta en {days} días hábiles (hasta el"
            f" {weekday_and_day(day)}), se entiende denegada."
        )
        return Computed(day, "date", text)

    return silence_of_claim


WITH_FIRST = Variant(fifteenth_with_first, "contando el día de la papeleta entre los quince")
WITHOUT_RECESS = Variant(fifteenth_in_recess, "sin contar agosto ni Navidad entre los quince días de la papeleta")
REQUESTS = ("conciliation_request", "conciliation_held")


def calculation_of(term: Term) -> Calculation:
    """Return the calculation of a court term, with the effect of a request of conciliation."""
    if term.conciliation in ("stops", "required"):
        term = term.model_copy(update={"fields": (*term.fields, *REQUESTS)})
        return term.calculation(ways=suspended(term.provision), variants=(WITH_FIRST, WITHOUT_RECESS))
    if term.conciliation == "exempt":
        term = term.model_copy(update={"fields": (*term.fields, REQUESTS[0])})
        return term.calculation(conditions=(exempt_from_conciliation,))
    if term.silence:
        claimed = term.model_copy(update={"fields": (*term.fields, "prior_claim")}).calculation()
        return replace(claimed, rules=(*claimed.rules, silence_rule(term.silence)))
    return term.calculation()


def _terms() -> tuple[Term, ...]:
    file = resources.files("articulado.calculations").joinpath("data", "deadlines.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))["term"]
    return tuple(Term.model_validate(table) for table in tables)


def month_rule(provision: str, months: int, text: str) -> Rule:
    """Return the rule on a term of months: from date to date, extended to the next working day."""

    @rule(provision, produces="deadline", since=ADMINISTRATIVE_SINCE)
    def deadline(
        notified: date,
        appeal: str | None = None,
        seat: str | None = None,
        holidays: tuple[date, ...] | None = None,
        residence: str | None = None,
        recess: bool = False,
    ) -> Computed:
        calendar = calendar_of(seat, holidays, recess=recess, residence=residence)
        same = add_months(notified, months)
        last = calendar.next_working(same)
        sentence = f"{text}: de fecha a fecha, el {weekday_and_day(same)}."
        if same.day != notified.day:
            sentence += " Ese mes no tiene día equivalente: es su último día."
        if last != same:
            sentence += f" Es inhábil, y se prorroga al {weekday_and_day(last)}."
        article = f"{PROCEDURE}#Artículo 124" if appeal == "reposicion" else ""
        return replace(counted_term(calendar, same, last, sentence), provision=article)

    return deadline


MONTHS = (
    Calculation(
        "deadline/administrative_appeal",
        "Plazo de un recurso administrativo",
        ("deadline",),
        (month_rule(f"{PROCEDURE}#Artículo 122", 1, "Un mes desde la notificación"),),
        ("notified", "appeal", "seat", "holidays", "residence"),
        f"{PROCEDURE}#Artículo 122",
        "El último día es el {deadline}.",
        "Los recursos de alzada y de reposición se interponen en un mes desde la notificación, de fecha a fecha.",
        assumptions=("Los meses se cuentan de fecha a fecha (Ley 39/2015, art. 30.4) y agosto cuenta.",),
        sensitive="Si no hubo resolución expresa, el recurso puede presentarse en cualquier momento desde el silencio.",
        day="notified",
    ),
    Calculation(
        "deadline/administrative_lawsuit",
        "Plazo para demandar agotada la vía administrativa",
        ("deadline", "grace_until"),
        (
            STARTS["notified"],
            month_rule(f"{COURTS}#Artículo 69", 2, "Dos meses desde que se agota la vía"),
            recess_by_matter,
            grace_until,
        ),
        ("notified", "seat", "holidays", "august_excluded"),
        f"{COURTS}#Artículo 69",
        "El último día es el {deadline}; un escrito al juzgado se admite hasta el {grace_until}.",
        "Agotada la vía administrativa, se demanda en dos meses; en despido y otras acciones que caducan, en"
        " veinte días"
        " hábiles.",
        assumptions=("Los dos meses se cuentan de fecha a fecha, también agosto: es la fecha prudente.",),
        sensitive="En despidos y otras acciones con caducidad el plazo es de veinte días hábiles (artículo 69.3).",
        day="notified",
    ),
)

UNEMPLOYMENT = f"{SOCIAL_SECURITY}#Artículo 268"


@rule(UNEMPLOYMENT, produces="event")
def legal_situation(last_working_day: date, untaken_holidays: int | None = None) -> Computed:
    """Return the day before the right arises: the last day at work, or of the holidays not taken."""
    if not untaken_holidays:
        return Computed(last_working_day, "date")
    day = last_working_day + timedelta(days=untaken_holidays)
    text = (
        f"Las vacaciones sin disfrutar ({counted(untaken_holidays, 'days')}) corren tras el cese: acaban el"
        f" {weekday_and_day(day)}, y desde ahí se cuenta (apartado 3)."
    )
    return Computed(day, "date", text)


@rule(UNEMPLOYMENT)
def days_lost(event: date, deadline: date, applied: date) -> Computed:
    """Return the days of benefit that a late application loses, counted from the birth of the right."""
    birth = event + ONE_DAY
    if applied < birth:
        raise Stop(Refused("La solicitud no puede ser anterior a la situación de desempleo: revise las dos fechas."))
    if applied <= deadline:
        not_applied = NotApplied(f"pérdida de días: se pidió en plazo, el {written_day(applied)}", UNEMPLOYMENT)
        return Computed(0, "days", "Pedida en plazo: no se pierde ningún día.", not_applied=(not_applied,))
    lost = (applied - birth).days
    text = (
        f"Solicitud fuera de plazo: del {written_day(birth)}, en que habría nacido el derecho, al"
        f" {written_day(applied)}"
        f" median {counted(lost, 'days')}, que se pierden (apartado 2)."
    )
    return Computed(lost, "days", text, f"{written_day(applied)} − {written_day(birth)}")


_APPLICATION = Term(
    kind="deadline/unemployment_application",
    title="Plazo para pedir la prestación por desempleo",
    law=SOCIAL_SECURITY,
    article="Artículo 268",
    days=15,
    event="last_working_day",
    recess="never",
    fields=("untaken_holidays",),
    text="La prestación se solicita dentro de los quince días siguientes a la situación legal de desempleo.",
    general="El paro se pide en los quince días hábiles siguientes al cese, o al fin de las vacaciones no disfrutadas.",
    assumptions=("Quince días hábiles, sin sábados (Ley 39/2015, art. 30.2), desde el día siguiente al cese.",),
    sensitive=ANOTHER_HOLIDAY + " Las vacaciones pagadas sin disfrutar retrasan su comienzo.",
).calculation(ways=(legal_situation,))
_LOST = Calculation(
    "deadline/unemployment_days_lost",
    "Días de paro perdidos por pedirlo tarde",
    ("days_lost", "deadline"),
    (*_APPLICATION.rules, days_lost),
    ("last_working_day", "applied", *_APPLICATION.fields[1:]),
    UNEMPLOYMENT,
    "Se pierden {days_lost}; el último día para pedirlo era el {deadline}.",
    "Quien pide el paro después de los quince días hábiles pierde los días desde que habría nacido el derecho.",
    conditions=_APPLICATION.conditions,
    assumptions=_APPLICATION.assumptions,
    sensitive=_APPLICATION.sensitive,
    day="last_working_day",
)


@rule(f"{COURTS}#Artículo 125", produces="deadline")
def two_months_before(
    holiday_start: date, seat: str | None = None, holidays: tuple[date, ...] | None = None
) -> Computed:
    """Return the last working day two months before the wanted holidays."""
    same = add_months(holiday_start, -2)
    calendar = calendar_of(seat, holidays)
    last = calendar.last_working(same)
    text = f"Dos meses antes del {written_day(holiday_start)} (letra b): {weekday_and_day(same)}."
    if last != same:
        text += f" Es inhábil: para llegar a tiempo, el {weekday_and_day(last)}."
    return Computed(last, "date", text, assumptions=calendar.assumptions(last, same), warnings=calendar.doubts())


HOLIDAYS_WITHOUT_DATE = Calculation(
    "deadline/holidays_without_date",
    "Plazo para demandar si no hay fecha de vacaciones",
    ("deadline",),
    (two_months_before,),
    ("holiday_start", "seat", "holidays"),
    f"{COURTS}#Artículo 125",
    "La demanda debe presentarse a más tardar el {deadline}.",
    "Sin fecha fijada, la demanda se presenta al menos dos meses antes del día en que se quiere empezar.",
    day="holiday_start",
)


CALCULATIONS = (*map(calculation_of, _terms()), *MONTHS, _APPLICATION, _LOST, HOLIDAYS_WITHOUT_DATE)
