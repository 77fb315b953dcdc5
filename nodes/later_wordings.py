"""Provisions of which the index holds no wording of the day asked about, but the next one.

Most laws come in one wording only: that of today. Of a law that was there on the day, it is better than nothing, as
long as its note says what it is.
"""

import asyncio
import re
from collections.abc import Sequence
from datetime import date

from legal.laws.registry import known_laws
from legal.wordings import told_apart
from services.protocols import ChunkStore
from state.chunks import Candidate, Chunk, in_force, provision_of

_ADDED = re.compile(r"Se añaden? (?:por|, con efectos|con efectos|est[ae]|el art|la disposici)")
"""How a note begins that says that there was no such provision before."""


async def later_wordings(found: Sequence[Candidate], day: date, store: ChunkStore) -> list[Candidate]:
    """Return which of these stand in for the wording of a day that the index lacks, their notes saying so."""
    later = [one for one in found if _may_stand_in(one["chunk"], day)]
    places = list(dict.fromkeys(provision_of(one["chunk"]) for one in later))
    wordings = await asyncio.gather(*(store.find(*place) for place in places))
    lacking = {
        place for place, held in zip(places, wordings, strict=True) if not any(in_force(one, day, day) for one in held)
    }
    return [{**one, "chunk": told_apart(one["chunk"], day)} for one in later if provision_of(one["chunk"]) in lacking]


def _may_stand_in(chunk: Chunk, day: date) -> bool:
    """Tell whether a wording is of later than a day, and of a provision that may have been there before."""
    law = known_laws().get(chunk["law_id"])
    if law is None or law.published > day or (chunk["valid_from"] or "") <= day.isoformat():
        return False
    return not any(_ADDED.match(note) for note in chunk["notes"])
