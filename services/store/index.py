"""The index: opening the generation that is served, building it where there is none."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.errors import IndexMismatch, IndexMissing
from services.store.builder import IndexBuilder
from services.store.generations import Generations
from services.store.manifest import BUILD_HINT, Description, Fingerprints, Index, Manifest, read_manifest
from services.store.writer import WriterFactory

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
