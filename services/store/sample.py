"""A sample of what a build has written, to be compared with what the store reads back before it is served."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.chunks import Chunk
from articulado.values.errors import IndexMismatch
from services.store.layout import METADATA, Payload
from services.store.manifest import REBUILD_HINT

SAMPLED = 32
"""Chunks of each place of writing that are looked at."""


class WrittenSample:
    """Hashes of some of the chunks that were written to one place: those of the smallest ids, which are hashes too."""

    def __init__(self) -> None:
        self._hashes: dict[int, str] = {}

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Take chunks into account that are written."""
        self._hashes |= {chunk["id"]: chunk["content_hash"] for chunk in chunks}
        if len(self._hashes) > SAMPLED:
            self._hashes = {id: self._hashes[id] for id in sorted(self._hashes)[:SAMPLED]}

    @property
    def ids(self) -> list[int]:
        """The points to read back."""
        return list(self._hashes)

    def check(self, payloads: Mapping[int, Payload], generation: Path | str) -> None:
        """Compare what was read back with what was written.

        Raises:
            IndexMismatch: points are missing, or others than were written.
        """
        stored = {id: payload.get(METADATA, {}).get("content_hash") for id, payload in payloads.items()}
        if differing := sum(stored.get(id) != written for id, written in self._hashes.items()):
            advice = translate("store.still_served", command=REBUILD_HINT)
            raise IndexMismatch(
                translate(
                    "store.points_differ",
                    folder=generation,
                    differing=differing,
                    sample=len(self._hashes),
                    advice=advice,
                )
            )
