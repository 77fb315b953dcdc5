"""Identifiers: those by which the official gazettes name norms, and the stable ones of chunks."""

import re
from hashlib import blake2b

from state.chunks import MAX_CHUNK_ID


def chunk_id(collection: str, law_id: str, label: str, valid_from: str | None, part: int, child: int = 0) -> int:
    """Return the id of a chunk: 53 bits of BLAKE2b over what it is, the same in every build.

    ``label`` tells the provisions of a law apart: the canonical key, so that all sources of a law agree.
    ``part`` counts from 1; ``child`` is 0 for a parent.
    """
    name = "\x1f".join((collection, law_id, label, valid_from or "", str(part), str(child)))
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") & MAX_CHUNK_ID


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
