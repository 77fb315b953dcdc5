"""Entry into force of a law, and amendments of its provisions: amending norm, publication day and effective day.

``entry_into_force`` returns a day only where the law says one for all of itself: a date, or a term from its
publication (art. 2.1 of the Civil Code leaves it to the law; art. 5 counts its terms).

``read_amendments`` parses the BOE's notes below a provision: each names the norm and its BOE identifier. An
unusual effective day stands in the same note ("con efectos de 1 de enero de 2025"), in the next one ("Esta
modificación entra en vigor el 30 de marzo de 2022"), or in another note with the same identifier.
``read_reforms`` reads a tab-separated list of reforms, and ``find_change`` returns the first day (ISO 8601)
of a wording.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from dateutil.relativedelta import relativedelta

from articulado.ingestion.boe.wordings import norm_in
from articulado.ingestion.model import Provision
from articulado.language.folding import fold
from articulado.language.formats import MONTHS, month_number, parse_day
from articulado.language.numerals import numeral
from articulado.language.translation import reason
from articulado.legal.ids import BOE_ID
from articulado.legal.labels import provision_key
from articulado.legal.validity import AMENDS
from articulado.values.errors import InvalidInput

_KIND_OF_NORM = r"(?:ley|norma|orden|real decreto|reglamento|texto refundido|estatuto|constitucion)"
_SENTENCE = re.compile(
    rf"^(?:1\. )?(?:(?:la|el|esta|este) (?:presente )?{_KIND_OF_NORM}[\w -]{{0,60}}|lo dispuesto en el reglamento[\w ]+"
    r"|entrada en vigor\. .{0,80}) entrara[n]? en vigor (?P<day>[^.]+)",
)
_NOT_WHOLE = re.compile(r"\b(?:excep\w+|salvo|sin perjuicio|efectos)\b|:$")
_TERM = re.compile(
    r"(?:a|pasados|transcurridos)?\s*(?:los |el |l )?(?P<number>[a-z]+ )?(?P<unit>dias?|mes(?:es)?|anos?)"
    r"(?: naturales)? (?:de|despues de|desde|contados desde|a contar desde) su (?:completa )?publicacion\b"
)
_NEXT_DAY = re.compile(r"(?:el|al|a partir del|desde el)(?: mismo)? dia siguiente (?:al )?de su publicacion\b")
_SAME_DAY = re.compile(r"(?:el )?(?:mismo )?dia de (?:su|la) publicacion\b")
_FIRST_OF_MONTH = re.compile(
    r"el (?:dia )?(?:primero|uno|1|primer dia) del (?:(?P<ordinal>[a-z]+) )?mes siguiente al de su publicacion\b"
)
_DATED = re.compile(r"el (?:dia )?(?:\d{1,2}|uno|primero) de [a-z]+ de \d{4}$")


def entry_into_force(provisions: Iterable[Provision], published: str) -> str | None:
    """Return the first day of a law (ISO 8601); ``None`` where it is not certain.

    Args:
        provisions: those of the law; only final provisions and the approving article are read.
        published: day of publication, ISO 8601.
    """
    if not published:
        return None
    days: set[date | None] = set()
    for provision in provisions:
        if provision.key.startswith(("df:", "art:")) and "en vigor" in fold(provision.text):
            days.update(_day(match, date.fromisoformat(published)) for match in _sentences(provision))
    [day] = days if len(days) == 1 else [None]
    return day.isoformat() if day else None


def _sentences(provision: Provision) -> Iterable[str]:
    for paragraph in provision.paragraphs:
        folded = " ".join(re.sub(r"[«»“”\"]", "", fold(paragraph)).split())
        if match := _SENTENCE.match(folded):
            # Exceptions stand in the sentence or in the list that it announces; earlier effects are law, too.
            yield "" if _NOT_WHOLE.search(folded) else match["day"].strip()


def _day(written: str, published: date) -> date | None:
    after: relativedelta | None = None
    if _NEXT_DAY.match(written):
        after = relativedelta(days=1)
    elif _SAME_DAY.match(written):
        after = relativedelta()
    elif match := _FIRST_OF_MONTH.match(written):
        months = numeral(match["ordinal"]) if match["ordinal"] else 1
        after = relativedelta(months=months, day=1) if months else None
    elif match := _TERM.match(written):
        number = numeral(match["number"]) if match["number"] else 1
        after = _term(number, match["unit"]) if number else None
    elif _DATED.match(written):
        return parse_day(re.sub(r"^(?:el )?(?:dia )?", "", written))
    if after is None:
        return None
    day: date = published + after
    return day


def _term(number: int, unit: str) -> relativedelta:
    if unit.startswith("dia"):
        return relativedelta(days=number)
    return relativedelta(months=number) if unit.startswith("mes") else relativedelta(years=number)


_RENAMED = re.compile(r"\breferencias? (?:.{0,60}?\b)?a (?:(?:los?|las?) )?(?P<body>[a-z]+)")
_SPEAKS_OF_COURT = re.compile(
    r"\b(?:juzgado|juez|jueces|demanda|organo (?:jurisdiccional|judicial)|jurisdiccion social|secretari[oa] judicial)"
)
_COURTS = frozenset(("juzgado", "tribunal"))


_ENUMERATION = re.compile(r"(?<=\ba los |\ba las )(\w+) [^;:.]*,[^;:.]*,[^;:.]*?(?= se entender| deber)")


def abridged(note: str) -> str:
    """Return a note without the members of a long enumeration of bodies and without its further sentences.

    >>> abridged("Las referencias a los Juzgados de Menores, de lo Penal, de lo Social se entenderán a otros; y más.")
    'Las referencias a los Juzgados […] se entenderán a otros.'
    """
    short = _ENUMERATION.sub(r"\1 […]", note)
    return note if short == note else f"{short.partition(';')[0].rstrip('.')}."


def bears_on(note: str, text: str) -> bool:
    """Tell whether a note at the head of a law bears on a text of it.

    A note on references to a body bears on texts that name the body; one on courts also on those that speak of a
    claim before them. A note of any other kind bears on no text in particular.
    """
    if (renamed := _RENAMED.search(fold(note))) is None:
        return False
    body = re.sub(r"(?<=[^aeiou])es$|s$", "", renamed["body"])
    folded = fold(text)
    if body in _COURTS and _SPEAKS_OF_COURT.search(folded):
        return True
    return re.search(rf"\b{body}", folded) is not None


_REFERENCE = re.compile(rf"Ref\. ({BOE_ID})")
_LATER_WORDING = "en la redacción dada por"
_DATE = rf"(\d{{1,2}})(?:\.?º)? de ({MONTHS})(?: de (\d{{4}}))?"
_EFFECT = re.compile(rf"(?:efectos|en vigor)(?: (?:de|desde|el|a partir del|día))* {_DATE}")
_ENACTED = re.compile(rf"(?:/(\d{{4}}),?)? de {_DATE}$")
# A ruling that finds a wording unconstitutional and leaves it as it is.
_WITHOUT_NULLITY = "no lleva aparejada"


@dataclass(frozen=True)
class Amendment:
    """What one norm did to a provision.

    ``norm`` is its name ("Real Decreto-ley 32/2021, de 28 de diciembre"), ``reference`` its BOE identifier,
    ``enacted`` its own day, ``effect`` the day since which the whole amendment has effect, where a note says it; days
    are ISO 8601. ``adds`` tells that it brought the whole provision, ``voids`` that it undoes one that lapsed.
    ``notes`` are the notes on it.
    """

    norm: str
    reference: str
    enacted: str | None = None
    effect: str | None = None
    adds: bool = False
    voids: bool = False
    notes: tuple[str, ...] = ()

    @property
    def ruling(self) -> bool:
        """Tell whether a court did it, and no legislator."""
        return self.norm.startswith(("Sentencia", "Auto"))


def read_amendments(notes: Sequence[str]) -> list[Amendment]:
    """Return the amendments that notes tell of, in the order of the notes: the last one first.

    A note that tells of none belongs to the amendment whose identifier it has, else to the one above it.
    """
    first = [index for index, note in enumerate(notes) if AMENDS.match(note) and _WITHOUT_NULLITY not in note]
    owned: dict[int, list[str]] = {index: [notes[index]] for index in first}
    for index, note in enumerate(notes):
        same_norm = [other for other in first if _reference(note) and _reference(notes[other]) == _reference(note)]
        above = [other for other in first if other < index]
        if index not in owned and (same_norm or above):
            owned[same_norm[0] if same_norm else above[-1]].append(note)
    return [_amendment(texts) for texts in owned.values()]


def _amendment(notes: Sequence[str]) -> Amendment:
    note, *rest = notes
    head = note[: match.start()] if (match := _REFERENCE.search(note)) else note
    _, reworded, later = head.partition(_LATER_WORDING)
    norm = norm_in(f" por {later}" if reworded else head)
    day = _ENACTED.search(norm)
    effects = (_iso(*match.groups()) for text in (head, *rest) for match in _EFFECT.finditer(text))
    return Amendment(
        norm=norm,
        reference=_reference(note),
        enacted=_iso(day[2], day[3], day[4] or day[1]) if day else None,
        # Not before the last of them is the whole amendment law.
        effect=max(filter(None, effects), default=None),
        adds=re.match(r"Se añade(?:,[^,]*,)? por ", note) is not None,
        voids=note.startswith("Se deja sin efecto"),
        notes=tuple(notes),
    )


def _reference(note: str) -> str:
    match = _REFERENCE.search(note)
    return match[1] if match else ""


def _iso(day: str, month: str, year: str | None) -> str | None:
    try:
        return date(int(year or 0), month_number(month), int(day)).isoformat()
    except ValueError:
        return None


_LAW, _PUBLISHED, _NORM, _AFFECTED = "law_id", "commit_date(=publication of reform)", "reforming_norm", "affected"


@dataclass(frozen=True)
class Reform:
    """One norm that reformed a law: its BOE identifier, the day it was published, the provisions that it touched."""

    reference: str
    published: str
    keys: frozenset[str]


@dataclass(frozen=True)
class Reforms:
    """The reforms of each law by its identifier, and the day of publication of each norm by its own."""

    by_law: dict[str, list[Reform]] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)

    def of(self, law_id: str, key: str) -> list[tuple[str, Amendment]]:
        """Return the amendments of a provision that the list names, with their days; it does not tell labels apart."""
        plain = key.split("~")[0]
        return [
            (reform.published, Amendment(norm="", reference=reform.reference))
            for reform in self.by_law.get(law_id, [])
            if plain in reform.keys and reform.reference != law_id
        ]


def read_reforms(path: Path) -> Reforms:
    """Read a list of reforms: tab-separated, with a head row.

    Raises:
        InvalidInput: the file cannot be read, lacks a column, or holds a day that is none.
    """
    reforms = Reforms()
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                published = date.fromisoformat(row[_PUBLISHED]).isoformat()
                keys = (provision_key(label) for label in row[_AFFECTED].split(","))
                reform = Reform(row[_NORM], published, frozenset(key for key in keys if key))
                reforms.by_law.setdefault(row[_LAW], []).append(reform)
                earliest = min(published, reforms.published.get(reform.reference, published))
                reforms.published[reform.reference] = earliest
    except OSError as error:
        raise InvalidInput(f"La lista de reformas «{path}» no se puede leer: {reason(error)}.") from error
    except KeyError as error:
        raise InvalidInput(f"A la lista de reformas «{path}» le falta la columna {error}. Complétela.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"La lista de reformas «{path}» no se entiende: revise que sea UTF-8 con columnas separadas por "
            "tabuladores y fechas AAAA-MM-DD."
        ) from error
    return reforms


@dataclass(frozen=True)
class Step:
    """One amendment, the day it was published, and its first day as law; not ``exact`` if only derived from that."""

    amendment: Amendment
    published: str
    day: str
    exact: bool


@dataclass(frozen=True)
class Change:
    """How a wording began: ``day`` is its first day as law, ISO 8601.

    ``steps`` are the amendments since the wording before it, in the order of their days; the last brought the wording.
    None: no amendment is known, and ``day`` is that of the first snapshot that has the wording.
    """

    day: str
    steps: tuple[Step, ...] = ()


def dated(amendments: Iterable[Amendment], reforms: Reforms) -> list[tuple[str, Amendment]]:
    """Return amendments with their days of publication, or failing that of enactment; without either, not at all."""
    days = ((reforms.published.get(amendment.reference) or amendment.enacted, amendment) for amendment in amendments)
    return [(day, amendment) for day, amendment in days if day]


def find_change(
    amendments: Sequence[tuple[str, Amendment]], since: str, until: str, before: str | None
) -> Change | None:
    """Return the change by the amendments published after ``since`` and not after ``until``, if there are any.

    A day of effect is not believed where it is not after ``since`` or not before ``before``, the day on which the
    next wording begins: then the day of publication decides.
    """
    steps = [_step(amendment, day, since, before) for day, amendment in amendments if since < day <= until]
    ends = [step.published for step in steps if step.amendment.voids]
    lapsed = {step.published for step in steps for end in ends if step.published <= end < step.day and step.exact}
    if lapsed:
        steps = [step for step in steps if step.published not in lapsed and not step.amendment.voids]
    if not steps:
        return None
    latest = max(steps, key=lambda step: step.published)
    pending = [step for step in steps if step.day > max(latest.published, latest.day)]
    last = max([latest, *pending], key=lambda step: step.day)
    earlier = sorted((step for step in steps if step.day < last.day), key=lambda step: step.day)
    return Change(last.day, (*earlier, last))


def day_after(day: str) -> str:
    """Return the next day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _step(amendment: Amendment, published: str, since: str, before: str | None) -> Step:
    effect = amendment.effect
    if effect and since < effect and (before is None or effect < before):
        return Step(amendment, published, effect, exact=True)
    derived = day_after(published)
    if amendment.ruling or (before is not None and derived >= before):
        derived = published
    return Step(amendment, published, derived, exact=amendment.ruling)
