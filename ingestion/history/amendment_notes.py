"""Read the BOE's notes below a provision: which norms amended it, and since when with effect.

A note of amendment names the norm and its BOE identifier. The day of its effect, where it is not the usual one, stands
in the same note ("con efectos de 1 de enero de 2025"), in the next ("Esta modificación entra en vigor el 30 de marzo
de 2022"), or in another that has the same identifier.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from articulado.language.days import MONTHS, month_number
from articulado.legal.ids import BOE_ID
from articulado.legal.validity import AMENDS
from ingestion.boe.notes import norm_in

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
