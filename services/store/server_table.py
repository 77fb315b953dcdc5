"""The table of an index's points, as a server has them: ids, parents and digests read from the payloads."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from services.store.connection import translate_server_errors
from services.store.layout import METADATA, field_path
from services.store.points import Point, Points, digest_of_hash
from services.store.server_collection import scroll

if TYPE_CHECKING:
    from qdrant_client import AsyncQdrantClient, models

FIELDS = [field_path("parent_id"), field_path("content_hash")]

IDS_PER_REQUEST = 1_000


async def fetched_table(client: "AsyncQdrantClient", stored: Mapping[str, str], names: Iterable[str]) -> Points:
    """Return the table of all points of some collections; ``stored`` has the server's name of each, in their order."""
    positions = {name: position for position, name in enumerate(stored)}
    points: list[Point] = []
    for name in names:
        async for page in scroll(client, stored[name], with_payload=FIELDS):
            points += [_row(record, positions[name]) for record in page]
    return await asyncio.to_thread(Points.of, points)


async def as_stored(
    client: "AsyncQdrantClient", table: Points, stored: Mapping[str, str], touched: Mapping[int, str]
) -> Points:
    """Return a table in which the touched points (each with its collection) are as most replicas have them now.

    One of which those that are asked do not agree is none, for nobody knows what it is.
    """
    from qdrant_client import models

    positions = {name: position for position, name in enumerate(stored)}
    by_collection: defaultdict[str, list[int]] = defaultdict(list)
    for point, name in touched.items():
        by_collection[name].append(point)
    points: list[Point] = []
    for name, ids in by_collection.items():
        for start in range(0, len(ids), IDS_PER_REQUEST):
            asked = ids[start : start + IDS_PER_REQUEST]
            with translate_server_errors():
                records = await client.retrieve(
                    stored[name], asked, with_payload=FIELDS, consistency=models.ReadConsistencyType.QUORUM
                )
            points += [_row(record, positions[name]) for record in records]
    return await asyncio.to_thread(_replaced, table, touched, points) if touched else table


def _replaced(table: Points, touched: Collection[int], now: Sequence[Point]) -> Points:
    kept = table.table[:, ~np.isin(table.table[0], list(touched))]
    rows = np.concatenate([kept, Points.of(now).table], axis=1)
    return Points(np.ascontiguousarray(rows[:, np.argsort(rows[0], kind="stable")]))


def _row(record: "models.Record", position: int) -> Point:
    """Return the row of a point in the table, from what the server has of it."""
    metadata = (record.payload or {}).get(METADATA, {})
    id = int(str(record.id))
    return Point(id, metadata.get("parent_id") or id, digest_of_hash(metadata.get("content_hash", "")), position)
