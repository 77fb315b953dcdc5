"""Identifiers: those by which the official gazettes name norms, and the stable ones of chunks."""

import re
from hashlib import blake2b

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
