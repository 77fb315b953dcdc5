"""Say in Spanish until when a wording or a law was in force, and what took its place."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from ingestion.boe.wordings import Wording
from language.formats import long_day

_NAME = re.compile(
    r"(?:Ley(?: Orgánica| Foral)?|Orden|Resolución|Sentencias?|Circular|Instrucción|Reforma"
    r"|(?:Real )?Decreto(?: Foral)?(?:-[Ll]ey(?: Foral)?| Legislativo)?|Acuerdo|Auto|Reglamento)"
    r"(?: del T[CS])?(?: [A-Z]{2,4}/\d+/\d{4}| \d+/\d{4})?(?:,? de \d{1,2} de [a-z]+(?: de \d{4})?)?"
)
_JUDGMENTS = ("Sentencia", "Auto")
_FEMININE = ("Ley", "Orden", "Resolución", "Sentencia", "Circular", "Instrucción", "Reforma")


def norm_in(text: str) -> str:
    """Return the norm by which something was done ("… por la disposición final 9 de la Ley 11/2023, de 8 de mayo").

    Empty if the text names none after "por".
    """
    _, by, agent = text.partition(" por ")
    found = _NAME.search(agent) if by else None
    return found[0] if found else ""


def with_article(name: str, law_id: str) -> str:
    """Return a norm with its article and identifier: "la Ley 11/2023, de 8 de mayo (BOE-A-2023-11022)"."""
    if not name:
        return f"la norma {law_id}"
    article = "las" if name.startswith("Sentencias") else "la" if name.startswith(_FEMININE) else "el"
    return f"{article} {name} ({law_id})" if law_id else f"{article} {name}"


def wording_note(wording: Wording, notes: Sequence[str], norms: Mapping[str, str]) -> str:
    """Return the note on a wording that ends, as true before that day as after it.

    ``notes`` are those of the version that takes its place, ``norms`` the names of norms by identifier.
    """
    if wording.end is None:
        return ""
    last = (date.fromisoformat(wording.end) - timedelta(days=1)).isoformat()
    span = f"Redacción en vigor del {long_day(wording.start)} al {long_day(last)}"
    if wording.next is None:
        return f"{span}; después, sin vigencia."
    law_id = wording.next.get("id_norma") or ""
    named = next((norm_in(note) for note in notes if law_id and law_id in note), "") or norms.get(law_id, "")
    by = with_article(named, law_id) if law_id else "otra posterior"
    # A court does not write law anew.
    return f"{span}; la {'modifica' if named.startswith(_JUDGMENTS) else 'sustituye'} {by}."
