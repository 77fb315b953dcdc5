"""Identifiers of chunks, of norms in the official gazettes (BOE), and of rulings and criteria."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from articulado.language.folding import fold
from articulado.values.chunks import MAX_CHUNK_ID, Chunk

NEAREST_PARTS = 16


def chunk_id(collection: str, law_id: str, label: str, valid_from: str | None, part: int, child: int = 0) -> int:
    """Return the id of a chunk: 53 bits of BLAKE2b, the same in every build.

    ``label`` is the canonical key of the provision, so that all sources of a law agree. ``part`` counts from 1;
    ``child`` is 0 for a parent.
    """
    name = "\x1f".join((collection, law_id, label, valid_from or "", str(part), str(child)))
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") & MAX_CHUNK_ID


def nearest_part_ids(chunk: Chunk) -> list[int]:
    """Return the ids of the nearest other parts of a provision, the nearest first; none for other texts."""
    if chunk["chunk_type"] != "provision" or chunk["parts"] == 1:
        return []
    own = chunk["part"]
    by_distance = sorted(range(1, chunk["parts"] + 1), key=lambda part: (abs(part - own), part))[1 : NEAREST_PARTS + 1]
    of_law = chunk["collection"], chunk["law_id"], chunk["provision_key"], chunk["valid_from"]
    return [chunk_id(*of_law, part) for part in by_distance]


BOE_ID = r"[A-Z]{3,6}-[A-Za-z]-\d{4}-\d{1,6}"  # BOE-A-2015-11430; DOGC-f-2015-90448 (regional gazette)

BOE_ID_TYPED = re.compile(rf"(?<![\w-]){BOE_ID}(?![\w-])", re.ASCII | re.IGNORECASE)

_WHOLE = re.compile(BOE_ID, re.ASCII)
_CAPITAL_SERIES = ("BOE", "BORME", "DOUE")  # Gazettes with capital series; those of the communities have small ones


def is_boe_id(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def boe_id(typed: str) -> str:
    """Return an identifier in the official case ("BOE-A-2015-11430", "DOGC-f-2015-90448"); empty for another text."""
    if not BOE_ID_TYPED.fullmatch(typed):
        return ""
    gazette, series, number = typed.upper().split("-", 2)
    return f"{gazette}-{series if gazette in _CAPITAL_SERIES else series.lower()}-{number}"


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
    """A decision named in ``text[start:end]`` by its ``key`` or its ``ecli``; the other is empty."""

    start: int
    end: int
    key: str = ""
    ecli: str = ""


def decisions_in(text: str) -> list[Decision]:
    """Return the decisions that a text names by number, in order: "STC 140/2024" has the key ``stc-140-2024``."""
    decisions: list[Decision] = []
    for decision in sorted(_named(fold(text)), key=lambda decision: (decision.start, -decision.end)):
        if not decisions or decision.start >= decisions[-1].end:
            decisions.append(decision)
    return decisions


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
