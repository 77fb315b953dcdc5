"""Open the current generation of an index, or build it if there is none, and check its points."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from articulado.language.translation import translate
from articulado.store.builder import IndexBuilder, digest
from articulado.store.generations import (
    BUILD_HINT,
    Description,
    Fingerprints,
    Generations,
    Index,
    Manifest,
    read_manifest,
)
from articulado.store.writer import UNKNOWN, Points, WriterFactory
from articulado.values.errors import IndexMismatch, IndexMissing, StoreUnavailable
from articulado.values.protocols import ChunkStore

READ_ATTEMPTS = 3
"""A generation can only go between two looks if an index was rebuilt twice in between."""


def open_index(folder: Path, expected: Fingerprints | None = None, *, profile: str = "") -> Index:
    """Return the generation that is served.

    Raises:
        IndexMissing: there is none; the message says what to run.
        IndexMismatch: it is of another profile than ``profile`` (a name; empty: of any), was built with other parts
            than ``expected``, or cannot be read; or what says which generation is served is damaged.
    """
    generations = Generations(folder)
    for _ in range(READ_ATTEMPTS):
        current = generations.current()
        if current is None:
            raise IndexMissing(translate("store.no_index", folder=folder, command=BUILD_HINT))
        try:
            manifest = read_manifest(current)
        except FileNotFoundError:
            continue
        if profile:
            check_profile(manifest, profile, folder)
        if expected is not None:
            manifest.check(expected, folder)
        return Index(current, manifest)
    raise generations.pointer_damaged()


def check_profile(manifest: Manifest, profile: str, folder: Path) -> None:
    """Compare the profile of an index with the one that is asked for.

    Raises:
        IndexMismatch: they differ; the message names both and what to run.
    """
    if manifest.profile != profile:
        raise IndexMismatch(translate("store.other_profile", folder=folder, built=manifest.profile, asked=profile))


async def open_or_build(
    folder: Path,
    expected: Fingerprints,
    *,
    writer: WriterFactory,
    build: Callable[[IndexBuilder], Awaitable[Description]],
) -> Index:
    """Open an index; where there is none, or one of other parts, build it first.

    ``build`` adds the chunks and returns the description. Where several processes come at once, one builds and the
    others open what it has built.
    """
    try:
        return await asyncio.to_thread(open_index, folder, expected)
    except (IndexMissing, IndexMismatch):
        async with IndexBuilder(folder, writer) as builder:
            try:
                return await asyncio.to_thread(open_index, folder, expected)
            except (IndexMissing, IndexMismatch):
                return await builder.commit(await build(builder))


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
