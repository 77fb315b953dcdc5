"""The wordings of a provision: what tells one from another, and what is known of their days, in Spanish."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import blake2b

from language.folding import fold
from language.formats import long_day
from state.chunks import WordingChange, WordingDates

DEDUCED = "El día en que empezó a regir se deduce de la fecha de la reforma: compruébelo en el BOE."
"""What is said of a wording in force whose first day no source gives."""

_WORD = re.compile(r"\w+")
_FEMININE = ("Ley", "Orden", "Resolución", "Sentencia", "Circular", "Instrucción", "Reforma")
_VERBS: Mapping[str, str] = {"amends": "modifica", "replaces": "sustituye", "repeals": "deroga o suprime"}


def wording_hash(text: str) -> str:
    """Return 16 hexadecimal digits that change when a word of a provision's text does.

    Case, accents, punctuation and layout do not count: the same wording has the same hash in every source.
    """
    return blake2b(" ".join(_WORD.findall(fold(text))).encode(), digest_size=8).hexdigest()


def wording_status_note(
    wording: WordingDates, valid_from: str | None, valid_to: str | None, source_note: str = ""
) -> str:
    """Return what is known of the days of a wording, as exactly as it is known, and as true before them as after.

    ``source_note`` is what the source says of the status of the wording; that no longer counts once it has ended.
    """
    if "last_day" in wording and valid_to:
        return _ended(wording, valid_from, valid_to)
    note = source_note
    if not note and "brought_by" in wording:
        note = _brought(wording["brought_by"])
    return f"{note} {DEDUCED}".lstrip() if wording.get("first_day", "exact") != "exact" else note


def with_article(name: str, law_id: str) -> str:
    """Return a norm with its article and identifier: "la Ley 11/2023, de 8 de mayo (BOE-A-2023-11022)"."""
    if not name:
        return f"la norma {law_id}"
    article = "las" if name.startswith("Sentencias") else "la" if name.startswith(_FEMININE) else "el"
    return f"{article} {name} ({law_id})" if law_id else f"{article} {name}"


def _ended(wording: WordingDates, valid_from: str | None, valid_to: str) -> str:
    changes = wording.get("ended_by", [])
    if wording.get("tracked") and valid_from:
        what = f"la {_VERBS[changes[-1]['act']]} {_norm(changes[-1])}" if changes else "después, sin vigencia"
        note = f"Redacción en vigor del {long_day(valid_from)} al {_day_before(valid_to)}; {what}."
    elif not changes:
        note = (
            f"Redacción en vigor al menos el {long_day(wording['last_seen'])}; dejó de estarlo un día que no consta, "
            f"a más tardar el {long_day(valid_to)}."
        )
    else:
        note = _until(changes[0])
    if len(changes) > 1:
        last = changes[-1]
        note += (
            f" No constan aquí las redacciones siguientes, hasta que {_norm(last)} la {_VERBS[last['act']]}, desde el "
            f"{long_day(last['day'])}."
        )
    lost = " La fuente no recoge los cuadros de esta redacción, si los tenía."
    return f"{note}{lost if wording.get('tables_lost') else ''}"


def _until(change: WordingChange) -> str:
    last, verb, norm = _day_before(change["day"]), _VERBS[change["act"]], _norm(change)
    if change["deduced_from"] is None:
        return f"Redacción en vigor hasta el {last}; la {verb} {norm}."
    published = change["deduced_from"] == "publication"
    event = f"día en que se publicó {norm}" if published else f"fecha de {norm}".replace("de el ", "del ")
    return f"Redacción en vigor al menos hasta el {last}, {event}, que la {verb}."


def _brought(change: WordingChange) -> str:
    if change["deduced_from"] is None or change["published"] is None:
        return f"Redacción dada por {_norm(change)}, en vigor desde el {long_day(change['day'])}."
    return f"Redacción dada por {_norm(change)}, publicada el {long_day(change['published'])}."


def _norm(change: WordingChange) -> str:
    return with_article(change["norm"], change["law_id"]) if change["norm"] or change["law_id"] else "otra posterior"


def _day_before(day: str) -> str:
    return long_day((date.fromisoformat(day) - timedelta(days=1)).isoformat())
