"""What is compared once an index is open: the points that the store holds with the table and the manifest."""

import asyncio

from articulado.language.translation import translate
from articulado.values.errors import IndexMismatch, StoreUnavailable
from articulado.values.protocols import ChunkStore
from services.store.builder import digest
from services.store.manifest import Index
from services.store.points import UNKNOWN, Points

SAMPLE = 16
"""Points that are looked at, evenly spread over the table."""

MAX_CHANGED_IN_PLACE = 0.2
"""Share of the points of a server that an update in place may have changed since the table was written: one that is
under way, or that another machine has made. Above it an ingest makes new collections."""


async def check_points(index: Index, store: ChunkStore, *, embedded: bool) -> None:
    """Compare the numbers of points, and a sample of their digests, with the manifest and the table.

    What a server holds may have been updated in place since; there half of the sample may differ.

    Raises:
        IndexMismatch: the store holds other points; the message says which collection, and what to run.
        IndexMissing, StoreUnavailable, ConfigurationError: table or store cannot be read. A server that cannot be
            reached is no reason: it may be back when it is asked.
    """
    expected = index.manifest.collections
    # What was fetched from a server has no table: there is the server itself to be asked.
    fetched = index.manifest.fetched
    points = Points.of([]) if fetched else await asyncio.to_thread(Points.load, index.folder)
    if not fetched and len(points) != sum(expected.values()):
        raise _incomplete(index, "points.npy", len(points), sum(expected.values()))
    try:
        counts = await store.counts()
    except StoreUnavailable:
        if embedded:
            raise
        return  # a server that is away now says so when it is asked
    for name, stored in counts.items():
        least = expected[name] if embedded else expected[name] * (1 - MAX_CHANGED_IN_PLACE)
        if stored < least or (embedded and stored > expected[name]):
            raise _incomplete(index, name, stored, expected[name])
    sample = [point for point in points.sample(SAMPLE) if point.digest != UNKNOWN]
    digests = {chunk["id"]: digest(chunk) for chunk in await store.fetch([point.id for point in sample])}
    differing = sum(digests.get(point.id) != point.digest for point in sample)
    if differing > (0 if embedded else len(sample) // 2):
        raise IndexMismatch(
            translate(
                "store.points_differ",
                folder=index.folder,
                differing=differing,
                sample=len(sample),
                advice=index.advice,
            )
        )


def _incomplete(index: Index, name: str, stored: int, expected: int) -> IndexMismatch:
    return IndexMismatch(
        translate(
            "store.not_whole",
            folder=index.folder,
            name=name,
            stored=stored,
            expected=expected,
            advice=index.advice,
        )
    )
