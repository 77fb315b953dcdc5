"""Dated wordings of a block of the BOE's XML, and amendments named in the BOE's notes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from articulado.ingestion.boe.cache import Element
from articulado.language.formats import MONTHS, month_number
from articulado.legal.ids import BOE_ID
from articulado.legal.validity import AMENDS
from articulado.values.chunks import WordingDates

EARLIEST = "1800-01-01"  # an earlier day is an error of the source (the year 0998 occurs)


@dataclass(frozen=True)
class Wording:
    """One ``version`` of a block, in force from ``start`` to the day before ``end`` (ISO 8601; ``None`` is open)."""

    version: Element
    start: str
    end: str | None
    next: Element | None  # the version that replaced it
    expires: bool  # the block ends with it


def iso_day(text: str | None) -> str | None:
    """Return a day of the BOE in ISO 8601; ``None`` if empty, 99999999 or implausible."""
    text = (text or "").strip()
    try:
        day = date(int(text[:4]), int(text[4:6]), int(text[6:])).isoformat() if len(text) == 8 else None
    except ValueError:
        return None
    return day if day and day >= EARLIEST else None


def wordings(block: Element, published: str) -> list[Wording]:
    """Return the wordings of a block in the order of their first days; they do not overlap.

    A version starts on its ``fecha_vigencia``, else its ``fecha_publicacion``, else ``published``, the law's own
    publication. Of two from the same day the later published is kept, of two published together the later in the
    text. ``fecha_caducidad`` ends the block; versions from that day on are dropped.
    """
    dated = []
    for order, version in enumerate(block.iterfind("version")):
        publication = iso_day(version.get("fecha_publicacion")) or published
        dated.append((iso_day(version.get("fecha_vigencia")) or publication, publication, order, version))
    latest = {start: version for start, _, _, version in sorted(dated, key=lambda version: version[:3])}
    expiry = iso_day(block.get("fecha_caducidad"))
    in_order = []
    bounds = list(latest.items())
    for (start, version), (end, following) in zip(bounds, [*bounds[1:], (None, None)], strict=True):
        if expiry and start >= expiry:
            break
        expires = expiry is not None and (end is None or expiry <= end)
        in_order.append(Wording(version, start, expiry if expires else end, following, expires))
    return in_order


_NAME = re.compile(
    r"(?:Ley(?: Orgánica| Foral)?|Orden|Resolución|Sentencias?|Circular|Instrucción|Reforma"
    r"|(?:Real )?Decreto(?: Foral)?(?:-[Ll]ey(?: Foral)?| Legislativo)?|Acuerdo|Auto|Reglamento)"
    r"(?: del T[CS])?(?: [A-Z]{2,4}/\d+/\d{4}| \d+/\d{4})?(?:,? de \d{1,2} de [a-z]+(?: de \d{4})?)?"
)
_JUDGMENTS = ("Sentencia", "Auto")


def norm_in(text: str) -> str:
    """Return the norm named after "por" in a note; empty if there is none.

    >>> norm_in("Se modifica por la disposición final 9 de la Ley 11/2023, de 8 de mayo.")
    'Ley 11/2023, de 8 de mayo'
    """
    _, by, agent = text.partition(" por ")
    match = _NAME.search(agent) if by else None
    return match[0] if match else ""


def wording_dates(wording: Wording, notes: Sequence[str], norms: Mapping[str, str]) -> WordingDates:
    """Return the dates of a wording; ``notes`` are those of the replacing version, ``norms`` names by identifier."""
    dates: WordingDates = {"tracked": True, "first_day": "exact"}
    if wording.end is None:
        return dates
    if wording.next is None:
        return {**dates, "last_day": "exact", "ended_by": []}
    law_id = wording.next.get("id_norma") or ""
    norm = next((norm_in(note) for note in notes if law_id and law_id in note), "") or norms.get(law_id, "")
    return {
        **dates,
        "last_day": "exact",
        "ended_by": [
            {
                "norm": norm if law_id else "",
                "law_id": law_id,
                # A court does not write law anew.
                "act": "amends" if norm.startswith(_JUDGMENTS) else "replaces",
                "day": wording.end,
                "deduced_from": None,
                "published": None,
            }
        ],
    }


_REFERENCE = re.compile(rf"Ref\. ({BOE_ID})")
_LATER_WORDING = "en la redacción dada por"
_DATE = rf"(\d{{1,2}})(?:\.?º)? de ({MONTHS})(?: de (\d{{4}}))?"
_EFFECT = re.compile(rf"(?:efectos|en vigor)(?: (?:de|desde|el|a partir del|día))* {_DATE}")
_ENACTED = re.compile(rf"(?:/(\d{{4}}),?)? de {_DATE}$")
# A ruling that declares a wording unconstitutional but leaves it in force.
_WITHOUT_NULLITY = "no lleva aparejada"


@dataclass(frozen=True)
class Amendment:
    """Effect of one norm on a provision; days are ISO 8601."""

    norm: str  # name: "Real Decreto-ley 32/2021, de 28 de diciembre"
    reference: str  # BOE identifier of the norm
    enacted: str | None = None  # day of the norm itself
    effect: str | None = None  # day from which the whole amendment has effect, if a note gives it
    adds: bool = False  # it created the whole provision
    voids: bool = False  # it undoes an amendment that lapsed
    notes: tuple[str, ...] = ()

    @property
    def ruling(self) -> bool:
        return self.norm.startswith(("Sentencia", "Auto"))


def read_amendments(notes: Sequence[str]) -> list[Amendment]:
    """Return the amendments in notes, the last first; other notes join the same identifier, else the one above."""
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
        # The whole amendment is law only from the last of these days.
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


@dataclass(frozen=True)
class Step:
    """Amendment, its day of publication and its first day as law; not ``exact`` if derived from the publication."""

    amendment: Amendment
    published: str
    day: str
    exact: bool


@dataclass(frozen=True)
class Change:
    """Beginning of a wording, and the amendments since the previous one, in the order of their days."""

    day: str  # first day as law (ISO 8601); without known amendments, day of the first snapshot with the wording
    steps: tuple[Step, ...] = ()  # the last one brought the wording


def find_change(
    amendments: Sequence[tuple[str, Amendment]], since: str, until: str, before: str | None
) -> Change | None:
    """Return the change made by the amendments published after ``since`` up to ``until``, if any.

    An effective day outside ``since`` … ``before`` (the next wording) is rejected in favour of the day of publication.
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
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _step(amendment: Amendment, published: str, since: str, before: str | None) -> Step:
    effect = amendment.effect
    if effect and since < effect and (before is None or effect < before):
        return Step(amendment, published, effect, exact=True)
    derived = day_after(published)
    if amendment.ruling or (before is not None and derived >= before):
        derived = published
    return Step(amendment, published, derived, exact=amendment.ruling)
