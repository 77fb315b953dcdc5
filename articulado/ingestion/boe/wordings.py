"""Dated wordings of a block of the BOE's XML.

A wording is in force from ``start`` to the day before ``end`` (ISO 8601; ``None`` is open). The wordings of
a block do not overlap. Days before 1800 are source errors and count as missing. ``norm_in`` extracts the
amending norm from a note.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from articulado.ingestion.boe.catalogue import Element
from articulado.values.chunks import WordingDates

EARLIEST = "1800-01-01"
"""An earlier day is a mistake of the source (the year 0998 occurs)."""


@dataclass(frozen=True)
class Wording:
    """One ``version`` of a block: in force from ``start`` to the day before ``end``, ISO 8601; ``None`` is open.

    ``next`` is the version that took its place, ``None`` if none did. ``expires`` tells that the block ends with it.
    """

    version: Element
    start: str
    end: str | None
    next: Element | None
    expires: bool


def iso_day(text: str | None) -> str | None:
    """Return a day of the BOE in ISO 8601; ``None`` if it is empty, 99999999, or no likely day.

    >>> iso_day("20181207"), iso_day("99999999")
    ('2018-12-07', None)
    """
    text = (text or "").strip()
    try:
        day = date(int(text[:4]), int(text[4:6]), int(text[6:])).isoformat() if len(text) == 8 else None
    except ValueError:
        return None
    return day if day and day >= EARLIEST else None


def wordings(block: Element, published: str) -> list[Wording]:
    """Return the wordings of a block by the day on which they came into force; their days do not overlap.

    A version is in force from its ``fecha_vigencia``, else its ``fecha_publicacion``, else ``published``, the day of
    the law's own publication. Of two from the same day the later published is kept, of two published together the
    later in the text. ``fecha_caducidad`` ends the block; a version from that day on is none of its wordings.
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
    """Return the norm by which something was done; empty if the text names none after "por".

    >>> norm_in("Se modifica por la disposición final 9 de la Ley 11/2023, de 8 de mayo.")
    'Ley 11/2023, de 8 de mayo'
    """
    _, by, agent = text.partition(" por ")
    match = _NAME.search(agent) if by else None
    return match[0] if match else ""


def wording_dates(wording: Wording, notes: Sequence[str], norms: Mapping[str, str]) -> WordingDates:
    """Return what is known of the days of a wording: all of it, of every wording there ever was.

    ``notes`` are those of the version that takes its place, ``norms`` the names of norms by identifier.
    """
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
