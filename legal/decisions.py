"""The decisions that a text names by number: rulings ("STC 140/2024"), and criteria of administrations ("CT 101/2019").

A decision goes by a key of its court and its number, as the records of the package have it; whoever writes of one
seldom knows its ECLI, whose number is another one (but for the Constitutional Court).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from articulado.language.folding import fold

_NUMBER = r"(?:n(?:um(?:ero)?)?\.?\s?[ºo]?\.?\s?)?(?P<number>\d{1,5})/(?P<year>\d{4}|\d{2})(?![\d/])"
_OF_COURT = {
    "stc": r"(?:ss?tc|(?:sentencia|st?\.)\s+(?:del?\s+)?(?:el\s+)?(?:tribunal constitucional|tc))",
    "sts": r"(?:ss?ts|(?:sentencia|st?\.)\s+(?:del?\s+)?(?:el\s+)?(?:tribunal supremo|supremo|ts))",
    "san": r"(?:ss?an|(?:sentencia|st?\.)\s+(?:de\s+)?(?:la\s+)?(?:audiencia nacional|an))",
}
_COURT_BEHIND = {
    "stc": r"(?:tribunal constitucional|tc)",
    "sts": r"(?:tribunal supremo|supremo|ts)",
    "san": r"(?:audiencia nacional|an)",
}
_OF_ADMINISTRATION = {
    "inss-cg": r"criterio(?:\s+de\s+gestion)?(?:\s+(?:del\s+)?inss)?",
    "itss-ct": r"(?:criterio\s+tecnico|ct)(?:\s+(?:de\s+la\s+)?(?:itss|dgitss|inspeccion(?:\s+de\s+trabajo)?))?",
    "tgss-bnr": r"(?:boletin(?:\s+de)?\s+noticias\s+red|bnr|boletin\s+red)",
    "inss-consulta": r"consulta\s+(?:del\s+)?inss",
}
COURTS = tuple(_OF_COURT)
"""Beginnings of the keys of rulings that go by number and year."""

_BETWEEN = r"(?:,?\s+\(?(?:sala|pleno|seccion)[^\d;.]{0,40})?,?\s*"

_DECISIONS = tuple(
    (kind, re.compile(rf"\b{pattern}{_BETWEEN}{_NUMBER}"))
    for kind, pattern in (*_OF_COURT.items(), *_OF_ADMINISTRATION.items())
) + tuple(
    (
        kind,
        re.compile(rf"\bsentencia\s+{_NUMBER}(?:,?\s+de\s+\d{{1,2}}\s+de\s+[a-z]+)?,?\s+(?:del?|de\s+la)\s+{court}\b"),
    )
    for kind, court in _COURT_BEHIND.items()
)
_EUROPEAN = re.compile(
    r"\b(?:(?:s?tjue|sentencia|asunto|as\.)[^\d;.]{0,60}?)?(?P<court>[ct])[-‑–](?P<number>\d{1,4})/(?P<year>\d{2})\b"
)
_ECLI = re.compile(r"\becli:[a-z]{2}:[a-z0-9]{1,7}:\d{4}:[a-z0-9]{1,25}")
_TWO_DIGITS, _LAST_OF_THIS_CENTURY = 100, 50


@dataclass(frozen=True)
class Decision:
    """A decision named in ``text[start:end]``: by its ``key``, or by its ``ecli``; the other one is empty."""

    start: int
    end: int
    key: str = ""
    ecli: str = ""


def decisions_in(text: str) -> list[Decision]:
    """Return the decisions that a text names by their numbers, in its order.

    >>> [decision.key for decision in decisions_in("¿Qué dicen la STC 140/2024 y el asunto C-113/22?")]
    ['stc-140-2024', 'tjue-c-113-22']
    >>> [decision.key for decision in decisions_in("la sentencia 736/2025, de 16 de julio, del Tribunal Supremo")]
    ['sts-736-2025']
    """
    found: list[Decision] = []
    for decision in sorted(_named(fold(text)), key=lambda decision: (decision.start, -decision.end)):
        if not found or decision.start >= found[-1].end:
            found.append(decision)
    return found


def _named(folded: str) -> Iterator[Decision]:
    for match in _ECLI.finditer(folded):
        yield Decision(*match.span(), ecli=match[0].upper())
    for kind, pattern in _DECISIONS:
        for match in pattern.finditer(folded):
            yield Decision(*match.span(), f"{kind}-{int(match['number'])}-{_whole_year(int(match['year']))}")
    for match in _EUROPEAN.finditer(folded):
        yield Decision(*match.span(), f"tjue-{match['court']}-{int(match['number'])}-{match['year']}")


def _whole_year(year: int) -> int:
    if year >= _TWO_DIGITS:
        return year
    return year + (2000 if year <= _LAST_OF_THIS_CENTURY else 1900)
