"""Fetch the provisions that a question names, and say what the index does not have of them."""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta

from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force
from articulado.legal.wordings import annotate_validity
from articulado.store.layout import order_parts
from articulado.values.answers import NamedProvision
from articulado.values.chunks import NAMED_SCORE, Candidate, Chunk
from articulado.values.protocols import ChunkStore
from state.candidates import candidate, merged

MAX_DIRECT_PROVISIONS = 8


async def look_up(
    provisions: Sequence[NamedProvision], store: ChunkStore, as_of: date | None, today: date
) -> list[Candidate]:
    """Return named provisions, all their parts: of several wordings the one of the day, else the nearest to it."""
    looked_up = provisions[:MAX_DIRECT_PROVISIONS]
    indexed = await asyncio.gather(*(store.find(named["law_id"], named["provision_key"]) for named in looked_up))
    return merged(
        candidate(
            annotate_validity(chunk, as_of) if as_of else chunk,
            NAMED_SCORE,
            "direct",
            f"{named['law_id']}#{chunk['provision']}",
        )
        for named, chunks in zip(looked_up, indexed, strict=True)
        for chunk in ([chunk for chunk in chunks if in_force(chunk, as_of, today)] or _nearest(chunks, as_of or today))
    )


def _nearest(chunks: Sequence[Chunk], day: date) -> list[Chunk]:
    """Return the next wording after a day, else the last before it."""
    in_order = order_parts(chunks, day)
    return [chunk for chunk in in_order if chunk["valid_from"] == in_order[0]["valid_from"]]


def not_indexed(named: NamedProvision) -> str:
    """Return the warning for a provision that was named and is not in the index."""
    law = known_laws().get(named["law_id"])
    where = f"del índice ({law.short})" if law else "de las normas del índice"
    kind, _, number = named["provision_key"].partition(":")
    label = f"artículo {number}" if kind == "art" else f"precepto nombrado ({number})"
    return f"El {label} no está entre los preceptos {where}."


def not_in_force(chunk: Chunk, as_of: date | None, today: date) -> str:
    """Return the warning for a provision that was named and has another wording than that of the day asked about."""
    day = as_of or today
    begins, ends = (date.fromisoformat(chunk[bound] or "9999-12-31") for bound in ("valid_from", "valid_to"))
    if chunk["valid_from"] and begins > day:
        instead = f"la que rige desde el {begins:%d/%m/%Y}"
    elif ends <= day:
        instead = f"la que rigió hasta el {ends - timedelta(days=1):%d/%m/%Y}"
    else:
        instead = "la última"
    when = f"el {as_of:%d/%m/%Y}" if as_of else "hoy"
    return f"{chunk['provision']} ({chunk['law_name']}): no consta ninguna redacción en vigor {when}; se usa {instead}."
