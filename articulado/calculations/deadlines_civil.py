"""Terms from date to date and in natural days: prescription of claims and faults, and advance notices."""

from dataclasses import dataclass
from datetime import date, timedelta

from articulado.calculations.calendars import calendar_of
from articulado.calculations.deadlines import ONE_DAY, WAIT
from articulado.calculations.employment import add_months
from articulado.calculations.engine import COURTS, PROCEDURE, STATUTE, Calculation, Computed, Rule, Variant, rule
from articulado.calculations.values import NotEntitled, Refused, Stop, counted, weekday_and_day, written_day

SANCTIONS = "BOE-A-2000-15060"
PRESCRIPTION, FAULTS = f"{STATUTE}#Artículo 59", f"{STATUTE}#Artículo 60"
DATE_TO_DATE = "artículo 5.1 del Código Civil: los meses y los años se cuentan de fecha a fecha"
NATURAL_DAYS = "artículo 5 del Código Civil: los días son naturales y el inicial no cuenta"
CIVIL = "Cómputo civil de fecha a fecha; se toma la fecha prudente."
LAST_DAY_CLOSED = "El último día es {day}: cuente con el último hábil anterior."
_SATURDAY = 5


def _closed(day: date) -> tuple[str, ...]:
    if day.weekday() < _SATURDAY:
        return ()
    return (LAST_DAY_CLOSED.format(day=weekday_and_day(day)),)


def _restarted(interrupted: date, conciliation_held: date | None) -> tuple[date, str]:
    """Return the day after which an interrupted term starts again, and its wording.

    A conciliation starts it on the next day, at the latest fifteen working days after the request (LRJS 65.1). Only
    national holidays count, which gives the earlier day.
    """
    if conciliation_held is None:
        return interrupted, "desde esa reclamación"
    latest = calendar_of(None, ()).after(interrupted, WAIT)
    if conciliation_held <= latest:
        return conciliation_held, f"desde el acto de conciliación del {written_day(conciliation_held)}"
    return latest, f"a los quince días hábiles de la papeleta ({written_day(latest)}), antes del acto de conciliación"


def years_rules(provision: str, years: int, text: str) -> tuple[Rule, Variant]:
    """Return the rule on a term of years that a claim restarts, and its reading with one day more."""

    def last(due: date, claims: tuple[date, ...], held: date | None, given: int | None, extra: timedelta) -> Computed:
        warnings = []
        if given not in (None, years):
            warnings.append(f"Ha indicado {counted(given or 0, 'years')}; la ley da {counted(years, 'years')}.")
        if claims and claims[0] < due:
            raise Stop(Refused("La reclamación no puede ser anterior al día del pago: revise las dos fechas."))
        if held and claims and held < claims[0]:
            raise Stop(Refused("El acto de conciliación no puede ser anterior a la papeleta: revise las dos fechas."))
        end = add_months(due, 12 * years) + extra
        sentences = [f"{text} De fecha a fecha desde el {written_day(due)}: {weekday_and_day(end)}."]
        request = max((claim for claim in claims if held and claim <= held), default=None)
        for claim in claims:
            if claim > end:
                reason = (
                    f"El plazo acabó el {weekday_and_day(end)}, antes de la reclamación del {written_day(claim)}: la"
                    " acción había prescrito."
                )
                raise Stop(NotEntitled(reason, provision))
            again, since = _restarted(claim, held if claim == request else None)
            end = max(end, add_months(again, 12 * years) + extra)
            sentences.append(
                f"La reclamación del {written_day(claim)} lo interrumpe; empieza de nuevo entero {since}:"
                f" {weekday_and_day(end)}."
            )
        return Computed(end, "date", " ".join(sentences), warnings=(*warnings, *_closed(end)))

    def made(extra: timedelta) -> Rule:
        @rule(provision, produces="deadline", authority=DATE_TO_DATE)
        def deadline(
            due: date,
            interrupted: tuple[date, ...] = (),
            conciliation_held: date | None = None,
            term_years: int | None = None,
        ) -> Computed:
            return last(due, interrupted, conciliation_held, term_years, extra)

        return deadline

    return made(timedelta()), Variant(made(ONE_DAY), "contando el primer día del año como entero")


def _years(kind: str, title: str, provision: str, text: str, general: str, sensitive: str) -> Calculation:
    deadline, later = years_rules(provision, 1, text)
    return Calculation(
        kind,
        title,
        ("deadline",),
        (deadline,),
        ("due", "interrupted", "conciliation_held", "term_years"),
        provision,
        "El último día seguro es el {deadline}.",
        general,
        assumptions=(CIVIL,),
        sensitive=sensitive,
        variants=(later,),
        day="due",
    )


YEARS = (
    _years(
        "deadline/payment_claim",
        "Plazo para reclamar cantidades",
        PRESCRIPTION,
        "Las cantidades prescriben al año desde que pudieron reclamarse.",
        "Salarios y otras cantidades se reclaman en un año desde que debieron pagarse; cada reclamación lo reinicia.",
        "No se aplican los veinte días del despido: es una reclamación de cantidad.",
    ),
    _years(
        "deadline/wage_guarantee",
        "Plazo para pedir al Fondo de Garantía Salarial",
        f"{STATUTE}#Artículo 33",
        "Prescribe al año del acto de conciliación, sentencia, auto o resolución que reconoce la deuda (apartado 7).",
        "Las prestaciones del Fondo de Garantía Salarial se piden en un año desde la resolución que reconoce la deuda.",
        "El plazo se interrumpe por la ejecución o por el reconocimiento del crédito en el concurso.",
    ),
    _years(
        "deadline/execution",
        "Plazo para pedir la ejecución de una cantidad",
        f"{COURTS}#Artículo 243",
        "El cumplimiento de las obligaciones de entregar dinero se pide en un año (apartado 2).",
        "La ejecución de una sentencia que condena a pagar se pide en un año desde que es firme o exigible.",
        "Si lo que se ejecuta es una readmisión, el plazo es de veinte días (artículo 279).",
    ),
)

FAULT_DAYS = {"minor": 10, "serious": 20, "very_serious": 60}
FAULT_NAMES = {"minor": "leve", "serious": "grave", "very_serious": "muy grave"}
MOST_MONTHS = 6


@rule(FAULTS)
def fault(term_days: int) -> Computed:
    """Return the gravity of a fault by the days of its term."""
    matches = [name for name, days in FAULT_DAYS.items() if days == term_days]
    if not matches:
        raise Stop(Refused("Las faltas prescriben a los 10, 20 o 60 días: diga si es leve, grave o muy grave."))
    return Computed(matches[0])


@rule(FAULTS, produces="deadline", authority=NATURAL_DAYS)
def last_day_to_punish(fault: str, employer_knew: date, committed: date | None = None) -> Computed:
    """Return the last day to punish a fault: by the employer's knowledge, at most six months after the facts."""
    days = FAULT_DAYS[fault]
    by_knowledge = employer_knew + timedelta(days=days)
    text = (
        f"Falta {FAULT_NAMES[fault]}: {days} días naturales desde que la empresa lo supo"
        f" ({written_day(employer_knew)}):"
        f" {weekday_and_day(by_knowledge)}."
    )
    if committed is None:
        warning = "En todo caso prescribe a los seis meses de los hechos: diga qué día ocurrieron para comprobarlo."
        return Computed(by_knowledge, "date", text, warnings=(warning,))
    if employer_knew < committed:
        raise Stop(Refused("La empresa no pudo saberlo antes de que ocurriera: revise las dos fechas."))
    most = add_months(committed, MOST_MONTHS)
    told = f"A los seis meses de los hechos: {weekday_and_day(most)}"
    if most < by_knowledge:
        return Computed(most, "date", f"{text} {told}, que llega antes y es lo que cuenta.")
    return Computed(by_knowledge, "date", f"{text} {told}, que no llega antes.")


ASSUMED_LABOUR = (
    "Se toma como infracción laboral: las de Seguridad Social prescriben a los cuatro años y las de prevención de"
    " riesgos, al año, a los tres o a los cinco según su gravedad."
)
MATTER_YEARS = {"labour": 3, "social_security": 4}
PREVENTION_YEARS = {"minor": 1, "serious": 3, "very_serious": 5}


@rule(f"{SANCTIONS}#Artículo 4")
def infringement_years(infringement_matter: str | None = None, fault: str | None = None) -> Computed:
    """Return the years of prescription: by the matter, and in prevention by the gravity."""
    if infringement_matter is None:
        return Computed(MATTER_YEARS["labour"], "years", assumptions=(ASSUMED_LABOUR,))
    if infringement_matter != "prevention":
        return Computed(MATTER_YEARS[infringement_matter], "years")
    if fault is None:
        raise Stop(
            Refused("En prevención de riesgos el plazo depende de la gravedad: diga si es leve, grave o muy grave.")
        )
    return Computed(PREVENTION_YEARS[fault], "years")


@rule(f"{SANCTIONS}#Artículo 4", produces="deadline", authority=DATE_TO_DATE)
def last_day_of_infringement(infringement_years: int, committed: date) -> Computed:
    """Return the day on which an infringement of the employer prescribes."""
    end = add_months(committed, 12 * infringement_years)
    told = counted(infringement_years, "years")
    text = f"Prescribe en {told} desde la infracción ({written_day(committed)}): {weekday_and_day(end)}."
    return Computed(end, "date", text)


FAULT_TERMS = (
    Calculation(
        "deadline/faults",
        "Prescripción de una falta del trabajador",
        ("deadline",),
        (fault, last_day_to_punish),
        ("employer_knew", "fault", "committed", "term_days", "term_unit"),
        FAULTS,
        "La empresa puede sancionar la falta hasta el {deadline}.",
        "Las faltas leves prescriben a los diez días, las graves a los veinte y las muy graves a los sesenta"
        " desde que la"
        " empresa lo supo, y todas a los seis meses de los hechos.",
        sensitive="Si los hechos continúan o se ocultaron, los seis meses cuentan desde que cesan o se conocen.",
        day="employer_knew",
    ),
    Calculation(
        "deadline/infringement",
        "Prescripción de una infracción de la empresa",
        ("deadline",),
        (infringement_years, last_day_of_infringement),
        ("committed", "infringement_matter", "fault"),
        f"{SANCTIONS}#Artículo 4",
        "La infracción prescribe el {deadline}.",
        "Las infracciones laborales prescriben a los tres años; las de Seguridad Social, a los cuatro; las de"
        " prevención,"
        " al año, a los tres o a los cinco según su gravedad.",
        sensitive="Una actuación de la Inspección de la que la empresa tenga noticia interrumpe el plazo.",
        day="committed",
    ),
)


@dataclass(frozen=True)
class Notice:
    """Advance notice that a law requires, in natural days or months."""

    provision: str
    text: str
    days: int = 0
    months: int = 0

    def after(self, day: date, sign: int = 1) -> date:
        return add_months(day, sign * self.months) + timedelta(days=sign * self.days)


_EXECUTIVE, _HOME = "BOE-A-1985-17006#Art. 10", "BOE-A-2011-17975#Artículo 11"
NOTICES = {
    "objective": Notice(f"{STATUTE}#Artículo 53", "quince días desde la entrega de la carta (1.c)", 15),
    "temporary_end": Notice(f"{STATUTE}#Artículo 49", "quince días si el contrato dura más de un año (1.c)", 15),
    "mobility": Notice(f"{STATUTE}#Artículo 40", "treinta días antes del traslado (apartado 1)", 30),
    "modification": Notice(f"{STATUTE}#Artículo 41", "quince días antes de su efecto (apartado 3)", 15),
    "collective_modification": Notice(f"{STATUTE}#Artículo 41", "siete días desde la notificación (apartado 5)", 7),
    "holidays": Notice(f"{STATUTE}#Artículo 38", "dos meses antes de las vacaciones (apartado 3)", months=2),
    "reduced_hours": Notice(f"{STATUTE}#Artículo 37", "quince días o lo que diga el convenio (apartado 7)", 15),
    "parental_leave": Notice(f"{STATUTE}#Artículo 48 bis", "diez días o lo que diga el convenio (apartado 2)", 10),
    "irregular_hours": Notice(f"{STATUTE}#Artículo 34", "cinco días (apartado 2)", 5),
    "complementary_hours": Notice(f"{STATUTE}#Artículo 12", "tres días, salvo un plazo menor del convenio (5.d)", 3),
    "domestic_end": Notice(_HOME, "siete días con hasta un año de servicio (apartado 2)", 7),
    "domestic_end_over_year": Notice(_HOME, "veinte días con más de un año de servicio (apartado 2)", 20),
    "senior_executive": Notice(_EXECUTIVE, "tres meses, o hasta seis si se pactó por escrito", months=3),
}
OF_AGREEMENT = f"{STATUTE}#Artículo 49"


def _notice(notice_kind: str | None, term_days: int | None) -> tuple[Notice, tuple[str, ...]]:
    legal = NOTICES.get(notice_kind or "")
    if legal is None:
        if not term_days:
            reason = (
                "La ley no fija este preaviso: diga cuántos días da el convenio, el contrato o la costumbre («days»)."
            )
            raise Stop(Refused(reason, OF_AGREEMENT))
        return Notice(
            OF_AGREEMENT, f"{counted(term_days, 'days')} según el convenio, el contrato o la ley", term_days
        ), ()
    if term_days and term_days != legal.days:
        return legal, (f"Ha indicado {counted(term_days, 'days')}; se aplica el plazo de la ley: {legal.text}.",)
    return legal, ()


@rule(OF_AGREEMENT, produces="deadline", authority=NATURAL_DAYS)
def first_effect(notice_given: date, notice_kind: str | None = None, term_days: int | None = None) -> Computed:
    """Return the first day on which a decision may take effect."""
    notice, warnings = _notice(notice_kind, term_days)
    day = notice.after(notice_given)
    text = f"Preaviso de {notice.text}: avisado el {written_day(notice_given)}, no antes del {weekday_and_day(day)}."
    return Computed(day, "date", text, provision=notice.provision, warnings=warnings)


@rule(OF_AGREEMENT, produces="deadline", authority=NATURAL_DAYS)
def last_notice(takes_effect: date, notice_kind: str | None = None, term_days: int | None = None) -> Computed:
    """Return the last day to give the notice."""
    notice, warnings = _notice(notice_kind, term_days)
    day = notice.after(takes_effect, -1)
    text = f"Preaviso de {notice.text}: para el {written_day(takes_effect)} se avisa hasta el {weekday_and_day(day)}."
    return Computed(day, "date", text, provision=notice.provision, warnings=warnings)


@rule(OF_AGREEMENT)
def notice_missing(
    notice_given: date, takes_effect: date, notice_kind: str | None = None, term_days: int | None = None
) -> Computed:
    """Return the missing days of notice."""
    if takes_effect < notice_given:
        raise Stop(Refused("El efecto no puede ser anterior al aviso: revise las dos fechas."))
    notice, warnings = _notice(notice_kind, term_days)
    lacking = max((notice.after(notice_given) - takes_effect).days, 0)
    given = counted((takes_effect - notice_given).days, "days")
    text = f"Preaviso de {notice.text}: se dieron {given} y faltan {counted(lacking, 'days')}."
    return Computed(lacking, "days", text, provision=notice.provision, warnings=warnings)


@rule(f"{PROCEDURE}#Artículo 30", produces="deadline", authority=NATURAL_DAYS)
def last_natural_day(notified: date, term_days: int, term_unit: str | None = None) -> Computed:
    """Return the last day of a term in natural days set by a decision."""
    if term_unit == "business":
        raise Stop(Refused("Este cálculo cuenta días naturales; para hábiles use «deadline/administrative_term»."))
    if not term_days:
        raise Stop(Refused("El plazo debe tener al menos un día."))
    day = notified + timedelta(days=term_days)
    told = f"{counted(term_days, 'days')} naturales desde el día siguiente al {written_day(notified)}"
    return Computed(day, "date", f"{told}: {weekday_and_day(day)}.", warnings=_closed(day))


NATURAL_TERM = Calculation(
    "deadline/calendar_days",
    "Plazo en días naturales",
    ("deadline",),
    (last_natural_day,),
    ("notified", "term_days", "term_unit"),
    f"{PROCEDURE}#Artículo 30",
    "El último día es el {deadline}.",
    "Los plazos en días naturales cuentan todos los días desde el siguiente a la notificación.",
    sensitive="Si la resolución no dice «naturales», los días son hábiles y el plazo acaba después.",
    day="notified",
)
_NOTICE_FIELDS = ("notice_given", "takes_effect", "notice_kind", "term_days", "term_unit")
_NOTICE_RULE = "El preaviso depende de la decisión: quince días en el despido objetivo, treinta en un traslado…"
NOTICE_TERMS = (
    Calculation(
        "deadline/notice",
        "Preaviso",
        ("deadline",),
        (first_effect, last_notice),
        _NOTICE_FIELDS,
        OF_AGREEMENT,
        "Con el preaviso, el día es el {deadline}.",
        _NOTICE_RULE,
        assumptions=("Días naturales; el del aviso no cuenta.",),
        sensitive="El convenio o el contrato pueden pedir más antelación.",
    ),
    Calculation(
        "deadline/notice_missing",
        "Días de preaviso que faltan",
        ("notice_missing",),
        (notice_missing,),
        _NOTICE_FIELDS,
        OF_AGREEMENT,
        "Faltan {notice_missing} de preaviso, que se pagan con su salario.",
        _NOTICE_RULE,
        assumptions=("Días naturales; el del aviso no cuenta.",),
    ),
)
CALCULATIONS = (*YEARS, *FAULT_TERMS, NATURAL_TERM, *NOTICE_TERMS)
