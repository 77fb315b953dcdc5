"""Identifiers of chunks, of norms in the official gazettes (BOE), and of rulings and criteria.

A chunk id is 53 bits of BLAKE2b over the identity of the chunk, the same in every build. A decision has a
key of court and number ("STC 140/2024", "CT 101/2019"), as the packaged records write it. Its ECLI is
seldom known and has another number, except at the Constitutional Court.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from articulado.language.folding import fold
from articulado.values.chunks import MAX_CHUNK_ID, Chunk

NEAREST_PARTS = 16
"""Other parts of its own provision that go with a part at most: an annex may have a thousand."""


def chunk_id(collection: str, law_id: str, label: str, valid_from: str | None, part: int, child: int = 0) -> int:
    """Return the id of a chunk: 53 bits of BLAKE2b over what it is, the same in every build.

    ``label`` tells the provisions of a law apart: the canonical key, so that all sources of a law agree.
    ``part`` counts from 1; ``child`` is 0 for a parent.
    """
    name = "\x1f".join((collection, law_id, label, valid_from or "", str(part), str(child)))
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") & MAX_CHUNK_ID


def nearest_part_ids(chunk: Chunk) -> list[int]:
    """Return the ids of the other parts of a law's provision that are nearest to a part, the nearest first.

    They follow from what the part is, so nothing lists them. What is no provision of a law has none: each part of a
    running text stands for itself.
    """
    if chunk["chunk_type"] != "provision" or chunk["parts"] == 1:
        return []
    own = chunk["part"]
    by_distance = sorted(range(1, chunk["parts"] + 1), key=lambda part: (abs(part - own), part))[1 : NEAREST_PARTS + 1]
    of_law = chunk["collection"], chunk["law_id"], chunk["provision_key"], chunk["valid_from"]
    return [chunk_id(*of_law, part) for part in by_distance]


BOE_ID = r"[A-Z]{3,6}-[A-Za-z]-\d{4}-\d{1,6}"
"""Pattern of an identifier: BOE-A-2015-11430; regional norms have the gazette of theirs, as DOGC-f-2015-90448."""

BOE_ID_TYPED = re.compile(rf"(?<![\w-]){BOE_ID}(?![\w-])", re.ASCII | re.IGNORECASE)
"""An identifier in what a person types: in whatever case."""

_WHOLE = re.compile(BOE_ID, re.ASCII)
_CAPITAL_SERIES = ("BOE", "BORME", "DOUE")
"""Gazettes whose series have capital letters; those of the communities have small ones."""


def is_boe_id(text: str) -> bool:
    """Tell whether a text is such an identifier and nothing else; case counts, as the BOE's addresses know it.

    >>> is_boe_id("BOE-A-2015-11430"), is_boe_id("boe-a-2015-11430")
    (True, False)
    """
    return _WHOLE.fullmatch(text) is not None


def boe_id(typed: str) -> str:
    """Return an identifier in the case in which the BOE writes it; empty where a text is none.

    >>> boe_id("boe-a-2015-11430"), boe_id("dogc-f-2015-90448"), boe_id("ET")
    ('BOE-A-2015-11430', 'DOGC-f-2015-90448', '')
    """
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
