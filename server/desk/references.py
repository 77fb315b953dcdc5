"""What a provision refers to and what refers to it, each in its wording of a day."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date

from articulado.legal.wordings import Certainty
from articulado.retrieval.references import ProvisionRequest, order_in_law, without_wording, wording_on
from articulado.values.chunks import Chunk, provision_of
from articulado.values.errors import NoResultsFound
from server.desk.index import DeskIndex
from server.desk.results import DatedLink, References


async def references_of(index: DeskIndex, asked: ProvisionRequest, day: date | None) -> References:
    """Return the references of a provision in its wording of a day, of today without one.

    A wording refers to a provision and not to one wording of it: those of the day count on both sides. What has
    referred to the provision in another wording alone is left out.

    Raises:
        NoResultsFound: the index does not have the provision, or no wording of that day.
    """
    wordings = await index.wordings(asked)
    if not wordings:
        raise await index.missing(asked)
    wording = wording_on(wordings, day, index.today)
    if wording is None:
        raise NoResultsFound(without_wording(wordings, day))
    head = wording.head
    ids = [part["id"] for one in wordings for part in one.parts]
    return {
        "as_of": index.day_of(day),
        "index_day": index.day,
        "law_id": head["law_id"],
        "law": head["law_name"],
        "provision": head["provision"],
        "provision_key": head["provision_key"],
        "title": head["title"],
        "url": head["url"],
        "valid_from": head["valid_from"],
        "valid_to": head["valid_to"],
        "certainty": await index.certainty(head, day),
        "in_force": index.in_force(head, day),
        "cites": await _links(index, await _cited(index, wording.parts, day), head, day),
        "cited_by": await _links(index, await _citing(index, ids, day), head, day),
    }


async def _cited(index: DeskIndex, parts: Iterable[Chunk], day: date | None) -> list[Chunk]:
    """Return the provisions that a wording refers to, each in its wording of the day, else as it refers to them."""
    store = index.services.store
    cited = await store.fetch(list(dict.fromkeys(ref for part in parts for ref in part["refs"])))
    refs = {provision_of(chunk): chunk for chunk in cited}
    found = await asyncio.gather(*(index.wordings(ProvisionRequest(*ref)) for ref in refs))
    of_day = (wording_on(wordings, day, index.today) for wordings in found)
    return [one.head if one else chunk for one, chunk in zip(of_day, refs.values(), strict=True)]


async def _citing(index: DeskIndex, ids: list[int], day: date | None) -> list[Chunk]:
    """Return what refers to one of these chunks in a wording of the day."""
    return [chunk for chunk in await index.services.store.citing(ids) if index.in_force(chunk, day)]


async def _links(index: DeskIndex, chunks: Iterable[Chunk], linked: Chunk, day: date | None) -> list[DatedLink]:
    """Return the provisions of chunks, each once, in the order of their laws, without the one that is linked."""
    by_provision = {provision_of(chunk): chunk for chunk in chunks if provision_of(chunk) != provision_of(linked)}
    return sorted(await dated_links(index, list(by_provision.values()), day), key=order_in_law)


async def dated_links(index: DeskIndex, chunks: Sequence[Chunk], day: date | None) -> list[DatedLink]:
    """Return the provisions of chunks, with what is known of their wordings on a day."""
    sure = await index.certainties(chunks, day)
    return [_dated_link(index, chunk, one, day) for chunk, one in zip(chunks, sure, strict=True)]


def _dated_link(index: DeskIndex, chunk: Chunk, sure: Certainty, day: date | None) -> DatedLink:
    return {
        "law_id": chunk["law_id"],
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "provision_key": chunk["provision_key"],
        "title": chunk["title"],
        "status": chunk["status"],
        "url": chunk["url"],
        "valid_from": chunk["valid_from"],
        "valid_to": chunk["valid_to"],
        "certainty": sure,
        "in_force": index.in_force(chunk, day),
    }
