"""Read which norm changed a provision, and what is known of the days of its wordings."""

import re
from collections.abc import Mapping, Sequence

from articulado.values.chunks import WordingDates
from ingestion.boe.wordings import Wording

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
