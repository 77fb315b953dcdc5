"""Find where a text names laws by their number: "Real Decreto Legislativo 2/2015, de 23 de octubre", "RDL 5/2000"."""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from articulado.language.days import MONTHS, month_number
from legal.laws.registry import KnownLaw, laws_by_number

_KINDS: dict[str, tuple[str, ...]] = {
    "real decreto legislativo": ("real_decreto_legislativo",),
    "real decreto ley": ("real_decreto_ley",),
    "real decreto": ("real_decreto",),
    "ley organica": ("ley_organica",),
    "ley": ("ley",),
    "decreto legislativo": ("real_decreto_legislativo",),
    "decreto ley": ("real_decreto_ley",),
    # People leave "real" out; no decree without it has been issued by the state since 1975.
    "decreto": ("real_decreto",),
    # Those of Navarra and the Basque provinces have series of their own.
    "ley foral": ("ley_foral",),
    "decreto foral legislativo": ("decreto_foral_legislativo",),
    "decreto ley foral": ("decreto_ley_foral",),
    "decreto foral": ("decreto_foral",),
    "norma foral": ("norma_foral",),
    "orden foral": ("orden_foral",),
    "lf": ("ley_foral",),
    "circular": ("circular",),
    "instruccion": ("instruccion",),
    "orden": ("orden",),
    "rdleg": ("real_decreto_legislativo",),
    "rdlg": ("real_decreto_legislativo",),
    "rdley": ("real_decreto_ley",),
    # "RDL" is written for both.
    "rdl": ("real_decreto_legislativo", "real_decreto_ley"),
    "rd": ("real_decreto",),
    "lo": ("ley_organica",),
    "l": ("ley",),
}
_OF = re.compile(r"\s+del?\s+")
_NUMBERED = re.compile(
    r"\b(?P<kind>real[ -]decreto[ -](?:legislativo|ley)|real decreto|ley organica|decreto[ -]ley foral"
    r"|(?:ley|decreto|norma|orden) foral(?: legislativo)?|ley|decreto[ -](?:legislativo|ley)|decreto|circular"
    r"|instruccion|orden(?: ministerial)?|r\.?d\.?[ -]?leg\.?|r\.?d\.?l\.?g\.?|r\.?d\.?[ -]?ley|r\.?d\.?-?l\.?|r\.?d\.?"
    r"|l\.?[of]\.?|l\.)\s*(?:(?:n\.?[ºo]|num\.?|numero)\s*)?"
    r"(?P<number>(?:[a-z]{2,4}/)?\d{1,4}(?:/|\s+del?\s+(?=(?:19|20)\d\d\b))(?:19|20)?\d\d)(?![\d/])"
    rf"(?:,?\s+de\s+(?P<day>\d{{1,2}})(?:\.?º)?\s+de\s+(?P<month>{MONTHS})(?:\s+de\s+\d{{4}})?)?"
)


class NumberedLaw(NamedTuple):
    """A law named by its number in ``text[start:end]``; the law is ``None`` where the registry does not know it.

    ``day`` is the day of the law as the text gives it. ``kinds`` are those that the text may mean, the likelier first,
    and ``number`` is the official one with the whole year ("37/2003"), folded.
    """

    start: int
    end: int
    law: KnownLaw | None
    day: date | None
    kinds: tuple[str, ...]
    number: str

    @property
    def published(self) -> date | None:
        """Return its publication, or where that is not known its day."""
        return self.law.published if self.law else self.day


def numbered_laws(folded: str) -> Iterator[NumberedLaw]:
    """Find the laws that a folded text names by number, in order."""
    for match in _NUMBERED.finditer(folded):
        written = _OF.sub("/", match["number"])
        year, kinds = _year(written), _kinds(match["kind"])
        number = f"{written.rpartition('/')[0]}/{year}"
        law = next((law for kind in kinds if (law := laws_by_number().get((kind, number)))), None)
        yield NumberedLaw(match.start(), match.end(), law, _day(match, year), kinds, number)


def _year(number: str) -> str:
    year = number.rpartition("/")[2]
    return year if len(year) == 4 else ("19" if int(year) > 40 else "20") + year


def _kinds(written: str) -> tuple[str, ...]:
    kind = re.sub(r"[ -]+", " ", written).removesuffix(" ministerial")
    return _KINDS.get(kind if kind in _KINDS else re.sub(r"[^a-z]", "", kind), ())


def _day(match: re.Match[str], year: str) -> date | None:
    if not match["day"]:
        return None
    try:
        return date(int(year), month_number(match["month"]), int(match["day"]))
    except ValueError:
        return None
